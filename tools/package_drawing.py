"""Draw the packages of Assent by layer, with arrows for imports: `docs/pictures/packages.svg`.

Layers are those of the import-linter contract in `pyproject.toml`; boxes and arrows come from the
import graph. An arrow that follows from others is left out: if cli imports demo and demo imports
engine, there is no arrow from cli to engine.
"""

import sys
import tomllib
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from pathlib import Path

import grimp

ROOT = Path(__file__).parents[1]
DRAWING = ROOT / "docs" / "pictures" / "packages.svg"

Edge = tuple[str, str]

_WIDTH, _ROW, _BOX, _LETTER, _PAD, _GAP, _MARGIN = 1120, 92, 50, 6.7, 18, 56, 36
# Where a box stands in its row, from left to right; packages that are not listed come last.
_ORDER = ("app", "testing", "server", "store", "models")
# Boxes alone in their row that would stand in the way of arrows if they stood in the middle.
_ASIDE = {"demo": 130, "presentation": -120, "ports": 40}
_STYLE = """
  .paper { fill: #fbfaf7; }
  .box { fill: #ffffff; stroke: #27445c; stroke-width: 1.5; }
  .name { font: 600 15px system-ui, sans-serif; fill: #14242f; text-anchor: middle; }
  .rooms { font: 12px system-ui, sans-serif; fill: #4a5b67; text-anchor: middle; }
  .arrow { fill: none; stroke: #7d8f9b; stroke-width: 1.5; marker-end: url(#tip); }
  .tip { fill: #7d8f9b; }
"""

_HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
aria-label="The packages of Assent by layer; an arrow means imports">
<style>{style}</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" \
orient="auto"><path class="tip" d="M0 0 8 4 0 8z"/></marker></defs>
<rect class="paper" width="{width}" height="{height}" rx="12"/>"""
_RECT = '<rect class="box" x="{x:.0f}" y="{y:g}" width="{width:.0f}" height="{height}" rx="7"/>'


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A box: a package (or module) right below `assent`, and the packages inside of it."""

    name: str
    rooms: tuple[str, ...]
    x: float = 0
    row: int = 0

    @property
    def width(self) -> float:
        """The width that its two lines of text need."""
        letters = max(len(self.name) * 1.3, len(" · ".join(self.rooms)))
        return max(110, letters * _LETTER + 2 * _PAD)

    @property
    def top(self) -> float:
        """The upper edge."""
        return _MARGIN + self.row * _ROW

    def holds(self, x: float) -> bool:
        """Whether a vertical line at `x` would touch the box."""
        return abs(x - self.x) < self.width / 2 + 10


