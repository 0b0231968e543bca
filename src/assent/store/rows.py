"""Between rows and values: times, JSON, and the columns of each table."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, cast

from sqlalchemy import Table
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

    # Set where a worker of another process has to look: at a turn or a call that nobody holds, or
    # at a tool that was overridden. The others are told once it is committed.
    leaves_work: bool

    def rows(self, statement: ClauseElement, params: Params) -> Sequence[Row]: ...
    def insert(self, table: Table, rows: list[Params]) -> None: ...
    def look(self, statement: ClauseElement, params: Params) -> Sequence[Row]:
        """A locking read. Whatever is written for what it finds is written by `expect`."""
        ...

    def expect(self, row: str, statement: ClauseElement, params: Params) -> bool:
        """Change one row that should be what its guards say; whether it was.

        A driver may answer yes on trust. If it was wrong the transaction writes nothing, and its
        function runs again without any.
        """
        ...

    def along(self, row: str, statement: ClauseElement, params: Params) -> None:
        """Change what belongs to an expected row and to nobody else, however many rows it is."""
        ...

    def clock(self) -> int: ...


def micros(at: datetime | None) -> int | None:
    """A time as it is stored."""
    return None if at is None else (at - EPOCH) // _MICROSECOND


def span(length: timedelta) -> int:
    """A length of time as it is stored."""
    return length // _MICROSECOND


def moment(stored: int) -> datetime:
    """A stored time."""
    return EPOCH + timedelta(microseconds=stored)


def maybe_moment(stored: int | None) -> datetime | None:
    """A stored time that may be missing."""
    return None if stored is None else EPOCH + timedelta(microseconds=stored)


def load(text: str) -> dict[str, Json]:
    """A stored JSON object."""
    return cast("dict[str, Json]", json.loads(text))


def reader(table: Table) -> Callable[[Row], dict[str, Any]]:
    """Turns a row of all of a table's columns into a mapping."""
    names = tuple(column.name for column in table.columns)
    return lambda row: dict(zip(names, row, strict=True))
