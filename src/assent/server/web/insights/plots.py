"""Plots as SVG: elements with classes, no style and no script.

Widths are percentages and heights are pixels, without a view box: a plot is as wide as its place
and its text as large as all other text, also on a phone. Textures repeat what colours say.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

from assent.presentation.markup import Html, element, joined

HEIGHT: Final = 168
_FOOT: Final = 24
_LOWEST: Final = 4
_STRIP: Final = 28
_AXIS: Final = 40
_NARROWEST_GAP: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
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
class _VerticalAxis:
    """The vertical axis: its steps, and where amounts are on it."""

    steps: Sequence[int]
    head: int
    tall: int

    @classmethod
    def under(cls, columns: Iterable[Column], head: int, tall: int) -> "_VerticalAxis":
        # A single request should not look like many.
        highest = max((column.size for column in columns), default=0)
        return cls(ticks(max(_LOWEST, highest)), head, tall)

    def y(self, size: float) -> float:
        return round(self.head + self.tall * (1 - size / self.steps[-1]), 1)

    @property
    def height(self) -> int:
        return self.head + self.tall + _FOOT


def columns(
    caption: Caption,
    shown: Sequence[Column],
    labels: Iterable[Label],
    *,
    lines: Sequence[Mark] = (),
    flags: Iterable[Mark] = (),
    tall: int = HEIGHT,
) -> Html:
    """Draw columns, each a stack of pieces; dashed lines and flags are above them."""
    head = 22 + 16 * max(0, len(lines) - 1)
    axis = _VerticalAxis.under(shown, head, tall)
    parts = [
        _grid(axis),
        *_pieces(axis, shown),
        _figures(axis, shown),
        _hints(axis, shown),
        *(_line(axis, number, mark) for number, mark in enumerate(lines)),
        *(_flag(axis, mark) for mark in flags),
        *(_label(axis, label) for label in labels),
    ]
    return _framed(caption, axis, parts)


def _framed(caption: Caption, axis: _VerticalAxis, parts: Iterable[Html]) -> Html:
    area = _picture("plot-area", caption, axis.height, parts)
    return element("div", _scale(axis), area, class_="plot")


def _picture(name: str, caption: Caption, height: int, parts: Iterable[Html]) -> Html:
    title, text = f"{caption.id}-title", f"{caption.id}-text"
    return element(
        "svg",
        element("title", caption.title, id=title),
        element("desc", caption.text, id=text),
        *parts,
        **{"class": name, "role": "img", "aria-labelledby": f"{title} {text}"},
        width="100%",
        height=str(height),
    )


def _scale(axis: _VerticalAxis) -> Html:
    texts = [
        element(
            "text",
            f"{step:,}",
            **{"text-anchor": "end"},
            x=str(_AXIS - 8),
            y=str(axis.y(step) + 4),
        )
        for step in axis.steps
    ]
    return element(
        "svg",
        *texts,
        **{"class": "plot-scale", "aria-hidden": "true"},
        width=str(_AXIS),
        height=str(axis.height),
    )


def _grid(axis: _VerticalAxis) -> Html:
    heights = [str(axis.y(step)) for step in axis.steps]
    lines = [shape("line", x1="0", x2="100%", y1=y, y2=y) for y in heights]
    return element("g", *lines, class_="plot-grid")


def _pieces(axis: _VerticalAxis, shown: Sequence[Column]) -> list[Html]:
    """Draw the pieces of all columns, grouped by kind: each fill is written once."""
    found: dict[str, list[Html]] = {}
    for number, column in enumerate(shown):
        left, width = _slot(number, len(shown))
        top = 0
        for piece in column.pieces:
            below, top = axis.y(top), top + piece.size
            if piece.size:
                # Even the smallest piece can be seen.
                height = max(1.5, below - axis.y(top))
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


def _hints(axis: _VerticalAxis, shown: Sequence[Column]) -> Html:
    """Draw an invisible area over each column, as tall as the plot, that has the tooltip."""
    hints = [
        element(
            "rect",
            element("title", column.hint),
            x=percent(number / len(shown)),
            width=percent(1 / len(shown)),
            height=str(axis.height - _FOOT),
        )
        for number, column in enumerate(shown)
        if column.size
    ]
    return element("g", *hints, class_="plot-hints")


def _figures(axis: _VerticalAxis, shown: Sequence[Column]) -> Html:
    """Draw the numbers above the columns that have them."""
    texts = [
        element(
            "text",
            column.figure,
            x=percent((number + 0.5) / len(shown)),
            y=f"{axis.y(column.size) - 5:g}",
        )
        for number, column in enumerate(shown)
        if column.figure
    ]
    return element("g", *texts, class_="plot-figures")


def _slot(number: int, of: int) -> tuple[float, float]:
    """Return where a column begins and how wide it is; many columns have no gaps."""
    gap = 0.18 if of <= _NARROWEST_GAP else 0.0
    return (number + gap / 2) / of, (1 - gap) / of


def _line(axis: _VerticalAxis, number: int, mark: Mark) -> Html:
    x, top = percent(mark.at), 12 + 16 * number
    rule = shape("line", x1=x, x2=x, y1=str(top - 9), y2=str(axis.y(0)))
    words = element(
        "text",
        mark.text,
        **{"text-anchor": "end" if mark.before else "start"},
        x=x,
        y=str(top),
        dx="-6" if mark.before else "6",
    )
    return element("g", rule, words, class_="plot-line")


def _flag(axis: _VerticalAxis, mark: Mark) -> Html:
    """Draw a triangle that points at its column."""
    # A path cannot be placed by percentages; an svg element around it can.
    path = element("path", element("title", mark.text), d="M-6 0H6L0 9z")
    return element(
        "svg", path, class_="plot-flag", x=percent(mark.at), y=str(axis.head - 14), width="1"
    )


def _label(axis: _VerticalAxis, label: Label) -> Html:
    return element(
        "text",
        label.text,
        class_="plot-label" if label.kept else "plot-label spare",
        x=percent(label.at),
        y=str(axis.height - 6),
    )


def strip(caption: Caption, pieces: Sequence[Piece]) -> Html:
    """Draw one bar for a whole, divided into its parts."""
    whole, left, parts = sum(piece.size for piece in pieces) or 1, 0.0, list[Html]()
    for piece in pieces:
        width = piece.size / whole
        place = {"x": percent(left), "width": percent(width), "height": str(_STRIP)}
        parts.append(filled(piece.kind, **place))
        left += width
    return _picture("plot-strip", caption, _STRIP, parts)


def meter(part: float, kind: str) -> Html:
    """Draw a share as a bar."""
    level = shape("rect", class_=f"level {kind}", width=percent(part), height="6")
    return _small("meter", [level])


def spread(middle: float, far: float) -> Html:
    """Draw two places on one axis: a dot at the first, a stroke to the second."""
    return _small(
        "spread",
        [
            shape("line", class_="reach", x1=percent(middle), x2=percent(far), y1="3", y2="3"),
            shape("line", class_="reach", x1=percent(far), x2=percent(far), y1="0", y2="6"),
            shape("circle", class_="middle", cx=percent(middle), cy="3", r="3.5"),
        ],
    )


def _small(name: str, parts: Iterable[Html]) -> Html:
    return element(
        "svg", *parts, **{"class": name, "aria-hidden": "true"}, width="100%", height="6"
    )


# Paths drawn over the colour of a kind: lines and dots in the background's colour.
_TEXTURES: Final[Mapping[str, str]] = {
    "plain": "",
    "quick": "M-1 5L5 -1M3 9L9 3",
    "approved": "",
    "edited": "M2 2h1.6v1.6h-1.6zM6 6h1.6v1.6h-1.6z",
    "rejected": "M-1 5L5 -1M3 9L9 3",
    "answered": "M0 2H8M0 6H8",
    "expired": "M0 0L8 8M8 0L0 8",
    "withdrawn": "M2 0V8M6 0V8",
    "superseded": "M4 0V8M0 4H8",
    "open": "",
}


def shape(name: str, **attributes: str) -> Html:
    """Return an empty element in its short form: a page has hundreds of them."""
    return Html(f"{element(name, **attributes).removesuffix(f'></{name}>')}/>")


def filled(kind: str, **place: str) -> Html:
    """Draw a rectangle with the fill of a kind."""
    return shape("rect", **{"class": f"piece {kind}", "fill": f"url(#fill-{kind})"}, **place)


def swatch(kind: str) -> Html:
    """Draw the fill of a kind, for a legend."""
    box = filled(kind, width="14", height="14", rx="3")
    return element(
        "svg", box, **{"class": "swatch", "aria-hidden": "true"}, width="14", height="14"
    )


def _pattern(kind: str, texture: str) -> Html:
    colour = shape("rect", class_=f"ink {kind}", width="8", height="8")
    over = shape("path", class_=f"texture {kind}", d=texture) if texture else Html()
    return element(
        "pattern",
        colour,
        over,
        id=f"fill-{kind}",
        patternUnits="userSpaceOnUse",
        width="8",
        height="8",
    )


# The definitions of the fills; a page with plots has them once.
PATTERNS: Final = element(
    "svg",
    element("defs", joined(_pattern(*each) for each in _TEXTURES.items())),
    **{"class": "patterns", "aria-hidden": "true"},
    width="0",
    height="0",
)


_STEPS: Final = (1, 2, 5)


def ticks(highest: int, most: int = 4) -> list[int]:
    """Return round numbers from 0 to at least the highest, in `most` steps or fewer."""
    highest = max(1, highest)
    step = next(step for step in _round_numbers() if step * most >= highest)
    return list(range(0, highest + step, step))


def _round_numbers() -> Iterator[int]:
    return (step * 10**power for power in count() for step in _STEPS)


def percent(part: float) -> str:
    """Return a horizontal place or width as a percentage: plots stretch with the page."""
    return f"{round(part * 100, 2):g}%"
