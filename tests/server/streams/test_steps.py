"""A turn as neutral steps: replayed, then live, until it rests."""

import asyncio
from typing import Any

from assent import Assent, Limits, Person, approve, tool
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.errors import ModelFailed
from assent.server.streams import steps as told
from assent.server.streams.steps import TurnStep, follow
from assent.testing import calls, says
from tests.conftest import World
from tests.server.streams.lines import Shop


async def followed(assent: Assent, turn_id: str, after: int = 0) -> list[TurnStep]:
    async with asyncio.timeout(20):
        return [step async for step in follow(assent, turn_id, after=after)]


def kinds(steps: list[TurnStep]) -> list[str]:
    """Their names, with neighbouring texts as one."""
    names = [type(step).__name__ for step in steps]
    pairs = zip(names, ["", *names], strict=False)
    return [name for name, before in pairs if not name == before == "TextSaid"]


def only(steps: list[TurnStep], kind: type[Any]) -> Any:
    [found] = [step for step in steps if isinstance(step, kind)]
    return found


PAUSED = [
    "Opened",
    "StepStarted",
    "TextSaid",
    "CallProposed",
    "Requested",
    "StepPaused",
    "StepFinished",
    "TurnWaiting",
]


async def test_a_turn_that_pauses_and_goes_on(world: World, owner: Person) -> None:
    script = [says("I will.", calls("delete", target="a")), "Done."]
    async with world(script, Shop().delete()) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        paused = await followed(assent, turn_id)
        request = only(paused, told.Requested).request
        await assent.decide(request.id, approve({"target": "b"}), by=owner)
        whole = await followed(assent, turn_id)

    assert kinds(paused) == PAUSED
    assert only(paused, told.TurnWaiting).requests == (request,)
    assert only(paused, told.CallProposed).arguments == {"target": "a"}
    assert kinds(whole) == [
        *PAUSED[:5],
        "RequestClosed",
        "CallRevised",
        "CallSettled",
        "StepFinished",
        "StepStarted",
        "TextSaid",
        "StepFinished",
        "TurnFinished",
    ]
    assert only(whole, told.RequestClosed).status is RequestStatus.APPROVED
    assert only(whole, told.CallRevised).arguments == {"target": "b"}
    assert only(whole, told.CallSettled).output == "deleted b"


async def test_a_follower_from_the_start_sees_what_a_late_one_sees(
    world: World, owner: Person
) -> None:
    script = [says("Let me see.", calls("look", at="a")), says("And.", calls("look", at="b")), "Ok"]
    async with world(script, Shop().look) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        live = await followed(assent, turn_id)
        late = await followed(assent, turn_id)

    assert live == late
    assert kinds(live).count("StepStarted") == kinds(live).count("StepFinished") == 3


async def test_it_waits_for_calls_that_run_beside_the_one_that_asks(
    world: World, owner: Person
) -> None:
    @tool
    async def slow() -> str:
        await asyncio.sleep(0.2)
        return "done"

    script = [says("", calls("delete", target="a"), calls("slow"))]
    async with world(script, slow, Shop().delete()) as assent:
        steps = await followed(assent, await assent.start("agent", "go", by=owner))

    assert kinds(steps)[-4:] == ["CallSettled", "StepPaused", "StepFinished", "TurnWaiting"]


async def test_a_step_that_is_asked_again_is_reset_within_itself(
    world: World, owner: Person
) -> None:
    async with world([ModelFailed("lost", transient=True), "Hello."]) as assent:
        steps = await followed(assent, await assent.start("agent", "go", by=owner))

    assert kinds(steps) == [
        "Opened",
        "StepStarted",
        "StepReset",
        "TextSaid",
        "StepFinished",
        "TurnFinished",
    ]


async def test_a_failure_is_told_until_the_turn_is_resumed(world: World, owner: Person) -> None:
    async with world([ModelFailed("gone"), "Hello."]) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        failed = await followed(assent, turn_id)
        await assent.resume(turn_id, by=owner)
        resumed = await followed(assent, turn_id)

    assert kinds(failed)[-2:] == ["StepFinished", "TurnErrored"]
    assert "gone" in only(failed, told.TurnErrored).message
    assert kinds(resumed)[-4:] == ["StepReset", "TextSaid", "StepFinished", "TurnFinished"]
    assert kinds(resumed).count("StepStarted") == 1


async def test_calls_on_record_are_not_reset_with_the_turn(world: World, owner: Person) -> None:
    strict = Limits(invalid_arguments=0)
    async with world([says("", calls("unknown")), "Hello."], limits=strict) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.resume(turn.id, by=owner)
        steps = kinds(await followed(assent, turn.id))

    assert steps == [
        "Opened",
        "StepStarted",
        "CallProposed",
        "CallSettled",
        "StepFinished",
        "StepStarted",
        "TextSaid",
        "StepFinished",
        "TurnFinished",
    ]


async def test_a_stopped_turn_tells_what_became_of_its_calls(world: World, owner: Person) -> None:
    async with world([says("", calls("delete", target="a"))], Shop().delete()) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.stop(turn.id, by=owner)
        steps = await followed(assent, turn.id)

    assert only(steps, told.CallSettled).status is CallStatus.CANCELLED
    assert kinds(steps)[-2:] == ["StepFinished", "TurnStopped"]


async def test_whoever_leaves_keeps_no_place_in_the_queue(world: World, owner: Person) -> None:
    go = asyncio.Event()

    @tool
    async def slow() -> str:
        await go.wait()
        return "done"

    async with world([says("", calls("slow")), "Ok"], slow) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        reading = asyncio.create_task(followed(assent, turn_id))
        await asyncio.sleep(0.1)
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        go.set()
        turn = await assent.wait(turn_id)

    assert turn.text == "Ok"


async def test_another_process_can_follow(world: World, owner: Person) -> None:
    async with world([says("", calls("look", at="a")), "Ok"], Shop().look) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        async with world([], Shop().look, worker=False) as other:
            steps = await followed(other, turn_id)

    assert kinds(steps)[-1] == "TurnFinished"
    assert only(steps, told.CallSettled).output == "saw a"
