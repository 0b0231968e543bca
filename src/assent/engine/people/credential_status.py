"""Rechecking credentials: many of them in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from assent.domain.people import Account, Person
from assent.engine.kernel import Kernel
from assent.engine.people.sessions import Sessions
from assent.ports import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The ids to check; `accounts` is for people who signed in by something else."""

    keys: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    accounts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """The people that valid credentials stand for, and the accounts, by id, at one moment."""

    at: datetime
    keys: Mapping[str, Person]
    sessions: Mapping[str, Person]
    accounts: Mapping[str, Account]


class Standing:
    """Reads and changes nothing: a check does not keep a session from going idle."""

    def __init__(self, kernel: Kernel, sessions: Sessions) -> None:
        self._kernel, self._sessions = kernel, sessions

    async def of(self, held: Held) -> Findings:
        """Return what is valid of all of these at this moment."""

        def look(tx: Tx) -> Findings:
            accounts = tx.standing.accounts(held.accounts) if held.accounts else []
            return Findings(
                at=tx.now(),
                keys=tx.standing.keys(held.keys) if held.keys else {},
                sessions=self._sessions.visitors(tx, held.sessions) if held.sessions else {},
                accounts={account.id: account for account in accounts},
            )

        return await self._kernel.store.run(look)
