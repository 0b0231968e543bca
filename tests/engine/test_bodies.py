"""Bodies that end in unusual ways: an honest outcome at once, and never a wrong reason."""

import asyncio
import json
import logging
import threading
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Any, cast

import pytest
from pydantic import AfterValidator, BaseModel, model_serializer

from assent import (
    Deferred,
    Field,
    FieldType,
    OutcomeUnknown,
    Person,
    Progress,
    Risk,
    Tool,
    UserInput,
    answer,
    hitl,
    supply,
    tool,
)
from assent.domain.events import Entry
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import actions, told
from tests.conftest import QUICK, World

# Whoever waits for a lease to run out waits longer than any test does.
UNHURRIED = replace(QUICK, lease=timedelta(minutes=5))
SECONDS = 20


class Abort(BaseException):
    """A body's own, that is no `Exception`."""


class Sullen:
    """Says nothing of itself."""

    def __repr__(self) -> str:
        raise Abort("no")


async def cancels_a_part_of_itself() -> None:
    part = asyncio.create_task(asyncio.sleep(60))
    part.cancel()
    await part


async def aborts() -> None:
    raise Abort("enough")


async def fails_in_parts() -> None:
    raise BaseExceptionGroup("parts", [Abort("one"), ValueError("two")])


async def exits() -> None:
    raise SystemExit(3)


async def takes_too_long_for_itself() -> None:
    raise TimeoutError("no answer from the bank")


def does(body: Callable[[], Any], *, risk: Risk = Risk.MODERATE, **said: Any) -> Tool:
    """A tool that begins, and then ends as that body does."""

    async def act() -> object:
        """Act."""
        return await body()

    return tool(risk=risk, requires_approval=False, **said)(act)


def acts() -> ScriptedModel:
    return ScriptedModel([says("", calls("act")), "Understood."])


ENDS: dict[Callable[[], Any], str] = {
    cancels_a_part_of_itself: "CancelledError",
    aborts: "Abort: enough",
    fails_in_parts: "BaseExceptionGroup: parts (2 sub-exceptions)",
    exits: "SystemExit: 3",
    takes_too_long_for_itself: "TimeoutError: no answer from the bank",
}


@pytest.mark.parametrize("limit", [timedelta(minutes=5), None], ids=["limited", "unlimited"])
@pytest.mark.parametrize("body", ENDS, ids=lambda body: body.__name__)
async def test_whatever_a_body_raises_fails_its_call_at_once_and_the_model_is_told(
    world: World, owner: Person, body: Callable[[], Any], limit: timedelta | None
) -> None:
    model = acts()
    async with world(model, does(body, timeout=limit), times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)

        assert (turn.status, turn.text) == (TurnStatus.DONE, "Understood.")
        assert turn.calls[0].status is CallStatus.FAILED
        assert await actions(assent, turn.calls[0].id) == ["propose", "gate", "claim", "fail"]
    assert ENDS[body] in told(model)[0]


@pytest.mark.parametrize(("body", "said"), [(aborts, "enough"), (exits, "3")])
async def test_whatever_a_response_hook_raises_is_told_with_the_answer_at_once(
    world: World, owner: Person, body: Callable[[], Any], said: str
) -> None:
    async def review(value: object) -> object:
        return await body()

    async def nobody_yet() -> None:
        """Ask somebody."""

    asking = hitl("act", output=str, on_tool_called=nobody_yet, on_response_received=review)
    model = acts()
    async with world(model, asking, times=UNHURRIED) as assent, asyncio.timeout(SECONDS):
        turn = await assent.send("agent", "act", by=owner)
        await assent.decide(turn.pending[0].id, supply("fine"), by=owner)
        turn = await assent.wait(turn.id)

        assert turn.calls[0].status is CallStatus.FAILED
    assert json.loads(told(model)[0]) == {"error": said, "originalOutput": "fine"}


