"""Answers to a paused AG-UI run: all of them are taken or none, and each only once."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, assert_never, cast

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.decisions import (
    Approve,
    Cancel,
    Reject,
    Verdict,
    answer,
    approve,
    cancel,
    reject,
    supply,
)
from assent.domain.events import Event, EventKind
from assent.domain.lifecycle import RequestKind, RequestStatus, TurnStatus
from assent.domain.people import Scope
from assent.domain.requests import Request
from assent.domain.verdicts import row_of
from assent.engine.decisions.attempts import DecisionAttempt
from assent.engine.queries.requests import PausedRequest
from assent.errors import (
    AlreadySettled,
    AssentError,
    InvalidResume,
    NotAllowed,
    ResumeIncomplete,
)
from assent.server.caller import Caller
from assent.server.service import Service
from assent.server.streams.actions import StreamStart
from assent.server.streams.bodies import CamelBody, Id

_MOVES = frozenset({EventKind.DECIDED, EventKind.CALL, EventKind.RESULT})
_AGREEING: dict[type[Verdict], RequestStatus] = {
    Approve: RequestStatus.APPROVED,
    Reject: RequestStatus.REJECTED,
}
Reason = Annotated[str, Field(max_length=10_000)]


class ResumeEntry(CamelBody):
    """One answer in the protocol's envelope."""

    interrupt_id: Id
    status: Literal["resolved", "cancelled"]
    payload: Any = None


class Approval(CamelBody):
    """The payload that decides an approval; only the JSON value `true` approves."""

    model_config = ConfigDict(extra="forbid")

    approved: bool
    edited_args: dict[str, Any] | None = None
    reason: Reason | None = None
    typed: Reason | None = None


class Finding(CamelBody):
    """The payload that settles a call in doubt."""

    model_config = ConfigDict(extra="forbid")

    outcome: Literal["ran", "did_not_run", "run_again"]
    result: Any = None
    reason: Reason | None = None
    typed: Reason | None = None


T = TypeVar("T")
_APPROVAL = TypeAdapter(Approval)
_FINDING = TypeAdapter(Finding)


def verdict_of(request: Request, entry: ResumeEntry) -> Verdict:
    """Return the verdict of an answer; raises `InvalidResume` if it does not fit the request."""
    if entry.status == "cancelled":
        return cancel()
    match request.kind:
        case RequestKind.APPROVAL:
            return _decided(entry)
        case RequestKind.INPUT:
            if not isinstance(entry.payload, dict):
                raise InvalidResume(entry.interrupt_id, "its payload is an object of field values")
            return answer(cast("dict[str, Any]", entry.payload))
        case RequestKind.RESULT:
            return supply(cast("Json", entry.payload))
        case RequestKind.OUTCOME:
            return _found(entry)
    assert_never(request.kind)


def _decided(entry: ResumeEntry) -> Approve | Reject:
    said = _payload(entry, _APPROVAL)
    if not said.approved:
        return reject(said.reason or "")
    return approve(said.edited_args, typed=said.typed)


def _found(entry: ResumeEntry) -> Verdict:
    said = _payload(entry, _FINDING)
    given = {"output": said.result, "reason": said.reason or "", "typed": said.typed}
    return row_of(said.outcome).read(given)


