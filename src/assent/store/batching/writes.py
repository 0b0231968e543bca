"""All writes of one or several PostgreSQL transactions, as one statement.

Each round trip and each commit costs time: a transaction sends all that it writes at once, and
transactions of one kind that wait at the same time go together. See
docs/decisions/0005-transactions-together.md.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeGuard, TypeVar, cast

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    Table,
    Text,
    Update,
    and_,
    bindparam,
    case,
    column,
    func,
    literal_column,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.elements import BindParameter
from sqlalchemy.sql.visitors import iterate, replacement_traverse

from assent.store.connections import Connection
from assent.store.inserts import PARENTS_FIRST, given, insert_many, insert_one
from assent.store.rows import Params
from assent.store.statements import CLOCK, ClockNow, Compiled, Compiler, LockedId, values_of

# An update that does not find its row casts this text to a number, which fails.
BROKEN_TRUST = "assent: a row was changed by somebody else just now; done again with locks"
_ORDER = {table: index for index, table in enumerate(PARENTS_FIRST)}
S = TypeVar("S", bound=UpdateBase)


class GuardedUpdate(NamedTuple):
    """An UPDATE of a row by its id; with `finds_one` it must find the row and return something."""

    statement: Update
    finds_one: bool = True


class RowChange(NamedTuple):
    """The row that a guarded update is for, and the parameters."""

    row: str
    params: Params


class Kind(NamedTuple):
    """The tables and updates of transactions that can be written together."""

    tables: tuple[Table, ...]
    updates: tuple[GuardedUpdate, ...]


class Writes(NamedTuple):
    """All that a transaction writes, or that several of one kind do."""

    inserts: Mapping[Table, Sequence[Params]]
    updates: Mapping[GuardedUpdate, Sequence[RowChange]]

    def kind(self) -> Kind:
        """Return the kind; transactions of the same kind can be written together."""
        return Kind(tuple(sorted(self.inserts, key=_ORDER.__getitem__)), tuple(self.updates))


def merged(kind: Kind, many: Sequence[Writes]) -> Writes:
    """Return the writes of several transactions of one kind."""
    if len(many) == 1:
        return many[0]
    return Writes(
        {table: [row for each in many for row in each.inserts[table]] for table in kind.tables},
        {its: [change for each in many for change in each.updates[its]] for its in kind.updates},
    )


class WriteStatements:
    """Writes all at once, by a statement that is built and compiled once for each form of it."""

    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self._known: dict[tuple[Kind, tuple[bool, ...]], Compiled] = {}

    @classmethod
    @cache
    def shared(cls, *, server_clock: bool) -> "WriteStatements":
        """Return those of all stores of this process: to build one takes milliseconds."""
        return cls(Compiler.postgres(server_clock=server_clock))

    async def write(self, connection: Connection, writes: Writes) -> None:
        """Write all of it, or fail and write nothing."""
        kind = writes.kind()
        compiled = self.compiled(kind, writes)
        await connection.fetch(compiled.sql, compiled.ordered(_parameters(kind, writes)))

    def compiled(self, kind: Kind, writes: Writes) -> Compiled:
        """Return the statement for these writes and for all like them."""
        # Of each table and of each update, either one row or any number of them.
        many = [len(writes.inserts[table]) > 1 for table in kind.tables]
        many += [len(writes.updates[update]) > 1 for update in kind.updates]
        found = self._known.get((kind, tuple(many)))
        if found is None:
            found = self.compiler(_statement(kind, many, self.compiler.server_clock))
            self._known[kind, tuple(many)] = found
        return found


def _parameters(kind: Kind, writes: Writes) -> Params:
    params: Params = {}
    for number, update in enumerate(kind.updates):
        name, changes = f"change_{number}", writes.updates[update]
        if len(changes) > 1:
            # Statements that change several rows lock them in the order of their keys.
            changes = sorted(changes, key=lambda change: change.row)
            params[f"{name}_count"] = len(changes)
        _add(params, name, [change.params for change in changes], tuple(changes[0].params))
    for table in kind.tables:
        _add(params, table.name, writes.inserts[table], _columns(table))
    return params


def _add(params: Params, name: str, rows: Sequence[Params], keys: tuple[str, ...]) -> None:
    names, values = _reader(name, keys)
    read = map(values, rows)
    # Of many rows, each parameter is a column.
    params.update(
        zip(names, next(read) if len(rows) == 1 else zip(*read, strict=True), strict=True)
    )


# Names and readers are made once: a cycle sends more than a hundred parameters.
@lru_cache
def _columns(table: Table) -> tuple[str, ...]:
    return tuple([c.name for c in given(table)])


@lru_cache(maxsize=1024)
def _reader(
    name: str, keys: tuple[str, ...]
) -> tuple[tuple[str, ...], Callable[[Params], tuple[object, ...]]]:
    """Return the names that parameters have in the statement, and a function that reads them."""
    return tuple([f"{name}_{key}" for key in keys]), values_of(keys)


def _statement(kind: Kind, many: Sequence[bool], server_clock: bool) -> Select[Any]:
    """Return the statement; foreign keys are checked at its end, so tables may be in any order.

    If an update does not find each of its rows the whole statement fails and nothing is written.
    """
    forms = iter(many)
    inserts = [
        _renamed(insert_many(table) if next(forms) else insert_one(table), table.name)
        for table in kind.tables
    ]
    unchecked = [insert.cte(f"{insert.table.name}_rows") for insert in inserts]
    # The checks are read in order, and a change happens when it is read: so locks are taken in
    # order.
    checks = list[ColumnElement[bool]]()
    for number, update in enumerate(kind.updates):
        name, is_many = f"change_{number}", next(forms)
        changed = (_for_many if is_many else _renamed)(_clocked(update, server_clock), name)
        rows = changed.cte(name)
        if not update.finds_one:
            unchecked.append(rows)
        elif is_many:
            count = select(func.count()).select_from(rows).scalar_subquery()
            checks.append(count == bindparam(f"{name}_count", type_=BigInteger))
        else:
            checks.append(select(literal_column("1", Integer)).select_from(rows).exists())
    is_done = case(
        (and_(true(), *checks), literal_column("'1'", Text)),
        else_=literal_column(f"'{BROKEN_TRUST}'", Text),
    )
    return select(is_done.cast(Integer)).add_cte(*unchecked)


def _replaced(statement: S, replace: Callable[[Any], ColumnElement[Any] | None]) -> S:
    """Return a copy of a statement, with another element wherever `replace` returns one."""
    return cast("S", replacement_traverse(statement, {}, lambda element, **_: replace(element)))


def _is_given(element: object) -> TypeGuard[BindParameter[Any]]:
    """Return True for a parameter that a caller gives, and not for a value in the statement."""
    return isinstance(element, BindParameter) and element.required


def _clocked(update: GuardedUpdate, server_clock: bool) -> Update:
    """Return the update with a parameter for its time, unless the server has the clock."""
    if server_clock:
        return update.statement
    clock = bindparam(CLOCK, type_=BigInteger)
    return _replaced(update.statement, lambda part: clock if isinstance(part, ClockNow) else None)


def _renamed(statement: S, name: str) -> S:
    """Return a statement whose parameters begin with `name`, so that no other part has them."""

    def replace(element: Any) -> ColumnElement[Any] | None:
        if isinstance(element, LockedId):
            return LockedId(element.table, f"{name}_{element.name}")
        if _is_given(element):
            return bindparam(f"{name}_{element.key}", type_=element.type)
        return None

    return _replaced(statement, replace)


def _for_many(update: Update, name: str) -> Update:
    """Return an update of one row as one of many: each parameter is a column of given rows."""
    types = {part.key: part.type for part in iterate(update) if _is_given(part)}
    locking = next((part for part in iterate(update) if isinstance(part, LockedId)), None)
    if locking is not None:
        types[locking.name] = locking.type
    arrays = [bindparam(f"{name}_{key}", type_=ARRAY(its)) for key, its in types.items()]
    columns = [column(key, its) for key, its in types.items()]
    rows = func.unnest(*arrays).table_valued(*columns).render_derived(name="given")
    clock = None if locking is None else _late_clock(locking, rows.c[locking.name], name)

    def replace(element: Any) -> Any:
        if isinstance(element, LockedId):
            return rows.c[element.name]
        if isinstance(element, ClockNow):
            return clock
        return rows.c[element.key] if _is_given(element) else None

    return _replaced(update, replace)


def _late_clock(locking: LockedId, id: ColumnElement[str], name: str) -> ColumnElement[int]:
    """Return the time at which the last of the rows is locked."""
    same = locking.table.alias("same")
    # In the order of their keys, like every statement that locks several rows.
    locked = (
        select(same.c.id)
        .where(same.c.id == id)
        .order_by(same.c.id)
        .with_for_update(of=same)
        .cte(f"{name}_locked")
    )
    # The count is there once all rows are locked; only then is the clock read.
    late = case((func.count() >= literal_column("0"), ClockNow()))
    return select(late).select_from(locked).scalar_subquery()
