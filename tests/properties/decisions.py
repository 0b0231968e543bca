"""Rules: what people decide, rightly and wrongly."""

import asyncio
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from assent import (
    AssentError,
    DidNotRun,
    Fail,
    Person,
    Ran,
    RunAgain,
    answer,
    approve,
    cancel,
    draft,
    reject,
    supply,
)
from assent.domain.decisions import Give, Verdict
from assent.domain.lifecycle import RequestKind, RequestStatus
from tests.properties.laws import Ledger, Row
from tests.properties.play import Play, index
from tests.properties.props import BOSS_N, DENIED_N
from tests.properties.stage import BOB, BOT, CRON, EVE, PEOPLE, ROOT, refused

APPROVAL, INPUT, RESULT, OUTCOME = RequestKind
# Refused before anybody looks at the case.
_UNRECORDED = {"idempotency_key_reused"}
# Refused, and that has consequences: the question was over, and now that is on record.
_CONSEQUENTIAL = {"expired", "superseded"}

either = st.sampled_from([approve(), reject("not now")])
edits = st.sampled_from(
    [{"n": 1}, {"n": 2}, {"n": DENIED_N}, {"n": BOSS_N}, {"n": "x"}, "{not json", "[]", {}]
)
filled = st.sampled_from(
    [{"city": "Rome", "pin": "4711"}, {"city": "Rome"}, {"city": "", "pin": "1"}, {"town": "Rome"}]
)
outputs = st.sampled_from(["fine", "break", 7, {"a": 1}])
resolutions = st.sampled_from([Ran(output="it did"), DidNotRun(), RunAgain()])


def _natural(request: Row) -> Verdict:
    """What most people say to a question of this kind."""
    match request["kind"]:
        case RequestKind.APPROVAL:
            return approve()
        case RequestKind.INPUT:
            return answer(city="Rome", pin="4711")
        case RequestKind.RESULT:
            return supply("fine")
        case _:
            return RunAgain()