async def test_a_safe_tool_that_cancels_a_part_of_itself_is_not_tried_again(
    world: World, owner: Person
) -> None:
    begun = 0

    async def body() -> None:
        nonlocal begun
        begun += 1
        await cancels_a_part_of_itself()

    async with world(acts(), does(body, risk=Risk.SAFE), times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)
        assert turn.calls[0].status is CallStatus.FAILED
    assert begun == 1


async def cancels_its_own_task() -> None:
    task = asyncio.current_task()
    assert task is not None
    task.cancel()
    await asyncio.sleep(60)


async def test_a_body_that_cancels_the_task_it_runs_in_is_in_doubt_at_once(
    world: World, owner: Person
) -> None:
    """From inside it looks as if somebody had stopped it: nobody knows what it did."""
    async with world(acts(), does(cancels_its_own_task), times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)

        assert turn.calls[0].status is CallStatus.IN_DOUBT
        [request] = turn.pending
        assert request.question.reason == "it was cancelled while it ran"


async def test_a_safe_tool_that_cancels_its_task_is_tried_again_at_once_and_then_given_up(
    world: World, owner: Person
) -> None:
    model, safe = acts(), does(cancels_its_own_task, risk=Risk.SAFE)
    async with world(model, safe, times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)

        assert turn.calls[0].status is CallStatus.FAILED
        assert "Given up after 3 attempts: it was cancelled while it ran" in told(model)[0]


async def test_progress_that_cannot_even_be_written_down_fails_its_call_at_once(
    world: World, owner: Person
) -> None:
    @tool(risk=Risk.MODERATE, requires_approval=False)
    async def act() -> AsyncGenerator[object]:
        """Act."""
        yield Progress(cast("Any", Sullen()))
        yield "done"

    async with world(acts(), act, times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)
        assert turn.calls[0].status is CallStatus.FAILED


UNKEPT: dict[str, object] = {
    "half": "\ud800",
    "nul": "a\x00b",
    "endless": "t" * 5_000_000,
    "empty": "",
    "number": 5,
}


@pytest.mark.parametrize("task_id", UNKEPT.values(), ids=UNKEPT.keys())
async def test_a_task_that_nobody_can_name_leaves_the_call_in_doubt_at_once(
    world: World, owner: Person, task_id: object
) -> None:
    """It was begun, so it is no failure; and nobody can ever say that it ended."""

    async def body() -> Deferred:
        return Deferred(cast("str", task_id))

    async with world(acts(), does(body), times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)

        assert turn.calls[0].status is CallStatus.IN_DOUBT
        [request] = turn.pending
        assert request.kind is RequestKind.OUTCOME
        assert request.question.reason.startswith("it deferred to a task whose id cannot be kept: ")


async def test_a_doubt_that_no_database_can_spell_is_put_to_a_person_all_the_same(
    world: World, owner: Person
) -> None:
    async def body() -> None:
        raise OutcomeUnknown("the bank said \ud800 and \x00")

    async with world(acts(), does(body), times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)

        assert turn.calls[0].status is CallStatus.IN_DOUBT
        assert turn.pending[0].question.reason.startswith("the bank said ")


