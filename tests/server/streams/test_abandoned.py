"""A worker killed in the middle of an answer: replays hold the new answer and none of the old."""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from assent import Assent, Person
from assent.domain.events import EventKind
from assent.domain.messages import Answer, Delta, Prompt
from assent.errors import ModelFailed
from assent.server import Settings
from assent.server.streams.agui_events import AguiEvents
from assent.server.streams.data_stream import DataStream
from assent.server.streams.steps import follow
from assent.testing import ScriptedModel, calls, says
from tests.conftest import QUICK, World
from tests.faults.nursery import until
from tests.server.conftest import Serve
from tests.server.streams import abandoning_program
from tests.server.streams.abandoning_program import ABANDONED, DOUBTS, FIRST
from tests.server.streams.lines import Shop, parts, said

USER = Person("user")
ANSWER = "The whole story."


def _program(url: str) -> "subprocess.Popen[str]":
    path = os.pathsep.join(folder for folder in sys.path if folder)
    return subprocess.Popen(
        [sys.executable, str(abandoning_program.__file__), url],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.fixture
async def killed(world: World, url: str) -> str:
    """A turn whose worker was killed while it told of the second answer."""
    child = _program(url)
    try:
        assert child.stdout is not None
        turn_id = child.stdout.readline().strip()
        async with world([], worker=False) as reader:

            async def is_telling() -> bool:
                return ABANDONED in await told(reader, turn_id)

            await until(is_telling)
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate()
    return turn_id


async def told(assent: Assent, turn_id: str) -> str:
    """What a replay says, whether or not the turn still goes on."""
    events = await assent.kernel.store.run(lambda tx: tx.journal.events(turn_id, 0, 1_000))
    kinds = (EventKind.TEXT, EventKind.REASONING)
    return "".join(str(event.data["text"]) for event in events if event.kind in kinds)


def goes_on() -> ScriptedModel:
    return ScriptedModel([says(ANSWER, calls("delete", target="a"), reasoning="I know it.")])


async def waited_for(assent: Assent, turn_id: str) -> str:
    """Wait until the turn has its new answer; its conversation."""

    async def is_asked() -> bool:
        return bool((await assent.turn(turn_id)).pending)

    await until(is_asked)
    return (await assent.turn(turn_id)).conversation_id


async def test_events_of_the_library_hold_only_the_answer_that_counts(
    killed: str, world: World
) -> None:
    shop = Shop()
    async with world(goes_on(), shop.look, shop.delete()) as assent:
        await waited_for(assent, killed)
        text = ""
        async for event in assent.events(killed):
            if event.kind is EventKind.TEXT:
                text += str(event.data["text"])
            if event.kind is EventKind.WAITING:
                break

    assert text == FIRST + ANSWER


@pytest.mark.parametrize("version", ["5", "6", "7"])
async def test_the_resumed_stream_of_the_ai_sdk_holds_only_the_answer_that_counts(
    killed: str, serve: Serve, version: Any
) -> None:
    shop = Shop()
    settings = Settings(ai_sdk=version)
    async with serve(goes_on(), shop.look, shop.delete(), settings=settings) as served:
        id = await waited_for(served.assent, killed)
        answered = await served.client().get(f"/api/chat/{id}/stream")

    assert answered.status_code == 200
    assert said(answered.text) == FIRST + ANSWER
    assert DOUBTS not in answered.text


async def test_the_data_stream_and_agui_hold_only_the_answer_that_counts(
    killed: str, world: World
) -> None:
    shop = Shop()
    async with world(goes_on(), shop.look, shop.delete()) as assent:
        await waited_for(assent, killed)
        data, agui = (
            DataStream(Person("ada")),
            AguiEvents(
                "thread", "run", declared=None, viewer=USER, catalogue=assent.kernel.catalogue
            ),
        )
        lines, events = b"", b""
        async for step in follow(assent, killed):
            lines += b"".join(data.encode(step))
            events += b"".join(agui.encode(step))

    assert "".join(value for code, value in parts(lines.decode()) if code == "0") == FIRST + ANSWER
    for stream in (lines, events):
        assert ABANDONED.encode() not in stream
        assert DOUBTS.encode() not in stream
        assert stream.count(ANSWER.rsplit(maxsplit=1)[-1].encode()) == 1


async def test_the_page_of_the_chat_holds_only_the_answer_that_counts(
    killed: str, serve: Serve
) -> None:
    shop = Shop()
    async with serve(goes_on(), shop.look, shop.delete()) as served:
        id = await waited_for(served.assent, killed)
        page = (await served.client().get(f"/chat/{id}")).text

    assert ABANDONED not in page
    assert page.count(ANSWER) == 1


class Stuttering(ScriptedModel):
    """Breaks off in the middle of its first answer."""

    def __init__(self) -> None:
        super().__init__([ABANDONED, ANSWER])
        self.broken = False

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        if not self.broken:
            self.broken = True
            async for item in super().stream(prompt):
                if not isinstance(item, Answer):
                    yield item
            raise ModelFailed("cut", transient=True)
        async for item in super().stream(prompt):
            yield item


async def test_an_answer_that_broke_off_is_not_replayed_either(world: World, owner: Person) -> None:
    async with world(Stuttering(), times=QUICK) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        live = [event async for event in assent.events(turn_id)]
        replayed = await told(assent, turn_id)

    assert live[-1].kind is EventKind.FINISHED
    assert replayed == ANSWER
