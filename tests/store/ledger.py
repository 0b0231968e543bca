"""Questions and answers at given times, written straight into a store."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from assent.domain.copies import changed
from assent.domain.decisions import VerdictName
from assent.domain.identifiers import first_id
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.domain.people import Audience, Person
from assent.ports import Tx
from tests.store.samples import CALL, CONVERSATION, DECISION, MESSAGE, REQUEST, add_turn


@dataclass
class Ledger:
    """Writes rows whose ids are of the time they say, as the engine's are."""

    tx: Tx
    owner: str = "ada"
    written: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.tx.conversations.add(changed(CONVERSATION, owner=Person(self.owner)))
        add_turn(self.tx)
        self.tx.messages.append(MESSAGE)

    def _id(self, prefix: str, at: datetime) -> str:
        self.written += 1
        return f"{first_id(prefix, at)}{self.written:016x}"

    def call(self, at: datetime, **changes: Any) -> str:
        """A call that is settled."""
        id = self._id("call", at)
        changes = {"status": CallStatus.SUCCEEDED, "task_id": None, "created_at": at} | changes
        self.tx.calls.add([changed(CALL, id=id, **changes)])
        return id

    def ask(self, at: datetime, **changes: Any) -> str:
        """A request that was opened then; approved unless it says otherwise."""
        id = self._id("req", at)
        given = {
            "status": RequestStatus.APPROVED,
            "owner": self.owner,
            "audience": Audience.of("approver"),
            "created_at": at,
        } | changes
        self.tx.requests.add([changed(REQUEST, id=id, call_id=self.call(at), **given)])
        return id

    def decide(self, request_id: str, at: datetime, **changes: Any) -> None:
        """An answer that was given then; an approval as shown unless it says otherwise."""
        given = {"arguments": None, "idempotency_key": None, "at": at} | changes
        id = self._id("dec", at)
        self.tx.decisions.add(changed(DECISION, id=id, request_id=request_id, **given))

    def answer(
        self,
        at: datetime,
        wait: float,
        *,
        person: str = "grace",
        verdict: VerdictName = VerdictName.APPROVE,
        arguments: str | None = None,
        **changes: Any,
    ) -> None:
        """A question whose answer was given then, `wait` seconds after it was asked."""
        asked = self.ask(at - timedelta(seconds=wait), **changes)
        self.decide(asked, at, person=person, verdict=verdict, arguments=arguments)
