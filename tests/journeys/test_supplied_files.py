"""Whatever a person supplies as content, the conversation goes on, over real HTTP."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assent import Agent, Assent, Person, manual, supply
from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus, TurnStatus
from tests.conftest import QUICK
from tests.models.wires import WIRES, Wire
from tests.providers import FakeProvider, Reply, Status, ToolUse

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SUPPLIED: dict[str, Json] = {
    "another library's image": [{"type": "input_image", "image_url": {"url": "https://e.invalid"}}],
    "an address that is a number": [{"type": "input_image", "image_url": 5}],
    "data that is a number": [{"type": "input_image", "data": 5}],
    "a file of no type": [{"type": "input_file", "data": "aGk="}],
    "a file of a made-up type": [{"type": "input_file", "data": "aGk=", "media_type": "nonsense"}],
    "a link that is gone": [
        {"type": "input_file", "file_url": "https://e.invalid/a", "media_type": "application/pdf"}
    ],
    "a sound": [{"type": "input_file", "data": "aGk=", "media_type": "audio/mpeg"}],
    "nothing": "",
    "a blank block": [{"type": "input_text", "text": " "}],
}


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with FakeProvider() as fake:
        yield fake


@pytest.fixture(params=WIRES, ids=lambda wire: wire.dialect)
def wire(request: pytest.FixtureRequest) -> Wire:
    return request.param


def opened(folder: Path, wire: Wire, provider: FakeProvider) -> Assent:
    look = manual("look", description="Have somebody look")
    agent = Agent("agent", model=wire.model(provider), tools=[look])
    return Assent(f"sqlite:///{folder / 'files.db'}", agents=[agent], times=QUICK)


# conformance: 83, 87
@pytest.mark.parametrize("output", SUPPLIED.values(), ids=SUPPLIED)
async def test_what_was_supplied_and_the_next_message_are_answered(
    tmp_path: Path, wire: Wire, provider: FakeProvider, owner: Person, output: Json
) -> None:
    provider.script(
        Reply(text="Look.", calls=(ToolUse(tool="look"),)), Reply(text="Seen."), Reply(text="Bye.")
    )
    async with opened(tmp_path, wire, provider) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, supply(output), by=owner)
        turn = await assent.wait(turn.id)
        assert (turn.status, turn.text) == (TurnStatus.DONE, "Seen.")
        assert turn.calls[0].status is CallStatus.SUCCEEDED
        turn = await assent.send("agent", "bye", by=owner, conversation_id=turn.conversation_id)
        assert (turn.status, turn.text) == (TurnStatus.DONE, "Bye.")


# conformance: 83, 87
async def test_an_image_that_the_model_refuses_does_not_end_the_conversation(
    tmp_path: Path, wire: Wire, provider: FakeProvider, owner: Person
) -> None:
    no_images = Status(status=400, message="this model reads text only")
    provider.script(Reply(text="Look.", calls=(ToolUse(tool="look"),)))
    provider.script(no_images, Reply(text="I cannot see it."), no_images, Reply(text="Bye."))
    async with opened(tmp_path, wire, provider) as assent:
        turn = await assent.send("agent", "go", by=owner)
        image: Json = [{"type": "input_image", "data": "iVBORw0KGgo="}]
        await assent.decide(turn.pending[0].id, supply(image), by=owner)
        turn = await assent.wait(turn.id)
        assert (turn.status, turn.text) == (TurnStatus.DONE, "I cannot see it.")
        turn = await assent.send("agent", "bye", by=owner, conversation_id=turn.conversation_id)
        assert (turn.status, turn.text) == (TurnStatus.DONE, "Bye.")
