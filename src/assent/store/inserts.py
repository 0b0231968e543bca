"""Inserts of one row, and the numbers that an insert fills in itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    Column,
    Table,
    bindparam,
    func,
    insert,
    literal_column,
    select,
)
from sqlalchemy.sql import ClauseElement

from assent.store.tables import events, messages, metadata

# In this order every row finds the rows that it refers to.
PARENTS_FIRST: Sequence[Table] = tuple(metadata.sorted_tables)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A column that the insert itself fills in: the next number within a group."""

    column: str
    group: str


# Without gaps, and in commit order. Two writers of one group conflict at the key; on PostgreSQL the
# later one waits there, fails, and runs its transaction again.
NUMBERED: Mapping[Table, Numbered] = {
    messages: Numbered("position", "conversation_id"),
    events: Numbered("seq", "turn_id"),
}


def given(table: Table) -> list[Column[Any]]:
    """Return the columns that a row gives values for; the database fills in the others."""
    counted = table.autoincrement_column
    return [c for c in table.columns if c.server_default is None and c is not counted]


@lru_cache
def insert_one(table: Table) -> ClauseElement:
    """Return the insert of one row, for a driver without arrays."""
    values: dict[str, Any] = {
        column.name: bindparam(column.name, type_=column.type) for column in given(table)
    }
    numbered = NUMBERED.get(table)
    if numbered is not None:
        group = table.c[numbered.group]
        last = func.coalesce(func.max(table.c[numbered.column]), literal_column("0"))
        next_one = select(last + literal_column("1")).where(group == bindparam(numbered.group))
        values[numbered.column] = next_one.scalar_subquery()
    return insert(table).values(values)