def _payload(entry: ResumeEntry, shape: TypeAdapter[T]) -> T:
    try:
        return shape.validate_python(entry.payload)
    except ValidationError as error:
        found = [f"{'.'.join(map(str, e['loc'])) or 'payload'}: {e['msg']}" for e in error.errors()]
        raise InvalidResume(entry.interrupt_id, "; ".join(found)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class InterruptAnswer:
    """One interrupt with its answer; without a verdict it is left to those who may decide it."""

    request: Request
    call: Call
    verdict: Verdict | None

    @property
    def is_moot(self) -> bool:
        """True if it was settled in this way before, or if it is left to others."""
        if self.verdict is None:
            return True
        status = self.request.status
        return not self.request.is_open and self.agrees_with(status)

    def agrees_with(self, status: str) -> bool:
        """Return True if this answer wants the outcome that happened, or accepts any outcome."""
        if self.verdict is None or isinstance(self.verdict, Cancel):
            return True
        is_edit = isinstance(self.verdict, Approve) and self.verdict.is_edit
        return not is_edit and _AGREEING.get(type(self.verdict)) == status


@dataclass(frozen=True, slots=True, kw_only=True)
class Resuming:
    """Takes the answers of one caller to the interrupts of one thread."""

    service: Service
    caller: Caller
    thread_id: str

    async def resume(self, entries: Sequence[ResumeEntry]) -> StreamStart:
        """Decide all of them, or refuse before any is decided; return where the stream goes on.

        The same answers again decide nothing and lead to the same position.
        """
        if Scope.DECIDE not in self.caller.scopes:
            raise NotAllowed(self.caller.person.id, "decide with a credential for chatting only")
        assent = self.service.assent
        answers = await self._read(entries)
        turn = await assent.turn(answers[0].request.turn_id)
        await self._decide([each for each in answers if not each.is_moot])
        if turn.status is TurnStatus.FAILED:
            # A client whose run failed after its answers can only send them again.
            await assent.restart(turn.id, by=self.caller.person)
        return await self._place(answers)

    async def _read(self, entries: Sequence[ResumeEntry]) -> list[InterruptAnswer]:
        ids = [entry.interrupt_id for entry in entries]
        found = await self.service.assent.queries.requests.interrupts(
            self.caller.person, self.thread_id, ids
        )
        answers = [self._answered(entry, found.get(entry.interrupt_id)) for entry in entries]
        turns = {each.request.turn_id for each in answers}
        if len(set(ids)) < len(entries) or len(turns) > 1:
            reason = "one run is answered at once, and each of its interrupts once"
            raise InvalidResume(entries[-1].interrupt_id, reason)
        if any(each.request.is_open for each in answers):
            open_ids = found[ids[0]].open_ids
            if left_out := [id for id in open_ids if id not in ids]:
                raise ResumeIncomplete(left_out)
        return answers

    def _answered(self, entry: ResumeEntry, found: PausedRequest | None) -> InterruptAnswer:
        if found is None:
            raise InvalidResume(entry.interrupt_id, "this thread has no such interrupt")
        verdict = None if self._leaves(found, entry) else verdict_of(found.request, entry)
        return InterruptAnswer(request=found.request, call=found.call, verdict=verdict)

    def _leaves(self, found: PausedRequest, entry: ResumeEntry) -> bool:
        """Return True for an empty answer to an interrupt that is not this person's to answer.

        Clients must answer every interrupt.
        """
        says_nothing = entry.status == "resolved" and entry.payload is None
        is_mine = found.request.admits(self.caller.person) and not found.has_voted
        return says_nothing and not is_mine

    async def _decide(self, answers: Sequence[InterruptAnswer]) -> None:
        said = {each.request.id: each for each in answers}

        def waives(attempt: DecisionAttempt, error: AssentError) -> bool:
            # Another person was faster and decided what this answer asks for.
            is_settled = isinstance(error, AlreadySettled)
            return is_settled and said[attempt.request_id].agrees_with(error.status)

        await self.service.assent.decide_together(
            [(id, each.verdict) for id, each in said.items() if each.verdict is not None],
            by=self.caller.person,
            channel=self.caller.channel,
            digests={id: each.request.digest for id, each in said.items()},
            waives=waives,
        )

    async def _place(self, answers: Sequence[InterruptAnswer]) -> StreamStart:
        turn_id = answers[0].request.turn_id
        said = [each for each in answers if each.verdict is not None] or answers

        events = await self.service.assent.queries.conversations.events(turn_id)
        after = min(_settling(events, each.request) for each in said) - 1
        return StreamStart(turn_id=turn_id, after=after)


def _settling(events: Sequence[Event], request: Request) -> int:
    """Return the number of the first event that changed the call after the request was opened."""
    asked = 0
    for event in events:
        if event.kind is EventKind.PENDING and event.data["request_id"] == request.id:
            asked = event.seq
        # By the call's event, not the request's: a stop or a deadline settles the call first.
        elif asked and event.kind in _MOVES and event.data["call_id"] == request.call_id:
            return event.seq
    return asked + 1
