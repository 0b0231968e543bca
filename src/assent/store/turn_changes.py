"""Changes of a turn's status, each one guarded update that is built once for each form of it."""

from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from sqlalchemy import BigInteger, Update, bindparam, or_, update

from assent.domain.conversations import TurnRow
from assent.domain.lifecycle import TurnStatus
from assent.store.own_rules import rules_are_as_seen
from assent.store.rows import Params, micros, span
from assent.store.statements import ClockNow
from assent.store.tables import turns

_t = turns.c


@cache
def _statement(
    sources: frozenset[TurnStatus], changed: tuple[str, ...], *, fenced: bool, by_rules: bool
) -> Update:
    # Written out: an IN would be expanded at execution, after we compiled it.
    guards = [_t.id == bindparam("turn"), or_(*(_t.status == each for each in sorted(sources)))]
    if fenced:
        guards.append(_t.fence == bindparam("held"))
    if by_rules:
        guards.append(rules_are_as_seen())
    values: dict[str, Any] = {
        name: bindparam(f"to_{name}", type_=_t[name].type) for name in changed
    }
    if "lease_until" in changed:
        values["lease_until"] = ClockNow() + bindparam("to_lease_until", type_=BigInteger)
    if "fence" in changed:
        values["fence"] = _t.fence + bindparam("to_fence", type_=_t.fence.type)
    return update(turns).where(*guards).values(values).returning(_t.id)


def change_of(
    turn: TurnRow,
    target: TurnStatus,
    sources: frozenset[TurnStatus],
    changes: Mapping[str, Any],
    *,
    fenced: bool,
    rules: tuple[str, int] | None = None,
) -> tuple[Update, Params]:
    """Return the statement and its parameters; `rules` are an owner and a version to expect."""
    names = tuple(sorted((*changes, "status")))
    statement = _statement(sources, names, fenced=fenced, by_rules=rules is not None)
    params: Params = {f"to_{name}": _plain(value) for name, value in changes.items()}
    params |= {"turn": turn.id, "to_status": target}
    if fenced:
        params["held"] = turn.fence
    if rules is not None:
        params["owner"], params["seen_rules"] = rules
    return statement, params


def _plain(value: Any) -> object:
    if isinstance(value, timedelta):
        return span(value)
    return micros(value) if hasattr(value, "tzinfo") else value
