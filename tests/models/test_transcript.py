import base64
import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart

from assent.domain.messages import (
    Answer,
    Block,
    HistoryItem,
    MediaBlock,
    ModelSaid,
    Prompt,
    Proposal,
    TextBlock,
    ToolOutput,
    UserSaid,
)
from assent.errors import Malformed
from assent.models.transcript import messages_of
from tests.models.wires import (
    ALL_WIRES,
    ANTHROPIC,
    CHAT,
    RESPONSES,
    SEARCH,
    WIRES,
    Wire,
    after,
    asked,
)
from tests.providers import FakeProvider, Reply, ToolUse

every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.dialect)
both_ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 16).decode()


def neutral(answer: Answer) -> Answer:
    """The answer as another library would have left it: without its wire form."""
    return replace(answer, wire=None, wire_format=None)


def called(*ids: str, arguments: str = '{"q": "cats"}') -> Answer:
    proposals = [Proposal(provider_id=id, tool="search", arguments=arguments) for id in ids]
    return Answer(proposals=tuple(proposals))


@pytest.mark.parametrize("wire", ALL_WIRES, ids=lambda wire: wire.spec)
@both_ways
async def test_every_call_sent_back_has_exactly_one_result(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    calls = (ToolUse(tool="search", id="a"), ToolUse(tool="search", id="b"))
    provider.script(Reply(text="Looking.", calls=calls), Reply(text="Found both."))
    async with wire.model(provider) as model:
        answer = await asked(model, stream=stream)
        final = await asked(model, after(answer, "a cat", "a dog"), stream=stream)
    assert final.text == "Found both."
    assert provider.requests[1].call_ids == provider.requests[1].result_ids == ("a", "b")


@every_wire
@pytest.mark.parametrize("kept", [True, False], ids=["with wire form", "neutral"])
async def test_ids_repeated_in_one_answer_and_across_answers_are_sent_unique(
    wire: Wire, kept: bool, provider: FakeProvider
) -> None:
    calls = (
        ToolUse(tool="search", arguments='{"q": "cats"}', id="x"),
        ToolUse(tool="search", arguments='{"q": "dogs"}', id="x"),
    )
    provider.script(Reply(calls=calls), Reply(text="ok"))
    async with wire.model(provider) as model:
        answer = await model.request(after(Answer(text="hi")))
        again = after(answer if kept else neutral(answer), "first result", "second result")
        twice = replace(again, history=(*again.history, UserSaid(text="More"), again.history[-1]))
        await model.request(twice)
    seen = provider.requests[1]
    assert seen.call_ids == seen.result_ids
    assert len(set(seen.call_ids)) == 4
    body = json.dumps(seen.body)
    assert body.index("first result") < body.index("second result")


async def test_results_of_equal_ids_go_to_the_calls_in_their_order(
    provider: FakeProvider,
) -> None:
    calls = (
        ToolUse(tool="search", arguments='{"q": "cats"}', id="x"),
        ToolUse(tool="search", arguments='{"q": "dogs"}', id="x"),
    )
    provider.script(Reply(calls=calls), Reply(text="ok"))
    async with CHAT.model(provider) as model:
        answer = await model.request(after(Answer(text="hi")))
        await model.request(after(answer, "meow", "woof"))
    messages = json.dumps(provider.requests[1].body["messages"])
    first, second = provider.requests[1].call_ids
    assert f'"tool_call_id": "{first}", "content": "meow"' in messages
    assert f'"tool_call_id": "{second}", "content": "woof"' in messages


@both_ways
async def test_signed_reasoning_goes_back_as_it_came(stream: bool, provider: FakeProvider) -> None:
    reply = Reply(reasoning="Secretly thinking", signature="sig-1", calls=(ToolUse(tool="search"),))
    provider.script(reply, Reply(text="ok"))
    async with ANTHROPIC.model(provider) as model:
        answer = await asked(model, stream=stream)
        await asked(model, after(answer, "a cat"), stream=stream)
    body = json.dumps(provider.requests[1].body)
    assert '"thinking": "Secretly thinking", "signature": "sig-1"' in body


@both_ways
async def test_encrypted_reasoning_goes_back_as_it_came(
    stream: bool, provider: FakeProvider
) -> None:
    reply = Reply(reasoning="Hm", signature="enc-1", calls=(ToolUse(tool="search"),))
    provider.script(reply, Reply(text="ok"))
    async with RESPONSES.model(provider) as model:
        answer = await asked(model, stream=stream)
        await asked(model, after(answer, "a cat"), stream=stream)
    assert '"encrypted_content": "enc-1"' in json.dumps(provider.requests[1].body)


SPOILT: list[dict[str, str | None]] = [
    {"wire": "not json"},
    {"wire": "[]"},
    {"wire": '[{"kind": "response", "parts": [{"part_kind": "from-the-future"}]}]'},
    {"wire_format": "another-library/1"},
    {"wire": None},
]


@every_wire
async def test_an_answer_whose_wire_form_cannot_be_read_goes_back_by_its_own_fields(
    wire: Wire, provider: FakeProvider
) -> None:
    reply = Reply(reasoning="Hm", text="Looking.", calls=(ToolUse(tool="search", id="a"),))
    provider.script(reply, *[Reply(text="ok")] * len(SPOILT))
    async with wire.model(provider) as model:
        answer = await model.request(after(Answer(text="hi")))
        for spoilt in SPOILT:
            await model.request(after(replace(answer, **spoilt), "a cat"))
    for seen in provider.requests[1:]:
        assert seen.call_ids == seen.result_ids == ("a",)
        assert "Looking." in json.dumps(seen.body)
        assert reply.signature not in json.dumps(seen.body)


async def test_a_wire_form_with_other_calls_than_the_answer_is_not_sent(
    provider: FakeProvider,
) -> None:
    provider.script(Reply(calls=(ToolUse(tool="search", arguments='{"q": "evil"}'),)))
    provider.script(Reply(text="ok"))
    async with CHAT.model(provider) as model:
        answer = await model.request(after(Answer(text="hi")))
        mine = Proposal(provider_id="call_1", tool="search", arguments='{"q": "good"}')
        await model.request(after(replace(answer, proposals=(mine,)), "a cat"))
    body = json.dumps(provider.requests[1].body)
    assert "good" in body
    assert "evil" not in body


@every_wire
@pytest.mark.parametrize("kept", [True, False], ids=["with wire form", "neutral"])
async def test_calls_with_unreadable_arguments_can_be_sent_back(
    wire: Wire, kept: bool, provider: FakeProvider
) -> None:
    written = ['{"q": "cut', "no json", "[1]", '"text"', ""]
    calls = [ToolUse(tool="search", arguments=text, id=f"c{n}") for n, text in enumerate(written)]
    provider.script(Reply(calls=tuple(calls)), Reply(text="I will write them again."))
    async with CHAT.model(provider) as model:
        answer = await model.request(after(Answer(text="hi")))
    told = ["That was no JSON."] * len(written)
    async with wire.model(provider) as model:
        prompt = after(answer if kept else neutral(answer), *told, failed=True)
        final = await model.request(prompt)
    assert final.text == "I will write them again."


async def test_a_made_up_tool_name_does_not_spoil_later_requests(provider: FakeProvider) -> None:
    made_up = Proposal(provider_id="a", tool="web.search; drop it!", arguments="{}")
    provider.script(Reply(text="ok"))
    async with ANTHROPIC.model(provider) as model:
        await model.request(after(Answer(proposals=(made_up,)), "There is no such tool."))
    assert '"name": "web_search__drop_it_"' in json.dumps(provider.requests[0].body)


async def test_a_failed_output_is_marked_as_one(provider: FakeProvider) -> None:
    provider.script(Reply(text="ok"))
    async with ANTHROPIC.model(provider) as model:
        await model.request(after(called("a"), "It broke.", failed=True))
    assert '"is_error": true' in json.dumps(provider.requests[0].body)


@every_wire
async def test_an_answer_that_got_no_further_than_its_reasoning_is_left_out(
    wire: Wire, provider: FakeProvider
) -> None:
    provider.script(Reply(reasoning="Hm, hm", finish=wire.length), Reply(text="ok"))
    async with wire.model(provider) as model:
        silent = await model.request(after(Answer(text="hi")))
        history = (UserSaid(text="One"), ModelSaid(answer=silent), UserSaid(text="Two"))
        answer = await model.request(Prompt(history=history))
    assert answer.text == "ok"
    assert "Hm, hm" not in json.dumps(provider.requests[1].body)


BLANK = pytest.mark.parametrize("blank", ["", " ", "\n\n"], ids=repr)


@every_wire
@both_ways
@BLANK
async def test_a_blank_message_does_not_spoil_the_requests_after_it(
    wire: Wire, stream: bool, blank: str, provider: FakeProvider
) -> None:
    provider.script(Reply(text="ok"))
    history = (UserSaid(text=blank), UserSaid(text="Find me a cat"))
    async with wire.model(provider) as model:
        answer = await asked(model, Prompt(instructions=blank, history=history), stream=stream)
    assert answer.text == "ok"
    body = json.dumps(provider.requests[0].body)
    assert json.dumps(blank) not in body
    assert "(blank)" in body


@every_wire
@pytest.mark.parametrize("kept", [True, False], ids=["with wire form", "neutral"])
async def test_blank_text_beside_a_call_is_not_sent_back(
    wire: Wire, kept: bool, provider: FakeProvider
) -> None:
    provider.script(Reply(text="\n\n", calls=(ToolUse(tool="search", id="a"),)))
    provider.script(Reply(text="ok"))
    async with wire.model(provider) as model:
        answer = await model.request(after(Answer(text="hi")))
        final = await model.request(after(answer if kept else neutral(answer), "a cat"))
    assert final.text == "ok"
    assert json.dumps("\n\n") not in json.dumps(provider.requests[1].body)


@every_wire
@BLANK
async def test_a_blank_output_is_called_one(wire: Wire, blank: str, provider: FakeProvider) -> None:
    provider.script(Reply(text="ok"))
    async with wire.model(provider) as model:
        await model.request(after(called("a", "b"), blank, (TextBlock(text=blank),)))
    body = json.dumps(provider.requests[0].body)
    assert json.dumps(blank) not in body
    assert body.count("(blank)") == 2


@pytest.mark.parametrize("wire", [ANTHROPIC, RESPONSES], ids=lambda wire: wire.dialect)
@pytest.mark.parametrize(
    ("block", "sent"),
    [
        (MediaBlock(type="input_image", media_type="image/png", data=PIXEL), PIXEL),
        (
            MediaBlock(type="input_image", media_type="image/png", url="https://e.test/c.png"),
            "https://e.test/c.png",
        ),
        (
            MediaBlock(type="input_file", media_type="application/pdf", url="https://e.test/d"),
            "https://e.test/d",
        ),
        (
            MediaBlock(type="input_image", media_type="image/png", data="!!!"),
            "image/png that cannot be read",
        ),
        (TextBlock(text="Just words"), "Just words"),
    ],
    ids=["data", "image URL", "file URL", "broken data", "text"],
)
async def test_content_blocks_of_an_output_reach_the_model(
    wire: Wire, block: Block, sent: str, provider: FakeProvider
) -> None:
    provider.script(Reply(text="ok"))
    async with wire.model(provider) as model:
        await model.request(after(called("a"), (TextBlock(text="Here:"), block)))
    body = json.dumps(provider.requests[0].body)
    assert "Here:" in body
    assert sent in body


def test_a_call_without_output_is_refused_before_anything_is_sent() -> None:
    said = ModelSaid(answer=called("a", "b"), outputs=(output("a"),))
    with pytest.raises(Malformed) as caught:
        messages_of(Prompt(history=(said,)))
    assert caught.value.field == "b"


@pytest.mark.parametrize("ids", [("a", "stray"), ("a", "a")])
def test_an_output_without_call_is_refused_before_anything_is_sent(ids: tuple[str, ...]) -> None:
    said = ModelSaid(answer=called("a"), outputs=tuple(map(output, ids)))
    with pytest.raises(Malformed) as caught:
        messages_of(Prompt(history=(said,)))
    assert caught.value.field == ids[1]


def output(id: str) -> ToolOutput:
    return ToolOutput(provider_id=id, tool="search", content=f"result of {id}")


def exchange(ids: list[str]) -> ModelSaid:
    outputs = tuple(output(id) for id in sorted(ids))
    return ModelSaid(answer=replace(called(*ids), text="" if ids else "hi"), outputs=outputs)


provider_ids = st.sampled_from(["", "a", "a_2", "a_3", "b", "call"])
exchanges = st.lists(provider_ids, max_size=4).map(exchange)
users = st.just(UserSaid(text="and?"))


@given(st.lists(exchanges | users, max_size=8))
def test_any_history_is_sent_with_unique_calls_each_answered_at_once(
    history: list[HistoryItem],
) -> None:
    messages = messages_of(Prompt(history=tuple(history), tools=(SEARCH,)))
    sent: list[str] = []
    for message, following in pairwise([*messages, None]):
        if isinstance(message, ModelResponse):
            calls = [part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)]
            assert returned(following) == calls
            sent += calls
    assert len(set(sent)) == len(sent) == sum(proposed(said) for said in history)


def returned(message: object) -> list[str]:
    parts = message.parts if isinstance(message, ModelRequest) else ()
    return [part.tool_call_id for part in parts if isinstance(part, ToolReturnPart)]


def proposed(said: HistoryItem) -> int:
    return len(said.answer.proposals) if isinstance(said, ModelSaid) else 0
