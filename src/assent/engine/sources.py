"""Sources: tools that come from servers outside, and may change while this process runs.

What a source lists is pinned in the database, and every process builds its tools from the pins: one
that only decides needs no connection, and one whose server is down can still show cards.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from assent.domain.canonical import Json
from assent.domain.events import Entry
from assent.domain.forms import UserInput
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import ADMIN, SYSTEM, Person
from assent.domain.pins import Pin, hash_of
from assent.domain.tools import Tool
from assent.engine.agents import Remote
from assent.engine.kernel import Kernel
from assent.engine.runs.asides import Asides
from assent.errors import (
    DefinitionChanged,
    NotAllowed,
    NotFound,
    NothingToAccept,
    StoreUnavailable,
)
from assent.ports import Tx

log = logging.getLogger(__name__)
Definition = Mapping[str, Any]
# Called with all definitions that a source lists now, by the server's own names.
Listed = Callable[[Mapping[str, Definition]], None]
# How people closed a question, and their answers.
Answered = tuple[RequestStatus, Mapping[str, Json]]
# Called with a call's id and the form to put to people.
Ask = Callable[[str, UserInput], Coroutine[Any, Any, Answered]]
_RETRY_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTools:
    """The tools of a source by the server's own names, and what was left out, with the reasons."""

    tools: Mapping[str, Tool]
    refused: Sequence[str] = ()


class ToolSource(ABC):
    """A server whose tools an agent may call; connected in workers only."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The name that cards show, such as `mcp:files`."""

    @abstractmethod
    def tools(self, pins: Sequence[Pin]) -> SourceTools:
        """Return the tools of these definitions, connected or not."""

    @property
    def refused(self) -> Sequence[str]:
        """Tools left out as their list was read, with the reasons; known where it is connected."""
        return ()

    @abstractmethod
    def start(self, listed: Listed, ask: Ask) -> None:
        """Connect; `listed` is called with the definitions, at first and after every change.

        `ask` puts a form to a person beside a call that runs.
        """

    @abstractmethod
    async def settled(self) -> None:
        """Wait until the first attempt to connect has listed the tools, or has failed."""

    @abstractmethod
    async def close(self) -> None:
        """Disconnect."""


