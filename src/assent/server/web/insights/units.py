"""Lengths of time and shares as plots show them."""

from datetime import timedelta
from typing import Final

_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_FINE_TENTHS: Final = 100
_SLIVER: Final = 0.01


def length(time: timedelta) -> str:
    """Return a length of time in its two largest units; below ten seconds with a tenth."""
    tenths = round(time.total_seconds() * 10)
    if tenths < _FINE_TENTHS:
        return f"{tenths / 10:g} s"
    seconds = round(time.total_seconds())
    at = next(i for i, (size, _) in enumerate(_UNITS) if seconds >= size)
    parts: list[str] = []
    for size, unit in _UNITS[at : at + 2]:
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts)


def share(part: float | None) -> str:
    """Return a share as a percentage; a dash if there is none, and never 0 % for a little."""
    if part is None:
        return "–"
    if 0 < part < _SLIVER:
        return "< 1 %"
    if 1 - _SLIVER < part < 1:
        return "> 99 %"
    return f"{part * 100:.0f} %"
