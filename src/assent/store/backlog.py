"""What the transactions of one commit on SQLite have yet to write: many rows to a statement.

A statement for many rows costs less than half of what as many statements do, and Python runs beside
it. See docs/decisions/0006-rows-to-come.md.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import TypeVar

from sqlalchemy import Table

from assent.store.inserts import AHEAD, NUMBERED, PARENTS_FIRST, insert_one
from assent.store.rows import Params
from assent.store.statements import Compiled, Compiler
from assent.store.tables import metadata

T = TypeVar("T")
# How many rows a statement takes; fewer go one by one.
LOADS = (32, 16, 8, 4, 2)


class Mistrust(sqlite3.Error):
    """A row was not what somebody took it for; nobody knows who did."""


@cache
def _with_parents(tables: frozenset[str]) -> frozenset[str]:
    parents = {
        key.column.table.name for name in tables for key in metadata.tables[name].foreign_keys
    }
    return tables if parents <= tables else _with_parents(tables | parents)


@cache
def _inserting(sql: str, count: int) -> str:
    head, values, row = sql.partition(" VALUES ")
    return head + values + ", ".join([row] * count)


@cache
def _changing(sql: str, count: int) -> str:
    """A guarded change of one row as that of many: parameters become columns of what is given."""
    first, *rest = sql.split("?")
    named = first + "".join(f"given.column{number}{text}" for number, text in enumerate(rest, 1))
    head, where, guards = named.partition(" WHERE ")
    row = f"({', '.join('?' * len(rest))})"
    return f"{head} FROM (VALUES {', '.join([row] * count)}) AS given{where}{guards}"


class Backlog:
    """Rows to insert, and guarded changes of rows, of all who share a commit.

    One that trusts takes changes for granted that it has yet to make, as PostgreSQL's driver does:
    whoever reads meanwhile reads what was there before. Each row is changed once at most.
    """

    def __init__(
        self, connection: sqlite3.Connection, compiler: Compiler, *, trusting: bool
    ) -> None:
        self._connection, self._compiler, self._trusting = connection, compiler, trusting
        self._rows: dict[str, list[Params]] = {}
        self._inserted: set[object] = set()
        self._changes: dict[str, list[tuple[object, ...]]] = {}
        self._changed: set[str] = set()
        self._along: dict[str, list[tuple[object, ...]]] = {}
        # Whether something was refused, and nobody knows whose it was.
        self.is_broken = False

    def add(self, table: Table, rows: list[Params]) -> None:
        """To be inserted when somebody looks, or else at the end."""
        self._rows.setdefault(table.name, []).extend(rows)
        self._inserted.update(row.get("id") for row in rows)

    def takes(self, row: str, change: Compiled, params: tuple[object, ...]) -> bool:
        """Whether the change of a row can be made with the others; False: it is to be made now."""
        if not self._trusting or row in self._inserted or change.bare.count(" WHERE ") != 1:
            return False
        if row in self._changed:
            self.is_broken = True
            raise Mistrust(f"{row!r} is changed twice in one commit")
        self._changed.add(row)
        self._changes.setdefault(change.bare, []).append(params)
        return True

    def takes_along(self, change: Compiled, params: tuple[object, ...]) -> None:
        """A change of what belongs to a row that was taken, however many rows it is."""
        self._along.setdefault(change.bare, []).append(params)

    def make_way(self, statement: Compiled) -> None:
        """Insert what a statement might see, and change what whoever sees that has to see."""
        if not self._rows.keys().isdisjoint(statement.tables):
            self.settle()
            self._insert(_with_parents(statement.tables))

    def settle(self) -> None:
        """Make all changes."""
        changes, self._changes = self._changes, {}
        along, self._along = self._along, {}
        try:
            for sql, rows in changes.items():
                self._change(sql, rows, finds_each=True)
            for sql, rows in along.items():
                self._change(sql, rows, finds_each=False)
        except Exception:
            self.is_broken = True
            raise

    def flush(self) -> None:
        """Write all of it."""
        if self.is_broken:
            # Somebody went on as if nothing had happened.
            raise Mistrust("a change was refused")
        self.settle()
        if self._rows:
            self._insert(frozenset(self._rows))

    def _change(self, sql: str, rows: list[tuple[object, ...]], *, finds_each: bool) -> None:
        for load in _loads(rows):
            statement = sql if len(load) == 1 else _changing(sql, len(load))
            given = tuple(chain.from_iterable(load))
            found = self._connection.execute(statement, given).rowcount
            if finds_each and found != len(load):
                raise Mistrust("a row was not as it had been read")

    def _insert(self, tables: frozenset[str]) -> None:
        try:
            for table in PARENTS_FIRST:
                if table.name in tables and (rows := self._rows.pop(table.name, None)):
                    self._load(table, rows)
        # Not only errors of SQLite's own: also text that is no UTF-8, or a number over 64 bits.
        except Exception:
            self.is_broken = True
            raise

    def _load(self, table: Table, rows: list[Params]) -> None:
        compiled = self._compiler(insert_one(table))
        numbered = NUMBERED.get(table)
        for load in _loads(rows):
            if numbered is not None:
                _count_up(load, numbered.group)
            given = tuple(chain.from_iterable(map(compiled.ordered, load)))
            self._connection.execute(_inserting(compiled.sql, len(load)), given)


def _loads(rows: list[T]) -> Iterator[list[T]]:
    """Rows in as few statements as there are forms for."""
    done = 0
    for size in (*LOADS, 1):
        while len(rows) - done >= size:
            yield rows[done : done + size]
            done += size


def _count_up(rows: list[Params], group: str) -> None:
    """Rows of one statement do not see each other: each is told how many come before it."""
    seen = Counter[object]()
    for row in rows:
        seen[row[group]] += 1
        row[AHEAD] = seen[row[group]]
