"""Rows that a commit on SQLite has yet to insert: many to a statement, and before anybody looks.

A statement of many rows costs half of what as many statements do, and Python runs beside it.
"""

import sqlite3
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import chain

from sqlalchemy import Table

from assent.store.inserts import AHEAD, NUMBERED, insert_one
from assent.store.rows import Params
from assent.store.statements import Compiled, Compiler
from assent.store.tables import metadata

# How many rows a statement takes; fewer go one by one.
LOADS = (32, 8)
# Parents first: every row finds what it refers to.
ORDER: Mapping[str, Table] = {table.name: table for table in metadata.sorted_tables}


@cache
def _with_parents(tables: frozenset[str]) -> frozenset[str]:
    parents = {key.column.table.name for name in tables for key in ORDER[name].foreign_keys}
    return tables if parents <= tables else _with_parents(tables | parents)


@cache
def _of_many(sql: str, count: int) -> str:
    head, values, row = sql.partition(" VALUES ")
    return head + values + ", ".join([row] * count)


class Backlog:
    """What the transactions of one commit insert."""

    def __init__(self, connection: sqlite3.Connection, compiler: Compiler) -> None:
        self._connection, self._compiler = connection, compiler
        self._rows: dict[str, list[Params]] = {}
        # Whether a row was refused, and nobody knows whose it was.
        self.is_broken = False

    def add(self, table: Table, rows: list[Params]) -> None:
        """To be inserted when somebody looks, or else at the end."""
        self._rows.setdefault(table.name, []).extend(rows)

    def make_way(self, statement: Compiled) -> None:
        """Insert what a statement might look at."""
        if not self._rows.keys().isdisjoint(statement.tables):
            self._insert(_with_parents(statement.tables))

    def flush(self) -> None:
        """Insert all of it."""
        if self._rows:
            self._insert(frozenset(self._rows))

    def _insert(self, tables: frozenset[str]) -> None:
        try:
            for name, table in ORDER.items():
                if name in tables and (rows := self._rows.pop(name, None)):
                    self._load(table, rows)
        except sqlite3.Error:
            self.is_broken = True
            raise

    def _load(self, table: Table, rows: list[Params]) -> None:
        compiled = self._compiler(insert_one(table))
        numbered = NUMBERED.get(table)
        done = 0
        for size in LOADS:
            while len(rows) - done >= size:
                load = rows[done : done + size]
                if numbered is not None:
                    _count_up(load, numbered.group)
                given = chain.from_iterable(map(compiled.ordered, load))
                self._connection.execute(_of_many(compiled.sql, size), tuple(given))
                done += size
        if rest := rows[done:]:
            if numbered is not None:
                for row in rest:
                    row[AHEAD] = 1
            self._connection.executemany(compiled.sql, map(compiled.ordered, rest))


def _count_up(rows: list[Params], group: str) -> None:
    """Rows of one statement do not see each other: each is told how many come before it."""
    seen = Counter[object]()
    for row in rows:
        seen[row[group]] += 1
        row[AHEAD] = seen[row[group]]
