"""What must hold after every step, read from the raw tables and from what the bodies saw."""

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from assent.domain.decisions import VerdictName
from assent.domain.lifecycle import (
    TERMINAL,
    CallStatus,
    RequestKind,
    RequestStatus,
    is_allowed,
)
from assent.domain.people import Audience
from assent.domain.requests import Binding
from tests.properties.props import BOSS_N, DENIED_N, GATED, IDEMPOTENT, Diary, Run
from tests.properties.stage import PEOPLE, Stage

Row = sqlite3.Row
RUN_WITHIN = 15 * 60 * 1_000_000  # microseconds
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ASKED_ABOUT = {
    CallStatus.AWAITING_APPROVAL: RequestKind.APPROVAL,
    CallStatus.AWAITING_INPUT: RequestKind.INPUT,
    CallStatus.AWAITING_RESULT: RequestKind.RESULT,
    CallStatus.IN_DOUBT: RequestKind.OUTCOME,
}
_UNCLAIMED = (CallStatus.CLEARED, CallStatus.EXPIRED)
_APPROVING = (VerdictName.APPROVE, VerdictName.RUN_AGAIN)
# A service may supply its own inputs and results, but confirm nothing for itself.
_FOR_PEOPLE = (RequestKind.APPROVAL, RequestKind.OUTCOME)
# How many people's answers stand behind a request that ended like this.
_VOTES = {
    RequestStatus.OPEN: {0},
    RequestStatus.APPROVED: {1},
    RequestStatus.REJECTED: {1},
    RequestStatus.ANSWERED: {1},
    RequestStatus.EXPIRED: {0},
    # One where an edit sent the question to others: the vote stays with what it was about.
    RequestStatus.SUPERSEDED: {0, 1},
    RequestStatus.CANCELLED: {0, 1},
}


def moment(micros: int | None) -> datetime | None:
    """A stored time."""
    return None if micros is None else EPOCH + timedelta(microseconds=micros)


