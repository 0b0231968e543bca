"""The fills of plots: for each kind a colour, and a texture that says the same."""

from collections.abc import Mapping
from typing import Final

from assent.presentation.markup import Html, element, joined

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
