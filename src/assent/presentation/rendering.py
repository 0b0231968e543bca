"""What a surface may show of a card, and what it did show."""

import json
import unicodedata
from dataclasses import dataclass
from typing import Any, cast

from assent.domain.canonical import Json, digest
from assent.domain.cards import Card, Choice, Verb

# Raise it whenever the same card gives another text; what counts as printable is Unicode's say.
RENDERER_VERSION = f"6/unicode-{unicodedata.unidata_version}"

REVIEW = Choice(verb=Verb.REVIEW, effect="open the full review: not everything is shown here")
CONFIRM = Choice(verb=Verb.REVIEW, effect="open the full review: to approve it you type a value")
# What runs something, so that it may have to be confirmed.
_RUNNING = frozenset({Verb.APPROVE, Verb.EDIT, Verb.RUN_AGAIN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one field may take; None where there is no limit.

    `sparing` cuts only fields that are declared elidable; `flat` shows no trees, only their JSON.
    """

    characters: int | None = None
    items: int | None = None
    sparing: bool = False
    flat: bool = False


UNLIMITED = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a message of a surface has room for, counted as those count who are strictest: UTF-16.

    `text` is for one text of it, `total` for all of them, `texts` how many there may be.
    """

    text: int
    total: int
    texts: int


def units(text: str) -> int:
    """The size of a text in UTF-16, in which a character beyond the first plane counts twice."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A card as one surface shows it, and the choices it may offer there.

    `complete` is false where something was cut that a decision rests on: then there is only the
    full review to offer. `cut` is also true where only fields were cut that may be.
    """

    text: str
    complete: bool
    cut: bool
    choices: tuple[Choice, ...]
    version: str
    # The text without colours and without what the clock changes; the text itself if empty.
    lasting: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of what was shown, to be recorded with a decision; the same at any time."""
        return digest(self.lasting or self.text)

    @property
    def shown(self) -> str:
        """What a decision records about it: renderer and hash, `html/2/unicode-15.0.0:9f86…`."""
        return f"{self.version}:{self.digest}"

    def json(self) -> Any:
        """The payload, of a surface whose text is JSON."""
        return cast("Json", json.loads(self.text))


def offered(card: Card, *, withheld: bool, typing: bool = True) -> tuple[Choice, ...]:
    """The choices of a card: nobody may decide here about what they could not read here.

    Where nothing can be typed (`typing`), what takes typing is left to the full review.
    """
    if withheld and card.choices:
        return (REVIEW,)
    kept = tuple(choice for choice in card.choices if choice.verb not in _RUNNING)
    if typing or card.to_type is None or len(kept) == len(card.choices):
        return card.choices
    return (CONFIRM, *kept)
