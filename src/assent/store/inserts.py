"""Inserts, collected by table: SQLite runs them one by one, PostgreSQL all in one statement.

A round trip is what a statement costs on PostgreSQL; a transaction that only inserts takes one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import BigInteger, Boolean, Integer, Table, Text, bindparam, func, insert, select
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
    """One PostgreSQL statement for rows of several tables; each table's rows are one parameter."""

    sql: str
    tables: tuple[Table, ...]

    def params(self, pending: Mapping[Table, Sequence[Params]]) -> list[str]:
        """Rows as JSON: one text to encode and to send, whatever their number."""
        return [json_text(pending[table]) for table in self.tables]


@lru_cache
def insert_all(tables: frozenset[Table], guard: str = "", taken: int = 0) -> BulkInsert:
    """The statement for these tables; foreign keys are checked at its end, so order is free.

    With a guard (an UPDATE … RETURNING that takes the first parameters) nothing is inserted unless
    it finds its row; the answer is how many it found.
    """
    ordered = tuple(sorted(tables, key=_ORDER.__getitem__))
    held = " WHERE EXISTS (SELECT 1 FROM guard)" if guard else ""
    parts = [f"guard AS ({guard})"] if guard else []
    parts += [_insert_from(table, n, held) for n, table in enumerate(ordered, taken + 1)]
    answer = "SELECT count(*) FROM guard" if guard else "SELECT 1"
    return BulkInsert(f"WITH {', '.join(parts)} {answer}", ordered)


# Only names of our own tables and columns are put together here; every value is a parameter.
def _insert_from(table: Table, parameter: int, held: str) -> str:
    numbered = NUMBERED.get(table)
    skipped = None if numbered is None else numbered.column
    given = [column for column in table.columns if column.name != skipped]
    names = ", ".join(f'"{column.name}"' for column in given)
    typed = ", ".join(f'"{column.name}" {_TYPES[type(column.type)]}' for column in given)
    rows = (
        f"ROWS FROM (json_to_recordset(${parameter}::json) AS ({typed})) "
        f"WITH ORDINALITY AS r({names}, ord){held}"
    )
    into = f'{table.name}_rows AS (INSERT INTO "{table.name}"'
    if numbered is None:
        return f"{into} ({names}) SELECT {names} FROM {rows})"  # noqa: S608
    column, group = f'"{numbered.column}"', f'"{numbered.group}"'
    last = f'(SELECT max(t.{column}) FROM "{table.name}" t WHERE t.{group} = r.{group})'  # noqa: S608
    number = f"coalesce({last}, 0) + row_number() OVER (PARTITION BY r.{group} ORDER BY r.ord)"
    return f"{into} ({names}, {column}) SELECT {names}, {number} FROM {rows})"  # noqa: S608
