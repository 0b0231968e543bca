"""Cards as HTML: a semantic fragment for any page, in full, styled by classes only.

It has no scripts, resources, links or inline styles, so it works under any strict CSP.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import assert_never

from assent.domain.cards import Blank, Card, Choice, FieldChange, Members, Note, Past
from assent.domain.verdicts import done_words
from assent.presentation.html_values import (
    block,
    changes,
    entries,
    excerpt,
    foreign,
    text_diff,
    value,
)
from assent.presentation.markup import Html, element, isolated, joined
from assent.presentation.outline import (
    Blanks,
    CardFact,
    Content,
    Diff,
    Edits,
    Excerpt,
    Fields,
    Notes,
    Pasts,
    Quote,
    Region,
    RegionName,
    deadline_of,
    facts_of,
    moment,
    regions_of,
    rejections_of,
    warning_of,
)
from assent.presentation.passages import PAST_CHARS, condition_words
from assent.presentation.rendering import RENDERER_VERSION, Rendered
from assent.presentation.sheet_values import json_of
from assent.presentation.text import mark, quoted, safe_line

VERSION = f"html/{RENDERER_VERSION}"
# A page may show these in its own way; a decision rests on all others.
OMITTABLE = frozenset({RegionName.FORM, RegionName.HISTORY, RegionName.SIMILAR})
_NOTHING: frozenset[RegionName] = frozenset()


def render(
    card: Card,
    *,
    level: int = 2,
    omit: Collection[RegionName] = _NOTHING,
    with_choices: bool = True,
) -> Rendered:
    """Return the card as an `article` whose title is a heading of this level.

    A page with its own form, history or buttons omits those here.
    """
    if not OMITTABLE.issuperset(omit):
        raise ValueError(f"these regions cannot be omitted: {set(omit) - OMITTABLE}")
    shown = [region for region in regions_of(card) if region.name not in omit]
    regions = [_region(region, level + 1) for region in shown]
    choices = [_choices(card.choices, level + 1)] if with_choices and card.choices else []
    body = joined((_header(card, level), _facts(card), *regions, *choices))
    footer = _footer(card, is_marked="<mark>" in body)
    text = element("article", body, footer, class_=f"card card-{card.kind} is-{card.status}")
    return Rendered(text=text, complete=True, cut=False, choices=card.choices, version=VERSION)


def render_changes(found: Iterable[FieldChange]) -> Html:
    """Return edits alone, for the confirmation of an edit and for the record."""
    return changes(found)


def _header(card: Card, level: int) -> Html:
    """Return our title, then the tool's name and source; never a title from a foreign server."""
    origin = (" from ", element("code", foreign(card.source), class_="source"))
    category = (" ", element("span", "category ", foreign(card.category), class_="category"))
    tool = element(
        "p",
        element("code", foreign(card.tool), class_="tool"),
        *(category if card.category else ()),
        *(origin if card.is_foreign else ()),
    )
    risk = element("span", card.risk, class_=f"badge risk-{card.risk}")
    return element("header", element(f"h{level}", card.title, " ", risk), tool)


def _facts(card: Card) -> Html:
    rows = [_fact(fact) for fact in facts_of(card)]
    if warning := warning_of(card):
        rows.insert(0, _row("risk", element("strong", warning)))
    if before := rejections_of(card):
        rows.insert(0, _row("before", element("strong", before)))
    if (deadline := deadline_of(card)) is not None:
        time = element("time", moment(deadline), datetime=deadline.isoformat())
        rows.append(_row("expires", time))
    return element("dl", *rows, class_="facts")


def _fact(fact: CardFact) -> Html:
    text = block(fact.text) if "\n" in fact.text else foreign(fact.text)
    before = (element("span", fact.before, class_="remark"),) if fact.before else ()
    return _row(fact.label, *before, text)


def _region(region: Region, level: int) -> Html:
    remark = (" ", element("small", region.remark)) if region.remark else ()
    heading = element(f"h{level}", region.heading, *remark)
    warning = " warning" if region.is_warning else ""
    return element(
        "section", heading, _content(region.content), class_=f"region region-{region.name}{warning}"
    )


def _content(content: Content) -> Html:
    match content:
        case Fields(entries=()):
            return element("p", "none", class_="remark")
        case Fields(entries=found):
            return entries(found)
        case Quote(text=text):
            return block(text)
        case Excerpt(text=text, characters=most):
            return excerpt(text, most)
        case Diff(before=before, after=after, text=text):
            return joined((*((block(text),) if text else ()), text_diff(before, after)))
        case Edits(changes=found, editors=editors):
            by = element("dl", *(_row("by", foreign(editor)) for editor in editors), class_="facts")
            return joined((*((by,) if editors else ()), changes(found)))
        case Blanks(blanks=blanks):
            return element("dl", *map(_blank, blanks), class_="fields")
        case Notes(notes=notes):
            return element("ol", *map(_note, notes), class_="notes")
        case Pasts(calls=calls):
            return element("ol", *map(_past, calls), class_="notes")
        case _:
            assert_never(content)


def _blank(blank: Blank) -> Html:
    field = blank.field
    kind = f"{field.type.replace('_', ' ')}{', required' if field.required else ''}"
    name = element("dt", foreign(field.name), " ", element("small", kind))
    return joined((name, *(element("dd", part) for part in _about(blank))))


def _about(blank: Blank) -> Iterator[Html]:
    field = blank.field
    if field.label.lower() != field.name.replace("_", " ").lower():
        yield foreign(field.label)
    if field.help:
        yield block(field.help)
    if blank.only_if is not None:
        words = f"{condition_words(blank.only_if)} "
        yield joined((element("span", words, class_="remark"), value(blank.only_if.value)))
    for option in field.own_choices:
        label = f"  {safe_line(option.label)}" if option.label else ""
        yield isolated(quoted(option.value) + label)
    if blank.prefilled is not None and not field.kind.is_secret:
        yield joined((element("span", "filled in with", class_="remark"), value(blank.prefilled)))


def _note(note: Note) -> Html:
    reason = (block(note.reason),) if note.reason else ()
    who = (" by ", foreign(note.by), " via ", foreign(note.channel))
    time = element("time", moment(note.at), datetime=note.at.isoformat())
    return element("li", time, " ", done_words(note.verdict), *who, *reason)


def _past(past: Past) -> Html:
    time = element("time", moment(past.at), datetime=past.at.isoformat())
    by = (" by ", foreign(past.by)) if past.by else ()
    arguments = json_of(Members(past.arguments))
    return element(
        "li", time, " ", past.status.replace("_", " "), *by, excerpt(arguments, PAST_CHARS)
    )


def _choices(choices: Iterable[Choice], level: int) -> Html:
    rows = (_row(choice.verb.replace("_", " "), foreign(choice.effect)) for choice in choices)
    heading = element(f"h{level}", "You can")
    return element("section", heading, element("dl", *rows), class_="region region-choices")


def _footer(card: Card, *, is_marked: bool) -> Html:
    ids = f"{card.request_id} · {card.call_id} · revision {card.revision}"
    legend = "spells out what the text itself would hide or disguise"
    rows = (
        *((_row(mark("…"), legend),) if is_marked else ()),
        _row("request", element("code", foreign(ids))),
        _row("sha256", element("code", foreign(card.arguments_digest))),
    )
    return element("footer", element("dl", *rows, class_="facts"))


def _row(label: str, *shown: str) -> Html:
    return joined((element("dt", label), element("dd", *shown)))
