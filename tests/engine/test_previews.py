"""What a tool says it would do: shown when it works, shown when it fails, never fatal."""

import asyncio
import threading
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from assent import Context, Person, Preview, approve, tool
from assent.domain.canonical import Json
from assent.domain.lifecycle import TurnStatus
from assent.engine.gate.planner import MAX_CHARS, preview
from assent.testing import calls, says
from tests.conftest import World

SECONDS = 5
SHORT = timedelta(milliseconds=20)
CONTEXT = Context(call_id="c", conversation_id="v", agent="a", tool="pay", owner=Person("ada"))


def paying(preview: Any) -> Any:
    @tool(requires_approval=True, preview=preview)
    async def pay(amount: int) -> str:
        """Pay an amount."""
        return f"paid {amount}"

    return pay


async def shown(world: World, owner: Person, preview: Any) -> Preview:
    """What a person is shown before they decide."""
    async with world([says("", calls("pay", amount=5))], paying(preview)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
    assert turn.status is TurnStatus.WAITING
    made = turn.pending[0].question.preview
    assert made is not None
    return made


@pytest.mark.parametrize(
    "made",
    [{"a": 1}, 5, b"x", ["a"], object],
    ids=repr,
)
async def test_a_preview_that_is_none_is_shown_as_failed_and_the_call_waits(
    world: World, owner: Person, made: Any
) -> None:
    script = [says("", calls("pay", amount=5)), "Done."]
    async with world(script, paying(lambda args, ctx: made)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        assert turn.status is TurnStatus.WAITING
        [request] = turn.pending
        await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert request.question.preview is not None
    assert request.question.preview.failed
    assert "a preview is a text" in request.question.preview.text
    assert turn.status is TurnStatus.DONE


class Abort(BaseException):
    """An author's own way to end everything."""


class Mute(Exception):
    """An exception that cannot even be shown."""

    def __str__(self) -> str:
        raise RuntimeError("mute")


ERRORS = [
    RuntimeError("no"),
    RuntimeError("\ud800 and \x00"),
    SystemExit(1),
    Abort(),
    asyncio.CancelledError(),
    StopIteration(),
    Mute(),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("plain", [True, False], ids=["plain", "async"])
async def test_a_preview_that_raises_is_shown_as_failed(
    world: World, owner: Person, error: BaseException, plain: bool
) -> None:
    def failing(args: Any, ctx: Any) -> str:
        raise error

    async def failing_later(args: Any, ctx: Any) -> str:
        raise error

    made = await shown(world, owner, failing if plain else failing_later)
    assert made.failed
    assert type(error).__name__ in made.text


async def test_a_preview_of_any_length_costs_a_bounded_row(world: World, owner: Person) -> None:
    made = await shown(world, owner, lambda args, ctx: "x" * 10_000_000)
    assert len(made.text) < 100_000
    assert "left out" in made.text
    assert not made.failed


@pytest.mark.parametrize("side", ["before", "after"])
async def test_a_diff_that_is_too_long_is_shown_as_failed_and_never_in_part(
    world: World, owner: Person, side: str
) -> None:
    diff = replace(Preview(before="a", after="b"), **{side: "x" * (MAX_CHARS + 1)})
    made = await shown(world, owner, lambda args, ctx: diff)
    assert made.failed
    assert (made.before, made.after) == (None, None)
    assert "262,145 characters are too long" in made.text


async def test_a_diff_is_shown_whole(world: World, owner: Person) -> None:
    diff = Preview(text="It changes:", before="a" * MAX_CHARS, after=None)
    assert await shown(world, owner, lambda args, ctx: diff) == diff


async def test_a_preview_that_changes_its_arguments_changes_nothing_that_runs(
    world: World, owner: Person
) -> None:
    def meddling(args: Any, ctx: Any) -> str:
        args["amount"] = 1
        return "pays 1"

    script = [says("", calls("pay", amount=5)), "Done."]
    async with world(script, paying(meddling)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.result(turn.calls[0].id) == "paid 5"


async def test_a_preview_gets_arguments_of_its_own() -> None:
    arguments: dict[str, Json] = {"amounts": [5]}

    def meddling(args: Any, ctx: Any) -> str:
        args["amounts"].append(6)
        return "pays more"

    await preview(paying(meddling), arguments, CONTEXT, within=timedelta(seconds=SECONDS))
    assert arguments == {"amounts": [5]}


async def test_a_plain_preview_that_waits_holds_up_nobody_else(world: World, owner: Person) -> None:
    begun, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def waiting(args: Any, ctx: Any) -> str:
        loop.call_soon_threadsafe(begun.set)
        return "let go" if go_on.wait(SECONDS) else "alone"

    async with world([says("", calls("pay", amount=5))], paying(waiting)) as assent:
        turn_id = await assent.start("agent", "pay", by=owner)
        await begun.wait()
        go_on.set()
        turn = await assent.wait(turn_id)

    assert turn.pending[0].question.preview == Preview(text="let go")


async def test_a_plain_preview_has_a_time_limit() -> None:
    go_on = threading.Event()

    def waiting(args: Any, ctx: Any) -> str:
        return "let go" if go_on.wait(SECONDS) else "alone"

    made = await preview(paying(waiting), {"amount": 5}, CONTEXT, within=SHORT)
    go_on.set()
    assert made == Preview(text="TimeoutError", failed=True)


async def test_a_preview_is_not_what_a_stopping_worker_waits_for() -> None:
    begun = asyncio.Event()

    async def hanging(args: Any, ctx: Any) -> str:
        begun.set()
        await asyncio.Event().wait()
        return "never"

    within = timedelta(seconds=SECONDS)
    task = asyncio.create_task(preview(paying(hanging), {}, CONTEXT, within=within))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