class Decisions(Play):
    """Requests are decided, and refuse to be."""

    def decide(self, request: Row, verdict: Verdict, by: Person, **how: Any) -> AssentError | None:
        before = self.ledger
        error = self.attempt(self.assent.decide, request["id"], verdict, by=by, **how)
        if error is not None:
            self._check_refusal(error, before)
        # A draft is no vote: to keep one again is to keep another.
        elif not (isinstance(verdict, Give) and verdict.partial):
            self.made.append((request["id"], verdict, by))
        return error

    def _check_refusal(self, error: AssentError, before: Ledger) -> None:
        """Refused: that is on record, and nothing else changed."""
        after = self.ledger
        noted = [entry["action"] for entry in after.audit[len(before.audit) :]]
        if error.code in _CONSEQUENTIAL:
            assert "refused" in noted, error
            return
        assert noted == ([] if error.code in _UNRECORDED else ["refused"]), (error, noted)
        assert after.standing() == before.standing(), error

    @rule(at=index)
    def person_goes_along(self, at: int) -> None:
        if (request := self.request(at)) is not None:
            self.decide(request, _natural(request), self.somebody(request))

    @rule()
    def everybody_goes_along(self) -> None:
        for request in self.ledger.open_requests():
            self.decide(request, _natural(request), self.somebody(request))

    @rule(at=index)
    def person_approves(self, at: int) -> None:
        if (request := self.request(at, APPROVAL)) is not None:
            self.decide(request, approve(), self.somebody(request), digest=request["digest"])

    @rule(at=index, edit=edits)
    def person_approves_with_edits(self, at: int, edit: Any) -> None:
        if (request := self.request(at, APPROVAL)) is not None:
            error = self.decide(request, approve(edit), self.somebody(request))
            is_bad = edit in ({"n": DENIED_N}, {"n": "x"}, "{not json", "[]")
            assert error is not None or not is_bad or request["tool"] in self.gone

    @rule(at=index, reason=st.sampled_from(["", "not now"]))
    def person_rejects(self, at: int, reason: str) -> None:
        if (request := self.request(at, APPROVAL)) is not None:
            self.decide(request, reject(reason), self.somebody(request))

    @rule(at=index)
    def owner_withdraws(self, at: int) -> None:
        if (request := self.request(at)) is not None:
            self.decide(request, cancel("never mind"), PEOPLE[request["owner"]])

    @rule(at=index, values=filled)
    def person_answers(self, at: int, values: dict[str, str]) -> None:
        if (request := self.request(at, INPUT)) is not None:
            self.decide(request, answer(values), self.somebody(request))

    @rule(at=index, values=filled)
    def person_keeps_a_draft(self, at: int, values: dict[str, str]) -> None:
        if (request := self.request(at, INPUT)) is not None:
            self.decide(request, draft(values), self.somebody(request))

    @rule(at=index, output=outputs)
    def person_supplies(self, at: int, output: Any) -> None:
        if (request := self.request(at, RESULT)) is not None:
            self.decide(request, supply(output), self.somebody(request))

    @rule(at=index)
    def person_reports_a_failure(self, at: int) -> None:
        if (request := self.request(at, RESULT)) is not None:
            self.decide(request, Fail(reason="nobody home"), self.somebody(request))

    @rule(at=index, verdict=resolutions)
    def person_resolves_a_doubt(self, at: int, verdict: Verdict) -> None:
        if (request := self.request(at, OUTCOME)) is not None:
            self.decide(request, verdict, self.somebody(request))

    @rule(at=index, how=st.sampled_from(["stranger", "agent", "admin", "service", "stale", "kind"]))
    def wrong_decision_is_refused(self, at: int, how: str) -> None:
        if (request := self.request(at)) is not None:
            verdict, by, digest, code = self._wrong(request, how)
            error = self.decide(request, verdict, by, digest=digest)
            assert error is not None
            assert error.code == code

    def _wrong(self, request: Row, how: str) -> tuple[Verdict, Person, str, str]:
        by, verdict, digest = self.somebody(request), _natural(request), request["digest"]
        is_asked = request["kind"] in (APPROVAL, OUTCOME)
        match how:
            case "stranger" | "agent":
                return verdict, EVE if how == "stranger" else BOT, digest, "not_found"
            case "admin" if by is not ROOT:
                return verdict, ROOT, digest, "not_eligible"
            case "service" if is_asked and request["owner"] == CRON.id:
                return verdict, CRON, digest, "not_eligible"
            case "stale":
                return verdict, by, "0" * 64, "stale_digest"
            case _:
                other = Ran() if request["kind"] == APPROVAL else approve()
                return other, by, digest, "wrong_verdict"

    @rule(at=index)
    def decision_is_repeated(self, at: int) -> None:
        """The same again is the first answer again, whatever came after it."""
        if self.made:
            id, verdict, by = self.made[-1 - at % len(self.made)]
            before = self.ledger.standing()
            assert self.act(self.assent.decide, id, verdict, by=by).replayed
            assert self.ledger.standing() == before

    @rule(at=index, verdict=st.sampled_from([approve(), reject(), cancel(), supply("late")]))
    def closed_request_is_decided_differently(self, at: int, verdict: Verdict) -> None:
        rows = self.ledger.requests.values()
        closed = [row for row in rows if row["status"] != RequestStatus.OPEN]
        if closed:
            request = closed[-1 - at % len(closed)]
            before = self.ledger.standing()
            self.decide(request, verdict, self.somebody(request))
            assert self.ledger.standing() == before

    @rule(at=index, key=st.integers(0, 2), verdict=either)
    def decision_with_a_key(self, at: int, key: int, verdict: Verdict) -> None:
        if (request := self.request(at, APPROVAL)) is not None:
            by = self.somebody(request)
            self.decide(request, verdict, by, idempotency_key=f"key{key}")

    @rule(verdict=either)
    def batch_is_decided(self, verdict: Verdict) -> None:
        found = [row["id"] for row in self.ledger.open_requests() if row["kind"] == APPROVAL]
        said = [(id, verdict) for id in found]
        for outcome in self.act(self.assent.decide_all, said, by=BOB) if said else []:
            assert outcome.error is None or outcome.error.code != "raced"

    @rule(at=index, edit=edits)
    def answers_race(self, at: int, edit: Any) -> None:
        """Of different answers at the same moment at most one counts."""
        if (request := self.request(at, APPROVAL)) is None:
            return
        by = self.somebody(request)

        async def race() -> tuple[AssentError | None, ...]:
            replica = await self.stage.replica()
            return await asyncio.gather(
                refused(self.assent.decide, request["id"], reject(), by=by),
                refused(replica.decide, request["id"], approve(edit), by=by),
                refused(self.assent.decide, request["id"], cancel(), by=by),
            )

        assert sum(error is None for error in self.act(race)) <= 1

    @rule(at=index, verdict=either)
    def decision_in_another_process(self, at: int, verdict: Verdict) -> None:
        if (request := self.request(at, APPROVAL)) is None:
            return

        async def decide() -> None:
            async with self.stage.desk() as desk:
                await refused(desk.decide, request["id"], verdict, by=self.somebody(request))

        self.act(decide)

    @rule(at=index, how=st.sampled_from(["resolve", "fail", "cancel"]))
    def task_is_settled(self, at: int, how: str) -> None:
        tasks = [row["task_id"] for row in self.ledger.calls.values() if row["task_id"]]
        if tasks:
            task_id = tasks[-1 - at % len(tasks)]
            self.attempt(getattr(self.assent, how), task_id, "by the task")
