"""Calls by id, as compatibility endpoints name them, with the requests about each."""

from dataclasses import dataclass

from assent.domain.calls import Call
from assent.domain.lifecycle import RequestKind
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.queries.visibility import sees_everything, sees_request
from assent.errors import NotFound, NothingAwaited
from assent.ports import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """A call that a person may know of, and its requests, oldest first."""

    call: Call
    requests: tuple[Request, ...]

    def of_kind(self, kind: RequestKind) -> tuple[Request, ...]:
        """Return the requests of one kind; raises `NothingAwaited` if the call never had one."""
        found = tuple(request for request in self.requests if request.kind is kind)
        if not found:
            raise NothingAwaited("Call", self.call.id, self.call.status)
        return found


def read_asked_call(
    tx: Tx, person: Person, call_id: str, thread_id: str | None = None
) -> AskedCall:
    """Return a call in this thread that the person may know of; raises `NotFound` otherwise."""
    call = tx.calls.get(call_id)
    if call is None or thread_id not in (None, call.conversation_id):
        raise NotFound("call", call_id)
    requests = tuple(tx.requests.of_call(call.id))
    conversation = tx.conversations.get(call.conversation_id)
    is_owner = conversation is not None and conversation.owner.id == person.id
    is_asked = any(sees_request(person, request) for request in requests)
    if not (is_owner or is_asked or sees_everything(person)):
        raise NotFound("call", call_id)
    return AskedCall(call=call, requests=requests)


def current(requests: tuple[Request, ...]) -> Request:
    """Return the open request, or else the last one."""
    return next((request for request in requests if request.is_open), requests[-1])
