"""All writes of a PostgreSQL transaction in one statement, since each round trip costs time."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import BigInteger, Boolean, Integer, Table, Text

from assent.domain.outputs import json_text
from assent.store.inserts import NUMBERED, PARENTS_FIRST, given
from assent.store.rows import Params

# An update that does not find its row casts this text to a number, which fails.
BROKEN_TRUST = "assent: a row was changed by somebody else just now; done again with locks"

_PLACE = re.compile(r"\$(\d+)")
ORDER = {table: index for index, table in enumerate(PARENTS_FIRST)}
_TYPES: dict[type, str] = {
    Text: "text",
    BigInteger: "bigint",
    Integer: "integer",
    Boolean: "boolean",
}


class Change(NamedTuple):
    """An UPDATE and its number of parameters; with `finds_one` it must find and return one row."""

    sql: str
    takes: int
    finds_one: bool = True


class Shape(Enum):
    """The forms in which rows are sent: few, so that few statements are ever prepared."""

    # One row: a parameter for each column.
    ONE = auto()
    # Rows of one numbered group: the group, and an array for each other column.
    GROUP = auto()
    # Any rows, as one JSON text.
    MANY = auto()


class Load(NamedTuple):
    """The rows of one table, by their shape."""

    table: Table
    shape: Shape


def loads(pending: Mapping[Table, Sequence[Params]]) -> tuple[Load, ...]:
    """Return the inserts, in the order of the tables."""
    ordered = sorted(pending, key=ORDER.__getitem__)
    return tuple([Load(table, _shape(table, pending[table])) for table in ordered])


def _shape(table: Table, rows: Sequence[Params]) -> Shape:
    if len(rows) == 1:
        return Shape.ONE
    numbered = NUMBERED.get(table)
    if numbered is None:
        return Shape.MANY
    groups = {row[numbered.group] for row in rows}
    return Shape.GROUP if len(groups) == 1 else Shape.MANY


def parameters(load: Load, rows: Sequence[Params]) -> list[object]:
    """Return the rows as parameters of the statement."""
    match load.shape:
        case Shape.ONE:
            return [rows[0][name] for name in _names(load.table)]
        case Shape.GROUP:
            group, *others = _grouped(load.table)
            return [rows[0][group], *([row[name] for row in rows] for name in others)]
        case Shape.MANY:
            return [json_text(rows)]


@lru_cache(maxsize=1024)
def write_all(inserts: tuple[Load, ...], changes: tuple[Change, ...] = ()) -> str:
    """Return the statement; foreign keys are checked at its end, so tables may be in any order.

    The changes take the first parameters and come first, in their order. If one of them does not
    find its row the whole statement fails and nothing is written.
    """
    parts, taken = list[str](), 0
    for number, change in enumerate(changes):
        parts.append(f"change_{number} AS ({moved(change.sql, taken)})")
        taken += change.takes
    for load in inserts:
        insert = inserted(load)
        parts.append(f"{load.table.name}_rows AS ({moved(insert.sql, taken)})")
        taken += insert.takes
    # The checks are read in order, and a change happens when it is read: so locks are taken in
    # order.
    certain = [n for n, change in enumerate(changes) if change.finds_one]
    found = [f"EXISTS (SELECT 1 FROM change_{n})" for n in certain]  # noqa: S608 - a number
    return f"WITH {', '.join(parts)} {checked(found)}"


def checked(found: Sequence[str]) -> str:
    """Return the end of a statement that fails, and so writes nothing, unless all of these hold."""
    all_found = " AND ".join(found) or "TRUE"
    return f"SELECT CAST(CASE WHEN {all_found} THEN '1' ELSE '{BROKEN_TRUST}' END AS INTEGER)"


def moved(sql: str, taken: int) -> str:
    """Return the statement with its parameters so many places later."""
    return _PLACE.sub(lambda place: f"${int(place[1]) + taken}", sql) if taken else sql


@lru_cache
def _names(table: Table) -> list[str]:
    """Return the columns that a row gives values for."""
    numbered = NUMBERED.get(table)
    skipped = None if numbered is None else numbered.column
    return [column.name for column in given(table) if column.name != skipped]


@lru_cache
def _grouped(table: Table) -> list[str]:
    """Return the same columns, with the one that groups the numbers first."""
    group = NUMBERED[table].group
    return [group, *(name for name in _names(table) if name != group)]


@dataclass(frozen=True, slots=True)
class _Source:
    """The source that an insert takes its rows from."""

    columns: list[str]
    values: list[str]
    rows: str
    group: str
    number: str


# Only names of our own tables and columns are put together below; every value is a parameter.
def inserted(load: Load) -> Change:
    """Return the insert of one load."""
    table, numbered = load.table, NUMBERED.get(load.table)
    source = _SOURCES[load.shape](table)
    columns, values = source.columns, source.values
    if numbered is not None:
        where = f'FROM "{table.name}" t WHERE t."{numbered.group}" = {source.group}'
        last = f'(SELECT max(t."{numbered.column}") {where})'
        columns = [*columns, numbered.column]
        values = [*values, f"coalesce({last}, 0) + {source.number}"]
    named = ", ".join(f'"{column}"' for column in columns)
    taken = f"SELECT {', '.join(values)} {source.rows}"
    places = [int(place) for place in _PLACE.findall(taken)]
    return Change(f'INSERT INTO "{table.name}" ({named}) {taken}', max(places))


def _one(table: Table) -> _Source:
    names = _names(table)
    values = [f"${n}::{_type(table, name)}" for n, name in enumerate(names, 1)]
    numbered = NUMBERED.get(table)
    group = values[names.index(numbered.group)] if numbered is not None else ""
    return _Source(names, values, "", group, "1")


def _group(table: Table) -> _Source:
    group, *others = _grouped(table)
    arrays = [f"${n}::{_type(table, name)}[]" for n, name in enumerate(others, 2)]
    rows = f"FROM unnest({', '.join(arrays)}) WITH ORDINALITY AS r({_list(others)}, ord)"
    place = f"$1::{_type(table, group)}"
    values = [place, *(f'r."{name}"' for name in others)]
    return _Source([group, *others], values, rows, place, "r.ord")


def _many(table: Table) -> _Source:
    names = _names(table)
    typed = ", ".join(f'"{name}" {_type(table, name)}' for name in names)
    rows = (
        f"FROM ROWS FROM (json_to_recordset($1::json) AS ({typed})) "
        f"WITH ORDINALITY AS r({_list(names)}, ord)"
    )
    numbered = NUMBERED.get(table)
    group = f'r."{numbered.group}"' if numbered is not None else ""
    number = f"row_number() OVER (PARTITION BY {group} ORDER BY r.ord)"
    return _Source(names, [f'r."{name}"' for name in names], rows, group, number)


_SOURCES = {Shape.ONE: _one, Shape.GROUP: _group, Shape.MANY: _many}


def _type(table: Table, name: str) -> str:
    return _TYPES[type(table.c[name].type)]


def _list(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)
