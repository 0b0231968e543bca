"""The history of one call: everything recorded about it, read in one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from assent.domain.calls import Author, Call, Revision
from assent.domain.conversations import Conversation, Message
from assent.domain.decisions import Decision
from assent.domain.events import Entry, Event
from assent.domain.requests import Request
from assent.engine.loop.prompts import load_answer
from assent.errors import NotFound
from assent.ports import Tx

_REPORTS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A call with its conversation, and everything that was asked, decided and done about it."""

    call: Call
    conversation: Conversation
    message: Message | None
    revisions: tuple[Revision, ...]
    requests: tuple[Request, ...]
    decisions: Mapping[str, tuple[Decision, ...]]
    entries: tuple[Entry, ...]
    reports: tuple[Event, ...] = ()

    @property
    def model(self) -> str:
        """The name of the model that proposed the call, as the model gave it."""
        body = self.message.body if self.message else None
        return load_answer(body).model if body else ""

    def revision(self, number: int) -> Revision | None:
        """Return one version of the arguments."""
        return next((each for each in self.revisions if each.revision == number), None)

    def request(self, id: str | None) -> Request | None:
        """Return one request about the call."""
        return next((each for each in self.requests if each.id == id), None)

    def decision(self, entry: Entry) -> Decision | None:
        """Return the vote that an entry is about."""
        made = self.decisions.get(entry.request_id or "", ())
        return next((each for each in made if each.person == entry.actor), None)


def read_story(tx: Tx, id: str) -> Story:
    """Read everything about one call; raises `NotFound` if there is none."""
    call = tx.calls.get(id)
    conversation = None if call is None else tx.conversations.get(call.conversation_id)
    if call is None or conversation is None:
        raise NotFound("call", id)
    requests = tx.requests.of_call(id)
    reports = tx.record.progress(call.turn_id, limit=_REPORTS)
    return Story(
        call=call,
        conversation=conversation,
        message=tx.messages.get(call.message_id),
        revisions=_revisions(call, tx.calls.revisions(id)),
        requests=tuple(requests),
        decisions={each.id: tuple(tx.decisions.of_request(each.id)) for each in requests},
        entries=tuple(tx.journal.entries(call_id=id)),
        reports=tuple(each for each in reports if each.data.get("call_id") == id),
    )


def _revisions(call: Call, kept: list[Revision]) -> tuple[Revision, ...]:
    """Return all revisions; the model's own is stored only once there is another."""
    if kept:
        return tuple(kept)
    only = Revision(
        call_id=call.id,
        revision=call.revision,
        arguments=call.arguments,
        author=Author.MODEL,
        by=call.agent,
        at=call.created_at,
    )
    return (only,)
