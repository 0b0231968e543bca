"""Somebody supplies the output of a HITL or manual call (conformance 76–90)."""

import json
from datetime import timedelta
from typing import Any, cast

import pytest

from assent import (
    Assent,
    Deferred,
    Field,
    Person,
    Risk,
    Tool,
    UserInput,
    answer,
    approve,
    hitl,
    manual,
    supply,
    tool,
)
from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus, ConversationStatus, RequestKind, TurnStatus
from assent.domain.messages import MediaBlock, ModelSaid, TextBlock
from assent.engine.queries.snapshots import Turn
from assent.errors import (
    InvalidOutput,
    ModelFailed,
    NotFound,
    NothingAwaited,
    PendingCalls,
    WrongVerdict,
)
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.conftest import World

IMAGE: Json = {"type": "input_image", "image_url": "https://example.org/cat.png"}


class Review:
    """A HITL tool that leaves every call to a person and keeps what its hooks were given."""

    def __init__(self, hook: Any = None, *, output: Any = dict[str, int], **said: Any) -> None:
        self.called: list[str] = []
        self.received: list[Any] = []
        self._hook = hook
        self.tool = hitl(
            "review",
            output=output,
            on_tool_called=self._called,
            on_response_received=None if hook is None else self._received,
            **said,
        )

    async def _called(self, text: str) -> None:
        """Have a text reviewed."""
        self.called.append(text)

    async def _received(self, value: Any) -> Any:
        self.received.append(value)
        return self._hook(value)


def reviewing(*texts: str) -> ScriptedModel:
    return ScriptedModel([says("", *(calls("review", text=text) for text in texts)), "Done."])


def told(model: ScriptedModel, position: int = 0) -> Any:
    """What the model was told about a call in the newest prompt."""
    said = model.prompts[-1].history[-1]
    assert isinstance(said, ModelSaid)
    return said.outputs[position].content


async def supplied(assent: Assent, turn: Turn, output: Json, by: Person) -> Turn:
    [request] = turn.pending
    await assent.decide(request.id, supply(output), by=by)
    return await assent.wait(turn.id)


# conformance: 76
async def test_the_response_hook_gets_parsed_json_and_its_return_is_what_the_model_sees(
    world: World, owner: Person
) -> None:
    review = Review(lambda value: {"score": value["score"] + 1})
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        turn = await supplied(assent, turn, '{"score": 1}', owner)

    assert review.received == [{"score": 1}]
    assert told(model) == '{"score":2}'
    assert review.called == ["a"]
    assert len(model.prompts) == 2
    assert turn.status is TurnStatus.DONE


# conformance: 76
async def test_an_answer_long_after_the_approval_still_reaches_the_hook(
    world: World, owner: Person, clock: VirtualClock
) -> None:
    review = Review(lambda value: value, requires_approval=True, decide_within=None)
    model = reviewing("a")
    async with world(model, review.tool, clock=clock) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        clock.advance(timedelta(days=3))
        turn = await supplied(assent, turn, {"score": 1}, owner)

    assert review.received == [{"score": 1}]
    assert turn.calls[0].status is CallStatus.SUCCEEDED


# conformance: 77
@pytest.mark.parametrize("text", ["not json", "NaN", '{"a": Infinity}', "[" * 100_000])
async def test_a_supplied_text_that_is_no_json_reaches_the_hook_as_it_is(
    world: World, owner: Person, text: str
) -> None:
    review = Review(lambda value: {"length": len(value)})
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await supplied(assent, turn, text, owner)

    assert review.received == [text]


