"""Core statements, built once and compiled once per database to what its driver takes.

Going from the compiled text straight to the driver is what keeps a transaction cheap; see
docs/decisions/0002-compiled-statements.md.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from operator import itemgetter
from typing import Any, cast

from sqlalchemy import (
    BigInteger,
    Boolean,
    ColumnElement,
    Table,
    Text,
    bindparam,
    func,
    literal_column,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import ClauseElement
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.visitors import iterate

CLOCK = "clock_now"


class ClockNow(ColumnElement[int]):
    """The database's clock in microseconds, read when the statement evaluates it."""

    type = BigInteger()
    inherit_cache = True


@compiles(ClockNow)
def _clock_bound(_: ClockNow, compiler: SQLCompiler, **kw: Any) -> str:
    # SQLite has no server: its clock is this process's, passed with each statement. A test's
    # virtual clock comes the same way.

    return compiler.process(bindparam(CLOCK, type_=BigInteger()), **kw)


class TransactionId(ColumnElement[int]):
    """The number of the transaction that writes, to order by; 0 on SQLite, with its one writer."""

    type = BigInteger()
    inherit_cache = True


@compiles(TransactionId)
def _only_transaction(*_: object, **__: object) -> str:
    return "0"


@compiles(TransactionId, "postgresql")
def _transaction_id(*_: object, **__: object) -> str:
    return "pg_current_xact_id()::text::bigint"


class Horizon(ColumnElement[int]):
    """The oldest running transaction: those with lower numbers have committed or never will.

    On SQLite none runs beside the one that reads.
    """

    type = BigInteger()
    inherit_cache = True


@compiles(Horizon)
def _no_horizon(*_: object, **__: object) -> str:
    return "1"


@compiles(Horizon, "postgresql")
def _horizon(*_: object, **__: object) -> str:
    return "pg_snapshot_xmin(pg_current_snapshot())::text::bigint"


class PerDatabase(ClauseElement):
    """A statement that is best written differently for each of the two databases."""

    def __init__(self, *, sqlite: ClauseElement, postgres: ClauseElement) -> None:
        self.sqlite, self.postgres = sqlite, postgres

    def of(self, dialect: Dialect) -> ClauseElement:
        """Return the statement for the database of this dialect."""
        return self.sqlite if dialect.name == "sqlite" else self.postgres


class LockedId(ColumnElement[str]):
    """A row's id, given as a parameter, once the row is locked.

    The lock first, then the clock: after waiting for a row that was only locked PostgreSQL does not
    check the other conditions again, and would go by the time before the wait.
    """

    type = Text()
    inherit_cache = True

    def __init__(self, table: Table, name: str) -> None:
        self.table, self.name = table, name
        self.id: ColumnElement[str] = bindparam(name, type_=Text())


@compiles(LockedId)
def _id_itself(element: LockedId, compiler: SQLCompiler, **kw: Any) -> str:
    return compiler.process(element.id, **kw)


@compiles(LockedId, "postgresql")
def _id_of_locked(element: LockedId, compiler: SQLCompiler, **kw: Any) -> str:
    same = element.table.alias("same")
    locked = select(same.c.id).where(same.c.id == element.id).with_for_update()
    return compiler.process(locked.scalar_subquery(), **kw)


class Holds(FunctionElement[bool]):
    """True if the first text has the second one in it; LIKE would ignore case on SQLite."""

    type = Boolean()
    inherit_cache = True


@compiles(Holds)
def _holds(element: Holds, compiler: SQLCompiler, **options: Any) -> str:
    return f"(instr({compiler.process(element.clauses, **options)}) > 0)"


@compiles(Holds, "postgresql")
def _holds_postgres(element: Holds, compiler: SQLCompiler, **options: Any) -> str:
    return f"(strpos({compiler.process(element.clauses, **options)}) > 0)"


