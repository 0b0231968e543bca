"""Who still is who they were: many credentials looked at in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from assent.domain.people import Account, Person
from assent.engine.kernel import Kernel
from assent.engine.people.sessions import Sessions
from assent.ports import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What is to be looked at, by id; people who are known by something else are `accounts`."""

    keys: frozenset[str] = frozenset()
    sessions: frozenset[str] = frozenset()
    accounts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """By id: whom a credential stands for at a moment, and the accounts there are."""

    at: datetime
    keys: Mapping[str, Person]
    sessions: Mapping[str, Person]
    accounts: Mapping[str, Account]


class Standing:
    """Looks, changes nothing: a session does not become busy by being looked at."""

    def __init__(self, kernel: Kernel, sessions: Sessions) -> None:
        self._kernel, self._sessions = kernel, sessions

    async def of(self, held: Held) -> Findings:
        """What holds of all of these at this moment."""

        def look(tx: Tx) -> Findings:
            accounts = tx.standing.accounts(held.accounts) if held.accounts else []
            return Findings(
                at=tx.now(),
                keys=tx.standing.keys(held.keys) if held.keys else {},
                sessions=self._sessions.visitors(tx, held.sessions) if held.sessions else {},
                accounts={account.id: account for account in accounts},
            )

        return await self._kernel.store.run(look)
