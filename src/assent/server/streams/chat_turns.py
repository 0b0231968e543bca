"""The effects of a chat post: start a turn, answer its questions, or continue it.

The server's own record decides: a post can only name requests that exist there.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assent.domain.calls import Call
from assent.domain.canonical import digest
from assent.domain.conversations import TurnRow
from assent.domain.decisions import Fail, Supply, Verdict, approve, reject
from assent.domain.lifecycle import ACTIVE_TURNS, RequestKind, RequestStatus, TurnStatus
from assent.domain.people import Person, Scope
from assent.domain.requests import Request
from assent.engine.decisions.deciding import Outcome
from assent.engine.queries.conversations import TurnQuestions
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
from assent.server.caller import Caller
from assent.server.service import Service
from assent.server.streams.chat_posts import CHAT_ID, Approval, Output, Post, Written, text_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The position at which a stream begins: a turn, and the last event to skip.

    `voted` holds requests that the reader has just approved and that need further approvals.
    """

    turn_id: str
    after: int = 0
    voted: tuple[tuple[Request, Call], ...] = ()


@dataclass(frozen=True, slots=True)
class Standing:
    """The turn that a post continues."""

    found: TurnQuestions

    @property
    def turn(self) -> TurnRow:
        """The turn itself."""
        return self.found.turn

    @property
    def waiting(self) -> dict[str, str]:
        """The calls that wait for people, with their tools."""
        return {each.call_id: each.tool for each in self.found.requests if each.is_open}

    def after(self, answered: Sequence[Request]) -> int:
        """Return the place behind the newest of these questions, or of all that were asked."""
        announced = self.found.announced
        ids = [request.id for request in answered] or list(announced)
        return max((announced.get(id, 0) for id in ids), default=0)


def agent_of(service: Service, named: str | None) -> str:
    """Return the agent of a message: the one it names, the deployment's, or the only one."""
    names = service.assent.catalogue.names()
    agent = named or service.settings.agent or (names[0] if len(names) == 1 else None)
    if agent is None:
        raise AgentNotNamed(names)
    return agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversing:
    """Carries out the posts of one caller in one conversation."""

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
        """Retry a failed answer; an answer that is on record stays there."""
        standing = await self._standing(())
        if standing.turn.status is not TurnStatus.FAILED:
            raise NothingToRegenerate(self.conversation_id, standing.turn.status)
        await self.service.assent.restart(standing.turn.id, by=self.caller.person)
        return Place(turn_id=standing.turn.id)

    async def go_on(self, approvals: Sequence[Approval], outputs: Sequence[Output]) -> Place:
        """Decide the requests that the post answers, then return where to follow the turn.

        The stream is never empty: a client whose answer got no reply would send it again without
        end.
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
        found = await self.service.assent.queries.conversations.questions(
            self.caller.person,
            self.conversation_id,
            asked_in=approvals[0].request_id if approvals else None,
        )
        return Standing(found)

    def _approvals(
        self, standing: Standing, approvals: Sequence[Approval]
    ) -> list[tuple[Request, Verdict]]:
        """Return the verdicts of all approvals; raises if this person was never asked for one."""
        asked = {
            each.id: each for each in standing.found.requests if each.kind is RequestKind.APPROVAL
        }
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
        """Return the outputs for calls that wait for one; all other outputs are only history."""
        wanted = {
            request.call_id: request
            for request in standing.found.requests
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
        """Decide all answers of a post or none: after a refusal no call of it may run."""
        return await self.service.assent.decide_together(
            [(request.id, verdict) for request, verdict in answers],
            by=self.caller.person,
            channel=self.caller.channel,
            # Another person was faster: the stream that follows shows what really happened.
            waives=lambda _, error: isinstance(error, AlreadySettled),
        )

    async def _voted(self, outcomes: Sequence[Outcome]) -> tuple[tuple[Request, Call], ...]:
        """Return the requests that were approved here and stay open for further approvals."""
        decided = [each.decided for each in outcomes if each.decided is not None]
        ids = [each.request_id for each in decided if each.status is RequestStatus.OPEN]

        return await self.service.assent.queries.requests.asked(ids) if ids else ()

    def _refuse_idle(self, standing: Standing) -> None:
        if standing.waiting:
            raise PendingCalls(self.conversation_id, standing.waiting)
        going = ACTIVE_TURNS | {TurnStatus.FAILED}
        settled = standing.turn.status is TurnStatus.DONE and standing.found.announced
        if standing.turn.status not in going and not settled:
            raise NothingAwaited("Turn", standing.turn.id, standing.turn.status)


async def live_turn(service: Service, person: Person, conversation_id: str) -> str | None:
    """Return the turn that runs or waits in a conversation that this person may read.

    None if there is no such turn or conversation: clients look before their first message.
    """
    if re.fullmatch(CHAT_ID, conversation_id) is None:
        return None

    try:
        turn = await service.assent.queries.conversations.newest_turn(person, conversation_id)
    except NotFound:
        return None
    return turn.id if turn is not None and turn.status in ACTIVE_TURNS else None
