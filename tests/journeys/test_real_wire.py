"""The whole engine over real HTTP: provider libraries, a loopback server, pauses, edits, faults."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assent import Agent, Assent, Limits, Person, approve, reject, tool
from assent.domain.events import EventKind
from assent.domain.lifecycle import CallStatus, TurnStatus
from tests.conftest import QUICK
from tests.providers import CutOff, FakeProvider, Fault, RawBody, Reply, Status, ToolUse

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SPECS = [
    ("openai-chat:gpt-x", "openai_url"),
    ("openai-responses:gpt-5", "openai_url"),
    ("anthropic:claude-opus-5", "anthropic_url"),
]


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with FakeProvider() as fake:
        yield fake


class Stage:
    """One agent over one wire, with the tools of the story and what they did."""

    def __init__(
        self, folder: Path, provider: FakeProvider, wire: tuple[str, str], *, stream: bool
    ) -> None:
        self.ran: list[str] = []
        spec, base = wire
        self._url = f"sqlite:///{folder / 'wire.db'}"
        self._agent = Agent(
            "agent",
            model=spec,
            base_url=getattr(provider, base),
            api_key="key-of-a-test",
            stream=stream,
            tools=[self._delete(), self._read()],
            limits=Limits(model_retries=2),
        )

    def _delete(self):
        @tool(requires_approval=True)
        async def delete_file(path: str) -> str:
            """Delete a file."""
            self.ran.append(f"delete {path}")
            return f"deleted {path}"

        return delete_file

    def _read(self):
        @tool
        async def read_file(path: str) -> str:
            """Read a file."""
            self.ran.append(f"read {path}")
            return f"content of {path}"

        return read_file

    def open(self) -> Assent:
        return Assent(self._url, agents=[self._agent], times=QUICK)


@pytest.fixture(params=SPECS, ids=[spec for spec, _ in SPECS])
def wire(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param


@pytest.fixture(params=[True, False], ids=["streamed", "whole"])
def stage(
    request: pytest.FixtureRequest, tmp_path: Path, provider: FakeProvider, wire: tuple[str, str]
) -> Stage:
    return Stage(tmp_path, provider, wire, stream=request.param)


# conformance: 32, 42, 47, 71
async def test_a_mixed_round_pauses_and_goes_on_after_an_edit_in_another_process(
    stage: Stage, provider: FakeProvider, owner: Person
) -> None:
    provider.script(
        Reply(
            text="Both.",
            calls=(
                ToolUse(tool="delete_file", arguments='{"path": "a.txt"}', id="call_1"),
                ToolUse(tool="read_file", arguments='{"path": "b.txt"}', id="call_2"),
            ),
        ),
        Reply(text="All done."),
    )
    async with stage.open() as assent:
        turn = await assent.send("agent", "go", by=owner)
        assert stage.ran == ["read b.txt"]
        assert len(provider.requests) == 1
    async with stage.open() as assent:
        [request] = await assent.pending(person=owner)
        await assent.decide(request.id, approve({"path": "c.txt"}), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.text == "All done."
    assert stage.ran == ["read b.txt", "delete c.txt"]
    # The server answers 400 to a history that a real provider would refuse.
    assert len(provider.requests) == 2
    assert sorted(provider.requests[1].call_ids) == sorted(provider.requests[1].result_ids)
    assert "c.txt" in str(provider.requests[1].body)


async def test_calls_beyond_the_cap_are_left_out_of_what_the_provider_gets_back(
    stage: Stage, provider: FakeProvider, owner: Person
) -> None:
    uses = [
        ToolUse(tool="read_file", arguments=f'{{"path": "{number}"}}', id=f"call_{number}")
        for number in range(100)
    ]
    provider.script(
        Reply(text="All.", reasoning="I read them all.", calls=tuple(uses)), Reply(text="Enough.")
    )
    async with stage.open() as assent:
        turn = await assent.send("agent", "go", by=owner)
        thread = await assent.conversation(turn.conversation_id)

    assert turn.text == "Enough."
    assert len(stage.ran) == 16
    sent = provider.requests[1]
    assert len(sent.call_ids) == 17
    assert sorted(sent.call_ids) == sorted(sent.result_ids)
    assert "made 100 calls" in str(sent.body)
    assert all("call_17" not in (message.body or "") for message in thread.messages)
    # What a provider wants back is there as it came, though the answer was cut.
    [kept] = [message.body for message in thread.messages if "call_16" in (message.body or "")]
    assert kept is not None
    assert json.loads(kept)["wire"]


# conformance: 48, 97, 141
async def test_a_rejection_and_a_second_request_in_the_same_turn(
    stage: Stage, provider: FakeProvider, owner: Person
) -> None:
    provider.script(
        Reply(
            text="", calls=(ToolUse(tool="delete_file", arguments='{"path": "a"}', id="call_3"),)
        ),
        Reply(
            text="", calls=(ToolUse(tool="delete_file", arguments='{"path": "b"}', id="call_4"),)
        ),
        Reply(text="As you wish."),
    )
    async with stage.open() as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, reject("not a"), by=owner)
        turn = await assent.wait(turn.id)
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.text == "As you wish."
    assert stage.ran == ["delete b"]
    assert "not a" in str(provider.requests[1].body)
    assert len(provider.requests[2].call_ids) == len(provider.requests[2].result_ids) == 2


# conformance: 16, 20
async def test_arguments_that_are_no_json_go_back_to_the_model_which_tries_again(
    stage: Stage, provider: FakeProvider, owner: Person
) -> None:
    provider.script(
        Reply(text="", calls=(ToolUse(tool="read_file", arguments='{"file": "b"}', id="call_5"),)),
        Reply(text="", calls=(ToolUse(tool="read_file", arguments='{"path": "b"}', id="call_6"),)),
        Reply(text="Read."),
    )
    async with stage.open() as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert turn.text == "Read."
    assert stage.ran == ["read b"]
    assert [call.status for call in turn.calls] == [CallStatus.FAILED, CallStatus.SUCCEEDED]


@pytest.mark.parametrize(
    "fault",
    [
        Status(status=429),
        Status(status=500),
        RawBody(body=b"<html>garbage</html>"),
        CutOff(reply=Reply(text="Half of an answer")),
    ],
    ids=["429", "500", "garbage", "cut off"],
)
async def test_a_passing_fault_is_asked_again_and_nothing_is_lost_or_doubled(
    stage: Stage, provider: FakeProvider, owner: Person, fault: Fault
) -> None:
    provider.script(
        fault,
        Reply(text="", calls=(ToolUse(tool="read_file", arguments='{"path": "b"}', id="call_7"),)),
        fault,
        Reply(text="Read."),
    )
    async with stage.open() as assent:
        turn = await assent.send("agent", "go", by=owner)
        events = [event async for event in assent.events(turn.id)]

    assert (turn.status, turn.text) == (TurnStatus.DONE, "Read.")
    assert stage.ran == ["read b"]
    resets = [event for event in events if event.kind is EventKind.RESET]
    assert len(resets) == 2
    # What was said before a reset is not said again after it.
    after = events.index(resets[-1])
    said = "".join(str(e.data["text"]) for e in events[after:] if e.kind is EventKind.TEXT)
    assert said == "Read."


# conformance: 87, 88
async def test_a_lasting_fault_fails_the_turn_which_resumes_without_repeating_anything(
    stage: Stage, provider: FakeProvider, owner: Person
) -> None:
    provider.script(
        Reply(
            text="", calls=(ToolUse(tool="delete_file", arguments='{"path": "a"}', id="call_8"),)
        ),
        Status(status=401),
        Reply(text="Gone."),
    )
    async with stage.open() as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        assert turn.status is TurnStatus.FAILED
        assert "key-of-a-test" not in str(turn.error)
        assert not turn.requires_attention
        turn = await assent.resume(turn.id, by=owner)

    assert (turn.status, turn.text) == (TurnStatus.DONE, "Gone.")
    assert stage.ran == ["delete a"]
