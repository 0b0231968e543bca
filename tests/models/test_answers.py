import pytest

from assent.domain.messages import FinishReason, Proposal, Usage
from assent.errors import ModelFailed
from tests.models.wires import (
    ALL_WIRES,
    ANTHROPIC,
    CHAT,
    GOOGLE,
    HELLO,
    TEXTUAL,
    WIRES,
    Wire,
    asked,
)
from tests.providers import FakeProvider, RawBody, Reply, ToolUse

every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.dialect)
both_ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@pytest.mark.parametrize("wire", ALL_WIRES, ids=lambda wire: wire.spec)
@both_ways
async def test_text_arrives_with_usage_and_model(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    provider.script(Reply(text="A cat sat.", input_tokens=31, output_tokens=9))
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
    assert answer.text == "A cat sat."
    assert answer.finish is FinishReason.STOP
    assert answer.usage == Usage(input_tokens=31, output_tokens=9)
    assert answer.model
    assert answer.wire_format is not None
    assert answer.wire_format.startswith("pydantic-ai/")


@every_wire
@both_ways
async def test_the_wire_asked_is_the_one_the_prefix_names(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    provider.script(Reply(text="ok"))
    async with wire.model(provider) as model:
        await asked(model, stream=stream)
    (seen,) = provider.requests
    assert (seen.dialect, seen.streamed) == (wire.dialect, stream)


@every_wire
@both_ways
async def test_instructions_and_tools_are_sent(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    provider.script(Reply(text="ok"))
    async with wire.model(provider) as model:
        await asked(model, stream=stream)
    body = str(provider.requests[0].body)
    assert "Be brief." in body
    assert "Search the web" in body
    # A user's or tool's <system> tag must never be told to the model as one of ours.
    assert "<system>" not in body


@pytest.mark.parametrize("wire", ALL_WIRES, ids=lambda wire: wire.spec)
@both_ways
async def test_parallel_calls_arrive_in_order_with_their_ids(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    calls = (
        ToolUse(tool="search", arguments='{"q": "cats"}', id="a"),
        ToolUse(tool="search", arguments='{"q": "dogs"}', id="b"),
    )
    provider.script(Reply(text="Looking.", calls=calls))
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
    assert answer.finish is FinishReason.CALLS
    assert answer.text == "Looking."
    assert answer.proposals == (
        Proposal(provider_id="a", tool="search", arguments='{"q": "cats"}'),
        Proposal(provider_id="b", tool="search", arguments='{"q": "dogs"}'),
    )


@every_wire
@both_ways
async def test_calls_with_the_same_id_stay_two_calls(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    calls = (
        ToolUse(tool="search", arguments='{"q": "cats"}', id="same"),
        ToolUse(tool="search", arguments='{"q": "dogs"}', id="same"),
    )
    provider.script(Reply(calls=calls))
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
    assert [call.arguments for call in answer.proposals] == ['{"q": "cats"}', '{"q": "dogs"}']


@pytest.mark.parametrize(
    ("wire", "stream"),
    [(wire, way) for wire in TEXTUAL for way in (False, True)] + [(ANTHROPIC, True)],
)
async def test_arguments_arrive_exactly_as_the_model_wrote_them(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    written = ['{ "q" :\t"caté",  "n": 1.0, "q": "twice" }', '{"q": "cut', "not json", "[1, 2]"]
    calls = [ToolUse(tool="search", arguments=text, id=f"c{n}") for n, text in enumerate(written)]
    provider.script(Reply(calls=tuple(calls), fragment=3))
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
    assert [call.arguments for call in answer.proposals] == written


@pytest.mark.parametrize("wire", [*TEXTUAL, ANTHROPIC], ids=lambda wire: wire.dialect)
@both_ways
async def test_a_call_written_without_arguments_has_none(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    provider.script(Reply(calls=(ToolUse(tool="search", arguments=""),)))
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
    assert [call.arguments for call in answer.proposals] == ["{}"]


@pytest.mark.parametrize("wire", [*TEXTUAL, ANTHROPIC], ids=lambda wire: wire.dialect)
@both_ways
async def test_a_call_cut_off_before_its_arguments_does_not_look_complete(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    cut = Reply(calls=(ToolUse(tool="search", arguments=""),), finish=wire.length)
    provider.script(cut)
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
    assert answer.finish is FinishReason.LENGTH
    assert [call.arguments for call in answer.proposals] == [""]


@pytest.mark.parametrize("stream", [False, True])
async def test_only_the_last_call_of_a_cut_off_answer_is_in_doubt(
    stream: bool, provider: FakeProvider
) -> None:
    calls = (ToolUse(tool="search", arguments="{}", id="a"), ToolUse(tool="search", id="b"))
    provider.script(Reply(calls=calls, finish=ANTHROPIC.length))
    async with ANTHROPIC.model(provider) as model:
        answer = await asked(model, stream=stream)
    first, last = (call.arguments for call in answer.proposals)
    assert first == "{}"
    # Not streamed, Anthropic parses even what is cut off: it cannot be told from a whole call.
    assert last == ("{}" if stream else "")


@every_wire
@both_ways
async def test_an_answer_at_its_length_limit_says_so(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    provider.script(Reply(text="Once upon a", finish=wire.length))
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
    assert (answer.text, answer.finish) == ("Once upon a", FinishReason.LENGTH)


@pytest.mark.parametrize(
    ("wire", "word"), [(CHAT, "content_filter"), (ANTHROPIC, "refusal"), (GOOGLE, "SAFETY")]
)
@both_ways
async def test_a_filtered_answer_says_so(
    wire: Wire, word: str, stream: bool, provider: FakeProvider
) -> None:
    provider.script(Reply(text="I cannot", finish=word))
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
    assert answer.finish is FinishReason.FILTERED


@every_wire
@both_ways
async def test_reasoning_is_kept_apart_from_the_text(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    provider.script(Reply(reasoning="They want a cat.", text="A cat."))
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
    assert (answer.reasoning, answer.text) == ("They want a cat.", "A cat.")


@every_wire
@both_ways
async def test_an_answer_that_says_nothing_is_a_failure(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    silent = [Reply(), Reply(text="  \n"), Reply(reasoning="Hm.")]
    provider.script(*silent)
    async with wire.model(provider) as model:
        for _ in silent:
            with pytest.raises(ModelFailed) as caught:
                await asked(model, stream=stream)
            assert caught.value.transient


async def test_a_finish_that_nobody_knows_is_an_ordinary_end(provider: FakeProvider) -> None:
    provider.script(Reply(text="Done.", finish="guardrail_intervened"))
    async with CHAT.model(provider) as model:
        answer = await model.request(HELLO)
    assert answer.finish is FinishReason.STOP


async def test_choices_may_come_without_a_finish_when_the_document_is_whole(
    provider: FakeProvider,
) -> None:
    body = (
        b'{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": '
        b'[{"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": null}]}'
    )
    provider.script(RawBody(body=body))
    async with CHAT.model(provider) as model:
        assert (await model.request(HELLO)).text == "Hi"
