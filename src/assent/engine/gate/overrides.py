"""A deployment's overrides of tools: stored, recorded, and the same in every process."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final, cast

from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.definitions import defined
from assent.domain.events import Entry
from assent.domain.outputs import json_text
from assent.domain.people import ADMIN, Audience, Person
from assent.domain.tools import Override, Risk, Tool
from assent.engine.kernel import Kernel
from assent.errors import NotAllowed, NotFound
from assent.ports import Tx

_MOST_NAMED: Final = 100


class Overrides:
    """Keeps the catalogue in step with the settings table."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._seen: Mapping[str, str] = {}

    async def load(self) -> None:
        """Apply the stored overrides if they differ from those applied last."""
        stored = await self._kernel.store.run(lambda tx: tx.settings.overrides())
        if stored != self._seen:
            self._seen = stored
            found = {tool: _read(text) for tool, text in stored.items()}
            self._kernel.catalogue.override(found)

    async def set(self, tool: str, override: Override | None, by: Person) -> None:
        """Store an override, or remove it; the record says if it loosens a dangerous tool."""
        if ADMIN not in by.roles:
            raise NotAllowed(by.id, "override tools")
        known = await self._known(tool)
        if not known:
            raise NotFound("tool", tool)
        loosens = override is not None and any(override.loosens(each) for each in known)
        stored = None if override is None else json_text(_written(override))

        def save(tx: Tx) -> None:
            tx.settings.override(tool, stored, by.id)
            data: dict[str, Json] = {"tool": tool, "settings": stored, "loosens": loosens}
            tx.journal.note(
                Entry(
                    id=self._kernel.ids("aud"),
                    action="override",
                    actor=by.id,
                    data=data,
                    at=tx.now(),
                )
            )

        await self._kernel.store.run(save)
        await self.load()

    async def _known(self, name: str) -> list[Tool]:
        """Return the tools of this name: of agents here, and of callers outside."""
        every = self._kernel.catalogue.every_tool()
        if found := [item.tool for item in every if item.tool.name == name]:
            return found
        stored = await self._kernel.store.run(lambda tx: tx.definitions.named(name, _MOST_NAMED))
        return [defined(each) for each in stored]


def _written(override: Override) -> dict[str, Json]:
    within, audience = override.decide_within, override.audience
    return {
        "risk": override.risk,
        "requires_approval": override.requires_approval,
        "decide_within": None if within is None else within.total_seconds(),
        "impact": override.impact,
        "category": override.category,
        "audience": None if audience is None else cast("Json", audience.to_json()),
        "confirmation": override.confirmation,
    }


def _read(text: str) -> Override:
    got: dict[str, Any] = json.loads(text)
    risk, within, audience = got.pop("risk"), got.pop("decide_within"), got.pop("audience")
    # Overrides stored by a release without confirmations do not have it.
    confirmation = got.pop("confirmation", None)
    return Override(
        **got,
        risk=None if risk is None else Risk(risk),
        decide_within=None if within is None else timedelta(seconds=within),
        audience=None if audience is None else Audience.from_json(audience),
        confirmation=None if confirmation is None else Confirmation(confirmation),
    )
