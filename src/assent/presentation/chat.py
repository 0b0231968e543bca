"""Cards as short passages for chats: narrow, and cut field by field until they fit a message.

A card that a message cannot show in full offers only the full review.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from assent.domain.cards import Card, Choice
from assent.presentation.outline import Fields, Region, regions_of
from assent.presentation.page import put_choices, put_facts, put_footer, put_tool
from assent.presentation.passages import put_content
from assent.presentation.rendering import UNLIMITED, FieldLimits, MessageSize, offered, units
from assent.presentation.sheet import Full, Sheet, SheetPlace, Span, SpanRole
from assent.presentation.text import safe_line
from assent.presentation.truncation import clip

S = TypeVar("S")
T = TypeVar("T")

_START = SheetPlace(indent=0)
_NAME_CHARS = 60
# Elidable fields are cut before any others.
_SPARING = tuple(
    FieldLimits(characters=characters, items=items, sparing=True)
    for characters, items in ((4000, 80), (1500, 40), (600, 20), (200, 8), (80, 4), (24, 1))
)
# Trees become flat JSON before fields get very short.
_CUTTING = (
    *(
        FieldLimits(characters=characters, items=items)
        for characters, items in ((4000, 80), (1500, 40), (800, 30), (400, 20), (200, 12), (100, 8))
    ),
    FieldLimits(characters=100, items=8, flat=True),
    FieldLimits(characters=60, items=4, flat=True),
    FieldLimits(characters=24, items=2, flat=True),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A heading and a remark in our words, and lines of safe text under them."""

    heading: str = ""
    remark: str = ""
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCard:
    """A card in passages, with flags for parts that were left out."""

    passages: tuple[Passage, ...]
    choices: tuple[Choice, ...]
    cut: bool
    withheld: bool


def fit_card(
    card: Card, width: int, room: MessageSize, draw: Callable[[ChatCard], T | None]
) -> tuple[T | None, ChatCard]:
    """Return the card with as little cut as possible; `draw` returns None if it does not fit."""

    def attempt(limits: FieldLimits) -> tuple[T, ChatCard] | None:
        try:
            chat_card = chat_card_of(card, width, limits, room.total)
        except Full:
            return None
        drawn = draw(chat_card)
        return None if drawn is None else (drawn, chat_card)

    if (found := fit(attempt)) is not None:
        return found
    chat_card = _stub(card, width)
    return draw(chat_card), chat_card


def fit(attempt: Callable[[FieldLimits], T | None]) -> T | None:
    """Return the attempt with the widest limits that succeeds; None if none does."""
    for ladder in ((UNLIMITED,), _SPARING, _CUTTING):
        if (found := _first(ladder, attempt)) is not None:
            return found
    return None


def _first(ladder: Sequence[S], attempt: Callable[[S], T | None]) -> T | None:
    """Find the first success by bisection: if a step succeeds, all later ones do, too."""
    found: T | None = None
    low, high = 0, len(ladder)
    while low < high:
        middle = (low + high) // 2
        outcome = attempt(ladder[middle])
        if outcome is None:
            low = middle + 1
        else:
            found, high = outcome, middle
    return found


def chat_card_of(
    card: Card, width: int, limits: FieldLimits = UNLIMITED, room: int | None = None
) -> ChatCard:
    """Return the card in passages, each field within the limits; raises `Full` without room."""
    sheets: list[Sheet] = []

    def sheet() -> Sheet:
        sheets.append(Sheet(width=width, limits=limits, room_for_all=room))
        return sheets[-1]

    passages = [_facts(sheet(), card)]
    passages += [_region(sheet(), region) for region in regions_of(card)]
    withheld = any(each.withheld for each in sheets)
    choices = offered(card, withheld=withheld, typing=False)
    if choices:
        passages.append(_choices(sheet(), choices))
    is_marked = any(each.is_marked for each in sheets)
    passages.append(_footer(sheet(), card, is_marked=is_marked))
    cut = any(each.cut for each in sheets)
    return ChatCard(passages=tuple(passages), choices=choices, cut=cut, withheld=withheld)


def split_pages(lines: Sequence[str], most: int) -> Iterator[str]:
    """Join lines to texts of at most `most` units; no line may be longer than that."""
    page, used = list[str](), 0
    for line in lines:
        size = units(line) + 1
        if page and used + size > most:
            yield "\n".join(page)
            page, used = [], 0
        page.append(line)
        used += size
    if page:
        yield "\n".join(page)


def _facts(sheet: Sheet, card: Card) -> Passage:
    put_tool(sheet, card, _START)
    put_facts(sheet, card, _START)
    return _passage(sheet)


def _region(sheet: Sheet, region: Region) -> Passage:
    match region.content:
        case Fields(entries=()):
            sheet.put(_START, Span("none", SpanRole.MUTED))
        case _:
            put_content(sheet, region.content, _START)
    return replace(_passage(sheet), heading=region.heading, remark=region.remark)


def _choices(sheet: Sheet, choices: tuple[Choice, ...]) -> Passage:
    put_choices(sheet, choices, _START)
    return replace(_passage(sheet), heading="You can")


def _footer(sheet: Sheet, card: Card, *, is_marked: bool) -> Passage:
    put_footer(sheet, card, _START, is_marked=is_marked)
    return _passage(sheet)


def _passage(sheet: Sheet) -> Passage:
    return Passage(lines=tuple(sheet.text().rstrip("\n").split("\n")))


def _stub(card: Card, width: int) -> ChatCard:
    """Return the shortest form of a card, for one that does not fit with any cuts."""
    sheet = Sheet(width=width)
    name = clip(card.tool, _NAME_CHARS)
    sheet.foreign(name.head, _START)
    if name.hidden:
        sheet.remark(f"{name.hidden:,} characters not shown", _START)
        sheet.foreign(name.tail, _START)
    count = len(card.arguments)
    words = f"{count:,} argument{'' if count == 1 else 's'}, and more than fits into a message"
    sheet.own(0, "not shown", len("not shown"), words)
    choices = offered(card, withheld=True)
    put_choices(sheet, choices, _START)
    sheet.own(0, "request", len("not shown"), clip(safe_line(card.request_id), _NAME_CHARS).head)
    return ChatCard(passages=(_passage(sheet),), choices=choices, cut=True, withheld=True)
