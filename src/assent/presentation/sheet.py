"""Lines of a card before they get colours; a gutter tells foreign text from ours.

Foreign text is always quoted after a label, or has a gutter on every line, so that nothing in it
can pass for a heading, another field or a choice.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from assent.presentation.characters import width_of, wrapped
from assent.presentation.rendering import UNLIMITED, FieldLimits
from assent.presentation.text import mark, safe_block
from assent.presentation.truncation import clip, is_surely_longer

GUTTER = "│ "
GOES_ON = "┊ "
INLINE_COLUMNS = 72
MIN_TEXT_COLUMNS = 8


class SpanRole(Enum):
    """The role of a piece of a line; each surface has its own style for it."""

    FRAME = auto()
    TITLE = auto()
    HEADING = auto()
    LABEL = auto()
    STRONG = auto()
    PLAIN = auto()
    MUTED = auto()
    ADDED = auto()
    REMOVED = auto()
    WARNING = auto()
    SAFE = auto()
    MODERATE = auto()
    DANGEROUS = auto()
    # Text that changes with the clock; it is not part of the recorded rendering.
    CLOCK = auto()
    # A mark of ours inside foreign text, once a surface has told it from the text around it.
    MARK = auto()


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line."""

    text: str
    role: SpanRole = SpanRole.PLAIN


Line = tuple[Span, ...]


class Full(Exception):
    """The surface has no room for the card with these limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetPlace:
    """The place of a value on a sheet: its indentation, its sign in a diff, and its elidability."""

    indent: int
    sign: str = ""
    role: SpanRole = SpanRole.PLAIN
    elidable: bool = False

    @property
    def lead(self) -> int:
        """The number of columns that the sign takes."""
        return len(self.sign) + 1 if self.sign else 0

    def inside(self) -> "SheetPlace":
        """Return the place for the parts of a value here."""
        return replace(self, indent=self.indent + 2)

    def elided(self) -> "SheetPlace":
        """Return the same place for a value that may be cut."""
        return replace(self, elidable=True)


@dataclass(slots=True, kw_only=True)
class Sheet:
    """The lines of a card, with flags for parts that were left out."""

    width: int | None = None
    limits: FieldLimits = UNLIMITED
    # The number of characters that the surface has room for; None means no limit.
    room_for_all: int | None = None
    lines: list[Line] = field(default_factory=list[Line])
    cut: bool = False
    withheld: bool = False

    def room(self, used: int) -> int:
        """Return the columns left on a line; a generous number if lines are not wrapped."""
        return INLINE_COLUMNS if self.width is None else max(MIN_TEXT_COLUMNS, self.width - used)

    def is_narrow(self, place: SheetPlace) -> bool:
        """Return True if there are too few columns left for a tree."""
        return self.width is not None and place.indent + place.lead > self.width // 2

    def characters(self, place: SheetPlace) -> int | None:
        """Return the limit of characters for a text here."""
        return None if self.limits.sparing and not place.elidable else self.limits.characters

    def items(self, place: SheetPlace) -> int | None:
        """Return the limit of items for a list here."""
        return None if self.limits.sparing and not place.elidable else self.limits.items

    def is_long(self, text: str, place: SheetPlace) -> bool:
        """Return True if a text would have to be cut here."""
        most = self.characters(place)
        return most is not None and len(text) > most

    def put(self, place: SheetPlace, *spans: Span) -> None:
        """Write one line as it is."""
        # Every line takes at least one character and a line break.
        if self.room_for_all is not None and len(self.lines) * 2 >= self.room_for_all:
            raise Full
        sign = (Span(f"{place.sign} ", place.role),) if place.sign else ()
        self.lines.append((Span(" " * place.indent), *sign, *spans))

    def gap(self) -> None:
        """Write an empty line, unless the last one is empty."""
        if self.lines and self.lines[-1]:
            self.lines.append(())

    def own(self, indent: int, label: str, column: int, words: str) -> None:
        """Write our own words after a label, wrapped in their column."""
        start = indent + column + 2
        for number, piece in enumerate(self._wrapped(words, start)):
            head = label.ljust(column + 2) if number == 0 else " " * (column + 2)
            self.put(SheetPlace(indent=indent), Span(head, SpanRole.LABEL), Span(piece.lstrip()))

    def foreign(self, text: str, place: SheetPlace) -> None:
        """Write foreign text with a gutter; wrapped lines have another gutter than new ones."""
        limit = self.characters(place)
        if limit is None and self.room_for_all is not None:
            self._refuse(text, self.room_for_all)
        clipped = clip(text, limit)
        self._block(safe_block(clipped.head), place, GUTTER)
        if clipped.hidden:
            self.leave_out(f"{clipped.hidden:,} characters not shown", place)
            self._block(safe_block(clipped.tail), place, GOES_ON)

    def excerpt(self, text: str, most: int, place: SheetPlace) -> None:
        """Write a text that no decision rests on; cutting it does not make the card incomplete."""
        limit = self.characters(place.elided())
        clipped = clip(text, most if limit is None else min(most, limit))
        self._block(safe_block(clipped.head), place, GUTTER)
        if clipped.hidden:
            self.remark(f"{clipped.hidden:,} characters not shown", place)
            self._block(safe_block(clipped.tail), place, GOES_ON)

    def safe(self, text: str, place: SheetPlace) -> None:
        """Write safe text with a gutter; only its size if it is too long."""
        if self.is_long(text, place):
            self.leave_out(f"{len(text):,} characters not shown", place)
        else:
            self._block(text, place, GUTTER)

    def leave_out(self, what: str, place: SheetPlace) -> None:
        """Write what is missing; if it is not elidable, the card can no longer be approved here."""
        self.cut = True
        self.withheld = self.withheld or not place.elidable
        self.remark(what, place)

    def remark(self, what: str, place: SheetPlace) -> None:
        """Write a mark of ours inside foreign text, on a line of its own."""
        self.put(place, Span(GOES_ON, SpanRole.FRAME), Span(mark(what), SpanRole.WARNING))

    def _refuse(self, text: str, most: int) -> None:
        """Raise `Full` before time is spent on a huge text."""
        if is_surely_longer(text, most):
            raise Full

    def _block(self, text: str, place: SheetPlace, first: str) -> None:
        used = place.indent + place.lead + len(GUTTER)
        for number, line in enumerate(text.split("\n")):
            gutter = first if number == 0 else GUTTER
            for part, piece in enumerate(self._wrapped(line, used)):
                edge = GOES_ON if part else gutter
                self.put(place, Span(edge, SpanRole.FRAME), Span(piece, place.role))

    def _wrapped(self, line: str, used: int) -> Iterator[str]:
        yield from [line] if self.width is None else wrapped(line, self.room(used))

    @property
    def is_marked(self) -> bool:
        """True if any line has a mark of ours, which then needs a legend."""
        return any("⟨" in span.text for line in self.lines for span in line)

    def text(self) -> str:
        """Return the lines as plain text."""
        return _joined(self.lines)

    def lasting(self) -> str:
        """Return the lines as plain text, without text that changes with the clock."""
        lines = [[span for span in line if span.role is not SpanRole.CLOCK] for line in self.lines]
        return _joined(line for line, was in zip(lines, self.lines, strict=True) if line or not was)


def _joined(lines: Iterable[Iterable[Span]]) -> str:
    return "\n".join("".join(span.text for span in line).rstrip(" ") for line in lines) + "\n"


def fits(text: str, room: int) -> bool:
    """Return True if a safe text fits on one line."""
    return "\n" not in text and width_of(text) <= room
