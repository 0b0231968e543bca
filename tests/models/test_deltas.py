import pytest

from assent.domain.messages import Answer, ArgumentsDelta, TextDelta
from tests.models.wires import (
    CHAT,
    GOOGLE,
    HELLO,
    WIRES,
    Wire,
    arguments_of,
    reasoning_of,
    streamed,
    text_of,
)
from tests.providers import FakeProvider, Hang, Reply, ToolUse

every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.dialect)

FULL = Reply(
    reasoning="They want two things.",
    text="I will look for both.",
    calls=(
        ToolUse(tool="search", arguments='{"q": "cats and kittens"}', id="a"),
        ToolUse(tool="search", arguments='{"q": "dogs"}', id="b"),
    ),
    fragment=4,
)


@every_wire
async def test_the_deltas_together_are_the_answer(wire: Wire, provider: FakeProvider) -> None:
    provider.script(FULL)
    async with wire.model(provider) as model:
        deltas, answer = await streamed(model)
    assert text_of(deltas) == answer.text == FULL.text
    assert reasoning_of(deltas) == answer.reasoning == FULL.reasoning
    for index, proposal in enumerate(answer.proposals):
        assert arguments_of(deltas, index) == proposal.arguments


@every_wire
async def test_a_stream_and_a_whole_answer_say_the_same(wire: Wire, provider: FakeProvider) -> None:
    provider.script(FULL, FULL)
    async with wire.model(provider) as model:
        _, from_stream = await streamed(model)
        whole = await model.request(HELLO)
    for name in ("text", "reasoning", "proposals", "finish", "usage", "model"):
        assert getattr(from_stream, name) == getattr(whole, name)


@pytest.mark.parametrize("wire", [w for w in WIRES if w is not GOOGLE], ids=lambda w: w.dialect)
async def test_text_and_arguments_come_in_the_pieces_the_model_wrote(
    wire: Wire, provider: FakeProvider
) -> None:
    provider.script(FULL)
    async with wire.model(provider) as model:
        deltas, _ = await streamed(model)
    assert [d.text for d in deltas if isinstance(d, TextDelta)] == FULL.pieces(FULL.text)
    written = [d.text for d in deltas if isinstance(d, ArgumentsDelta) and d.index == 1]
    assert [piece for piece in written if piece] == FULL.pieces(FULL.calls[1].arguments)


@every_wire
async def test_arguments_name_their_tool_from_the_first_piece(
    wire: Wire, provider: FakeProvider
) -> None:
    provider.script(FULL)
    async with wire.model(provider) as model:
        deltas, _ = await streamed(model)
    assert {d.tool for d in deltas if isinstance(d, ArgumentsDelta)} == {"search"}


@every_wire
async def test_no_delta_of_text_is_empty(wire: Wire, provider: FakeProvider) -> None:
    provider.script(FULL)
    async with wire.model(provider) as model:
        deltas, _ = await streamed(model)
    assert all(delta.text for delta in deltas if not isinstance(delta, ArgumentsDelta))


async def test_pieces_arrive_before_the_answer_is_complete(provider: FakeProvider) -> None:
    provider.script(Hang(reply=Reply(text="Hello there, this goes on"), after=2))
    async with CHAT.model(provider) as model:
        stream = model.stream(HELLO)
        first = await anext(stream)
        await stream.aclose()
    assert first == TextDelta("Hello")


async def test_a_stream_left_early_frees_the_model_for_the_next_request(
    provider: FakeProvider,
) -> None:
    provider.script(FULL, Reply(text="again"))
    async with CHAT.model(provider) as model:
        stream = model.stream(HELLO)
        await anext(stream)
        await stream.aclose()
        assert (await model.request(HELLO)).text == "again"


async def test_exactly_one_answer_ends_a_stream(provider: FakeProvider) -> None:
    provider.script(FULL)
    async with CHAT.model(provider) as model:
        items = [item async for item in model.stream(HELLO)]
    assert [isinstance(item, Answer) for item in items].index(True) == len(items) - 1
