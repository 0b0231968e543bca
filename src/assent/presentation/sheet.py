"""Lines of a card before they get colours: who speaks is told by the place and the gutter.

Foreign text always stands behind a label and a quote, or behind a gutter on every line, so that
nothing in it can pass for a heading, another field or a choice.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from assent.presentation.rendering import UNLIMITED, Limits
from assent.presentation.text import mark, safe_block
from assent.presentation.truncation import clip, is_surely_longer
from assent.presentation.wrapping import width_of, wrapped

GUTTER = "│ "
GOES_ON = "┊ "
INLINE_COLUMNS = 72
MIN_COLUMNS = 8


class Role(Enum):
    """What a piece of a line is for; each surface has its own look for it."""

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
    # What another moment would show otherwise; it is no part of what is recorded as shown.
    CLOCK = auto()


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a line."""

    text: str
    role: Role = Role.PLAIN


Line = tuple[Span, ...]


class Full(Exception):
    """More than the surface can take: no use in going on with these limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a value goes: how far in, behind which sign of a diff, and whether it may be cut."""

    indent: int
    sign: str = ""
    role: Role = Role.PLAIN
    elidable: bool = False

    @property
    def lead(self) -> int:
        """The columns that the sign takes."""
        return len(self.sign) + 1 if self.sign else 0

    def inside(self) -> "Place":
        """The place of something that belongs to what stands here."""
        return replace(self, indent=self.indent + 2)

    def elided(self) -> "Place":
        """The same place for something that may be cut."""
        return replace(self, elidable=True)


@dataclass(slots=True, kw_only=True)
class Sheet:
    """A card's lines in the making, and whether anything had to be left out of them."""

    width: int | None = None
    limits: Limits = UNLIMITED
    # How many characters the surface has room for; None where there is no limit.
    room_for_all: int | None = None
    lines: list[Line] = field(default_factory=list[Line])
    cut: bool = False
    withheld: bool = False

    def room(self, used: int) -> int:
        """The columns that are left on a line; generous where lines are not wrapped."""
        return INLINE_COLUMNS if self.width is None else max(MIN_COLUMNS, self.width - used)

    def is_narrow(self, place: Place) -> bool:
        """Whether a tree would run out of columns here, and a terminal break its lines itself."""
        return self.width is not None and place.indent + place.lead > self.width // 2

    def characters(self, place: Place) -> int | None:
        """How long a text may be here."""
        return None if self.limits.sparing and not place.elidable else self.limits.characters

    def items(self, place: Place) -> int | None:
        """How many of several things may stand here."""
        return None if self.limits.sparing and not place.elidable else self.limits.items

    def is_long(self, text: str, place: Place) -> bool:
        """Whether a text would have to be cut here."""
        most = self.characters(place)
        return most is not None and len(text) > most

    def put(self, place: Place, *spans: Span) -> None:
        """One line, as it is."""
        # Every line takes a character and a line break at least.
        if self.room_for_all is not None and len(self.lines) * 2 >= self.room_for_all:
            raise Full
        sign = (Span(f"{place.sign} ", place.role),) if place.sign else ()
        self.lines.append((Span(" " * place.indent), *sign, *spans))

    def gap(self) -> None:
        """An empty line, unless there is one."""
        if self.lines and self.lines[-1]:
            self.lines.append(())

    def own(self, indent: int, label: str, column: int, words: str) -> None:
        """Our own words behind a label, wrapped under themselves."""
        start = indent + column + 2
        for number, piece in enumerate(self._wrapped(words, start)):
            head = label.ljust(column + 2) if number == 0 else " " * (column + 2)
            self.put(Place(indent=indent), Span(head, Role.LABEL), Span(piece.lstrip()))

    def foreign(self, text: str, place: Place) -> None:
        """Somebody else's text behind a gutter; a line that is only wrapped shows another one."""
        limit = self.characters(place)
        if limit is None and self.room_for_all is not None:
            self._refuse(text, self.room_for_all)
        clipped = clip(text, limit)
        self._block(safe_block(clipped.head), place, GUTTER)
        if clipped.hidden:
            self.leave_out(f"{clipped.hidden:,} characters not shown", place)
            self._block(safe_block(clipped.tail), place, GOES_ON)

    def excerpt(self, text: str, most: int, place: Place) -> None:
        """A text that no decision rests on: limited everywhere, and nothing is withheld by that."""
        limit = self.characters(place.elided())
        clipped = clip(text, most if limit is None else min(most, limit))
        self._block(safe_block(clipped.head), place, GUTTER)
        if clipped.hidden:
            self.remark(f"{clipped.hidden:,} characters not shown", place)
            self._block(safe_block(clipped.tail), place, GOES_ON)

    def safe(self, text: str, place: Place) -> None:
        """Text that was made safe already, behind a gutter; where it is too long, its size."""
        if self.is_long(text, place):
            self.leave_out(f"{len(text):,} characters not shown", place)
        else:
            self._block(text, place, GUTTER)

    def leave_out(self, what: str, place: Place) -> None:
        """Say what is missing here; without leave to cut, the whole card loses its Approve."""
        self.cut = True
        self.withheld = self.withheld or not place.elidable
        self.remark(what, place)

    def remark(self, what: str, place: Place) -> None:
        """A mark of ours inside foreign text, on a line of its own."""
        self.put(place, Span(GOES_ON, Role.FRAME), Span(mark(what), Role.WARNING))

    def _refuse(self, text: str, most: int) -> None:
        """Give up before a huge text is made safe in vain."""
        if is_surely_longer(text, most):
            raise Full

    def _block(self, text: str, place: Place, first: str) -> None:
        used = place.indent + place.lead + len(GUTTER)
        for number, line in enumerate(text.split("\n")):
            gutter = first if number == 0 else GUTTER
            for part, piece in enumerate(self._wrapped(line, used)):
                edge = GOES_ON if part else gutter
                self.put(place, Span(edge, Role.FRAME), Span(piece, place.role))

    def _wrapped(self, line: str, used: int) -> Iterator[str]:
        yield from [line] if self.width is None else wrapped(line, self.room(used))

    @property
    def is_marked(self) -> bool:
        """Whether a mark of ours stands somewhere, so that it has to be explained."""
        return any("⟨" in span.text for line in self.lines for span in line)

    def text(self) -> str:
        """The lines as plain text."""
        return _joined(self.lines)

    def lasting(self) -> str:
        """The lines as plain text, without what the clock changes."""
        lines = [[span for span in line if span.role is not Role.CLOCK] for line in self.lines]
        return _joined(line for line, was in zip(lines, self.lines, strict=True) if line or not was)


def _joined(lines: Iterable[Iterable[Span]]) -> str:
    return "\n".join("".join(span.text for span in line).rstrip(" ") for line in lines) + "\n"


def fits(text: str, room: int) -> bool:
    """Whether a safe text has its place on one line."""
    return "\n" not in text and width_of(text) <= room
