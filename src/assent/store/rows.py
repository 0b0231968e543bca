"""Conversion between rows and values: times, JSON, and the columns of each table."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, cast

from sqlalchemy import Table, Update
from sqlalchemy.sql import ClauseElement

from assent.domain.canonical import Json
from assent.domain.outputs import json_text as dump

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

__all__ = [
    "Driver",
    "Params",
    "Row",
    "dump",
    "load",
    "maybe_moment",
    "micros",
    "moment",
    "reader",
    "span",
]

Row = Sequence[Any]
Params = dict[str, object]


class Driver(Protocol):
    """One open transaction of a database driver."""

    # Set if a worker of another process has to look: at a turn or a call that no worker holds, or
    # at a tool that was overridden. The other processes are told after the commit.
    leaves_work: bool

    def rows(self, statement: ClauseElement, params: Params) -> Sequence[Row]: ...
    def insert(self, table: Table, rows: list[Params]) -> None: ...
    def look(
        self, statement: ClauseElement, params: Params, *, locking: ClauseElement
    ) -> Sequence[Row]:
        """Read rows that `expect` will change; a driver that locks them runs `locking` instead."""
        ...

    def expect(self, row: str, statement: Update, params: Params) -> bool:
        """Change one row that should be as its guards say; return True if it was.

        A driver may answer True on trust. If that was wrong the transaction writes nothing, and its
        function runs again without trust.
        """
        ...

    def along(self, row: str, statement: Update, params: Params) -> None:
        """Change the rows, if any, that belong to a row that `expect` changes."""
        ...

    def clock(self) -> int: ...


def micros(at: datetime | None) -> int | None:
    """Return a time as it is stored: in microseconds since 1970."""
    return None if at is None else (at - EPOCH) // _MICROSECOND


def span(length: timedelta) -> int:
    """Return a length of time as it is stored."""
    return length // _MICROSECOND


def moment(stored: int) -> datetime:
    """Return a stored time."""
    return EPOCH + timedelta(microseconds=stored)


def maybe_moment(stored: int | None) -> datetime | None:
    """Return a stored time that may be missing."""
    return None if stored is None else EPOCH + timedelta(microseconds=stored)


def load(text: str) -> dict[str, Json]:
    """Return a stored JSON object."""
    return cast("dict[str, Json]", json.loads(text))


def reader(table: Table) -> Callable[[Row], dict[str, Any]]:
    """Return a function that turns a row of all of a table's columns into a mapping."""
    names = tuple(column.name for column in table.columns)
    return lambda row: dict(zip(names, row, strict=True))
