"""Small plots for a table row; the number is beside them."""

from collections.abc import Iterable

from assent.presentation.markup import Html, element
from assent.server.web.insights.scales import percent
from assent.server.web.insights.textures import shape


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
