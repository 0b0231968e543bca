"""Pins of tools that callers have from servers: a changed one asks until an admin accepts it."""

from dataclasses import replace
from typing import Final

from assent.domain.canonical import Json
from assent.domain.events import Entry
from assent.domain.mcp_servers import REMOTE
from assent.domain.pins import Pin, hash_of
from assent.domain.tools import EffectiveTool
from assent.engine.kernel import Kernel
from assent.ports import Tx

# What the server says of its tool; the rest is the caller's own.
_SAID: Final = ("description", "parameters", "output")
_MOST_KNOWN: Final = 10_000


class OutsidePins:
    """Compares a server's tool with what was first seen or accepted of it.

    For each person and agent on their own: others may have another server of the same name.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._accepted: dict[tuple[str, str], str] = {}

    async def watched(
        self, by: str, agent: str, tool: EffectiveTool, definition: dict[str, Json]
    ) -> EffectiveTool:
        """Return the tool with the change that nobody has accepted, if there is one."""
        if not tool.tool.source.startswith(REMOTE):
            return tool
        said = {name: definition[name] for name in _SAID}
        key = (f"outside:{_escaped(by)}/{agent}", tool.tool.name)
        if self._accepted.get(key) == hash_of(said):
            return tool
        pin = await self._kernel.store.run(lambda tx: self._seen(tx, *key, said))
        if pin.is_changed:
            return replace(tool, change=pin.change)
        if len(self._accepted) >= _MOST_KNOWN:
            self._accepted.clear()
        self._accepted[key] = pin.hash
        return tool

    def _seen(self, tx: Tx, source: str, tool: str, said: dict[str, Json]) -> Pin:
        known = next((pin for pin in tx.pins.of(source) if pin.tool == tool), None)
        if known is None:
            # The first is taken on trust: nobody has relied on another yet.
            made = Pin(source=source, tool=tool, seen=said, accepted=said)
            tx.pins.add(made)
            self._note(tx, "pin", made)
            return made
        now = replace(known, seen=said, listed=True)
        if now.hash != known.hash:
            tx.pins.see(now)
            if now.is_changed:
                self._note(tx, "definition_changed", now)
        return now

    def _note(self, tx: Tx, action: str, pin: Pin) -> None:
        data: dict[str, Json] = {"source": pin.source, "tool": pin.tool, "definition": pin.hash}
        id, actor = self._kernel.ids("aud"), pin.source.partition(":")[2]
        tx.journal.note(Entry(id=id, action=action, actor=actor, data=data, at=tx.now()))


def _escaped(id: str) -> str:
    # The first slash ends it: nobody can name an agent so that it is another person's.
    return id.replace("%", "%25").replace("/", "%2F")
