"""Tools that callers define with every request: the same definition is the same tool."""

from collections.abc import Callable
from typing import Final

from assent.domain.tools import Tool
from assent.engine.threads import offload

_MOST_KEPT: Final = 500
# Longer ones are read again each time: what strangers define fills no memory.
_LONGEST_KEPT: Final = 20_000


class CallerTools:
    """Keeps the tools that were defined lately, by the text of their definitions."""

    def __init__(self) -> None:
        self._kept: dict[str, Tool] = {}

    async def made(self, definition: str, make: Callable[[], Tool]) -> Tool:
        """Return the tool of a definition; made beside the event loop if that is long."""
        if (known := self._kept.get(definition)) is not None:
            return known
        tool = await offload(len(definition), make)
        if len(definition) <= _LONGEST_KEPT:
            while len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[definition] = tool
        return tool
