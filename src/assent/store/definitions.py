"""The SQL of definitions of tools that their callers run."""

import json
from typing import Any

from sqlalchemy import and_, bindparam, func, select

from assent.domain.canonical import Json
from assent.store.rows import Driver, dump
from assent.store.tables import definitions

_d = definitions.c
DEFINITION = select(_d.definition).where(
    _d.agent == bindparam("agent"), _d.hash == bindparam("hash")
)
NEWEST = (
    select(_d.definition)
    .where(_d.agent == bindparam("agent"), _d.tool == bindparam("tool"))
    .order_by(_d.at.desc())
    .limit(1)
)
NAMED = select(_d.definition).where(_d.tool == bindparam("tool")).limit(bindparam("limit"))
_latest = (
    select(_d.agent, _d.tool, func.max(_d.at).label("at")).group_by(_d.agent, _d.tool).subquery()
)
EVERY_NEWEST = (
    select(_d.agent, _d.definition)
    .join(
        _latest,
        and_(_d.agent == _latest.c.agent, _d.tool == _latest.c.tool, _d.at == _latest.c.at),
    )
    .order_by(_d.agent, _d.tool)
    .limit(bindparam("limit"))
)


class StoredDefinitions:
    """`tx.definitions`: the definitions table; rows are added and never changed."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def get(self, agent: str, digest: str) -> dict[str, Any] | None:
        found = self._driver.rows(DEFINITION, {"agent": agent, "hash": digest})
        return json.loads(found[0][0]) if found else None

    def add(self, agent: str, digest: str, definition: dict[str, Json]) -> None:
        """Add a definition that was not found; if another adds it first, it runs again."""
        row: dict[str, object] = {
            "agent": agent,
            "hash": digest,
            "tool": definition["name"],
            "source": definition["source"],
            "definition": dump(definition),
            "at": self._driver.clock(),
        }
        self._driver.insert(definitions, [row])

    def newest(self, agent: str, tool: str) -> dict[str, Any] | None:
        """Return the newest definition of an agent's tool."""
        found = self._driver.rows(NEWEST, {"agent": agent, "tool": tool})
        return json.loads(found[0][0]) if found else None

    def named(self, tool: str, limit: int) -> list[dict[str, Any]]:
        """Return definitions of tools of this name, of any agent."""
        rows = self._driver.rows(NAMED, {"tool": tool, "limit": limit})
        return [json.loads(row[0]) for row in rows]

    def every_newest(self, limit: int) -> list[tuple[str, dict[str, Any]]]:
        """Return the newest definition of each tool, with its agent."""
        rows = self._driver.rows(EVERY_NEWEST, {"limit": limit})
        return [(agent, json.loads(text)) for agent, text in rows]
