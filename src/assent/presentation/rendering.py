"""Renderings of cards: their limits, their result, and the choices offered with them."""

import json
import unicodedata
from dataclasses import dataclass
from typing import Any, cast

from assent.domain.canonical import Json, digest
from assent.domain.cards import Card, Choice
from assent.domain.verdicts import VERDICTS, Verb

# Raise the number whenever the same card gives another text. Unicode decides what is printable.
RENDERER_VERSION = f"7/unicode-{unicodedata.unidata_version}"

REVIEW = Choice(verb=Verb.REVIEW, effect="open the full review: not everything is shown here")
CONFIRM = Choice(verb=Verb.REVIEW, effect="open the full review: to approve it you type a value")
# Choices that run a call, which may have to be confirmed by typing.
_RUNNING = frozenset(row.verb for row in VERDICTS if row.runs)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldLimits:
    """Limits for one field of a card; None means no limit.

    `sparing` cuts only fields that are declared elidable; `flat` shows no trees, only their JSON.
    """

    characters: int | None = None
    items: int | None = None
    sparing: bool = False
    flat: bool = False


UNLIMITED = FieldLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageSize:
    """The size of a message on one surface, in UTF-16 units, the strictest count in use.

    `text` is the limit of one text, `total` that of all, `texts` their number.
    """

    text: int
    total: int
    texts: int


def units(text: str) -> int:
    """Return the size of a text in UTF-16, where a character beyond the BMP counts twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A card as one surface shows it, and the choices it may offer there.

    `complete` is False if something was cut that a decision rests on; then only the full review is
    offered. `cut` is also True if only elidable fields were cut.
    """

    text: str
    complete: bool
    cut: bool
    choices: tuple[Choice, ...]
    version: str
    # The text without colours and remaining times; empty if the text itself has neither.
    lasting: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of the text, recorded with a decision; it does not change with the clock."""
        return digest(self.lasting or self.text)

    @property
    def shown(self) -> str:
        """The record of the rendering in a decision: `html/2/unicode-15.0.0:9f86…`."""
        return f"{self.version}:{self.digest}"

    def json(self) -> Any:
        """Return the payload, for a surface whose text is JSON."""
        return cast("Json", json.loads(self.text))


def offered(card: Card, *, withheld: bool, typing: bool = True) -> tuple[Choice, ...]:
    """Return the choices to offer: only the full review if anything was withheld.

    Without `typing`, choices that need a typed confirmation lead to the full review, too.
    """
    if withheld and card.choices:
        return (REVIEW,)
    kept = tuple(choice for choice in card.choices if choice.verb not in _RUNNING)
    if typing or card.to_type is None or len(kept) == len(card.choices):
        return card.choices
    return (CONFIRM, *kept)
