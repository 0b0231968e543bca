"""The facade: everything that a program does with Assent."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from assent.domain.canonical import Json
from assent.domain.chats import ChatThread
from assent.domain.conversations import Conversation
from assent.domain.decisions import Cancel, Fail, Supply, Verdict
from assent.domain.events import Entry, Event
from assent.domain.identifiers import want_findable
from assent.domain.lifecycle import TurnStatus
from assent.domain.parameters import flag
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, Override, Predicate
from assent.engine import facade_parameters, saved_values
from assent.engine.agents import Agent
from assent.engine.decisions.attempts import Decided, DecisionAttempt, DecisionOutcome
from assent.engine.decisions.deciding import Waives, never_waived
from assent.engine.facade_parameters import MessageFiles, Who
from assent.engine.guarding.facade import Guarding
from assent.engine.loop.new_messages import NewMessage, OnPending
from assent.engine.queries.snapshots import Thread, Turn, read_thread, read_turn
from assent.errors import (
    NotFound,
    Paused,
    TurnFailed,
)

if TYPE_CHECKING:
    from assent.engine.transfer.transfer import Transfer

IfSettled = Literal["raise", "ignore"]


class Assent(Guarding):
    """Agents whose tool calls wait for people, durably. Use it as an async context manager."""

    # Messages and turns

    async def send(
        self,
        agent: str | Agent,
        text: str,
        *,
        by: Who,
        conversation_id: str | Conversation | None = None,
        create: bool = False,
        on_pending: Literal["refuse", "supersede"] = "refuse",
        idempotency_key: str | None = None,
        ask_when: Predicate | None = None,
        files: MessageFiles = (),
    ) -> Turn:
        """Send a message and run until the model answers or a person has to act.

        Raises `NoWorker` if no worker takes it up; the message is stored all the same.
        """
        turn_id = await self.start(
            agent,
            text,
            by=by,
            conversation_id=conversation_id,
            create=create,
            on_pending=on_pending,
            idempotency_key=idempotency_key,
            ask_when=ask_when,
            files=files,
        )
        return await self.wait(turn_id)

    async def start(
        self,
        agent: str | Agent,
        text: str,
        *,
        by: Who,
        conversation_id: str | Conversation | None = None,
        create: bool = False,
        on_pending: Literal["refuse", "supersede"] = "refuse",
        idempotency_key: str | None = None,
        ask_when: Predicate | None = None,
        files: MessageFiles = (),
    ) -> str:
        """Send a message and return the turn's id at once; follow it with `events` or `wait`.

        An unknown `conversation_id` raises `NotFound`, or with `create` becomes a new conversation.
        `files` are paths, or what `files.attach` returned.
        """
        where = "Assent.start()"
        who = await self._who(where, by)
        message = NewMessage(
            agent=facade_parameters.agent_name(where, agent),
            text=facade_parameters.MESSAGE.taken(where, "text", text),
            by=who,
            conversation_id=facade_parameters.optional_conversation(where, conversation_id),
            create=flag.taken(where, "create", create),
            on_pending=OnPending(
                facade_parameters.ON_PENDING.taken(where, "on_pending", on_pending)
            ),
            key=idempotency_key,
            ask_when=facade_parameters.ASK_WHEN.taken(where, "ask_when", ask_when),
            files=await self.files.attached(where, files, by=who),
        )
        return (await self._sending.send(message)).id

    async def open(
        self,
        agent: str | Agent,
        *,
        by: Who,
        decide_within: float | timedelta | None = None,
        thread: ChatThread | None = None,
    ) -> Conversation:
        """Create a conversation without any message, which may be held in a thread of a chat.

        `decide_within` is how long its questions wait if neither tool nor rule says so.
        """
        where = "Assent.open()"
        name = facade_parameters.agent_name(where, agent)
        within = facade_parameters.WITHIN.taken(where, "decide_within", decide_within)
        thread = facade_parameters.THREAD.taken(where, "thread", thread)
        who = await self._who(where, by)
        return await self._sending.open(name, who, decide_within=within, thread=thread)

    async def run(self, agent: str | Agent, text: str, *, by: Who) -> str:
        """Send a message and insist on an answer: a pause raises `Paused`, a failure `TurnFailed`.

        For agents inside the tools of other agents: half an answer never looks like a whole one.
        """
        name = facade_parameters.agent_name("Assent.run()", agent)
        turn = await self.send(name, text, by=by)
        if turn.pending:
            ids = [request.id for request in turn.pending]
            raise Paused(name, ids, [request.tool for request in turn.pending])
        if turn.status is not TurnStatus.DONE:
            raise TurnFailed(name, turn.status, turn.error)
        return turn.text

    async def wait(self, turn_id: str | Turn | Decided) -> Turn:
        """Return the turn once it rests: answered, failed, stopped, or waiting for people only."""
        return await self.following.wait(facade_parameters.turn_id("Assent.wait()", turn_id))

    async def turn(self, turn_id: str | Turn | Decided) -> Turn:
        """Return a turn in its present state."""
        id = facade_parameters.turn_id("Assent.turn()", turn_id)
        return await self.kernel.store.run(lambda tx: read_turn(tx, id))

    async def conversation(self, conversation_id: str | Conversation | Thread) -> Thread:
        """Return a conversation in its present state, with its derived status; calls no model."""
        id = facade_parameters.conversation_id("Assent.conversation()", conversation_id)
        return await self.kernel.store.run(lambda tx: read_thread(tx, id, self.kernel))

    async def stop(self, turn_id: str | Turn, *, by: Who) -> Turn:
        """End a turn; pending calls are cancelled, and a partial answer is kept as incomplete."""
        where = "Assent.stop()"
        turn_id = facade_parameters.turn_id(where, turn_id)
        await self._sending.stop(turn_id, await self._who(where, by))
        return await self.turn(turn_id)

    async def resume(self, turn_id: str | Turn, *, by: Who) -> Turn:
        """Continue a turn that failed, without repeating anything that is settled."""
        return await self.wait(await self.restart(turn_id, by=by))

    async def restart(self, turn_id: str | Turn, *, by: Who) -> Turn:
        """Continue a turn that failed, as `resume` does, but do not wait for it to rest."""
        where = "Assent.restart()"
        turn_id = facade_parameters.turn_id(where, turn_id)
        await self._sending.resume(turn_id, await self._who(where, by))
        return await self.turn(turn_id)

    def events(self, turn_id: str | Turn | Decided, *, after: int = 0) -> AsyncGenerator[Event]:
        """Replay a turn's events from a cursor, then follow it live until it ends."""
        id = facade_parameters.turn_id("Assent.events()", turn_id)
        return self.following.events(id, after=after)

    # Requests and decisions

    async def pending(
        self, *, person: Who | None = None, limit: int = 50, after: str | None = None
    ) -> list[Request]:
        """Return open requests, newest first; with a person, only those that they may decide."""
        from assent.engine.queries.listing import waiting

        where = "Assent.pending()"
        facade_parameters.LIMIT.taken(where, "limit", limit)
        who = None if person is None else await self._who(where, person)
        return await self.kernel.store.run(lambda tx: waiting(tx, who, after=after, limit=limit))

    async def card(self, request_id: Request | str) -> str:
        """Return the card of a request as plain text, with nothing cut."""
        from assent.engine.queries.review import read_showing
        from assent.presentation.plain import render

        id = facade_parameters.request_id("Assent.card()", request_id)
        catalogue = self.kernel.catalogue
        found = await self.kernel.store.run(lambda tx: read_showing(tx, id, catalogue))
        now = self.kernel.clock.now()
        return await asyncio.to_thread(lambda: render(found().card, now=now).text)

    async def request(self, request_id: str | Request) -> Request:
        """Return one request in its present state."""
        request_id = facade_parameters.request_id("Assent.request()", request_id)
        want_findable("request", request_id)
        found = await self.kernel.store.run(lambda tx: tx.requests.look(request_id))
        if found is None:
            raise NotFound("request", request_id)
        return found

    async def decide(
        self,
        request_id: Request | str,
        verdict: Verdict,
        *,
        by: Who,
        digest: str | None = None,
        shown: str | None = None,
        channel: str = "library",
        idempotency_key: str | None = None,
    ) -> Decided:
        """Decide a request. The decision is durable when this returns; the turn goes on by itself.

        `digest` is that of the request as the person saw it, `shown` says which renderer showed it.
        """
        where = "Assent.decide()"
        id, who = facade_parameters.request_id(where, request_id), await self._who(where, by)
        said = facade_parameters.verdict(where, verdict)
        attempt = DecisionAttempt(
            request_id=id,
            verdict=await self._sent(id, said, by=who, channel=channel),
            by=who,
            channel=channel,
            digest=digest,
            shown=shown,
            key=idempotency_key,
        )
        return await self._deciding.decide(attempt)

    async def decide_all(
        self,
        decisions: Sequence[tuple[Request | str, Verdict]],
        *,
        by: Who,
        channel: str = "library",
        digests: Mapping[str, str] | None = None,
        shown: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> list[DecisionOutcome]:
        """Decide several requests, each on its own.

        A batch that contradicts itself is refused whole.
        """
        where = "Assent.decide_all()"
        said, who = facade_parameters.decisions(where, decisions), await self._who(where, by)
        seen, drawn, key = digests or {}, shown or {}, idempotency_key
        return await self._deciding.decide_all(
            [
                DecisionAttempt(
                    request_id=id,
                    verdict=verdict,
                    by=who,
                    channel=channel,
                    digest=seen.get(id),
                    shown=drawn.get(id),
                    # A key stands for one decision, so each decision of a batch gets its own.
                    key=None if key is None else f"{key}:{id}",
                )
                for id, verdict in said
            ]
        )

    async def decide_together(
        self,
        decisions: Sequence[tuple[Request | str, Verdict]],
        *,
        by: Who,
        channel: str = "library",
        digests: Mapping[str, str] | None = None,
        waives: Waives = never_waived,
    ) -> list[DecisionOutcome]:
        """Decide several requests at once: all of them count, or the first objection is raised.

        `waives(attempt, error)` is True for a refusal that is only reported and stops no other
        attempt.
        """
        where = "Assent.decide_together()"
        said, who = facade_parameters.decisions(where, decisions), await self._who(where, by)
        seen = digests or {}
        attempts = [
            DecisionAttempt(
                request_id=id, verdict=verdict, by=who, channel=channel, digest=seen.get(id)
            )
            for id, verdict in said
        ]
        return await self._deciding.decide_together(attempts, waives=waives)

    # Deferred tasks

    async def resolve(
        self, id: str, output: Json, *, tool: str | None = None, if_settled: IfSettled = "raise"
    ) -> Decided:
        """Settle a deferred call, by task or call id, with its output."""
        tolerant = facade_parameters.is_tolerant("Assent.resolve()", if_settled)
        return await self._deferrals.settle(id, Supply(output=output), tool=tool, tolerant=tolerant)

    async def fail(
        self, id: str, reason: str, *, tool: str | None = None, if_settled: IfSettled = "raise"
    ) -> Decided:
        """Settle a deferred call as failed."""
        tolerant = facade_parameters.is_tolerant("Assent.fail()", if_settled)
        return await self._deferrals.settle(id, Fail(reason=reason), tool=tool, tolerant=tolerant)

    async def cancel(
        self, id: str, reason: str = "", *, tool: str | None = None, if_settled: IfSettled = "raise"
    ) -> Decided:
        """Settle a deferred call as cancelled."""
        tolerant = facade_parameters.is_tolerant("Assent.cancel()", if_settled)
        return await self._deferrals.settle(id, Cancel(reason=reason), tool=tool, tolerant=tolerant)

    # Conversations as JSON

    async def export(self, conversation_id: str | Conversation | Thread, *, by: Who) -> str:
        """Return a conversation as versioned JSON text without secrets.

        For its owner and admins.
        """
        where = "Assent.export()"
        id = facade_parameters.conversation_id(where, conversation_id)
        return await self._transfer().export(id, await self._who(where, by))

    async def import_(self, text: str, *, by: Who, owner: Who | None = None) -> str:
        """Create a conversation from exported text, owned by `owner` or else the importing admin.

        Decisions made elsewhere do not count here: everything that was not settled is asked again.
        """
        where = "Assent.import_()"
        facade_parameters.MESSAGE.taken(where, "text", text)
        who = await self._who(where, by)
        whose = who if owner is None else await self._who(where, owner)
        return await self._transfer().import_(text, who, whose)

    def _transfer(self) -> "Transfer":
        from assent.engine.transfer.transfer import Transfer

        return Transfer(kernel=self.kernel, announce=self.kernel.announce)

    # Saved values, settings, record

    async def saved_values(self, conversation_id: str) -> dict[str, dict[str, Json]]:
        """Return the saved answers of a conversation, by scope.

        Secrets are listed without their values.
        """
        return await self.kernel.store.run(lambda tx: saved_values.read(tx, conversation_id))

    async def clear_values(self, conversation_id: str, *, by: Who, scope: str | None = None) -> int:
        """Delete saved answers, of one scope or all."""
        who = await self._who("Assent.clear_values()", by)
        ids = self.kernel.ids
        return await self.kernel.store.run(
            lambda tx: saved_values.clear(tx, ids, conversation_id, who.id, scope)
        )

    def tools(self) -> list[EffectiveTool]:
        """Return all tools, with this deployment's overrides."""
        return self.kernel.catalogue.every_tool()

    async def override(self, tool: str, override: Override | None, *, by: Who) -> None:
        """Replace a tool's metadata for this deployment; None restores its declaration."""
        where = "Assent.override()"
        said: Override | None = facade_parameters.OVERRIDE.taken(where, "override", override)
        await self._overrides.set(tool, said, await self._who(where, by))

    async def accept(self, tool: str, *, by: Who, definition: str | None = None) -> None:
        """Accept the changed definition of a tool of a server outside; for admins.

        `definition` is the hash of the one that was looked at: another is not accepted unseen.
        """
        who = await self._who("Assent.accept()", by)
        await self.sources.accept(tool, who, definition=definition)

    async def audit(
        self, *, conversation_id: str | None = None, call_id: str | None = None
    ) -> list[Entry]:
        """Return the audit entries of one call, one conversation, or everything."""
        return await self.kernel.store.run(
            lambda tx: tx.journal.entries(conversation_id=conversation_id, call_id=call_id)
        )
