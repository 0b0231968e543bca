"""Scales of plots: round numbers for ticks, logarithmic places for times."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import count, pairwise
from math import log
from typing import Final

_STEPS: Final = (1, 2, 5)
# The first and the last bar span this factor beyond the outermost edges.
_BEYOND: Final = 3


def ticks(highest: int, most: int = 4) -> list[int]:
    """Return round numbers from 0 to at least the highest, in `most` steps or fewer."""
    highest = max(1, highest)
    step = next(step for step in _round_numbers() if step * most >= highest)
    return list(range(0, highest + step, step))


def _round_numbers() -> Iterator[int]:
    return (step * 10**power for power in count() for step in _STEPS)


def place(time: timedelta, edges: Sequence[timedelta]) -> float:
    """Return the place of a time from 0 to 1, among bars with these edges; logarithmic in a bar."""
    outer = (edges[0] / _BEYOND, *edges, edges[-1] * _BEYOND)
    for number, (low, high) in enumerate(pairwise(outer)):
        if time < high:
            within = log(max(time, low) / low) / log(high / low)
            return (number + within) / (len(outer) - 1)
    return 1.0


def percent(part: float) -> str:
    """Return a horizontal place or width as a percentage: plots stretch with the page."""
    return f"{round(part * 100, 2):g}%"