# conformance: 77
async def test_what_cannot_be_stored_is_refused_and_the_call_still_waits(
    world: World, owner: Person
) -> None:
    review = Review(lambda value: value)
    async with world(reviewing("a"), review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with pytest.raises(InvalidOutput):
            await assent.decide(turn.pending[0].id, supply(cast("Json", object())), by=owner)
        after = await assent.turn(turn.id)

    assert after == turn


# conformance: 78
async def test_without_a_hook_a_fitting_output_is_forwarded_untouched(
    world: World, owner: Person
) -> None:
    review = Review()
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        turn = await supplied(assent, turn, '{ "score":  1 }', owner)

    assert told(model) == '{ "score":  1 }'
    assert turn.calls[0].status is CallStatus.SUCCEEDED


# conformance: 79
async def test_without_a_hook_an_unfitting_output_becomes_an_error_with_the_original(
    world: World, owner: Person
) -> None:
    review = Review()
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        turn = await supplied(assent, turn, '{"score": "high"}', owner)

    seen = json.loads(told(model))
    assert seen["originalOutput"] == {"score": "high"}
    assert "score" in seen["error"]
    assert turn.calls[0].status is CallStatus.FAILED


# conformance: 80
@pytest.mark.parametrize(
    ("output", "original"), [('{"score": 1}', {"score": 1}), ("no json", "no json")]
)
async def test_a_hook_that_raises_leaves_an_error_with_the_original(
    world: World, owner: Person, output: str, original: Json
) -> None:
    def broken(value: object) -> object:
        raise RuntimeError("the hook broke")

    review = Review(broken)
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        turn = await supplied(assent, turn, output, owner)

    assert json.loads(told(model)) == {"error": "the hook broke", "originalOutput": original}
    assert turn.status is TurnStatus.DONE


# conformance: 81
async def test_a_hook_that_breaks_the_schema_leaves_the_same_error(
    world: World, owner: Person
) -> None:
    review = Review(lambda value: {"score": "high"})
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await supplied(assent, turn, {"score": 1}, owner)

    seen = json.loads(told(model))
    assert seen["originalOutput"] == {"score": 1}
    assert "score" in seen["error"]


# conformance: 82
async def test_content_blocks_of_a_failed_response_follow_the_error_block(
    world: World, owner: Person
) -> None:
    def broken(value: object) -> object:
        raise RuntimeError("the hook broke")

    review = Review(broken)
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await supplied(assent, turn, [IMAGE], owner)

    error, image = told(model)
    assert error == TextBlock(text='{"error":"the hook broke"}')
    assert isinstance(image, MediaBlock)
    assert image.url == "https://example.org/cat.png"


# conformance: 83
async def test_content_blocks_from_a_hook_are_sent_as_blocks(world: World, owner: Person) -> None:
    review = Review(lambda value: [{"type": "input_text", "text": "seen"}, IMAGE])
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await supplied(assent, turn, {"score": 1}, owner)

    text, image = told(model)
    assert text == TextBlock(text="seen")
    assert isinstance(image, MediaBlock)


# conformance: 83
@pytest.mark.parametrize(
    ("value", "text"),
    [([], "[]"), ([{"type": "video", "url": "x"}], '[{"type":"video","url":"x"}]')],
)
async def test_empty_arrays_and_unknown_block_types_are_stringified(
    world: World, owner: Person, value: Json, text: str
) -> None:
    review = Review(lambda _: value, output=list[dict[str, str]])
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await supplied(assent, turn, {"score": 1}, owner)

    assert told(model) == text


# conformance: 84
async def test_an_output_for_something_unknown_is_refused(world: World, owner: Person) -> None:
    review = Review()
    model = reviewing("a")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with pytest.raises(NotFound):
            await assent.decide("req_unknown", supply({"score": 1}), by=owner)
        with pytest.raises(NotFound):
            await assent.resolve("call_unknown", {"score": 1})
        after = await assent.turn(turn.id)

    assert after == turn
    assert len(model.prompts) == 1


# conformance: 84
async def test_an_output_for_a_call_that_awaits_none_is_refused(
    world: World, owner: Person
) -> None:
    @tool(requires_approval=True)
    async def delete_file(path: str) -> str:
        """Delete a file."""
        return path

    model = ScriptedModel([says("", calls("delete_file", path="a")), "Done."])
    async with world(model, delete_file) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        with pytest.raises(WrongVerdict):
            await assent.decide(request.id, supply("deleted"), by=owner)
        with pytest.raises(NothingAwaited):
            await assent.resolve(turn.calls[0].id, "deleted")
        after = await assent.turn(turn.id)

    assert after == turn
    assert len(model.prompts) == 1


# conformance: 85
async def test_the_hook_runs_only_for_the_fresh_output(world: World, owner: Person) -> None:
    review = Review(lambda value: value)
    model = reviewing("a", "b")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        first, second = turn.pending
        await assent.decide(first.id, supply({"first": 1}), by=owner)
        await assent.wait(turn.id)
        await assent.decide(second.id, supply({"second": 2}), by=owner)
        await assent.wait(turn.id)

    assert review.received == [{"first": 1}, {"second": 2}]
    assert (told(model, 0), told(model, 1)) == ('{"first":1}', '{"second":2}')


# conformance: 86
async def test_the_response_hook_never_runs_for_an_output_of_the_system(
    world: World, owner: Person
) -> None:
    received: list[object] = []

    async def decide(text: str) -> dict[str, int]:
        """Review it without a person."""
        return {"score": 5}

    automatic = hitl(
        "review",
        output=dict[str, int],
        on_tool_called=decide,
        on_response_received=received.append,
        requires_approval=True,
    )
    model = reviewing("a")
    async with world(model, automatic) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert received == []
    assert told(model) == '{"score":5}'


def _delete() -> Tool:
    @tool(name="work", requires_approval=True)
    async def work(path: str) -> str:
        """Do something that needs approval."""
        return "done"

    return work


def _asks() -> Tool:
    @tool(name="work", user_input=UserInput("We need to know", [Field("account")]))
    async def work(path: str, account: str) -> str:
        """Do something for an account."""
        return "done"

    return work


def _person() -> Tool:
    async def called(path: str) -> None:
        """Leave it to a person."""

    return hitl("work", output=str, on_tool_called=called)


def _caller() -> Tool:
    return manual("work", description="The caller does it.", parameters=lambda path: None)


def _later() -> Tool:
    @tool(name="work", risk=Risk.MODERATE)
    async def work(path: str) -> Deferred:
        """Start something that takes long."""
        return Deferred("task-1")

    return work


WAITS = {
    "approval": (_delete, approve()),
    "input": (_asks, answer(account="x")),
    "hitl": (_person, supply("done")),
    "manual": (_caller, supply("done")),
    "deferred": (_later, None),
}


# conformance: 87, 88
@pytest.mark.parametrize("kind", WAITS)
async def test_a_failed_model_request_asks_nobody_again_and_the_turn_can_be_resumed(
    world: World, owner: Person, kind: str
) -> None:
    declare, verdict = WAITS[kind]
    model = ScriptedModel([says("", calls("work", path="a")), ModelFailed("down"), "Done."])
    async with world(model, declare()) as assent:
        turn = await assent.send("agent", "go", by=owner)
        assert turn.requires_attention
        if verdict is None:
            await assent.resolve("task-1", "done")
        else:
            await assent.decide(turn.pending[0].id, verdict, by=owner)
        failed = await assent.wait(turn.id)
        thread = await assent.conversation(turn.conversation_id)
        assert failed.status is TurnStatus.FAILED
        assert thread.status is ConversationStatus.INTERRUPTED
        assert [call.status for call in failed.calls] == [CallStatus.SUCCEEDED]
        assert failed.pending == ()

        resumed = await assent.resume(turn.id, by=owner)
        thread = await assent.conversation(turn.conversation_id)

    assert resumed.status is TurnStatus.DONE
    assert not resumed.requires_attention
    assert len(resumed.calls) == 1
    assert [message.text for message in thread.messages] == ["go", "", "Done."]
    assert told(model) == "done"


# conformance: 89
async def test_one_of_two_outputs_sends_nothing_to_the_model(world: World, owner: Person) -> None:
    review = Review(lambda value: value)
    model = reviewing("a", "b")
    async with world(model, review.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        first, second = turn.pending
        await assent.decide(first.id, supply({"score": 1}), by=owner)
        turn = await assent.wait(turn.id)
        thread = await assent.conversation(turn.conversation_id)

    assert [request.id for request in turn.pending] == [second.id]
    assert turn.status is TurnStatus.WAITING
    assert thread.status is ConversationStatus.AWAITING_HITL
    assert len(model.prompts) == 1


# conformance: 90
@pytest.mark.parametrize("kind", WAITS)
async def test_a_message_while_calls_wait_is_refused_and_lists_them(
    world: World, owner: Person, kind: str
) -> None:
    declare, _ = WAITS[kind]
    model = ScriptedModel([says("", calls("work", path="a"))])
    async with world(model, declare()) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with pytest.raises(PendingCalls) as refused:
            await assent.send("agent", "hm", by=owner, conversation_id=turn.conversation_id)
        thread = await assent.conversation(turn.conversation_id)

    assert refused.value.calls == (turn.calls[0].id,)
    assert [message.text for message in thread.messages] == ["go", ""]
    assert len(model.prompts) == 1


# conformance: 90
@pytest.mark.parametrize("kind", WAITS)
async def test_a_superseding_message_cancels_what_waits_and_goes_on(
    world: World, owner: Person, kind: str
) -> None:
    declare, _ = WAITS[kind]
    model = ScriptedModel([says("", calls("work", path="a")), "Never mind."])
    async with world(model, declare()) as assent:
        first = await assent.send("agent", "go", by=owner)
        second = await assent.send(
            "agent",
            "stop that",
            by=owner,
            conversation_id=first.conversation_id,
            on_pending="supersede",
        )
        before = await assent.turn(first.id)
        request = await assent.request(first.pending[0].id)

    assert second.status is TurnStatus.DONE
    assert before.calls[0].status is CallStatus.SUPERSEDED
    assert not before.requires_attention
    assert not request.is_open
    said = model.prompts[-1].history[1]
    assert isinstance(said, ModelSaid)
    assert [output.failed for output in said.outputs] == [True]
    assert "new message" in str(said.outputs[0].content)


# conformance: 76
async def test_an_output_that_only_the_caller_can_give_is_asked_of_the_caller(
    world: World, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("work", path="a")), "Done."])
    async with world(model, _caller()) as assent:
        turn = await assent.send("agent", "go", by=owner)
        thread = await assent.conversation(turn.conversation_id)
        assert [request.kind for request in turn.pending] == [RequestKind.RESULT]
        assert thread.status is ConversationStatus.AWAITING_CLIENT_TOOLS
        turn = await supplied(assent, turn, {"any": ["json"]}, owner)

    assert turn.status is TurnStatus.DONE
    assert told(model) == '{"any":["json"]}'
