"""Rechecking of credentials: a caller must still be the same person with the same roles."""

from collections.abc import Iterable

from assent.engine.people.accounts import merged
from assent.engine.people.credential_status import Findings, Held
from assent.server.caller import Caller, Method


def held_by(callers: Iterable[Caller]) -> Held:
    """Return the keys, sessions and accounts to look up for these callers."""
    keys: set[str] = set()
    sessions: set[str] = set()
    accounts: set[str] = set()
    for caller in callers:
        match caller.method:
            case Method.KEY:
                keys.add(caller.credential)
            case Method.SESSION:
                sessions.add(caller.credential)
            case Method.JWT | Method.PROXY | Method.LOCAL:
                accounts.add(caller.person.id)
    return Held(keys=frozenset(keys), sessions=frozenset(sessions), accounts=frozenset(accounts))


def stands(caller: Caller, found: Findings) -> bool:
    """Return True if the credential is valid and the person and their roles are unchanged."""
    if caller.until is not None and found.at >= caller.until:
        return False
    match caller.method:
        case Method.KEY:
            return found.keys.get(caller.credential) == caller.person
        case Method.SESSION:
            return found.sessions.get(caller.credential) == caller.person
        case Method.JWT | Method.PROXY | Method.LOCAL:
            vouched = caller.vouched or caller.person
            account = found.accounts.get(caller.person.id)
            return (vouched if account is None else merged(vouched, account)) == caller.person
