"""The SQL of pins: definitions of tools that servers sent, as seen and as accepted."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, select, update

from assent.domain.pins import Pin
from assent.store.rows import Driver, dump
from assent.store.tables import pins

_p = pins.c
_ONE = (_p.source == bindparam("source_"), _p.tool == bindparam("tool_"))
PINS = select(_p.source, _p.tool, _p.seen, _p.accepted, _p.listed).order_by(_p.source, _p.tool)
PINS_OF = PINS.where(_p.source == bindparam("source_")).with_for_update()
# Changed in place: a row that was replaced would be missed by whoever waits for its lock, and the
# tool would be taken on trust again.
SEE = update(pins).where(*_ONE).values(seen=bindparam("seen_"), listed=True, at=bindparam("at_"))
UNLIST = update(pins).where(*_ONE).values(listed=False)
ACCEPT = (
    update(pins)
    .where(*_ONE)
    .values(accepted=_p.seen, accepted_by=bindparam("by_"), at=bindparam("at_"))
)


class StoredPins:
    """`tx.pins`: the pins table."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def every(self) -> list[Pin]:
        return [_pin(row) for row in self._driver.rows(PINS, {})]

    def of(self, source: str) -> list[Pin]:
        """Return the pins of a source, locked: what is changed was read under the lock."""
        params: dict[str, object] = {"source_": source}
        return [_pin(row) for row in self._driver.rows(PINS_OF, params)]

    def add(self, pin: Pin) -> None:
        """Add a tool that was not found; if another adds it first, the transaction runs again."""
        self._driver.leaves_work = True
        row: dict[str, object] = {
            "source": pin.source,
            "tool": pin.tool,
            "seen": dump(dict(pin.seen)),
            "accepted": dump(dict(pin.accepted)),
            "listed": pin.listed,
            "accepted_by": None,
            "at": self._driver.clock(),
        }
        self._driver.insert(pins, [row])

    def see(self, pin: Pin) -> None:
        """Store what a pinned tool is now; what was accepted stays."""
        self._driver.leaves_work = True
        params: dict[str, object] = {
            "source_": pin.source,
            "tool_": pin.tool,
            "seen_": dump(dict(pin.seen)),
            "at_": self._driver.clock(),
        }
        self._driver.rows(SEE, params)

    def unlist(self, pin: Pin) -> None:
        self._driver.leaves_work = True
        self._driver.rows(UNLIST, {"source_": pin.source, "tool_": pin.tool})

    def accept(self, pin: Pin, by: str) -> None:
        self._driver.leaves_work = True
        params: dict[str, object] = {
            "source_": pin.source,
            "tool_": pin.tool,
            "by_": by,
            "at_": self._driver.clock(),
        }
        self._driver.rows(ACCEPT, params)


def _pin(row: Sequence[Any]) -> Pin:
    seen: Mapping[str, Any] = json.loads(row[2])
    return Pin(
        source=row[0], tool=row[1], seen=seen, accepted=json.loads(row[3]), listed=bool(row[4])
    )