class Sources:
    """Keeps pins and catalogue in step with what the sources of all agents list."""

    def __init__(self, kernel: Kernel, sources: Mapping[str, Sequence[ToolSource]]) -> None:
        self._kernel, self._of_agent = kernel, sources
        every = {source.name: source for several in sources.values() for source in several}
        self._every = list(every.values())
        self._seen: list[Pin] | None = None
        self._told: set[str] = set()
        self._refused: list[str] = []
        self._waiting: dict[str, Mapping[str, Definition]] = {}
        self._wake, self._pinning = asyncio.Event(), asyncio.Lock()
        self._keeper: asyncio.Task[None] | None = None

    async def load(self) -> None:
        """Build the tools again if the pins differ from those applied last."""
        if not self._every:
            return
        names = {source.name for source in self._every}
        pins = await self._kernel.store.run(lambda tx: tx.pins.every())
        mine = [pin for pin in pins if pin.source in names]
        if mine != self._seen:
            self._seen = mine
            self._apply(mine)

    def left_out(self) -> list[str]:
        """Return which tools of servers outside no agent has, and why, as far as is known here."""
        unread = [f"{each.name}: {refusal}" for each in self._every for refusal in each.refused]
        return [*self._refused, *unread]

    def _apply(self, pins: Sequence[Pin]) -> None:
        self._refused = []
        made = {source.name: self._remote(source, pins) for source in self._every}
        self._kernel.catalogue.extend(
            {
                agent: [remote for source in several for remote in made[source.name]]
                for agent, several in self._of_agent.items()
            }
        )
        for refusal in self._kernel.catalogue.refused:
            self._tell(refusal)

    def _remote(self, source: ToolSource, pins: Sequence[Pin]) -> list[Remote]:
        mine = {pin.tool: pin for pin in pins if pin.source == source.name and pin.listed}
        made = source.tools(list(mine.values()))
        for refusal in made.refused:
            self._tell(f"{source.name}: {refusal}")
        return [Remote(tool=tool, change=mine[name].change) for name, tool in made.tools.items()]

    def _tell(self, refusal: str) -> None:
        self._refused.append(refusal)
        # Once: it is found again whenever the tools are built.
        if refusal not in self._told:
            self._told.add(refusal)
            log.warning("a tool is left out: %s", refusal)

    async def start(self) -> None:
        """Connect all sources, and wait until each has listed its tools or failed."""
        if not self._every or not self._kernel.is_worker:
            return
        ask = Asides(kernel=self._kernel).ask
        self._keeper = asyncio.create_task(self._keep(), name="assent-sources")
        for source in self._every:
            source.start(lambda listed, name=source.name: self._heard(name, listed), ask)
        await asyncio.gather(*(source.settled() for source in self._every))
        await self._pin_all()

    async def close(self) -> None:
        """Disconnect all sources."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait({self._keeper})
            await asyncio.gather(*(source.close() for source in self._every))

    def _heard(self, source: str, listed: Mapping[str, Definition]) -> None:
        # Only the newest list counts, however often a server says that it has changed.
        self._waiting[source] = listed
        self._wake.set()

    async def _keep(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            try:
                await self._pin_all()
            except StoreUnavailable as error:
                log.warning("new definitions of tools wait for the database: %s", error)
                await asyncio.sleep(_RETRY_SECONDS)
                self._wake.set()
            except Exception:
                log.exception("new definitions of tools could not be kept")

    async def _pin_all(self) -> None:
        async with self._pinning:
            while self._waiting:
                source, listed = next(iter(self._waiting.items()))
                await self._kernel.store.run(lambda tx, s=source, d=listed: self._pin(tx, s, d))
                if self._waiting.get(source) is listed:
                    del self._waiting[source]
            await self.load()

    def _pin(self, tx: Tx, source: str, listed: Mapping[str, Definition]) -> None:
        known = {pin.tool: pin for pin in tx.pins.of(source)}
        for tool, definition in listed.items():
            pin = known.get(tool)
            if pin is None:
                # The first is taken on trust: nobody has relied on another yet.
                made = Pin(source=source, tool=tool, seen=definition, accepted=definition)
                self._note(tx, "pin", made)
                tx.pins.add(made)
            elif pin.hash != hash_of(definition) or not pin.listed:
                changed = replace(pin, seen=definition, listed=True)
                if changed.is_changed:
                    self._note(tx, "definition_changed", changed)
                tx.pins.see(changed)
        for tool, pin in known.items():
            if tool not in listed and pin.listed:
                tx.pins.unlist(pin)

    def _note(self, tx: Tx, action: str, pin: Pin, actor: str = SYSTEM.id) -> None:
        data: dict[str, Json] = {"source": pin.source, "tool": pin.tool, "definition": pin.hash}
        entry = Entry(
            id=self._kernel.ids("aud"), action=action, actor=actor, data=data, at=tx.now()
        )
        tx.journal.note(entry)

    async def accept(self, tool: str, by: Person, *, definition: str | None = None) -> None:
        """Accept a tool's changed definition, by our name for it.

        `definition` is the hash of the one that the person looked at; another raises
        `DefinitionChanged`.
        """
        if ADMIN not in by.roles:
            raise NotAllowed(by.id, "accept definitions")

        def accept(tx: Tx) -> None:
            source = next((pin.source for pin in tx.pins.every() if pin.name == tool), "")
            pin = next((pin for pin in tx.pins.of(source) if pin.name == tool), None)
            if pin is None:
                raise NotFound("tool", tool, "it has no pinned definition")
            if definition is not None and definition != pin.hash:
                raise DefinitionChanged(tool)
            if not pin.is_changed:
                raise NothingToAccept(tool)
            self._note(tx, "accept_definition", pin, by.id)
            tx.pins.accept(pin, by.id)

        await self._kernel.store.run(accept)
        await self.load()

    async def changed(self) -> list[Pin]:
        """Return the tools whose changed definitions nobody has accepted."""
        pins = await self._kernel.store.run(lambda tx: tx.pins.every())
        return [pin for pin in pins if pin.is_changed and pin.listed]
