"""Plots as SVG: elements with classes, no style and no script.

Widths are percentages and heights are pixels, without a view box: a plot is as wide as its place
and its text as large as all other text, also on a phone. Textures repeat what colours say.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from assent.presentation.markup import Html, element
from assent.server.web.insights.scales import percent, ticks
from assent.server.web.insights.textures import filled, shape

HEIGHT: Final = 168
_FOOT: Final = 24
_LOWEST: Final = 4
_STRIP: Final = 28
_AXIS: Final = 40
_NARROWEST_GAP: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The title of a plot and a sentence about it, for people who cannot see it."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """A label of the horizontal axis; on narrow screens only the `kept` ones are shown."""

    at: float
    text: str
    kept: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A marked moment or amount; its text is to the right, or to the left if `before`."""

    at: float
    text: str
    before: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a column; `kind` is its colour and texture."""

    kind: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a plot; `hint` is its tooltip, `figure` the text above it."""

    pieces: tuple[Piece, ...]
    hint: str
    figure: str = ""

    @property
    def size(self) -> int:
        """The sum of its pieces."""
        return sum(piece.size for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class _Ground:
    """The vertical axis."""

    steps: Sequence[int]
    head: int
    tall: int

    @classmethod
    def under(cls, columns: Iterable[Column], head: int, tall: int) -> "_Ground":
        # A single request should not look like many.
        highest = max((column.size for column in columns), default=0)
        return cls(ticks(max(_LOWEST, highest)), head, tall)

    def y(self, size: float) -> float:
        return round(self.head + self.tall * (1 - size / self.steps[-1]), 1)

    @property
    def height(self) -> int:
        return self.head + self.tall + _FOOT


def columns(
    words: Words,
    shown: Sequence[Column],
    labels: Iterable[Label],
    *,
    lines: Sequence[Mark] = (),
    flags: Iterable[Mark] = (),
    tall: int = HEIGHT,
) -> Html:
    """Draw columns, each a stack of pieces; dashed lines and flags are above them."""
    head = 22 + 16 * max(0, len(lines) - 1)
    ground = _Ground.under(shown, head, tall)
    parts = [
        _grid(ground),
        *_pieces(ground, shown),
        _figures(ground, shown),
        _hints(ground, shown),
        *(_line(ground, number, mark) for number, mark in enumerate(lines)),
        *(_flag(ground, mark) for mark in flags),
        *(_label(ground, label) for label in labels),
    ]
    return _framed(words, ground, parts)


def _framed(words: Words, ground: _Ground, parts: Iterable[Html]) -> Html:
    area = _picture("plot-area", words, ground.height, parts)
    return element("div", _scale(ground), area, class_="plot")


def _picture(name: str, words: Words, height: int, parts: Iterable[Html]) -> Html:
    title, text = f"{words.id}-title", f"{words.id}-text"
    return element(
        "svg",
        element("title", words.title, id=title),
        element("desc", words.text, id=text),
        *parts,
        **{"class": name, "role": "img", "aria-labelledby": f"{title} {text}"},
        width="100%",
        height=str(height),
    )


def _scale(ground: _Ground) -> Html:
    texts = [
        element(
            "text",
            f"{step:,}",
            **{"text-anchor": "end"},
            x=str(_AXIS - 8),
            y=str(ground.y(step) + 4),
        )
        for step in ground.steps
    ]
    return element(
        "svg",
        *texts,
        **{"class": "plot-scale", "aria-hidden": "true"},
        width=str(_AXIS),
        height=str(ground.height),
    )


def _grid(ground: _Ground) -> Html:
    heights = [str(ground.y(step)) for step in ground.steps]
    lines = [shape("line", x1="0", x2="100%", y1=y, y2=y) for y in heights]
    return element("g", *lines, class_="plot-grid")


def _pieces(ground: _Ground, shown: Sequence[Column]) -> list[Html]:
    """Draw the pieces of all columns, grouped by kind: each fill is written once."""
    found: dict[str, list[Html]] = {}
    for number, column in enumerate(shown):
        left, width = _slot(number, len(shown))
        top = 0
        for piece in column.pieces:
            below, top = ground.y(top), top + piece.size
            if piece.size:
                # Even the smallest piece can be seen.
                height = max(1.5, below - ground.y(top))
                found.setdefault(piece.kind, []).append(
                    shape(
                        "rect",
                        x=percent(left),
                        y=f"{below - height:g}",
                        width=percent(width),
                        height=f"{height:g}",
                    )
                )
    return [
        element("g", *rects, **{"class": f"piece {kind}", "fill": f"url(#fill-{kind})"})
        for kind, rects in found.items()
    ]


def _hints(ground: _Ground, shown: Sequence[Column]) -> Html:
    """Draw an invisible area over each column, as tall as the plot, that has the tooltip."""
    hints = [
        element(
            "rect",
            element("title", column.hint),
            x=percent(number / len(shown)),
            width=percent(1 / len(shown)),
            height=str(ground.height - _FOOT),
        )
        for number, column in enumerate(shown)
        if column.size
    ]
    return element("g", *hints, class_="plot-hints")


def _figures(ground: _Ground, shown: Sequence[Column]) -> Html:
    """Draw the numbers above the columns that have them."""
    texts = [
        element(
            "text",
            column.figure,
            x=percent((number + 0.5) / len(shown)),
            y=f"{ground.y(column.size) - 5:g}",
        )
        for number, column in enumerate(shown)
        if column.figure
    ]
    return element("g", *texts, class_="plot-figures")


def _slot(number: int, of: int) -> tuple[float, float]:
    """Return where a column begins and how wide it is; many columns have no gaps."""
    gap = 0.18 if of <= _NARROWEST_GAP else 0.0
    return (number + gap / 2) / of, (1 - gap) / of


def _line(ground: _Ground, number: int, mark: Mark) -> Html:
    x, top = percent(mark.at), 12 + 16 * number
    rule = shape("line", x1=x, x2=x, y1=str(top - 9), y2=str(ground.y(0)))
    words = element(
        "text",
        mark.text,
        **{"text-anchor": "end" if mark.before else "start"},
        x=x,
        y=str(top),
        dx="-6" if mark.before else "6",
    )
    return element("g", rule, words, class_="plot-line")


def _flag(ground: _Ground, mark: Mark) -> Html:
    """Draw a triangle that points at its column."""
    # A path cannot be placed by percentages; an svg element around it can.
    path = element("path", element("title", mark.text), d="M-6 0H6L0 9z")
    return element(
        "svg", path, class_="plot-flag", x=percent(mark.at), y=str(ground.head - 14), width="1"
    )


def _label(ground: _Ground, label: Label) -> Html:
    return element(
        "text",
        label.text,
        class_="plot-label" if label.kept else "plot-label spare",
        x=percent(label.at),
        y=str(ground.height - 6),
    )


def strip(words: Words, pieces: Sequence[Piece]) -> Html:
    """Draw one bar for a whole, divided into its parts."""
    whole, left, parts = sum(piece.size for piece in pieces) or 1, 0.0, list[Html]()
    for piece in pieces:
        width = piece.size / whole
        place = {"x": percent(left), "width": percent(width), "height": str(_STRIP)}
        parts.append(filled(piece.kind, **place))
        left += width
    return _picture("plot-strip", words, _STRIP, parts)
