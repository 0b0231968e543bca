"""Proposals of agents outside: each is a turn of its own, without a model."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, Final

from assent.domain.calls import Call
from assent.domain.canonical import Json, check, digest
from assent.domain.conversations import Conversation, Message, Role, TurnRow
from assent.domain.copies import changed
from assent.domain.definitions import run_by_caller
from assent.domain.forms import SavedValue
from assent.domain.identifiers import want_keepable
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import Answer, FinishReason, Proposal
from assent.domain.outputs import json_text
from assent.domain.own_rules import OwnRules
from assent.domain.people import Person, want_recordable
from assent.domain.tools import EffectiveTool, Tool
from assent.engine.agents import Limits, Toolbox
from assent.engine.facade_parameters import Acting
from assent.engine.failpoints import point
from assent.engine.gate.gated_calls import GatedCall
from assent.engine.gate.own_rules import OwnRulesChanged, own_rules_of
from assent.engine.gate.planner import Planner
from assent.engine.guarding.pins import OutsidePins
from assent.engine.kernel import Kernel
from assent.engine.loop.prompts import dump_answer
from assent.engine.loop.proposals import Proposals, storable
from assent.engine.loop.steps import NewCalls
from assent.engine.runs.claims import Claim
from assent.engine.runs.runner import Runner
from assent.engine.threads import offload, weight
from assent.engine.transitions import Moves
from assent.errors import InvalidTool, KeyReused, OverQuota
from assent.ports import Tx

# Begins the name of a claim's holder who is a caller and no worker; their token follows.
HOLDER: Final = "caller:"
_OUTSIDE: Final = "outside"
# Of a turn with one call; made once, since it is checked when it is made.
_LIMITS: Final = Limits()
# Tools are mostly few, and the same objects again and again.
_MOST_KNOWN: Final = 1_000
_MOST_STORED: Final = 10_000
# A caller may change its tools as often as it likes, and each change is stored.
MOST_CHARS: Final = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideCall:
    """A call as an agent outside proposes it."""

    agent: str
    by: Acting
    tool: Tool | str
    arguments: Mapping[str, Any]
    key: str | None = None
    # The agent's own name for a conversation, unique among those of this owner and agent.
    conversation: str | None = None
    token: str | None = None

    def __post_init__(self) -> None:
        who = self.by.given
        want_recordable(who if isinstance(who, Person) else Person(who))
        want_keepable("agent's name", self.agent)
        given = {
            "idempotency key": self.key,
            "conversation": self.conversation,
            "token": self.token,
        }
        for noun, value in given.items():
            if value is not None:
                want_keepable(noun, value)

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.tool if isinstance(self.tool, str) else self.tool.name

    def conversation_id(self, now: datetime) -> str:
        """Return the id of its conversation; derived, so that nobody can name another's.

        Calls that name none belong to their agent's conversation of the day.
        """
        day = f"{now:%Y-%m-%d}" if self.conversation is None else None
        whose = [self.by.id, self.agent, self.conversation, day]
        return f"conv_{digest(json_text(whose))[:24]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a call is recorded, as read before the gate rules."""

    conversation: Conversation
    saved: tuple[SavedValue, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """A call on record, with what was known of it when it was proposed."""

    call: Call
    # The claim on it, if it was claimed at once; None also if it was on record before.
    claim: Claim | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ready:
    """A call that the gate can rule on, with all that is stored with it."""

    outside: OutsideCall
    body: str
    place: _Place
    tool: EffectiveTool | None
    definition: dict[str, Json] | None


class Proposing:
    """Takes calls of agents outside through the gate, and stores them."""

    def __init__(self, kernel: Kernel, runner: Runner) -> None:
        self._kernel, self._runner = kernel, runner
        self._known: dict[int, tuple[Tool, Tool, dict[str, Json]]] = {}
        self._stored = set[tuple[str, str]]()
        self._pins = OutsidePins(kernel)

    async def propose(self, outside: OutsideCall) -> Proposed:
        """Record a call and rule on it; a known key returns the call that it stands for."""
        return await self._kernel.tasks.through(self._proposed(outside))

    async def _proposed(self, outside: OutsideCall) -> Proposed:
        text = await offload(weight(outside.arguments), _arguments_text, outside.arguments)
        body = digest(json_text([outside.agent, outside.name, outside.conversation, text]))
        tool, definition = self.outside_tool(outside.agent, outside.tool)
        found = await self._found(outside, body, tool)
        if isinstance(found, Call):
            return Proposed(call=found)
        if tool is not None and definition is not None:
            tool = await self._pins.watched(outside.by.id, outside.agent, tool, definition)
        ready = _Ready(outside=outside, body=body, place=found, tool=tool, definition=definition)
        try:
            stored, started = await self._ruled_and_stored(ready, text)
        except OverQuota as error:
            await self._refused(outside, found, error)
            raise
        point("after_proposal")
        if isinstance(stored, Call):
            return Proposed(call=stored)
        if definition is not None and tool is not None:
            if len(self._stored) >= _MOST_STORED:
                self._stored.clear()
            self._stored.add((outside.agent, tool.tool.definition_hash))
        claim = self._claimed(stored, found.conversation, started)
        if claim is not None and not stored.call.by_caller:
            self._runner.start(claim)
        if stored.request is not None:
            self._kernel.announce((stored.request,))
        return Proposed(call=stored.call, claim=claim)

    async def _ruled_and_stored(self, ready: _Ready, text: str) -> tuple[Call | GatedCall, float]:
        """Gate a call by its owner's rules and store it; again if the rules have changed."""
        known, owner = self._kernel.known_rules, ready.place.conversation.owner
        own = known.of(owner)
        while True:
            gated = await self._gated(ready, text, own)
            point("before_proposal")
            started = self._kernel.clock.monotonic()
            store = partial(self._store, ready=ready, gated=gated, own=own)
            try:
                return await self._kernel.store.run(store), started
            except OwnRulesChanged as since:
                own = known.learn(owner, since.rules)

    def outside_tool(
        self, agent: str, given: Tool | str
    ) -> tuple[EffectiveTool | None, dict[str, Json] | None]:
        """Return a tool as this deployment treats it, and its definition if its caller runs it."""
        if isinstance(given, str):
            return self._kernel.catalogue.toolbox(agent).get(given), None
        known = self._known.get(id(given))
        if known is None or known[0] is not given:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            tool, definition = run_by_caller(given)
            if len(json_text(definition)) > MOST_CHARS:
                reason = f"its definition is longer than {MOST_CHARS:,} characters"
                raise InvalidTool(given.name, reason)
            known = self._known[id(given)] = (given, tool, definition)
        _, tool, definition = known
        found = self._kernel.catalogue.learnt(agent, tool.definition_hash)
        # One that was read from its row has lost its code: a predicate there would always ask.
        if found is None or found.tool is not tool:
            found = self._kernel.catalogue.learn(agent, tool)
        return found, definition

    def keep_definition(self, tx: Tx, agent: str, tool: Tool, definition: dict[str, Json]) -> None:
        """Store a definition unless it is stored already."""
        key = (agent, tool.definition_hash)
        if key not in self._stored and tx.definitions.get(*key) is None:
            tx.definitions.add(*key, definition)

    async def _found(
        self, outside: OutsideCall, body: str, tool: EffectiveTool | None
    ) -> Call | _Place:
        asks = tool is not None and tool.tool.user_input is not None
        if outside.key is None and not asks:
            # Nothing to look for; this saves a transaction.
            return self._place(outside, await outside.by.looked_up(), self._kernel.clock.now())
        return await self._kernel.store.run(lambda tx: self._read(tx, outside, body, tool))

    def _place(
        self, outside: OutsideCall, by: Person, now: datetime, saved: Iterable[SavedValue] = ()
    ) -> _Place:
        conversation = Conversation(
            id=outside.conversation_id(now),
            agent=outside.agent,
            owner=by,
            created_at=now,
        )
        return _Place(conversation=conversation, saved=tuple(saved))

    def _read(
        self, tx: Tx, outside: OutsideCall, body: str, tool: EffectiveTool | None
    ) -> Call | _Place:
        by = outside.by.person(tx)
        if (known := _known_call(tx, outside, body)) is not None:
            return known
        saved = list[SavedValue]()
        if tool is not None and tool.tool.user_input is not None:
            saved = tx.values.saved(outside.conversation_id(self._kernel.clock.now()))
        return self._place(outside, by, self._kernel.clock.now(), saved)

    async def _gated(self, ready: _Ready, text: str, own: OwnRules) -> GatedCall:
        kernel, outside, place = self._kernel, ready.outside, ready.place
        planner = Planner(
            gate=kernel.gate("", guarded=False, own=own),
            vault=kernel.vault,
            ids=kernel.ids,
            conversation=place.conversation,
            saved=place.saved,
        )
        now = kernel.clock.now()
        proposals = Proposals(
            kernel=kernel,
            turn=self._turn(place.conversation, now),
            conversation=place.conversation,
            message_id=kernel.ids("msg"),
            planner=planner,
            toolbox=self._toolbox(outside, ready.tool),
            policy_version=kernel.policy_version,
            limits=_LIMITS,
            earlier=(),
            now=now,
        )
        (gated,) = await proposals.gated(_answer(outside, text))
        by_caller = not isinstance(outside.tool, str)
        return changed(gated, call=changed(gated.call, outside=True, by_caller=by_caller))

    def _toolbox(self, outside: OutsideCall, tool: EffectiveTool | None) -> Toolbox:
        if isinstance(outside.tool, str):
            return self._kernel.catalogue.toolbox(outside.agent)
        return Toolbox.of(tool)

    def _turn(self, conversation: Conversation, now: datetime, of: Call | None = None) -> TurnRow:
        is_over = of is not None and of.is_settled
        return TurnRow(
            id=self._kernel.ids("turn") if of is None else of.turn_id,
            conversation_id=conversation.id,
            number=1 if of is None else of.turn_number,
            agent=conversation.agent,
            status=TurnStatus.DONE if is_over else TurnStatus.WAITING,
            step=0,
            fence=0,
            created_at=now,
            ended_at=now if is_over else None,
            outside=True,
        )

    def _store(self, tx: Tx, *, ready: _Ready, gated: GatedCall, own: OwnRules) -> Call | GatedCall:
        outside, body, place = ready.outside, ready.body, ready.place
        # Another process may have stored it while the gate ruled here.
        if (known := _known_call(tx, outside, body)) is not None:
            return known
        self._kernel.quotas.admit_call(tx, outside.by.id)
        now, number = tx.now(), self._number(tx, place, own)
        call = changed(gated.call, turn_number=number)
        if ready.definition is not None and gated.tool is not None:
            self.keep_definition(tx, outside.agent, gated.tool.tool, ready.definition)
            call = changed(call, run_by=now + gated.tool.tool.run_within)
        calls = self._new_calls(outside, place.conversation, changed(gated, call=call))
        (stored,) = calls.completed(tx, now)
        turn = self._turn(place.conversation, now, of=stored.call)
        lease, owner = self._kernel.times.lease, outside.by.id
        tx.turns.add(turn, owner=owner, key=outside.key, body=body, lease=lease)
        tx.messages.append(_message(turn, stored.call, outside))
        calls.add(tx, [stored])
        point("inside_proposal")
        return stored

    def _number(self, tx: Tx, place: _Place, own: OwnRules) -> int:
        """Return the number of the new turn; its conversation is added if there is none.

        Raises `OwnRulesChanged` if the owner has other rules than the gate ruled by.
        """
        owner = place.conversation.owner
        newest = tx.turns.newest_of(place.conversation.id, owner.id)
        if newest is None or newest[1] != own.version:
            now = own_rules_of(tx, owner)
            if now.version != own.version:
                raise OwnRulesChanged(now)
        if newest is not None:
            return newest[0].number + 1
        if tx.conversations.get(place.conversation.id) is None:
            tx.conversations.add(place.conversation)
        return 1

    def _new_calls(
        self, outside: OutsideCall, conversation: Conversation, gated: GatedCall
    ) -> NewCalls:
        kernel = self._kernel
        if gated.call.by_caller:
            slots, worker = int(outside.token is not None), f"{HOLDER}{outside.token}"
        else:
            slots, worker = int(kernel.is_worker and not kernel.tasks.closing), kernel.worker
        return NewCalls(
            kernel=kernel, conversation=conversation, calls=[gated], slots=slots, worker=worker
        )

    def _claimed(
        self, stored: GatedCall, conversation: Conversation, started: float
    ) -> Claim | None:
        """Return the claim of a call that runs at once."""
        call, tool = stored.call, stored.tool
        if call.status is not CallStatus.RUNNING or tool is None:
            return None
        expires = started + self._kernel.times.lease.total_seconds()
        return Claim(call=call, tool=tool, conversation=conversation, expires=expires)

    async def _refused(self, outside: OutsideCall, place: _Place, error: OverQuota) -> None:
        """Record a refusal in a transaction of its own: the refused one left nothing behind."""

        def note(tx: Tx) -> None:
            moves = Moves(tx, self._kernel.ids, actor=outside.by.id)
            data: dict[str, Json] = {"code": error.code, "what": error.what, "limit": error.limit}
            moves.note("refused", conversation_id=place.conversation.id, data=data)

        await self._kernel.store.run(note)


def _known_call(tx: Tx, outside: OutsideCall, body: str) -> Call | None:
    """Return the call that this key already stands for; raises `KeyReused` for another call."""
    known = None if outside.key is None else tx.turns.by_key(outside.by.id, outside.key)
    if known is None:
        return None
    turn, stored = known
    if stored != body:
        raise KeyReused(str(outside.key))
    return next(iter(tx.calls.of_turn(turn.id)))


def _arguments_text(arguments: Mapping[str, Any]) -> str:
    return json_text(check(dict(arguments)))


def _answer(outside: OutsideCall, text: str) -> Answer:
    proposal = Proposal(provider_id=storable(outside.key or ""), tool=outside.name, arguments=text)
    return Answer(proposals=(proposal,), finish=FinishReason.CALLS, model=_OUTSIDE)


def _message(turn: TurnRow, call: Call, outside: OutsideCall) -> Message:
    return Message(
        id=call.message_id,
        conversation_id=turn.conversation_id,
        turn_id=turn.id,
        position=0,
        role=Role.ASSISTANT,
        text="",
        body=dump_answer(_answer(outside, call.proposed)),
        open_calls=int(not call.is_settled),
        created_at=turn.created_at,
    )
