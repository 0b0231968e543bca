"""A policy that fails, hangs, talks nonsense or is not there: never does that allow a call."""

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent import (
    Allow,
    Audience,
    Context,
    Effect,
    Person,
    PersonKind,
    Rule,
    tool,
)
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import Answer, ModelSaid, Prompt
from assent.domain.policy import Ask, Deny, Policy
from assent.domain.tools import Arguments, EffectiveTool, Predicate, effective
from assent.engine.gate.gate import Gate
from assent.testing import ScriptedModel
from tests.conftest import World
from tests.engine.till import (
    STAFF,
    Till,
    approved,
    carried_out,
    one_call,
    rested,
)


@pytest.fixture
def file_world(tmp_path: Path) -> World:
    """One SQLite file: for what the engine decides whatever the database is."""
    return World(f"sqlite:///{tmp_path / 'assent.db'}")


def raising(*_: object) -> bool:
    raise RuntimeError("broken predicate")


async def hanging(*_: object) -> bool:
    await asyncio.Event().wait()
    return False


async def raising_later(*_: object) -> bool:
    await asyncio.sleep(0)
    raise RuntimeError("broken predicate")


def leaving(*_: object) -> bool:
    raise SystemExit(1)


async def cancelled_within(*_: object) -> bool:
    """Await something that somebody cancelled: not us."""
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task
    return False


class Abort(BaseException):
    """No Exception: whoever catches those only lets it pass."""


def aborting(*_: object) -> bool:
    raise Abort


def answering(value: object) -> Any:
    return lambda *_: value


class Quirk:
    """An answer that is neither yes nor no, and objects to being asked."""

    def __bool__(self) -> bool:
        raise RuntimeError("neither")


FAULTS: dict[str, Any] = {
    "raises": raising,
    "raises later": raising_later,
    "leaves": leaving,
    "cancelled within": cancelled_within,
    "aborts": aborting,
    "times out": hanging,
    "None": answering(None),
    "text": answering("no"),
    "empty text": answering(""),
    "zero": answering(0),
    "object": answering(Quirk()),
    "takes no arguments": lambda: True,
}


async def judged(policy: Policy, wish: bool | Predicate = True, **gate: Any) -> object:
    declared = Till().pay()
    asking = effective(declared, None)
    subject = EffectiveTool(
        tool=asking.tool,
        risk=asking.risk,
        requires_approval=wish,
        decide_within=None,
        impact="",
        category="",
        audience=Audience(),
    )
    context = Context(call_id="c", conversation_id="v", agent="a", tool="pay", owner=STAFF)
    return await Gate(policy=policy, **gate).rule_on(subject, {"amount": 5}, context)


SHORT = timedelta(milliseconds=20)


# requirement: T9
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_faulty_wish_of_the_tool_never_allows(fault: str) -> None:
    assert not isinstance(await judged(Policy(timeout=SHORT), FAULTS[fault]), Allow)


# requirement: T9
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_faulty_predicate_of_the_run_never_allows(fault: str) -> None:
    verdict = await judged(Policy(timeout=SHORT), per_run=FAULTS[fault])
    assert not isinstance(verdict, Allow)


# requirement: T9
@pytest.mark.parametrize("fault", sorted(FAULTS.keys() - {"None"}))
async def test_a_faulty_policy_hook_denies(fault: str) -> None:
    verdict = await judged(Policy(hook=FAULTS[fault], timeout=SHORT), wish=False)
    assert isinstance(verdict, Deny)


# requirement: T9
# One that takes no arguments is refused when the rule is made.
@pytest.mark.parametrize("fault", [each for each in FAULTS if each != "takes no arguments"])
@pytest.mark.parametrize("effect", Effect)
async def test_a_rule_with_a_faulty_predicate_never_allows(effect: Effect, fault: str) -> None:
    rule = Rule.of(effect, "pay", when=FAULTS[fault])
    # Where the rule is the only thing that says no, it has to say it; an allow must not count.
    wish = effect is Effect.ALLOW
    verdict = await judged(Policy(rules=(rule,), timeout=SHORT), wish=wish)
    assert not isinstance(verdict, Allow)


# requirement: T9
async def test_a_missing_policy_leaves_a_tool_that_asks_asking() -> None:
    assert isinstance(await judged(Policy()), Ask)