def named(piece: str, *columns: ColumnElement[str]) -> ColumnElement[bool]:
    """Select rows with a text in one of these columns, in upper or lower case; null: all rows."""
    given = bindparam(piece, type_=Text)
    # Both by the database: another's idea of lower case would not find what was typed exactly.
    found = (Holds(func.lower(column), func.lower(given)) for column in columns)
    return or_(given.is_(None), *found)


def fixed(value: StrEnum) -> ColumnElement[str]:
    """Return a status written out in the statement: a bound one would hide the partial indexes.

    Not where a row is looked for by its id: a partial index may then look cheaper than the key.
    """
    return literal_column(f"'{value}'", Text)


class ServerClockDialect(PGDialect_asyncpg):
    """The PostgreSQL dialect with the server's own clock."""

    name = "postgresql"
    server_clock = True


@compiles(ClockNow, "postgresql")
def _clock_server(element: ClockNow, compiler: SQLCompiler, **kw: Any) -> str:
    if not getattr(compiler.dialect, "server_clock", False):
        return _clock_bound(element, compiler, **kw)
    # clock_timestamp() moves; now() is the transaction's start and would let a decision that waited
    # for a lock pass after its deadline.
    return "CAST(extract(epoch from clock_timestamp()) * 1000000 AS BIGINT)"


_WRITES = re.compile(r"(?<!FOR )\b(?:INSERT|UPDATE|DELETE)\b")


@dataclass(frozen=True, slots=True)
class Compiled:
    """SQL for one driver, the order of its parameters, and the literals inside the statement."""

    sql: str
    names: tuple[str, ...]
    literals: Mapping[str, object]
    wants_clock: bool
    # Also False for a read that takes locks.
    only_reads: bool
    writes: bool
    tables: frozenset[str]
    _pick: Callable[[Mapping[str, object]], tuple[object, ...]]

    def ordered(self, given: Mapping[str, object]) -> tuple[object, ...]:
        """Return parameters by position: both drivers bind them faster than by name."""
        return self._pick({**self.literals, **given} if self.literals else given)


def values_of(names: Sequence[str]) -> Callable[[Mapping[str, object]], tuple[object, ...]]:
    """Return a function that reads the values of these names, in this order, without a loop."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda given: tuple([given[name] for name in names])


class Compiler:
    """Compiles each statement once for one kind of database, for all stores of a process."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.server_clock: bool = getattr(dialect, "server_clock", False)
        self._known: dict[int, tuple[ClauseElement, Compiled]] = {}

    @classmethod
    @cache
    def sqlite(cls) -> "Compiler":
        """Return a compiler for the sqlite3 module."""
        return cls(SQLiteDialect_pysqlite(paramstyle="qmark"))

    @classmethod
    @cache
    def postgres(cls, *, server_clock: bool) -> "Compiler":
        """Return a compiler for asyncpg."""
        return cls(ServerClockDialect() if server_clock else PGDialect_asyncpg())

    def __call__(self, statement: ClauseElement) -> Compiled:
        found = self._known.get(id(statement))
        if found is None:
            # The statement is kept with its compiled form, so that no other object gets its id.
            found = self._known[id(statement)] = (statement, self._compiled(statement))
        return found[1]

    def _compiled(self, statement: ClauseElement) -> Compiled:
        if isinstance(statement, PerDatabase):
            statement = statement.of(self._dialect)
        compiled = cast("SQLCompiler", statement.compile(dialect=self._dialect))
        names = tuple(cast("Sequence[str]", compiled.positiontup or ()))
        params = compiled.params
        wants_clock = CLOCK in params
        literals = {name: value for name, value in params.items() if value is not None}
        sql = compiled.string
        only_reads = sql.startswith("SELECT") and " FOR UPDATE" not in sql
        writes = _WRITES.search(sql) is not None
        touched = {each.name for each in iterate(statement) if isinstance(each, Table)}
        if isinstance(statement, UpdateBase):
            touched.add(cast("Table", statement.entity_description["table"]).name)
        tables = frozenset(touched)
        pick = values_of(names)
        return Compiled(sql, names, literals, wants_clock, only_reads, writes, tables, pick)
