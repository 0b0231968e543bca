"""Cards on one line, for rows of an inbox, lists of a batch, and notifications.

The line is safe text. Most cards do not fit on a line; those offer only the full review.
"""

from collections.abc import Iterable
from itertools import accumulate, takewhile

from assent.domain.cards import Card, NamedValue
from assent.presentation.outline import Fields, RegionName, regions_of
from assent.presentation.rendering import RENDERER_VERSION, Rendered, offered
from assent.presentation.sheet_values import inline_of, name_label
from assent.presentation.text import mark, safe_line
from assent.presentation.truncation import clip

VERSION = f"line/{RENDERER_VERSION}"
CHARACTERS = 160
_REMARK_CHARS = 40
_BESIDE_THE_POINT = frozenset(
    {RegionName.DESCRIPTION, RegionName.WORDS, RegionName.HISTORY, RegionName.SIMILAR}
)


def render(card: Card, *, characters: int = CHARACTERS) -> Rendered:
    """Return the tool with as many arguments as fit; the others are counted."""
    name = clip(card.tool, characters // 2)
    cut = (
        [mark(f"{name.hidden:,} characters not shown"), safe_line(name.tail)] if name.hidden else []
    )
    shown = "".join([safe_line(name.head), *cut])
    pairs = _pairs(card, characters - len(shown) - _REMARK_CHARS)
    hidden = len(card.arguments) - len(pairs)
    withheld = bool(hidden or name.hidden) or _says_more(card)
    rest = [mark(f"{hidden:,} of {len(card.arguments):,} arguments not shown")] if hidden else []
    return Rendered(
        text="  ".join([shown, *pairs, *rest]),
        complete=not withheld,
        cut=withheld,
        choices=offered(card, withheld=withheld, typing=False),
        version=VERSION,
    )


def in_short(entries: Iterable[NamedValue]) -> str:
    """Return arguments on one line for a list; values that need more room are left to the card."""
    pairs = ((entry.name, inline_of(entry.value)) for entry in entries)
    return " ".join(f"{safe_line(name)}={value or '…'}" for name, value in pairs)


def _pairs(card: Card, room: int) -> list[str]:
    """Return the first arguments, up to the one that does not fit."""
    pairs = list(takewhile(lambda pair: pair is not None, map(_pair, card.arguments)))
    sizes = accumulate(len(pair or "") + 2 for pair in pairs)
    return [pair or "" for pair, used in zip(pairs, sizes, strict=True) if used <= room]


def _pair(entry: NamedValue) -> str | None:
    inline = inline_of(entry.value)
    return None if inline is None else f"{name_label(entry.name)}={inline}"


def _says_more(card: Card) -> bool:
    """Return True if a decision rests on more than the tool and its arguments."""
    if card.is_foreign or card.question or card.reason or card.rejected:
        return True
    regions = [region for region in regions_of(card) if region.name not in _BESIDE_THE_POINT]
    return any(not isinstance(region.content, Fields) for region in regions) or len(regions) > 1