async def test_what_a_validator_logs_of_a_secret_is_masked(
    world: World, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    def looked_at(pin: str) -> str:
        logging.getLogger("shop").warning("the pin is %s", pin)
        return pin

    @tool(
        risk=Risk.MODERATE,
        requires_approval=False,
        user_input=UserInput("A pin is needed.", [Field("pin", type=FieldType.SECRET)]),
    )
    async def act(pin: Annotated[str, AfterValidator(looked_at)]) -> str:
        """Act."""
        return "done"

    async with world(acts(), act) as assent:
        turn = await assent.send("agent", "act", by=owner)
        await assent.decide(turn.pending[0].id, answer({"pin": "hunter2!"}), by=owner)
        turn = await assent.wait(turn.id)
        assert turn.calls[0].status is CallStatus.SUCCEEDED

    assert "the pin is" in caplog.text
    assert "hunter2!" not in caplog.text


async def test_a_validator_that_ends_everything_fails_its_call_only(
    world: World, owner: Person
) -> None:
    judged = 0

    def judge(to: str) -> str:
        # The gate's own look at the arguments comes first.
        nonlocal judged
        judged += 1
        if judged > 1:
            raise Abort("not to them")
        return to

    @tool(risk=Risk.MODERATE, requires_approval=False)
    async def act(to: Annotated[str, AfterValidator(judge)]) -> str:
        """Act."""
        return to

    model = ScriptedModel([says("", calls("act", to="eve")), "Understood."])
    async with world(model, act, times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)
        assert turn.calls[0].status is CallStatus.FAILED
    assert "Abort: not to them" in told(model)[0]


class Grumpy(BaseModel):
    """Cannot be written down."""

    @model_serializer
    def refuse(self) -> str:
        raise ZeroDivisionError("no")


async def returns_a_lock() -> object:
    return threading.Lock()


async def returns_what_refuses_to_be_kept() -> object:
    return Grumpy()


async def returns_itself_in_itself() -> object:
    endless: list[object] = []
    endless.append(endless)
    return endless


UNKEEPABLE = [returns_a_lock, returns_what_refuses_to_be_kept, returns_itself_in_itself]
RAN = "It ran, but its output could not be kept: "
HINT = "Do not run it again because of this."


async def ends(world: World, owner: Person, does_it: Tool) -> tuple[str, list[Entry]]:
    """What the model is told of a call, and its record."""
    model = acts()
    async with world(model, does_it, times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)
        [call] = turn.calls
        assert call.status is CallStatus.FAILED
        return told(model)[0], await assent.audit(call_id=call.id)


@pytest.mark.parametrize("body", UNKEEPABLE, ids=lambda body: body.__name__)
async def test_a_body_whose_output_cannot_be_kept_ran_and_everybody_is_told(
    world: World, owner: Person, body: Callable[[], Any]
) -> None:
    said, record = await ends(world, owner, does(body))

    assert RAN in said
    assert HINT in said
    assert record[-1].data == {"ran": True}


async def test_a_body_whose_output_is_not_the_declared_one_ran(world: World, owner: Person) -> None:
    async def act() -> str:
        """Act."""
        return "five"

    said, record = await ends(world, owner, tool(output=int, requires_approval=False)(act))

    assert RAN in said
    assert HINT in said
    assert record[-1].data == {"ran": True}


@pytest.mark.parametrize("results", [0, 2])
async def test_a_generator_that_has_not_one_result_ran(
    world: World, owner: Person, results: int
) -> None:
    async def act() -> AsyncGenerator[object]:
        """Act."""
        for number in range(results):
            yield number

    said, record = await ends(world, owner, tool(requires_approval=False)(act))

    assert f"{RAN}it yielded {results} results, not one" in said
    assert record[-1].data == {"ran": True}


async def test_a_response_hook_whose_output_cannot_be_kept_ran(world: World, owner: Person) -> None:
    def act() -> None:
        """Ask somebody to act."""

    def hook(value: str) -> object:
        return threading.Lock()

    model = acts()
    asks = hitl("act", output=str, on_tool_called=act, on_response_received=hook)
    async with world(model, asks, times=UNHURRIED) as assent:
        turn = await assent.send("agent", "act", by=owner)
        await assent.decide(turn.pending[0].id, supply("fine"), by=owner)
        turn = await assent.wait(turn.id)

    output = json.loads(turn.calls[0].output or "")
    assert output["error"].startswith(RAN)
    assert output["originalOutput"] == "fine"


KEPT = ["\x00", "half \ud800 of a pair", {"\x00": 1}, 2**80, float("nan"), "x" * 2_000_000, b"\xff"]


@pytest.mark.parametrize("value", KEPT, ids=range(len(KEPT)))
async def test_what_a_body_returned_is_kept_however_odd_or_its_call_says_that_it_ran(
    world: World, owner: Person, value: object
) -> None:
    async def body() -> object:
        return value

    model = acts()
    async with world(model, does(body), times=UNHURRIED) as assent:
        async with asyncio.timeout(SECONDS):
            turn = await assent.send("agent", "act", by=owner)

    [call] = turn.calls
    assert call.status is CallStatus.SUCCEEDED or RAN in told(model)[0]
