"""The outline of a card: facts and regions in the order that every surface keeps."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import assert_never

from assent.domain.cards import (
    Blank,
    Card,
    CardPreview,
    DiffPreview,
    FailedPreview,
    FieldChange,
    NamedValue,
    Note,
    Past,
    TextPreview,
)
from assent.domain.lifecycle import RequestStatus

AGENT_WORDS_CHARS = 600
DESCRIPTION_CHARS = 600
BESIDE_NAMED = 5


class RegionName(StrEnum):
    """The name of a region; HTML uses it as a class."""

    ARGUMENTS = "arguments"
    DETAILS = "details"
    PREVIEW = "preview"
    EDITS = "edits"
    FORM = "form"
    DESCRIPTION = "description"
    WORDS = "words"
    HISTORY = "history"
    SIMILAR = "similar"


@dataclass(frozen=True, slots=True, kw_only=True)
class CardFact:
    """A short foreign text after a label and perhaps a remark of ours."""

    label: str
    text: str
    before: str = ""


@dataclass(frozen=True, slots=True)
class Fields:
    """Named values; an empty list is shown as "none"."""

    entries: tuple[NamedValue, ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Foreign text, in full wherever there is room."""

    text: str


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Foreign text that no decision rests on, limited everywhere."""

    text: str
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """A text before and after the call."""

    before: str
    after: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edits:
    """Changes that people made to the model's arguments."""

    changes: tuple[FieldChange, ...]
    editors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Blanks:
    """Fields to fill in."""

    blanks: tuple[Blank, ...]


@dataclass(frozen=True, slots=True)
class Notes:
    """Decisions so far."""

    notes: tuple[Note, ...]


@dataclass(frozen=True, slots=True)
class Pasts:
    """Earlier calls of the same tool."""

    calls: tuple[Past, ...]


Content = Fields | Quote | Excerpt | Diff | Edits | Blanks | Notes | Pasts


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A heading and a remark in our words, with the content below them."""

    name: RegionName
    heading: str
    remark: str = ""
    content: Content
    is_warning: bool = False


def facts_of(card: Card) -> tuple[CardFact, ...]:
    """Return the facts shown before the arguments; never the agent's own words."""
    claim = "its server says: " if card.is_foreign else ""
    facts = (
        CardFact(label="impact", text=card.impact, before=claim),
        CardFact(label="question", text=card.question),
        CardFact(label="why", text=card.reason),
        CardFact(label="agent", text=card.agent),
        CardFact(label="for", text=card.on_behalf_of),
        CardFact(label="filled", text=_sources(card), before="not by the agent: "),
        CardFact(label="asked", text=_unfit(card), before="again, as what was kept is not valid: "),
        CardFact(label="beside", text=", ".join(card.beside[:BESIDE_NAMED]), before=_waiting(card)),
    )
    return tuple(fact for fact in facts if fact.text)


def warning_of(card: Card) -> str:
    """Return the reason for a raised risk; empty if it is not raised."""
    if not card.is_raised:
        return ""
    return f"raised from {card.declared_risk}: it holds data that people cannot inspect"


def rejections_of(card: Card) -> str:
    """Return a warning if the same call was rejected in this conversation before, else empty."""
    if not card.rejected:
        return ""
    times = "once" if card.rejected == 1 else f"{card.rejected:,} times"
    return f"the same call was rejected {times} in this conversation"


def deadline_of(card: Card) -> datetime | None:
    """Return the deadline of an open request; None if it is closed."""
    return card.deadline if card.status is RequestStatus.OPEN else None


def moment(at: datetime) -> str:
    """Return a time as every surface writes it."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def regions_of(card: Card) -> tuple[Region, ...]:
    """Return the regions below the facts; the agent's words come after the arguments."""
    return tuple(_regions(card))


def _regions(card: Card) -> Iterator[Region]:
    yield Region(name=RegionName.ARGUMENTS, heading="Arguments", content=Fields(card.arguments))
    if card.details:
        yield Region(name=RegionName.DETAILS, heading="The tool adds", content=Fields(card.details))
    if card.preview is not None:
        yield _preview(card.preview)
    if card.edits:
        yield Region(
            name=RegionName.EDITS,
            heading="Changed",
            remark="- as proposed  + as it will run",
            content=Edits(changes=card.edits, editors=card.edited_by),
        )
    if card.blanks:
        yield Region(
            name=RegionName.FORM,
            heading="To fill in",
            remark="* is required",
            content=Blanks(card.blanks),
        )
    yield from _claims(card)
    yield from _past(card)


def _claims(card: Card) -> Iterator[Region]:
    if card.description:
        whose = "The tool's server says" if card.is_foreign else "The tool's description"
        yield Region(
            name=RegionName.DESCRIPTION,
            heading=whose,
            remark="not checked, not trusted" if card.is_foreign else "its author's words",
            content=Excerpt(card.description, DESCRIPTION_CHARS),
        )
    if card.agent_words:
        yield Region(
            name=RegionName.WORDS,
            heading="The agent says",
            remark="its own words, not checked",
            content=Excerpt(card.agent_words, AGENT_WORDS_CHARS),
        )


def _past(card: Card) -> Iterator[Region]:
    if card.history:
        yield Region(name=RegionName.HISTORY, heading="So far", content=Notes(card.history))
    if card.similar:
        yield Region(
            name=RegionName.SIMILAR,
            heading="Earlier calls",
            remark="of this tool",
            content=Pasts(card.similar),
        )


def _preview(preview: CardPreview) -> Region:
    match preview:
        case TextPreview(text=text):
            return Region(
                name=RegionName.PREVIEW,
                heading="Preview",
                remark="what the tool says it would do",
                content=Quote(text),
            )
        case DiffPreview(before=before, after=after, text=text):
            return Region(
                name=RegionName.PREVIEW,
                heading="Preview",
                remark="what the tool says it would change",
                content=Diff(before=before, after=after, text=text),
            )
        case FailedPreview(reason=reason):
            return Region(
                name=RegionName.PREVIEW,
                heading="Preview failed",
                content=Quote(reason),
                is_warning=True,
            )
        case _:
            assert_never(preview)


def _sources(card: Card) -> str:
    """Return the arguments that nobody typed for this call, each with where it came from."""
    used = (each for each in card.origins if each.fits)
    return ", ".join(f"{each.field} ({each.source.words})" for each in used)


def _unfit(card: Card) -> str:
    return ", ".join(each.field for each in card.origins if not each.fits)


def _waiting(card: Card) -> str:
    others = len(card.beside)
    such_as = ", such as" if others > BESIDE_NAMED else ""
    return f"{others:,} other call{'' if others == 1 else 's'} of this answer{such_as}: "