def layers() -> list[list[str]]:
    """Return the names of the layers, highest first, as the contract lists them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    [contract] = [each for each in contracts["contracts"] if each["type"] == "layers"]
    return [[name.strip(" ()") for name in layer.split("|")] for layer in contract["layers"]]


def packages(graph: grimp.ImportGraph) -> dict[str, Package]:
    """Return the boxes, placed in rows."""
    there = {child.removeprefix("assent."): child for child in graph.find_children("assent")}
    placed: dict[str, Package] = {}
    for row, layer in enumerate([name for name in layer if name in there] for layer in layers()):
        boxes = [_package(graph, there[name]) for name in sorted(layer, key=_place)]
        free = _WIDTH - sum(box.width for box in boxes)
        x, between = 0.0, free / (len(boxes) + 1)
        for box in boxes:
            x += between + box.width / 2
            placed[box.name] = replace(box, x=round(x) + _ASIDE.get(box.name, 0), row=row)
            x += box.width / 2
    return placed


def _place(name: str) -> tuple[int, str]:
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)


def _package(graph: grimp.ImportGraph, module: str) -> Package:
    rooms = [each for each in graph.find_children(module) if graph.find_children(each)]
    names = sorted(room.rpartition(".")[2] for room in rooms)
    return Package(name=module.rpartition(".")[2], rooms=tuple(names))


def imports(graph: grimp.ImportGraph) -> set[Edge]:
    """Return which package imports which."""
    found: set[Edge] = set()
    for module in graph.modules:
        for imported in graph.find_modules_directly_imported_by(module):
            a, b = (name.split(".")[1:2] for name in (module, imported))
            if a and b and a != b:
                found.add((a[0], b[0]))
    return found


def essential(edges: set[Edge]) -> list[Edge]:
    """Return the edges that do not follow from others."""
    return sorted(edge for edge in edges if not _reaches(edges - {edge}, *edge))


def _reaches(edges: set[Edge], start: str, end: str) -> bool:
    seen, todo = {start}, [start]
    while todo:
        here = todo.pop()
        new = {b for a, b in edges if a == here} - seen
        seen |= new
        todo += new
    return end in seen


def draw() -> str:
    """Return the drawing as SVG text."""
    graph = grimp.build_graph("assent", exclude_type_checking_imports=True, cache_dir=None)
    boxes = packages(graph)
    edges = essential(imports(graph))
    height = max(box.top for box in boxes.values()) + _BOX + _MARGIN
    lines = [
        _HEAD.format(width=_WIDTH, height=f"{height:g}", style=_STYLE),
        *_arrows(boxes, edges),
        *(line for box in boxes.values() for line in _drawn(box)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _drawn(box: Package) -> list[str]:
    left, middle = box.x - box.width / 2, box.top + _BOX / 2
    name_y = middle + 5 if not box.rooms else middle - 3
    lines = [
        _RECT.format(x=left, y=box.top, width=box.width, height=_BOX),
        f'<text class="name" x="{box.x:g}" y="{name_y:g}">{escape(box.name)}</text>',
    ]
    if box.rooms:
        rooms = escape(" · ".join(box.rooms))
        lines.append(f'<text class="rooms" x="{box.x:g}" y="{middle + 15:g}">{rooms}</text>')
    return lines


def _arrows(boxes: dict[str, Package], edges: list[Edge]) -> list[str]:
    taken: dict[int, list[float]] = {}
    return [_arrow(boxes, edges, edge, taken) for edge in edges]


def _arrow(
    boxes: dict[str, Package], edges: list[Edge], edge: Edge, taken: dict[int, list[float]]
) -> str:
    """Draw one arrow: from box to box, and past the boxes in between."""
    start, end = boxes[edge[0]], boxes[edge[1]]
    targets = [boxes[b] for a, b in edges if a == start.name]
    sources = [boxes[a] for a, b in edges if b == end.name]
    points = [(_port(start, end, targets), start.top + _BOX)]
    for row in range(start.row + 1, end.row):
        beside = [box for box in boxes.values() if box.row == row]
        x = _lane(beside, (points[-1][0] + end.x) / 2, taken.setdefault(row, []))
        points += [(x, _MARGIN + row * _ROW - 4), (x, _MARGIN + row * _ROW + _BOX + 4)]
    points.append((_port(end, start, sources), end.top - 2))
    path = f"M{points[0][0]:.0f} {points[0][1]:g}"
    for (x, y), (to_x, to_y) in pairwise(points):
        bend = (to_y - y) / 2
        path += f"C{x:.0f} {y + bend:g} {to_x:.0f} {to_y - bend:g} {to_x:.0f} {to_y:g}"
    return f'<path class="arrow" d="{path}"><title>{edge[0]} imports {edge[1]}</title></path>'


def _port(box: Package, other: Package, others: list[Package]) -> float:
    """Return where an arrow leaves or enters a box: in the order of where the arrows go."""
    ordered = sorted(others, key=lambda each: (each.x, each.row))
    share = (ordered.index(other) + 1) / (len(ordered) + 1)
    span = min(box.width * 0.8, 60 * len(ordered))
    return box.x - span / 2 + span * share


def _lane(row: list[Package], wanted: float, used: list[float]) -> float:
    """Return the free place in a row that is nearest to where the arrow would like to pass."""
    free = [
        place
        for place in range(20, _WIDTH - 19, 4)
        if not any(box.holds(place) for box in row) and all(abs(place - u) > 9 for u in used)
    ]
    used.append(min(free, key=lambda place: abs(place - wanted)))
    return used[-1]


def main() -> None:
    """Write the drawing; with `--check`, exit with an error where the committed one is stale."""
    drawing = draw()
    if "--check" not in sys.argv:
        DRAWING.write_text(drawing)
    elif DRAWING.read_text() != drawing:
        raise SystemExit(f"{DRAWING.relative_to(ROOT)} is stale: run `make docs` and commit it")


if __name__ == "__main__":
    main()
