"""The facade: everything that a program does with Assent."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Self

from assent.domain.canonical import Json
from assent.domain.conversations import Conversation
from assent.domain.decisions import Cancel, Fail, Supply, Verdict
from assent.domain.events import Entry, Event
from assent.domain.identifiers import want_findable
from assent.domain.lifecycle import TurnStatus
from assent.domain.parameters import flag
from assent.domain.people import SYSTEM
from assent.domain.policy import Policy
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, Override, Predicate
from assent.engine import facade_parameters
from assent.engine.agents import Agent, Catalogue
from assent.engine.decisions.attempts import Decided, DecisionAttempt, DecisionOutcome
from assent.engine.decisions.callback import Callback
from assent.engine.decisions.deciding import Deciding, Waives, never_waived
from assent.engine.facade_parameters import Callers, Who
from assent.engine.feed import Feed
from assent.engine.following import Following
from assent.engine.gate.overrides import Overrides
from assent.engine.gate.quotas import Quotas
from assent.engine.ids import Ids
from assent.engine.loop.sending import Missive, OnPending, Sending
from assent.engine.loop.turns import Turns
from assent.engine.queries import Queries
from assent.engine.queries.snapshots import Thread, Turn, read_thread, read_turn
from assent.engine.runs.deferrals import Deferrals
from assent.engine.runs.runner import Runner
from assent.engine.runs.worker import Reconciler, Sweeper, Worker
from assent.engine.settings import Texts
from assent.engine.vault import Vault
from assent.engine.wiring import Wiring
from assent.errors import (
    NotFound,
    Paused,
    TurnFailed,
)
from assent.ports import Clock, Tx

if TYPE_CHECKING:
    from assent.engine.people.accounts import People
    from assent.engine.transfer.transfer import Transfer

IfSettled = Literal["raise", "ignore"]
_CANARY = "vault_canary"


class Assent:
    """Agents whose tool calls wait for people, durably. Use it as an async context manager."""

    def __init__(self, wiring: Wiring) -> None:
        self.kernel = kernel = wiring.kernel()
        self._alone = wiring.alone
        self._who = Callers(kernel=kernel).who
        self._overrides = Overrides(kernel)
        self._runner = Runner(kernel)
        self._turns = Turns(kernel, self._runner)
        self._sending = Sending(kernel, self._turns)
        self._deciding = Deciding(kernel, self._runner, self._overrides.load)
        self._deferrals = Deferrals(kernel, self._deciding)
        # Everything that pages, the API, streams and the terminal read.
        self.queries = Queries(kernel)
        self.feed = Feed(kernel.store)
        self.following = Following(kernel)
        self.sweeper = Sweeper(kernel, self._runner)
        self.reconciler = Reconciler(kernel, self._runner, self._turns)
        self._worker = Worker(
            kernel, self._runner, self.sweeper, self.reconciler, self._overrides.load
        )
        if (asked := wiring.on_confirmation) is not None:
            callback = Callback(kernel=kernel, deciding=self._deciding, function=asked)
            kernel.announce = callback.heard

    async def __aenter__(self) -> Self:
        kernel = self.kernel
        kernel.loop = asyncio.get_running_loop()
        await kernel.store.open(worker=kernel.is_worker)
        try:
            kernel.store.listen(kernel.bus.heard)
            kernel.store.listen(self.feed.heard)
            await kernel.store.run(self._check_key)
            await self._overrides.load()
            if not kernel.policy.approvals:
                await kernel.store.run(lambda tx: _note(tx, kernel.ids, "approvals_off", SYSTEM.id))
            if kernel.is_worker:
                await self._worker.start(alone=self._alone)
        except BaseException:
            await kernel.store.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let running work finish for a while; the rest can be resumed later."""
        if self.kernel.is_worker:
            await self._worker.rest()
        await self.kernel.tasks.drain(self.kernel.times.grace)
        await self.kernel.catalogue.close()
        await self._worker.stop()
        await self.feed.close()
        await self.kernel.store.close()

    # Facts that need no look at the database.

    @property
    def catalogue(self) -> Catalogue:
        """The agents, their tools and models, with this deployment's overrides."""
        return self.kernel.catalogue

    @property
    def policy(self) -> Policy:
        """The rules and the policy hook."""
        return self.kernel.policy

    @property
    def policy_version(self) -> str:
        """The version of rules and overrides together; an approval is valid for one version."""
        return self.kernel.policy_version

    @property
    def texts(self) -> Texts:
        """The texts that models are told when a call did not simply run."""
        return self.kernel.texts

    @property
    def vault(self) -> Vault:
        """The vault that seals secrets and tokens."""
        return self.kernel.vault

    @property
    def clock(self) -> Clock:
        """The clock for leases and time limits."""
        return self.kernel.clock

    @property
    def is_worker(self) -> bool:
        """True if this process runs calls; False if it only reads and decides."""
        return self.kernel.is_worker

    def limit(self, quotas: Quotas) -> None:
        """Limit what one person, agent or conversation may use from now on."""
        self.kernel.quotas = quotas

    @property
    def is_working(self) -> bool:
        """True while this process looks for work and renews its leases."""
        return self._worker.is_alive

    # Imported when first used, as are lists: `import assent` takes long enough without them.
    @cached_property
    def people(self) -> "People":
        """Accounts, their keys, sessions and links."""
        from assent.engine.people.accounts import People

        return People(self.kernel)

    def _transfer(self) -> "Transfer":
        from assent.engine.transfer.transfer import Transfer

        return Transfer(kernel=self.kernel, announce=self.kernel.announce)

    def _check_key(self, tx: Tx) -> None:
        """Refuse to start with a key other than the one that this database was sealed with."""
        canary = tx.settings.fact(_CANARY)
        if canary is None:
            # Added, not set: if two processes with different keys start at once, one of them must
            # find the other's canary.
            tx.settings.add_fact(_CANARY, self.kernel.vault.canary())
            return
        self.kernel.vault.verify(canary)
        if self.kernel.vault.needs_rewrap(canary):
            tx.settings.set_fact(_CANARY, self.kernel.vault.canary())

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
    ) -> str:
        """Send a message and return the turn's id at once; follow it with `events` or `wait`.

        An unknown `conversation_id` is an error, unless `create` says that it is to be made.
        """
        where = "Assent.start()"
        missive = Missive(
            agent=facade_parameters.agent_name(where, agent),
            text=facade_parameters.MESSAGE.taken(where, "text", text),
            by=await self._who(where, by),
            conversation_id=facade_parameters.optional_conversation(where, conversation_id),
            create=flag.taken(where, "create", create),
            on_pending=OnPending(
                facade_parameters.ON_PENDING.taken(where, "on_pending", on_pending)
            ),
            key=idempotency_key,
            ask_when=facade_parameters.ASK_WHEN.taken(where, "ask_when", ask_when),
        )
        return (await self._sending.send(missive)).id

    async def open(self, agent: str | Agent, *, by: Who) -> Conversation:
        """Create a conversation without any message."""
        where = "Assent.open()"
        name = facade_parameters.agent_name(where, agent)
        return await self._sending.open(name, await self._who(where, by))

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
        """Return the card of a request as plain text: read from the rows, nothing cut."""
        from assent.engine.queries.review import read_showing
        from assent.presentation.plain import render

        id, catalogue = (
            facade_parameters.request_id("Assent.card()", request_id),
            self.kernel.catalogue,
        )
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
        """Decide a request. It is durable when this returns; the turn goes on by itself.

        `digest` is that of the request as the person saw it, `shown` says which renderer showed it.
        """
        where = "Assent.decide()"
        attempt = DecisionAttempt(
            request_id=facade_parameters.request_id(where, request_id),
            verdict=facade_parameters.verdict(where, verdict),
            by=await self._who(where, by),
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

    # Saved values, settings, record

    async def saved_values(self, conversation_id: str) -> dict[str, dict[str, Json]]:
        """Return the saved answers of a conversation, by scope.

        Secrets are listed without their values.
        """
        rows = await self.kernel.store.run(lambda tx: tx.values.saved(conversation_id))
        found: dict[str, dict[str, Json]] = {}
        for row in rows:
            found.setdefault(row.scope, {})[row.name] = None if row.secret else row.value
        return found

    async def clear_values(self, conversation_id: str, *, by: Who, scope: str | None = None) -> int:
        """Delete saved answers, of one scope or all."""
        who = await self._who("Assent.clear_values()", by)

        def clear(tx: Tx) -> int:
            want_findable("conversation", conversation_id)
            conversation = tx.conversations.get(conversation_id)
            if conversation is None or who.id != conversation.owner.id:
                raise NotFound("conversation", conversation_id)
            _note(tx, self.kernel.ids, "clear_values", who.id, conversation_id=conversation_id)
            return tx.values.clear(conversation_id, scope)

        return await self.kernel.store.run(clear)

    def tools(self) -> list[EffectiveTool]:
        """Return all tools, with this deployment's overrides."""
        return self.kernel.catalogue.every_tool()

    async def override(self, tool: str, override: Override | None, *, by: Who) -> None:
        """Replace a tool's metadata for this deployment; None restores its declaration."""
        where = "Assent.override()"
        said: Override | None = facade_parameters.OVERRIDE.taken(where, "override", override)
        await self._overrides.set(tool, said, await self._who(where, by))

    async def audit(
        self, *, conversation_id: str | None = None, call_id: str | None = None
    ) -> list[Entry]:
        """Return the audit entries of one call, one conversation, or everything."""
        return await self.kernel.store.run(
            lambda tx: tx.journal.entries(conversation_id=conversation_id, call_id=call_id)
        )


def _note(
    tx: Tx,
    ids: Ids,
    action: str,
    actor: str,
    *,
    conversation_id: str | None = None,
    data: dict[str, Json] | None = None,
) -> None:
    entry = Entry(
        id=ids("aud"),
        action=action,
        actor=actor,
        conversation_id=conversation_id,
        data=data or {},
        at=tx.now(),
    )
    tx.journal.note(entry)
