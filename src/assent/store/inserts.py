"""Inserts of one row and of many, and the numbers that an insert fills in itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Insert,
    ScalarSelect,
    Table,
    bindparam,
    column,
    func,
    insert,
    literal_column,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY

from assent.store import channel_tables, file_tables, preference_tables
from assent.store.columns import GIVEN, metadata
from assent.store.tables import events, messages

# Each adds its tables to the same metadata.
MODULES = (channel_tables, file_tables, preference_tables)
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


@lru_cache
def given(table: Table) -> tuple[Column[Any], ...]:
    """Return the columns that a row has values for; insert or database fill in the others."""
    numbered = NUMBERED.get(table)
    skipped = {table.autoincrement_column, table.c[numbered.column] if numbered else None}
    return tuple(
        c
        for c in table.columns
        if c not in skipped and (c.server_default is None or c.info.get(GIVEN))
    )


@lru_cache
def insert_one(table: Table) -> Insert:
    """Return the insert of one row: a parameter for each column that is given."""
    values: dict[str, Any] = {c.name: bindparam(c.name, type_=c.type) for c in given(table)}
    numbered = NUMBERED.get(table)
    if numbered is not None:
        group = values[numbered.group]
        values[numbered.column] = _last(table, numbered, group) + literal_column("1")
    return insert(table).values(values)


@lru_cache
def insert_many(table: Table) -> Insert:
    """Return the insert of any number of rows: an array for each column. For PostgreSQL only."""
    columns = given(table)
    arrays = [bindparam(c.name, type_=ARRAY(c.type)) for c in columns]
    rows = (
        func.unnest(*arrays)
        .table_valued(*(column(c.name, c.type) for c in columns), with_ordinality="place")
        .render_derived(name="rows")
    )
    names = [c.name for c in columns]
    values: list[Any] = [rows.c[name] for name in names]
    numbered = NUMBERED.get(table)
    if numbered is not None:
        group = rows.c[numbered.group]
        number = func.row_number().over(partition_by=group, order_by=rows.c.place)
        names.append(numbered.column)
        values.append(_last(table, numbered, group) + number)
    return insert(table).from_select(names, select(*values))


def _last(table: Table, numbered: Numbered, group: Any) -> ScalarSelect[int]:
    there = table.alias("there")
    last = func.coalesce(func.max(there.c[numbered.column]), literal_column("0", BigInteger))
    return select(last).where(there.c[numbered.group] == group).scalar_subquery()
