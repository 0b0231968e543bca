"""The PostgreSQL driver: one transaction on an asyncpg connection, for functions in a greenlet."""

from collections.abc import Callable, Sequence

from sqlalchemy import Table, Update
from sqlalchemy.sql import ClauseElement
from sqlalchemy.util import await_only

from assent.store.batching.commits import Witness, witness_of
from assent.store.batching.writes import GuardedUpdate, RowChange, Writes, WriteStatements
from assent.store.connections import Connection
from assent.store.rows import Params, Row
from assent.store.statements import CLOCK, Compiled


class PostgresDriver:
    """The asyncpg connection inside one transaction.

    A trusting one reads without locks, assumes that the rows stay as they were read, and sends all
    its changes in one statement that fails if they did not. See
    docs/decisions/0004-one-statement-per-transaction.md.
    """

    def __init__(
        self,
        connection: Connection,
        statements: WriteStatements,
        now: Callable[[], int],
        *,
        trusting: bool,
    ) -> None:
        self._connection, self._statements, self._now = connection, statements, now
        self._compiler = statements.compiler
        self._trusting = trusting
        self.began = False
        self.has_written = False
        self.leaves_work = False
        self.sent = 0
        self.witness: Witness | None = None
        self._inserts: dict[Table, list[Params]] = {}
        # Updates that are not sent yet, and the rows and tables that they are about.
        self._updates: dict[GuardedUpdate, list[RowChange]] = {}
        self._rows: set[str] = set()
        self._tables: set[str] = set()

    def rows(self, statement: ClauseElement, params: Params) -> Sequence[Row]:
        compiled = self._compiler(statement)
        # Under READ COMMITTED every statement has a snapshot of its own, so plain reads before the
        # first write or lock need no transaction; one that only reads once costs no BEGIN.
        concerned = self._concerns(compiled)
        if concerned or not compiled.only_reads:
            self._begin()
        if concerned or (self._updates and not compiled.only_reads):
            self.flush()
        return self._fetch(compiled, params)

    def look(
        self, statement: ClauseElement, params: Params, *, locking: ClauseElement
    ) -> Sequence[Row]:
        if not self._trusting or self.began:
            return self.rows(locking, params)
        return self._fetch(self._compiler(statement), params)

    def expect(self, row: str, statement: Update, params: Params) -> bool:
        update = GuardedUpdate(statement)
        return self._deferred(update, row, params) or bool(self.rows(statement, params))

    def along(self, row: str, statement: Update, params: Params) -> None:
        update = GuardedUpdate(statement, finds_one=False)
        if not self._deferred(update, f"{row}, along", params):
            self.rows(statement, params)

    def _deferred(self, update: GuardedUpdate, row: str, params: Params) -> bool:
        """Return True if the change can be sent with the others at the end."""
        compiled = self._compiler(update.statement)
        # One statement changes a row only once, and does not see the rows that it inserts.
        known = row in self._rows or self._is_inserted(compiled)
        if not self._trusting or self.began or known:
            return False
        self._rows.add(row)
        self._tables |= compiled.tables
        change = RowChange(row, self._timed(compiled, params))
        self._updates.setdefault(update, []).append(change)
        return True

    def insert(self, table: Table, rows: list[Params]) -> None:
        if rows:
            self._inserts.setdefault(table, []).extend(rows)

    def collected(self) -> Writes | None:
        """Return the writes collected since the last call; None if there are none."""
        writes = Writes(self._inserts, self._updates)
        self._inserts, self._updates = {}, {}
        self._rows, self._tables = set(), set()
        self.witness = self.witness or witness_of(writes.inserts)
        if not writes.inserts and not writes.updates:
            return None
        self.has_written = True
        return writes

    def flush(self) -> None:
        """Write what was collected, in one statement."""
        if (writes := self.collected()) is not None:
            await_only(self._statements.write(self._connection, writes))

    def hold_still(self) -> None:
        """Read everything from one snapshot from here on."""
        self.began = True
        await_only(self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ"))

    def _begin(self) -> None:
        if not self.began:
            self.began = True
            await_only(self._connection.execute("BEGIN"))

    def _concerns(self, compiled: Compiled) -> bool:
        """Return True if a statement must see writes that are not sent yet."""
        return not self._tables.isdisjoint(compiled.tables) or self._is_inserted(compiled)

    def _is_inserted(self, compiled: Compiled) -> bool:
        return any(table.name in compiled.tables for table in self._inserts)

    def _timed(self, compiled: Compiled, params: Params) -> Params:
        return {**params, CLOCK: self._now()} if compiled.wants_clock else params

    def _fetch(self, compiled: Compiled, params: Params) -> Sequence[Row]:
        self.sent += 1
        self.has_written |= compiled.writes
        ordered = compiled.ordered(self._timed(compiled, params))
        return await_only(self._connection.fetch(compiled.sql, ordered))

    def clock(self) -> int:
        return self._now()
