"""What a chat post does: start a turn, answer its questions, or go on with it.

The server's own record decides: a post can only name requests that are there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assent.domain.calls import Call
from assent.domain.canonical import digest
from assent.domain.conversations import Conversation, TurnRow
from assent.domain.decisions import Fail, Supply, Verdict, approve, reject
from assent.domain.events import EventKind
from assent.domain.lifecycle import ACTIVE_TURNS, RequestKind, RequestStatus, TurnStatus
from assent.domain.people import Person, Scope
from assent.domain.requests import Request
from assent.engine.decisions.checks import has_voted, open_case
from assent.engine.decisions.deciding import Outcome
from assent.errors import (
    AgentNotNamed,
    AlreadySettled,
    KeyReused,
    MessageChanged,
    NotAllowed,
    NotFound,
    NothingAwaited,
    NothingToRegenerate,
    PendingCalls,
)
from assent.ports import Tx
from assent.server.caller import Caller
from assent.server.service import Service
from assent.server.streams.chat_posts import CHAT_ID, Approval, Output, Post, Written, text_of
from assent.server.visibility import conversation_of

_EVERY_EVENT = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a stream begins: in which turn, after which event.

    `voted` is what the reader has just approved and others still have to.
    """

    turn_id: str
    after: int = 0
    voted: tuple[tuple[Request, Call], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A turn that a post is about: its requests, and when each was announced."""

    conversation: Conversation
    turn: TurnRow
    requests: tuple[Request, ...]
    announced: dict[str, int]

    @property
    def waiting(self) -> dict[str, str]:
        """The calls that wait for people, and their tools."""
        return {request.call_id: request.tool for request in self.requests if request.is_open}

    def after(self, answered: Sequence[Request]) -> int:
        """Behind the newest of these questions, or of all: the client has what came before."""
        ids = [request.id for request in answered] or list(self.announced)
        return max((self.announced.get(id, 0) for id in ids), default=0)


def agent_of(service: Service, named: str | None) -> str:
    """Whom a message is for: the agent it names, the deployment's, or the only one."""
    names = service.assent.kernel.catalogue.names()
    agent = named or service.settings.agent or (names[0] if len(names) == 1 else None)
    if agent is None:
        raise AgentNotNamed(names)
    return agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversing:
    """What one caller's posts do in one conversation."""

    service: Service
    caller: Caller
    conversation_id: str

    async def say(self, post: Post, message: Written) -> Place:
        """Start a turn with the newest message; the same message again is the same turn."""
        assent = self.service.assent
        text = text_of(message)
        try:
            turn_id = await assent.start(
                agent_of(self.service, post.agent),
                text,
                by=self.caller.person,
                conversation_id=self.conversation_id,
                create=True,
                on_pending=post.on_pending,
                idempotency_key=self._key(message),
            )
        except KeyReused:
            raise MessageChanged(str(message.id)) from None
        return Place(turn_id=turn_id)

    def _key(self, message: Written) -> str | None:
        if message.id is None:
            return None
        return f"chat:{digest(f'{self.conversation_id} {message.id}')}"

    async def regenerate(self) -> Place:
        """Try a failed answer again; one that is on record stays there."""
        standing = await self._standing(())
        if standing.turn.status is not TurnStatus.FAILED:
            raise NothingToRegenerate(self.conversation_id, standing.turn.status)
        await self.service.assent.restart(standing.turn.id, by=self.caller.person)
        return Place(turn_id=standing.turn.id)

    async def go_on(self, approvals: Sequence[Approval], outputs: Sequence[Output]) -> Place:
        """Decide what the post answers, then follow the turn from there.

        Never an empty stream: a client whose answer is left hanging sends it again, without end.
        """
        standing = await self._standing(approvals)
        answers = [*self._approvals(standing, approvals), *self._supplies(standing, outputs)]
        voted: tuple[tuple[Request, Call], ...] = ()
        if answers:
            voted = await self._voted(await self._decide(answers))
        else:
            self._refuse_idle(standing)
        if standing.turn.status is TurnStatus.FAILED:
            await self.service.assent.restart(standing.turn.id, by=self.caller.person)
        after = standing.after([request for request, _ in answers])
        return Place(turn_id=standing.turn.id, after=after, voted=voted)

    async def _standing(self, approvals: Sequence[Approval]) -> Standing:
        def read(tx: Tx) -> Standing:
            conversation = tx.conversations.get(self.conversation_id)
            if conversation is None or conversation.owner.id != self.caller.person.id:
                raise NotFound("conversation", self.conversation_id)
            turn = _turn_of(tx, conversation, approvals)
            events = tx.journal.events(turn.id, 0, _EVERY_EVENT)
            pending = (event for event in events if event.kind is EventKind.PENDING)
            return Standing(
                conversation=conversation,
                turn=turn,
                requests=tuple(tx.requests.of_turn(turn.id)),
                announced={str(event.data["request_id"]): event.seq for event in pending},
            )

        return await self.service.assent.kernel.store.run(read)

    def _approvals(
        self, standing: Standing, approvals: Sequence[Approval]
    ) -> list[tuple[Request, Verdict]]:
        """All of them or none: one that was never asked of this person refuses the post."""
        asked = {each.id: each for each in standing.requests if each.kind is RequestKind.APPROVAL}
        found: list[tuple[Request, Verdict]] = []
        for said in approvals:
            request = asked.get(said.request_id)
            if request is None or said.call_id not in (None, request.call_id):
                raise NotFound("request", said.request_id)
            self._check_scope()
            verdict = approve(typed=said.typed) if said.approved else reject(said.reason or "")
            found.append((request, verdict))
        return found

    def _supplies(
        self, standing: Standing, outputs: Sequence[Output]
    ) -> list[tuple[Request, Verdict]]:
        """Outputs of calls that wait for one; a history shows many others, which say nothing."""
        wanted = {
            request.call_id: request
            for request in standing.requests
            if request.kind is RequestKind.RESULT and request.is_open
        }
        found: list[tuple[Request, Verdict]] = []
        for said in outputs:
            request = wanted.pop(said.call_id, None)
            if request is None:
                continue
            self._check_scope()
            verdict = Supply(output=said.output) if said.error is None else Fail(reason=said.error)
            found.append((request, verdict))
        return found

    def _check_scope(self) -> None:
        if Scope.DECIDE not in self.caller.scopes:
            person = self.caller.person
            raise NotAllowed(person.id, "decide with a credential that is for chatting only")

    async def _decide(self, answers: Sequence[tuple[Request, Verdict]]) -> list[Outcome]:
        """All of a post or nothing of it: a refusal must not leave a call that runs behind it."""
        return await self.service.assent.decide_together(
            [(request.id, verdict) for request, verdict in answers],
            by=self.caller.person,
            channel=self.caller.channel,
            # Whoever was faster: the stream that follows shows what really happened.
            waives=lambda _, error: isinstance(error, AlreadySettled),
        )

    async def _voted(self, outcomes: Sequence[Outcome]) -> tuple[tuple[Request, Call], ...]:
        """What was approved here and stays open: it needs further approvals."""
        decided = [each.decided for each in outcomes if each.decided is not None]
        ids = [each.request_id for each in decided if each.status is RequestStatus.OPEN]

        def read(tx: Tx) -> tuple[tuple[Request, Call], ...]:
            found = [open_case(tx, id) for id in ids]
            return tuple((case.request, case.call) for case in found)

        return await self.service.assent.kernel.store.run(read) if ids else ()

    def _refuse_idle(self, standing: Standing) -> None:
        if standing.waiting:
            raise PendingCalls(self.conversation_id, standing.waiting)
        going = ACTIVE_TURNS | {TurnStatus.FAILED}
        settled = standing.turn.status is TurnStatus.DONE and standing.announced
        if standing.turn.status not in going and not settled:
            raise NothingAwaited("Turn", standing.turn.id, standing.turn.status)


def _turn_of(tx: Tx, conversation: Conversation, approvals: Sequence[Approval]) -> TurnRow:
    """The newest turn, or the one that the first approval was asked in."""
    request = tx.requests.look(approvals[0].request_id) if approvals else None
    if approvals and (request is None or request.conversation_id != conversation.id):
        raise NotFound("request", approvals[0].request_id)
    turn = tx.turns.newest(conversation.id) if request is None else tx.turns.get(request.turn_id)
    if turn is None:
        raise NotFound("turn", conversation.id)
    return turn


async def votes_of(service: Service, person: Person, turn_id: str) -> frozenset[str]:
    """The requests of a turn that this person has approved and others have to as well."""

    def read(tx: Tx) -> frozenset[str]:
        asked = tx.requests.of_turn(turn_id)
        return frozenset(request.id for request in asked if has_voted(tx, request, person))

    return await service.assent.kernel.store.run(read)


async def live_turn(service: Service, person: Person, conversation_id: str) -> str | None:
    """The turn that goes on or waits in a conversation this person may read, if there is one.

    None as well where there is no such conversation: clients look before their first message.
    """
    if re.fullmatch(CHAT_ID, conversation_id) is None:
        return None

    def read(tx: Tx) -> str | None:
        conversation = conversation_of(tx, person, conversation_id)
        turn = tx.turns.newest(conversation.id)
        return turn.id if turn is not None and turn.status in ACTIVE_TURNS else None

    try:
        return await service.assent.kernel.store.run(read)
    except NotFound:
        return None
