"""Inserts, collected by table: SQLite runs them one by one, PostgreSQL all in one statement.

A round trip is what a statement costs on PostgreSQL; a transaction that only inserts takes one.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Integer,
    Table,
    Text,
    bindparam,
    func,
    insert,
    select,
)
from sqlalchemy.sql import ClauseElement

from assent.domain.outputs import json_text
from assent.store.rows import Params
from assent.store.tables import events, messages, metadata


@dataclass(frozen=True, slots=True)
class Numbered:
    """A column that the insert itself fills in: the next number within a group."""

    column: str
    group: str


# Dense, and in commit order. Two writers of one group meet at the key; on PostgreSQL the later one
# waits there, fails, and runs its transaction again.
NUMBERED: Mapping[Table, Numbered] = {
    messages: Numbered("position", "conversation_id"),
    events: Numbered("seq", "turn_id"),
}
_ORDER = {table: index for index, table in enumerate(metadata.sorted_tables)}
_TYPES: dict[type, str] = {
    Text: "text",
    BigInteger: "bigint",
    Integer: "integer",
    Boolean: "boolean",
}


def _given(table: Table) -> list[Column[Any]]:
    """The columns that a row brings; the database fills in the others."""
    counted = table.autoincrement_column
    return [c for c in table.columns if c.server_default is None and c is not counted]


@lru_cache
def insert_one(table: Table) -> ClauseElement:
    """The insert of one row, for a driver without arrays."""
    values: dict[str, Any] = {
        column.name: bindparam(column.name, type_=column.type) for column in _given(table)
    }
    numbered = NUMBERED.get(table)
    if numbered is not None:
        group = table.c[numbered.group]
        last = func.coalesce(func.max(table.c[numbered.column]), 0)
        next_one = select(last + 1).where(group == bindparam(numbered.group))
        values[numbered.column] = next_one.scalar_subquery()
    return insert(table).values(values)


@dataclass(frozen=True, slots=True)
class BulkInsert:
    """One PostgreSQL statement for rows of several tables; each table's rows are one parameter."""

    sql: str
    tables: tuple[Table, ...]

    def params(self, pending: Mapping[Table, Sequence[Params]]) -> list[str]:
        """Rows as JSON: one text to encode and to send, whatever their number."""
        return [json_text(pending[table]) for table in self.tables]


# An update that does not find its row makes a number of this text, which nobody can.
BROKEN_TRUST = "assent: a row was changed by somebody else just now; done again with locks"
_PLACE = re.compile(r"\$(\d+)")


class Change(NamedTuple):
    """An UPDATE … RETURNING that has to find its one row, and how many parameters it takes."""

    sql: str
    takes: int


@lru_cache(maxsize=1024)
def write_all(tables: frozenset[Table], changes: tuple[Change, ...] = ()) -> BulkInsert:
    """The statement for rows of these tables; keys are checked at its end, so order is free.

    The changes take the first parameters and come first, in their order. If one of them does not
    find its row the whole statement fails and nothing is written.
    """
    ordered = tuple(sorted(tables, key=_ORDER.__getitem__))
    parts, taken = list[str](), 0
    for number, change in enumerate(changes):
        parts.append(f"change_{number} AS ({_moved(change.sql, taken)})")
        taken += change.takes
    parts += [_insert_from(table, n) for n, table in enumerate(ordered, taken + 1)]
    # Read one after the other, and a change happens when it is read: locks are taken in order.
    found = [f"(SELECT count(*) FROM change_{n}) = 1" for n in range(len(changes))]  # noqa: S608
    all_found = " AND ".join(found) or "TRUE"
    answer = f"SELECT CAST(CASE WHEN {all_found} THEN '1' ELSE '{BROKEN_TRUST}' END AS INTEGER)"
    return BulkInsert(f"WITH {', '.join(parts)} {answer}", ordered)


def _moved(sql: str, taken: int) -> str:
    """The same statement with its parameters so many places later."""
    return _PLACE.sub(lambda place: f"${int(place[1]) + taken}", sql) if taken else sql


# Only names of our own tables and columns are put together here; every value is a parameter.
def _insert_from(table: Table, parameter: int) -> str:
    numbered = NUMBERED.get(table)
    skipped = None if numbered is None else numbered.column
    given = [column for column in _given(table) if column.name != skipped]
    names = ", ".join(f'"{column.name}"' for column in given)
    typed = ", ".join(f'"{column.name}" {_TYPES[type(column.type)]}' for column in given)
    rows = (
        f"ROWS FROM (json_to_recordset(${parameter}::json) AS ({typed})) "
        f"WITH ORDINALITY AS r({names}, ord)"
    )
    into = f'{table.name}_rows AS (INSERT INTO "{table.name}"'
    if numbered is None:
        return f"{into} ({names}) SELECT {names} FROM {rows})"  # noqa: S608
    column, group = f'"{numbered.column}"', f'"{numbered.group}"'
    last = f'(SELECT max(t.{column}) FROM "{table.name}" t WHERE t.{group} = r.{group})'  # noqa: S608
    number = f"coalesce({last}, 0) + row_number() OVER (PARTITION BY r.{group} ORDER BY r.ord)"
    return f"{into} ({names}, {column}) SELECT {names}, {number} FROM {rows})"  # noqa: S608
