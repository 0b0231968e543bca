"""Inserts, collected by table: SQLite runs them one by one, PostgreSQL all in one statement.

A round trip is what a statement costs on PostgreSQL; a transaction that only inserts takes one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, Boolean, Integer, Table, Text, bindparam, func, insert, select
from sqlalchemy.sql import ClauseElement

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
_ARRAYS: dict[type, str] = {
    Text: "text[]",
    BigInteger: "bigint[]",
    Integer: "integer[]",
    Boolean: "boolean[]",
}


@lru_cache
def insert_one(table: Table) -> ClauseElement:
    """The insert of one row, for a driver without arrays."""
    values: dict[str, Any] = {
        column.name: bindparam(column.name, type_=column.type) for column in table.columns
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
    """One PostgreSQL statement for rows of several tables, and the columns of its parameters."""

    sql: str
    columns: tuple[tuple[Table, tuple[str, ...]], ...]

    def arrays(self, pending: Mapping[Table, Sequence[Params]]) -> list[list[object]]:
        """The parameters: one array per column."""
        return [
            [row[name] for row in pending[table]] for table, names in self.columns for name in names
        ]


@lru_cache
def insert_all(tables: frozenset[Table]) -> BulkInsert:
    """The statement for these tables; foreign keys are checked at its end, so order is free."""
    parts: list[str] = []
    columns: list[tuple[Table, tuple[str, ...]]] = []
    position = 1
    for table in sorted(tables, key=_ORDER.__getitem__):
        numbered = NUMBERED.get(table)
        skipped = None if numbered is None else numbered.column
        names = tuple(column.name for column in table.columns if column.name != skipped)
        kinds = [_ARRAYS[type(table.c[name].type)] for name in names]
        arrays = ", ".join(f"${position + n}::{kind}" for n, kind in enumerate(kinds))
        position += len(names)
        parts.append(f"{table.name}_rows AS ({_insert_from(table, names, arrays, numbered)})")
        columns.append((table, names))
    return BulkInsert(f"WITH {', '.join(parts)} SELECT 1", tuple(columns))


# Only names of our own tables and columns are put together here; every value is a parameter.
def _insert_from(
    table: Table, names: tuple[str, ...], arrays: str, numbered: Numbered | None
) -> str:
    quoted = [f'"{name}"' for name in names]
    listed = ", ".join(quoted)
    rows = f"unnest({arrays}) WITH ORDINALITY AS r({listed}, ord)"
    if numbered is None:
        return f'INSERT INTO "{table.name}" ({listed}) SELECT {listed} FROM {rows}'  # noqa: S608
    column, group = f'"{numbered.column}"', f'"{numbered.group}"'
    last = f'(SELECT max(t.{column}) FROM "{table.name}" t WHERE t.{group} = r.{group})'  # noqa: S608
    number = f"coalesce({last}, 0) + row_number() OVER (PARTITION BY r.{group} ORDER BY r.ord)"
    into = f'INSERT INTO "{table.name}" ({listed}, {column})'
    return f"{into} SELECT {listed}, {number} FROM {rows}"  # noqa: S608