class Ledger:
    """The tables as they are now."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        db.execute("BEGIN")
        try:
            self.calls = {row["id"]: row for row in self._all("calls")}
            self.requests = {row["id"]: row for row in self._all("requests")}
            self.decisions = self._all("decisions")
            self.messages = self._all("messages")
            self.turns = {row["id"]: row for row in self._all("turns")}
            self.owners = {row["id"]: row["owner"] for row in self._all("conversations")}
            self.audit = self._all("audit")
            self.secrets = self._all("secrets")
            self.told = db.execute(
                "SELECT data FROM events WHERE kind IN ('call', 'result') ORDER BY turn_id, seq"
            ).fetchall()
        finally:
            db.execute("COMMIT")

    def _all(self, table: str) -> list[Row]:
        # Ids sort by age here, as they do in production.
        return self._db.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()

    def open_requests(self) -> list[Row]:
        """What people could decide."""
        return [row for row in self.requests.values() if row["status"] == RequestStatus.OPEN]

    def standing(self) -> list[tuple[Any, ...]]:
        """Everything that a refused attempt must leave as it was."""
        calls = [(r["id"], r["status"], r["revision"], r["fence"]) for r in self.calls.values()]
        requests = [(r["id"], r["status"], r["draft"]) for r in self.requests.values()]
        return [*calls, *requests, *((row["id"],) for row in self.decisions)]


def binding(call: Row, request: Row, owner: str) -> str:
    """The digest of what an approval of this call would be valid for, from the rows."""
    return Binding(
        request_id=request["id"],
        conversation_id=call["conversation_id"],
        owner=owner,
        call_id=call["id"],
        revision=call["revision"],
        source=call["source"],
        tool=call["tool"],
        definition_hash=call["definition_hash"],
        arguments_digest=call["arguments_digest"],
        policy_version=request["policy_version"],
        decide_by=moment(request["decide_by"]),
    ).digest


class Laws:
    """Remembers what was final and counts what was broken."""

    def __init__(self) -> None:
        self.broken: list[str] = []
        self._settled: dict[str, tuple[Any, ...]] = {}
        self._closed: dict[str, tuple[Any, ...]] = {}

    def witness(self, stage: Stage, run: Run) -> None:
        """A body starts: by the rows it must run, be cleared, and have exactly these arguments."""
        ledger = Ledger(stage.db)
        wrong = [*_unlawful(ledger, run), *([] if run.is_hook else _uncleared(ledger, stage, run))]
        self.broken += [f"{run}: {what}" for what in wrong]

    def check(self, ledger: Ledger, diary: Diary) -> list[str]:
        """Everything that is wrong now."""
        return [
            *self.broken,
            *_chains(ledger),
            *_questions(ledger),
            *_votes(ledger),
            *_counts(ledger),
            *_partials(ledger),
            *_starts(ledger, diary),
            *self._finals(ledger),
        ]

    def _finals(self, ledger: Ledger) -> Iterator[str]:
        for call in ledger.calls.values():
            if call["status"] in TERMINAL:
                now = (call["status"], call["output"], call["revision"], call["settled_at"])
                if self._settled.setdefault(call["id"], now) != now:
                    yield f"settled call {call['id']} became {now}"
                if call["output"] is None or call["settled_at"] is None:
                    yield f"settled call {call['id']} has no output or time"
                output = call["output"] or ""
                if output.startswith('"at last') and output != f'"at last {call["attempts"]}"':
                    yield f"{call['id']} has the output of an attempt that lost its lease: {output}"
        for request in ledger.requests.values():
            if request["status"] != RequestStatus.OPEN:
                now = (request["status"], request["closed_by"], request["closed_at"])
                if self._closed.setdefault(request["id"], now) != now:
                    yield f"closed request {request['id']} became {now}"


def _unlawful(ledger: Ledger, run: Run) -> Iterator[str]:
    call = ledger.calls[run.call_id]
    if call["status"] != CallStatus.RUNNING:
        yield f"it runs while the call is {call['status']}"
    if call["attempts"] != run.attempt:
        yield f"the call is at attempt {call['attempts']}"
    if bool(call["approved"]) != run.approved:
        yield "approved is not what the row says"
    lease = moment(call["lease_until"])
    if lease is None or lease <= run.at:
        yield f"its lease ended at {lease}"


def _uncleared(ledger: Ledger, stage: Stage, run: Run) -> Iterator[str]:
    call = ledger.calls[run.call_id]
    if call["definition_hash"] != {t.name: t.definition_hash for t in stage.tools}[run.tool]:
        yield "the tool is not the one that was cleared"
    if call["policy_version"] not in {*stage.versions, stage.assent.kernel.policy_version}:
        yield "it was cleared by another policy"
    arguments = json.loads(call["arguments"])
    if {name: arguments.get(name) for name in run.arguments} != run.arguments:
        yield f"the row's arguments are {arguments}"
    by = call["cleared_by"] or ""
    if run.tool in GATED and not (run.approved and by.startswith(("person:", "rule:allow"))):
        yield f"cleared by {by!r}"
    if run.arguments["n"] == DENIED_N or (_is_big(run) and by != "person:bob"):
        yield f"the rules do not let it run, cleared by {by!r}"
    if by.startswith("person:") and not _is_bound(ledger, call):
        yield "no approval covers what runs"
    run_by = moment(call["run_by"])
    claims = [e for e in ledger.audit if e["call_id"] == call["id"] and e["action"] == "claim"]
    claimed_at = moment(claims[-1]["at"]) if claims else None
    if claimed_at is None or (run_by is not None and claimed_at >= run_by):
        yield f"claimed at {claimed_at}, to be run by {run_by}"


def _is_big(run: Run) -> bool:
    n = run.arguments["n"]
    return isinstance(n, int) and n >= BOSS_N


def _is_bound(ledger: Ledger, call: Row) -> bool:
    requests = [r for r in ledger.requests.values() if r["call_id"] == call["id"]]
    approved = [r for r in requests if r["status"] == RequestStatus.APPROVED]
    if not approved:
        return False
    wanted = binding(call, approved[-1], ledger.owners[call["conversation_id"]])
    return any(
        d["digest"] == wanted and d["verdict"] in _APPROVING
        for d in ledger.decisions
        if d["request_id"] == approved[-1]["id"]
    )


def _chains(ledger: Ledger) -> Iterator[str]:
    """One entry and one event for every transition, each by the table, from first to current."""
    entries: defaultdict[str, list[Row]] = defaultdict(list)
    for entry in ledger.audit:
        if entry["call_id"] is not None:
            entries[entry["call_id"]].append(entry)
    events: defaultdict[str, list[str]] = defaultdict(list)
    for row in ledger.told:
        data = json.loads(row["data"])
        events[data["call_id"]].append(data["status"])
    for call in ledger.calls.values():
        yield from _chain(call, entries[call["id"]], events[call["id"]])


def _chain(call: Row, entries: list[Row], events: list[str]) -> Iterator[str]:
    id = call["id"]
    if not entries or entries[0]["action"] != "propose":
        yield f"the record of {id} does not begin with its proposal"
    moves = [entry for entry in entries if entry["target"] is not None]
    targets = [entry["target"] for entry in moves]
    if not moves or moves[0]["source"] != CallStatus.PROPOSED or targets[-1] != call["status"]:
        yield f"{id} is {call['status']}, its record says {targets}"
    for before, after in pairwise(moves):
        if before["target"] != after["source"]:
            yield f"the record of {id} jumps from {before['target']} to {after['source']}"
        is_old = before["action"] == "approve" and after["at"] - before["at"] >= RUN_WITHIN
        if (before["target"], after["target"]) == _UNCLAIMED and not is_old:
            yield f"{id} expired although no approval of it was too old"
    for move in moves:
        if not is_allowed(CallStatus(move["source"]), CallStatus(move["target"])):
            yield f"{id} went from {move['source']} to {move['target']}"
    if targets != events:
        yield f"{id}: entries {targets}, events {events}"


def _questions(ledger: Ledger) -> Iterator[str]:
    """A call that waits has one open request of its kind; no other call has any."""
    asked: defaultdict[str, list[Row]] = defaultdict(list)
    for request in ledger.open_requests():
        asked[request["call_id"]].append(request)
    for call in ledger.calls.values():
        status = CallStatus(call["status"])
        if status is CallStatus.PROPOSED:
            yield f"{call['id']} rests in proposed"
        wanted = [ASKED_ABOUT[status]] if status in ASKED_ABOUT else []
        found = [request["kind"] for request in asked[call["id"]]]
        if found != wanted:
            yield f"{call['id']} is {status} and has open requests {found}"
        yield from _asked(ledger, call, asked[call["id"]])


def _asked(ledger: Ledger, call: Row, requests: list[Row]) -> Iterator[str]:
    owner = ledger.owners[call["conversation_id"]]
    for request in requests:
        if request["digest"] != binding(call, request, owner):
            yield f"{request['id']} does not show what {call['id']} is"
        audience = Audience.from_json(json.loads(request["audience"]))
        if request["kind"] in _FOR_PEOPLE and audience.is_empty_for(PEOPLE[owner]):
            yield f"nobody can decide {request['id']}"


def _votes(ledger: Ledger) -> Iterator[str]:
    """At most one answer ends a request, in time, by somebody who may."""
    votes = Counter(decision["request_id"] for decision in ledger.decisions)
    for request in ledger.requests.values():
        if votes[request["id"]] not in _VOTES[RequestStatus(request["status"])]:
            yield f"{request['id']} is {request['status']} with {votes[request['id']]} decisions"
    for decision in ledger.decisions:
        request = ledger.requests[decision["request_id"]]
        if request["decide_by"] is not None and decision["at"] >= request["decide_by"]:
            yield f"{request['id']} was decided after its deadline"
        if not _may_decide(decision, request):
            yield f"{decision['person']} decided {request['id']}"


def _may_decide(decision: Row, request: Row) -> bool:
    person, audience = PEOPLE[decision["person"]], json.loads(request["audience"])
    withdraws = decision["verdict"] == VerdictName.CANCEL and person.id == request["owner"]
    return withdraws or Audience.from_json(audience).admits(person, request["owner"])


def _counts(ledger: Ledger) -> Iterator[str]:
    """Messages know how many calls keep their turn waiting; no secret outlives its call."""
    unsettled = Counter(
        call["message_id"] for call in ledger.calls.values() if call["status"] not in TERMINAL
    )
    by_turn = Counter[str]()
    for message in ledger.messages:
        by_turn[message["turn_id"]] += message["open_calls"]
        if message["open_calls"] != unsettled[message["id"]]:
            yield f"{message['id']} counts {message['open_calls']}, not {unsettled[message['id']]}"
    for turn in ledger.turns.values():
        if turn["status"] == "waiting" and by_turn[turn["id"]] == 0:
            yield f"turn {turn['id']} waits for nothing"
    for secret in ledger.secrets:
        call = secret["call_id"]
        if call is not None and ledger.calls[call]["status"] in TERMINAL:
            yield f"a secret of {call} is still there"


def _partials(ledger: Ledger) -> Iterator[str]:
    """What is kept of an unfinished answer is not what a finished one said."""
    whole = [(m["turn_id"], m["text"]) for m in ledger.messages if m["body"] is not None]
    for message in ledger.messages:
        part = message["text"].split(" ")[0]
        if message["incomplete"] and any(
            turn == message["turn_id"] and text.startswith(part) for turn, text in whole
        ):
            yield f"{message['id']} repeats a finished answer: {message['text']!r}"


def _starts(ledger: Ledger, diary: Diary) -> Iterator[str]:
    """Every start has its own claim, and at most one ends otherwise than by asking."""
    claims, again, resumed = Counter[str](), Counter[str](), Counter[str]()
    asks = Counter(entry["call_id"] for entry in ledger.audit if entry["action"] == "ask")
    yield from (f"{call_id} asked {n} times" for call_id, n in asks.items() if n > 1)
    for entry in ledger.audit:
        claims[entry["call_id"]] += entry["action"] in ("claim", "retry")
        again[entry["call_id"]] += entry["action"] == "retry"
    for decision in ledger.decisions:
        call_id = ledger.requests[decision["request_id"]]["call_id"]
        resumed[call_id] += decision["verdict"] == VerdictName.RUN_AGAIN
    bodies = Counter(run.call_id for run in diary.runs if not run.is_hook)
    hooks = Counter(run.call_id for run in diary.runs if run.is_hook)
    starts = Counter((run.call_id, run.attempt) for run in diary.runs)
    yield from (f"attempt {key} started {n} times" for key, n in starts.items() if n > 1)
    for call_id in {run.call_id for run in diary.runs}:
        tool = ledger.calls[call_id]["tool"]
        if bodies[call_id] + hooks[call_id] > claims[call_id]:
            yield f"{call_id} started oftener than it was claimed"
        if again[call_id] and tool not in IDEMPOTENT:
            yield f"{call_id} was retried, and {tool} is not idempotent"
        allowed = 1 + again[call_id] + resumed[call_id]
        if bodies[call_id] - diary.asked[call_id] > allowed or hooks[call_id] > 1:
            yield f"{call_id} ran {bodies[call_id]} times, its hook {hooks[call_id]}"


def unfinished(ledger: Ledger) -> list[str]:
    """Calls and turns that are not over."""
    calls = [f"{c['id']} {c['tool']} {c['status']}" for c in ledger.calls.values()]
    turns = [f"{t['id']} {t['status']}" for t in ledger.turns.values()]
    active = ("running", "waiting", "ready")
    return [
        *(text for text in calls if CallStatus(text.rsplit(" ", 1)[-1]) not in TERMINAL),
        *(text for text in turns if text.endswith(active)),
    ]
