"""What every guard promises, here and over HTTP: approved is what runs, once, and on record."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assent import (
    Field,
    FieldType,
    OutcomeUnknown,
    Override,
    Person,
    Rule,
    ShowIf,
    Step,
    UserInput,
    answer,
    approve,
    did_not_run,
    reject,
    tool,
)
from assent.client import external
from assent.domain.decisions import Give
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.preferences import Keep
from assent.engine.settings import Times
from assent.errors import (
    AssentError,
    CallNotRun,
    CallWaits,
    InvalidAnswer,
    KeyReused,
    LeaseLost,
    NotFound,
)
from assent.guard import CallClaim, GuardedCall, Raised, Returned, Unclear, new_token
from tests.client.conftest import Guarded, Open, eventually
from tests.conftest import QUICK

SCHEMA = {
    "type": "object",
    "properties": {"to": {"type": "string"}, "copies": {"type": "integer", "default": 1}},
    "required": ["to"],
    "additionalProperties": False,
}
SEND = external("send", description="Send a letter.", parameters=SCHEMA)
PING = external("ping", requires_approval=False)
ADMIN = Person("admin", roles={"admin"})


class Post:
    """A body that counts its runs."""

    def __init__(self, output: Any = "sent") -> None:
        self.runs: list[Mapping[str, Any]] = []
        self._output = output

    async def __call__(self, arguments: Mapping[str, Any]) -> Any:
        self.runs.append(arguments)
        return self._output


async def asked(held: Guarded, **options: Any) -> GuardedCall:
    call = await held.guard.propose(SEND, {"to": "ann"}, **options)
    assert call.is_waiting
    assert call.waits_for is RequestKind.APPROVAL
    return call


async def test_what_policy_allows_runs_once_and_is_on_record(guarded: Open) -> None:
    post = Post({"pong": True})
    async with guarded() as held:
        call = await held.guard.run(PING, {}, post)
        assert (call.status, call.output) == (CallStatus.SUCCEEDED, {"pong": True})
        assert post.runs == [{}]
        record = await held.assent.audit(call_id=call.id)
    assert [entry.action for entry in record] == ["propose", "gate", "claim", "succeed"]


async def test_a_call_waits_for_a_person_and_then_runs_what_they_approved(guarded: Open) -> None:
    post = Post()
    async with guarded() as held:
        running = asyncio.create_task(held.guard.run(SEND, {"to": "ann"}, post, key="k"))
        request = await eventually(lambda: _first_pending(held))
        assert post.runs == []
        await held.assent.decide(request, approve(), by="user")
        call = await running
    assert (call.output, call.decided_by) == ("sent", "user")
    assert post.runs == [{"to": "ann", "copies": 1}]


async def _first_pending(held: Guarded) -> Any:
    pending = await held.assent.pending()
    return pending[0] if pending else None


async def test_a_rejection_says_why_and_nothing_runs(guarded: Open) -> None:
    post = Post()
    async with guarded() as held:
        call = await asked(held)
        await held.decide(call, reject("not to her"))
        ended = await held.guard.finish(await held.guard.look(call.id), post)
        assert ended.status is CallStatus.REJECTED
        assert "not to her" in ended.error
        with pytest.raises(CallNotRun):
            await held.guard.claim(call.id)
    assert post.runs == []


@pytest.mark.parametrize("edit", [{"args": {"to": "bob"}}, {"edit": {"to": "bob"}}])
async def test_an_edit_is_what_runs_and_the_model_is_told(guarded: Open, edit: Any) -> None:
    post = Post()
    async with guarded() as held:
        call = await asked(held)
        await held.decide(call, approve(**edit))
        ended = await held.guard.finish(await held.guard.look(call.id), post)
    assert post.runs == [{"to": "bob", "copies": 1}]
    assert ended.arguments == {"to": "bob", "copies": 1}
    assert '"bob"' in (ended.note or "")


@pytest.mark.parametrize("arguments", [{}, {"to": 1}, {"to": "a", "stray": 0}, {"to": None}])
async def test_arguments_that_do_not_fit_fail_unasked(guarded: Open, arguments: Any) -> None:
    async with guarded() as held:
        call = await held.guard.propose(SEND, arguments)
        assert call.status is CallStatus.FAILED
        assert "not valid" in call.error
        assert await held.assent.pending() == []


@pytest.mark.parametrize("output", [None, 0, "", {}, [], False, "text", {"a": [1]}])
async def test_an_empty_output_is_an_output(guarded: Open, output: Any) -> None:
    async with guarded() as held:
        call = await held.guard.run(PING, {}, Post(output))
        assert call.succeeded
        assert call.output == output
        assert (await held.guard.look(call.id)).output == output


async def test_a_tool_of_this_deployment_runs_where_the_guard_is(guarded: Open) -> None:
    @tool
    async def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    async with guarded(add) as held:
        own = held.make("user")
        own.agent = "agent"  # type: ignore[attr-defined]
        call = await own.propose("add", {"a": 1, "b": 2}, wait=10)
        assert (call.output, call.by_caller) == (3, False)
        gone = await own.propose("subtract", {}, wait=10)
        assert "There is no tool 'subtract'. The tools are: add." in gone.error


async def test_the_same_key_finds_the_same_call_and_another_call_is_refused(guarded: Open) -> None:
    post = Post()
    async with guarded() as held:
        first = await asked(held, key="k")
        again = await held.guard.propose(SEND, {"to": "ann"}, key="k")
        assert again.id == first.id
        with pytest.raises(KeyReused):
            await held.guard.propose(SEND, {"to": "eve"}, key="k")
        await held.decide(first, approve())
        for _ in range(3):
            call = await held.guard.run(SEND, {"to": "ann"}, post, key="k")
            assert call.output == "sent"
    assert len(post.runs) == 1


async def test_keys_of_different_people_are_different(guarded: Open) -> None:
    async with guarded() as held:
        mine = await held.make("user").propose(SEND, {"to": "ann"}, key="k")
        theirs = await held.make("stranger").propose(SEND, {"to": "eve"}, key="k")
        assert mine.id != theirs.id


async def test_of_many_who_claim_at_once_one_runs_it(guarded: Open) -> None:
    async with guarded() as held:
        for _ in range(5):
            call = await asked(held)
            await held.decide(call, approve())
            claims = [held.guard.claim(call.id) for _ in range(8)]
            found = await asyncio.gather(*claims, return_exceptions=True)
            won = [each for each in found if isinstance(each, CallClaim)]
            lost = [each for each in found if isinstance(each, CallWaits)]
            assert (len(won), len(lost)) == (1, 7)


async def test_a_repeated_claim_with_its_token_is_the_same_claim(guarded: Open) -> None:
    async with guarded() as held:
        call, token = await asked(held), new_token()
        await held.decide(call, approve())
        first = await held.guard.claim(call.id, token=token)
        assert await held.guard.claim(call.id, token=token) == first
        with pytest.raises(CallWaits):
            await held.guard.claim(call.id, token=new_token())


async def test_an_outcome_is_recorded_once(guarded: Open) -> None:
    async with guarded() as held:
        call = await held.guard.propose(PING, {}, token=(token := new_token()))
        claim = call.claim
        assert claim is not None
        assert claim.token == token
        assert (await held.guard.settle(claim, Returned(1))).output == 1
        assert (await held.guard.settle(claim, Returned(2))).output == 1


@pytest.mark.parametrize("wrong", ["token", "fence"])
async def test_a_forged_claim_neither_renews_nor_settles(guarded: Open, wrong: str) -> None:
    async with guarded() as held:
        call = await held.guard.propose(PING, {}, token=new_token())
        assert call.claim is not None
        other = {"token": new_token()} if wrong == "token" else {"fence": call.claim.fence + 1}
        forged = replace(call.claim, **other)
        with pytest.raises(LeaseLost):
            await held.guard.renew(forged)
        with pytest.raises(LeaseLost):
            await held.guard.settle(forged, Returned("forged"))
        assert (await held.guard.settle(call.claim, Returned("true"))).output == "true"


async def test_calls_of_another_person_are_not_there(guarded: Open) -> None:
    async with guarded() as held:
        call, other = await asked(held), held.make("stranger")
        await held.decide(call, approve())
        for work in (other.look(call.id), other.claim(call.id), other.withdraw(call.id)):
            with pytest.raises(NotFound):
                await work
        claim = await held.guard.claim(call.id)
        with pytest.raises(NotFound):
            await other.settle(claim, Returned("mine"))


async def test_a_tool_that_changed_since_its_approval_is_asked_about_again(guarded: Open) -> None:
    changed = external("send", description="Send a letter, and a copy to me.", parameters=SCHEMA)
    post = Post()
    async with guarded() as held:
        call = await asked(held)
        await held.decide(call, approve())
        with pytest.raises(CallWaits):
            await held.guard.finish(await held.guard.look(call.id), post, tool=changed)
        again = await held.guard.look(call.id)
        assert again.is_waiting
        assert again.request_id != call.request_id
        await held.decide(again, approve())
        ended = await held.guard.finish(await held.guard.look(call.id), post, tool=changed)
    assert ended.output == "sent"
    assert len(post.runs) == 1


async def test_an_override_after_the_approval_asks_again(guarded: Open) -> None:
    async with guarded() as held:
        call = await asked(held)
        await held.decide(call, approve())
        await held.assent.override("send", Override(risk="dangerous"), by=ADMIN)
        with pytest.raises(CallWaits):
            await held.guard.claim(call.id)
        assert (await held.guard.look(call.id)).is_waiting


async def test_people_fill_in_a_form_and_a_secret_reaches_the_body_only(guarded: Open) -> None:
    form = {
        "reason": "To log in",
        "fields": [
            {"name": "user", "type": "text", "label": "User"},
            {"name": "password", "type": "secret", "label": "Password"},
        ],
    }
    properties: dict[str, Any] = {n: {"type": "string"} for n in ("host", "user", "password")}
    login = external(
        "login",
        parameters={"type": "object", "properties": properties, "required": [*properties]},
        requires_approval=False,
        user_input=form,
    )
    seen: list[Mapping[str, Any]] = []

    def body(arguments: Mapping[str, Any]) -> str:
        seen.append(arguments)
        return f"in with {arguments['password']}"

    async with guarded() as held:
        call = await held.guard.propose(login, {"host": "db"})
        assert call.waits_for is RequestKind.INPUT
        await held.decide(call, answer({"user": "ann", "password": "hunter2!x"}))
        ended = await held.guard.finish(await held.guard.look(call.id), body)
    assert seen == [{"host": "db", "user": "ann", "password": "hunter2!x"}]
    assert ended.succeeded
    assert "hunter2!x" not in str(ended)


async def test_no_answer_is_kept_for_all_conversations_and_no_surface_offers_it(
    guarded: Open,
) -> None:
    form = UserInput("Who gets it?", [Field("to")], save="person")
    send = external("send", parameters=SCHEMA, requires_approval=False, user_input=form)
    post = Post()
    async with guarded() as held:
        call = await held.guard.propose(send, {})
        request = await eventually(lambda: _first_pending(held))
        assert request.keeps_for(Person("user")) == ()
        with pytest.raises(InvalidAnswer, match="all your conversations"):
            await held.decide(call, Give(values={"to": "ann"}, keep=Keep.PERSON))
        await held.decide(call, Give(values={"to": "ann"}, keep=Keep.CONVERSATION))
        await held.guard.finish(await held.guard.look(call.id), post)
    assert post.runs == [{"to": "ann", "copies": 1}]


async def test_a_form_in_steps_is_asked_as_it_was_declared(guarded: Open) -> None:
    form = UserInput(
        "A letter",
        steps=[
            Step("Who", [Field("to"), Field("abroad", type=FieldType.BOOLEAN, required=False)]),
            Step(
                "How",
                [Field("copies", type=FieldType.NUMBER, show_if=ShowIf("abroad", True))],
                help="?",
            ),
        ],
    )
    send = external("send", parameters=SCHEMA, requires_approval=False, user_input=form)
    async with guarded() as held:
        await held.guard.propose(send, {})
        request = await eventually(lambda: _first_pending(held))
        assert UserInput.from_json(request.question.form) == form


async def test_an_approval_that_nobody_comes_for_expires(guarded: Open) -> None:
    hasty = replace(SEND, run_within=timedelta(milliseconds=50))
    async with guarded() as held:
        if held.guard.__class__.__name__ == "AsyncClient":
            pytest.skip("how long an approval holds is the server's, not the caller's, to say")
        call = await held.guard.propose(hasty, {"to": "ann"})
        await held.decide(call, approve())
        ended = await eventually(lambda: _ended(held, call))
        assert ended.status is CallStatus.EXPIRED


async def _ended(held: Guarded, call: GuardedCall) -> GuardedCall | None:
    found = await held.guard.look(call.id)
    return found if found.is_settled else None


async def test_a_question_that_nobody_answers_expires(guarded: Open) -> None:
    brief = external("send", parameters=SCHEMA, decide_within=0.05)
    async with guarded() as held:
        call = await held.guard.propose(brief, {"to": "ann"}, wait=20)
        assert call.status is CallStatus.EXPIRED


async def test_what_is_withdrawn_cannot_be_approved(guarded: Open) -> None:
    async with guarded() as held:
        call = await asked(held)
        ended = await held.guard.withdraw(call.id)
        assert ended.status is CallStatus.CANCELLED
        assert await held.assent.pending() == []
        again = await held.guard.withdraw(call.id)
        assert again.status is CallStatus.CANCELLED


async def test_what_runs_is_not_withdrawn(guarded: Open) -> None:
    async with guarded() as held:
        call = await held.guard.propose(PING, {}, token=new_token())
        assert call.claim is not None
        assert (await held.guard.withdraw(call.id)).status is CallStatus.RUNNING
        assert (await held.guard.settle(call.claim, Returned(1))).succeeded


async def test_a_body_that_fails_says_why(guarded: Open) -> None:
    def body(_: Mapping[str, Any]) -> None:
        raise ValueError("no ink")

    async with guarded() as held:
        call = await held.guard.run(PING, {}, body)
        assert (call.status, call.error) == (CallStatus.FAILED, "ValueError: no ink")


async def test_a_body_that_cannot_tell_is_in_doubt_until_a_person_says(guarded: Open) -> None:
    def body(_: Mapping[str, Any]) -> None:
        raise OutcomeUnknown("the line went dead")

    async with guarded() as held:
        call = await held.guard.run(PING, {}, body)
        assert call.status is CallStatus.IN_DOUBT
        assert call.waits_for is RequestKind.OUTCOME
        await held.decide(call, did_not_run("I looked"))
        assert (await held.guard.look(call.id)).error == "I looked"


async def test_a_body_that_is_cancelled_is_in_doubt(guarded: Open) -> None:
    begun = asyncio.Event()

    async def body(_: Mapping[str, Any]) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with guarded() as held:
        running = asyncio.create_task(held.guard.run(PING, {}, body, key="k"))
        await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        call = await held.guard.propose(PING, {}, key="k")
        assert call.status is CallStatus.IN_DOUBT


async def test_a_caller_that_is_lost_leaves_a_doubt_and_its_late_outcome_only_a_note(
    guarded: Open,
) -> None:
    async with guarded(times=Times(lease=timedelta(milliseconds=300), look=QUICK.look)) as held:
        call = await held.guard.propose(PING, {}, token=new_token())
        assert call.claim is not None
        doubtful = await eventually(lambda: _in_doubt(held, call))
        assert doubtful.waits_for is RequestKind.OUTCOME
        with pytest.raises(LeaseLost):
            await held.guard.renew(call.claim)
        with pytest.raises(LeaseLost):
            await held.guard.settle(call.claim, Returned("late"))
        record = await held.assent.audit(call_id=call.id)
        assert "late_outcome" in [entry.action for entry in record]
        assert (await held.guard.look(call.id)).status is CallStatus.IN_DOUBT


async def _in_doubt(held: Guarded, call: GuardedCall) -> GuardedCall | None:
    found = await held.guard.look(call.id)
    return found if found.status is CallStatus.IN_DOUBT else None


async def test_a_long_body_keeps_its_claim(guarded: Open) -> None:
    times = Times(lease=timedelta(milliseconds=600), look=QUICK.look)

    async def body(_: Mapping[str, Any]) -> str:
        await asyncio.sleep(1.5)
        return "done"

    async with guarded(times=times) as held:
        assert (await held.guard.run(PING, {}, body)).output == "done"


async def test_a_harmless_call_whose_caller_is_lost_has_failed_and_asks_nobody(
    guarded: Open,
) -> None:
    peek = external("peek", requires_approval=False, idempotent=True)
    async with guarded(times=Times(lease=timedelta(milliseconds=300), look=QUICK.look)) as held:
        call = await held.guard.propose(peek, {}, token=new_token())
        ended = await eventually(lambda: _ended(held, call))
        assert "harmless to call it again" in ended.error
        assert await held.assent.pending() == []


async def test_an_output_that_does_not_fit_ran_all_the_same(guarded: Open) -> None:
    count = external("count", requires_approval=False, output={"type": "integer"})
    async with guarded() as held:
        call = await held.guard.run(count, {}, Post("many"))
        assert call.status is CallStatus.FAILED
        assert "It ran, but its output could not be kept" in call.error


async def test_a_rule_denies_before_anybody_is_asked(guarded: Open) -> None:
    async with guarded(rules=[Rule(effect="deny", tools="send", reason="never")]) as held:
        call = await held.guard.propose(SEND, {"to": "ann"})
        assert (call.status, call.error) == (CallStatus.DENIED, "never")


async def test_many_calls_of_one_conversation_wait_at_once(guarded: Open) -> None:
    async with guarded() as held:
        work = [
            held.guard.propose(SEND, {"to": f"p{n}"}, conversation_id="letters") for n in range(40)
        ]
        found = await asyncio.gather(*work)
        assert all(call.is_waiting for call in found)
        pending = await held.assent.pending(limit=100)
        assert len({request.conversation_id for request in pending}) == 1
        await held.decide(found[7], approve())
        assert (await held.guard.look(found[7].id)).is_cleared
        assert (await held.guard.look(found[8].id)).is_waiting


async def test_a_wait_ends_with_its_seconds(guarded: Open) -> None:
    async with guarded() as held:
        with pytest.raises(CallWaits) as caught:
            await held.guard.run(SEND, {"to": "ann"}, Post(), wait=0.05)
        assert caught.value.status == "awaiting_approval"


@pytest.mark.parametrize(
    ("outcome", "status"),
    [(Raised(""), CallStatus.FAILED), (Unclear(""), CallStatus.IN_DOUBT)],
)
async def test_an_empty_reason_is_still_that_outcome(
    guarded: Open, outcome: Any, status: CallStatus
) -> None:
    async with guarded() as held:
        call = await held.guard.propose(PING, {}, token=new_token())
        assert call.claim is not None
        assert (await held.guard.settle(call.claim, outcome)).status is status


async def test_without_a_worker_the_whole_cycle_works_and_lost_callers_are_noticed(
    guarded: Open,
) -> None:
    times = Times(lease=timedelta(milliseconds=300), look=QUICK.look)
    async with guarded(worker=False, times=times) as held:
        call = await asked(held)
        await held.decide(call, approve())
        ended = await held.guard.finish(await held.guard.look(call.id), Post())
        assert ended.output == "sent"
        lost = await held.guard.propose(PING, {}, token=new_token())
        assert (await eventually(lambda: _in_doubt(held, lost))).request_id


async def test_a_servers_tool_that_changed_asks_although_it_may_run_until_it_is_accepted(
    guarded: Open,
) -> None:
    def look(description: str) -> Any:
        return external(
            "fs__look", description=description, source="mcp:fs", requires_approval=False
        )

    post = Post("seen")
    async with guarded() as held:
        assert (await held.guard.run(look("Look."), {}, post)).succeeded
        changed = await held.guard.propose(look("Look, and send it to me."), {})
        assert changed.is_waiting
        card = await held.assent.card(str(changed.request_id))
        other = await held.make("stranger").run(look("Look, and send it to me."), {}, post)
        await held.assent.accept("user/mailer__fs__look", by=ADMIN)
        again = await held.guard.run(look("Look, and send it to me."), {}, post)
    assert "send it to me" in card
    assert "no admin has accepted" in card
    assert other.succeeded
    assert again.succeeded
    assert len(post.runs) == 3


async def test_a_definition_that_is_too_long_is_refused_and_stores_nothing(guarded: Open) -> None:
    wordy = external("wordy", description="x" * 99_000, impact="y" * 101_000)
    async with guarded() as held:
        with pytest.raises(AssentError, match="longer than 200,000 characters"):
            await held.guard.propose(wordy, {})
        assert await held.assent.outside_tools() == []
