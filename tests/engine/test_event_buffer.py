import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

from assent import Person, manual
from assent.domain.events import EventKind
from assent.engine.loop.event_buffer import EventBuffer
from assent.testing import calls, says
from tests.conftest import World

LOOK = manual("look", description="Somebody looks.")


async def until(condition: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise TimeoutError("it never came true")


async def texts(assent, turn_id: str, wanted: int) -> list[str]:
    found: list[str] = []
    async for event in assent.events(turn_id):
        if event.kind is EventKind.TEXT:
            found.append(event.data["text"])
        if len(found) == wanted:
            break
    return found


async def test_what_is_said_while_a_flush_commits_is_told_though_silence_follows(
    tmp_path: Path, owner: Person
) -> None:
    world = World(f"sqlite:///{tmp_path / 'assent.db'}")
    async with world([says("", calls("look"))], LOOK) as assent, asyncio.timeout(10):
        turn = await assent.send("agent", "go", by=owner)
        buffer = EventBuffer(assent.kernel, turn.id)
        busy, free = threading.Event(), threading.Event()

        def hold(_: object) -> None:
            busy.set()
            free.wait(10)

        holding = asyncio.create_task(assent.kernel.store.run(hold))
        await asyncio.to_thread(busy.wait, 10)
        buffer.say(EventKind.TEXT, {"text": "first"})
        await until(lambda: buffer._commit is not None)
        buffer.say(EventKind.TEXT, {"text": "second"})
        free.set()
        await holding
        said = await texts(assent, turn.id, 2)

    assert said == ["first", "second"]


async def test_neighbouring_deltas_become_one_event(world: World, owner: Person) -> None:
    async with world([says("", calls("look"))], LOOK) as assent, asyncio.timeout(10):
        turn = await assent.send("agent", "go", by=owner)
        buffer = EventBuffer(assent.kernel, turn.id)
        for piece in ("a", "b", "c"):
            buffer.say(EventKind.TEXT, {"text": piece})
        said = await texts(assent, turn.id, 1)

    assert said == ["abc"]


async def test_nothing_is_told_of_a_turn_that_was_stopped(world: World, owner: Person) -> None:
    async with world([says("", calls("look"))], LOOK) as assent, asyncio.timeout(10):
        turn = await assent.send("agent", "go", by=owner)
        await assent.stop(turn.id, by=owner)
        buffer = EventBuffer(assent.kernel, turn.id)
        buffer.say(EventKind.TEXT, {"text": "late"})
        await until(lambda: buffer.is_void)
        events = [event async for event in assent.events(turn.id)]

    assert events[-1].kind is EventKind.FINISHED


async def test_a_worker_that_lost_its_turn_tells_nothing_of_it(world: World, owner: Person) -> None:
    async with world([says("", calls("look"))], LOOK) as assent, asyncio.timeout(10):
        turn = await assent.send("agent", "go", by=owner)
        buffer = EventBuffer(assent.kernel, turn.id, fence=0)
        buffer.say(EventKind.TEXT, {"text": "stale"})
        await until(lambda: buffer.is_void)
        await assent.stop(turn.id, by=owner)
        events = [event async for event in assent.events(turn.id)]

    assert EventKind.TEXT not in [event.kind for event in events if event.data.get("text")]