# requirement: D1, T9
@pytest.mark.parametrize("place", ["wish", "per_run", "hook", "rule"])
async def test_a_predicate_that_changes_its_arguments_does_not_hide_them_from_a_deny_rule(
    place: str,
) -> None:
    def meddling(*given: Any) -> Any:
        arguments = given[-2]
        arguments["amount"] = 0
        return None if place == "hook" else True

    def is_large(arguments: Arguments, context: Context) -> bool:
        return arguments["amount"] == 5

    meddler = Rule.of(Effect.ASK, "pay", when=meddling)
    rules = (Rule.of(Effect.DENY, "pay", when=is_large),)
    policy = Policy(
        rules=(meddler, *rules) if place == "rule" else rules,
        hook=meddling if place == "hook" else None,
    )
    wish = meddling if place == "wish" else True
    verdict = await judged(policy, wish, per_run=meddling if place == "per_run" else None)
    assert isinstance(verdict, Deny)


# requirement: T9
@pytest.mark.parametrize(
    "fault",
    [
        "raises",
        "raises later",
        "leaves",
        "cancelled within",
        "aborts",
        "object",
    ],
)
async def test_a_call_that_the_policy_could_not_judge_does_not_run_and_the_model_is_told(
    file_world: World, fault: str
) -> None:
    till = Till()
    model = ScriptedModel(one_call)
    async with file_world(model, till.pay(), policy=FAULTS[fault]) as working:
        turn = await working.send("agent", "pay bob", by=STAFF)
    assert till.paid == []
    assert turn.status is TurnStatus.DONE
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]
    told = model.prompts[1].history[-1]
    assert isinstance(told, ModelSaid)
    assert told.outputs[0].failed


# requirement: T9
async def test_a_deny_rule_that_fails_at_the_claim_keeps_the_call_from_running(
    file_world: World,
) -> None:
    till, broken = Till(), False

    def fragile(arguments: Arguments, context: Context) -> bool:
        if broken:
            raise RuntimeError("broken predicate")
        return False

    rules = [Rule.of(Effect.DENY, "pay", when=fragile)]
    turn = await approved(file_world, till.pay(), rules=rules)
    broken = True
    turn = await carried_out(file_world, turn, till.pay(), rules=rules)
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]


# requirement: T9
async def test_an_unknown_tool_fails_and_nobody_is_asked(file_world: World) -> None:
    till = Till()
    async with file_world(one_call, till.refund()) as working:
        turn = await working.send("agent", "pay bob", by=STAFF)
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    assert turn.pending == ()


# requirement: T9
async def test_a_turn_whose_own_predicate_is_gone_asks_about_everything(file_world: World) -> None:
    ran: list[int] = []

    @tool
    async def pay(amount: int, to: str) -> str:
        """A tool that does not ask by itself."""
        ran.append(amount)
        return "paid"

    async with file_world(one_call, pay, worker=False) as starting:
        turn_id = await starting.start("agent", "pay", by=STAFF, ask_when=lambda *_: False)
    async with file_world(one_call, pay) as working:
        turn = await rested(working, turn_id)
    assert ran == []
    assert [call.status for call in turn.calls] == [CallStatus.AWAITING_APPROVAL]


# requirement: T9
async def test_a_call_that_nobody_can_be_asked_about_is_denied(file_world: World) -> None:
    till = Till()
    robot = Person("robot", roles=frozenset({"staff"}), kind=PersonKind.SERVICE)
    async with file_world(one_call, till.pay()) as working:
        turn = await working.send("agent", "pay bob", by=robot)
    assert till.paid == []
    assert [call.status for call in turn.calls] == [CallStatus.DENIED]


@pytest.mark.parametrize("fault", ["leaves", "cancelled within", "aborts"])
async def test_a_model_that_raises_what_is_no_error_ends_its_turn_only(
    file_world: World, fault: str
) -> None:
    class Model(ScriptedModel):
        async def request(self, prompt: Prompt) -> Answer:
            given = FAULTS[fault](prompt)
            await given
            raise AssertionError("it should have raised")

    async with file_world(Model([]), Till().pay()) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        assert (turn.status, turn.error) == (
            TurnStatus.FAILED,
            "An internal error ended the turn.",
        )
