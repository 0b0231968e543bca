"""The writes of several PostgreSQL transactions in one statement and one commit.

Transactions that write at the same time wait for the same disk and the same plan. Those of one kind
that wait at the same time go together: the same changes, each guarded as before, for many rows at
once. See docs/decisions/0005-transactions-together.md.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Table

from assent.store.batching.bulk import (
    ORDER,
    Change,
    Load,
    Shape,
    checked,
    inserted,
    moved,
    parameters,
)
from assent.store.rows import Params

# As the compiler writes them: a parameter with its type, the clock, and a row locked by its id.
_PARAMETER = re.compile(r"\$(\d+)::([A-Z]+)")
_LOCKED = re.compile(
    r"\(SELECT same\.id\s+FROM (?P<table>\w+) AS same\s+"
    r"WHERE same\.id = (?P<id>\$\d+::VARCHAR) FOR UPDATE\)"
)
_CLOCK = "CAST(extract(epoch from clock_timestamp()) * 1000000 AS BIGINT)"


class Expected(NamedTuple):
    """A change of one row that is not sent yet."""

    change: Change
    row: str
    tables: frozenset[str]
    params: tuple[object, ...]


class Kind(NamedTuple):
    """Transactions that one statement can write: into the same tables, by the same changes."""

    tables: tuple[Table, ...]
    changes: tuple[Change, ...]


class Writes(NamedTuple):
    """All writes of one transaction."""

    inserts: Mapping[Table, list[Params]]
    expected: tuple[Expected, ...]


def kind_of(writes: Writes) -> Kind:
    """Return the kind of a transaction, which it shares with others like it."""
    tables = tuple(sorted(writes.inserts, key=ORDER.__getitem__))
    return Kind(tables, tuple([each.change for each in writes.expected]))


@lru_cache(maxsize=1024)
def statement_of(kind: Kind) -> str | None:
    """Return the statement that writes any number of this kind; None if there is no such form.

    The first parameter is the number of transactions.
    """
    parts, taken = list[str](), 1
    for number, change in enumerate(kind.changes):
        changes = _for_many(change, f"change_{number}")
        if changes is None:
            return None
        parts += [moved(part, taken) for part in changes]
        taken += change.takes
    for table in kind.tables:
        insert = inserted(Load(table, Shape.MANY))
        parts.append(f"{table.name}_rows AS ({moved(insert.sql, taken)})")
        taken += insert.takes
    certain = [n for n, change in enumerate(kind.changes) if change.finds_one]
    found = [f"(SELECT count(*) FROM change_{n}) = $1::bigint" for n in certain]  # noqa: S608 - our own names
    return f"WITH {', '.join(parts)} {checked(found or ['$1::bigint > 0'])}"


def _for_many(change: Change, name: str) -> list[str] | None:
    """Return a guarded change of one row in the form that changes one row for each given one."""
    types = {int(place): its for place, its in _PARAMETER.findall(change.sql)}
    if sorted(types) != list(range(1, change.takes + 1)):
        return None
    arrays = ", ".join(f"${place}::{types[place]}[]" for place in sorted(types))
    given = f"unnest({arrays}) AS given({', '.join(f'p{place}' for place in sorted(types))})"
    lock = _LOCKED.search(change.sql)
    sql = change.sql if lock is None else _after(lock, f"{name}_locked")
    head, where, tail = sql.partition(" WHERE ")
    if not where or "FOR UPDATE" in sql:
        return None
    changing = f"{name} AS ({_by_row(head)} FROM {given} WHERE {_by_row(tail)})"
    return [changing] if lock is None else [_locking(lock, f"{name}_locked", given), changing]


def _locking(lock: re.Match[str], name: str, given: str) -> str:
    rows = f"{given} JOIN {lock['table']} AS same ON same.id = {_by_row(lock['id'])}"
    # In the order of their keys, as all statements lock that lock several rows.
    locked = f"SELECT same.id FROM {rows} ORDER BY same.id FOR UPDATE OF same"  # noqa: S608 - our own names
    return f"{name} AS MATERIALIZED ({locked})"


def _after(lock: re.Match[str], name: str) -> str:
    """Return the change for locked rows: the clock is read once the last of them is locked."""
    late = f"(SELECT CASE WHEN count(*) >= 0 THEN {_CLOCK} END FROM {name})"  # noqa: S608 - our own names
    return lock.string.replace(lock[0], lock["id"]).replace(_CLOCK, late)


def _by_row(sql: str) -> str:
    return _PARAMETER.sub(r"given.p\1", sql)


def parameters_of(kind: Kind, many: Sequence[Writes]) -> list[object]:
    """Return the statement's parameters, ordered by row, so that locks are taken in one order."""
    ordered = sorted(many, key=lambda writes: [each.row for each in writes.expected])
    given: list[object] = [len(ordered)]
    for number in range(len(kind.changes)):
        changes = [writes.expected[number].params for writes in ordered]
        given += [list(column) for column in zip(*changes, strict=True)]
    for table in kind.tables:
        rows = [row for writes in ordered for row in writes.inserts[table]]
        given += parameters(Load(table, Shape.MANY), rows)
    return given
