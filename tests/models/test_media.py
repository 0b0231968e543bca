"""Images and files in outputs and messages: shown, or told in words to models without eyes."""

import base64
import json

import pytest

from assent.domain.copies import changed
from assent.domain.messages import Answer, MediaBlock, Prompt, Proposal, TextBlock, UserSaid
from assent.errors import ModelFailed
from tests.models.wires import ANTHROPIC, CHAT, GOOGLE, RESPONSES, WIRES, Wire, after, asked
from tests.providers import CutOff, FakeProvider, Reply, Status

every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.dialect)
both_ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])

PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 16).decode()
SOME = base64.b64encode(b"\xff\xfe\0 no text").decode()
IMAGE = MediaBlock(type="image", media_type="image/png", data=PIXEL)
WORDS = "[a file of type image/png that cannot be read here]"


def given(*blocks: MediaBlock | TextBlock) -> Prompt:
    """A prompt that goes on after a call with these blocks as its output."""
    call = Proposal(provider_id="a", tool="search", arguments='{"q": "cats"}')
    return after(Answer(proposals=(call,)), (TextBlock(text="Here:"), *blocks))


def data(media_type: str, content: str = SOME) -> MediaBlock:
    return MediaBlock(type="file", media_type=media_type, data=content)


def link(media_type: str) -> MediaBlock:
    return MediaBlock(type="file", media_type=media_type, url="https://e.invalid/file")


BLOCKS = [
    *map(
        data,
        [
            "application/octet-stream",
            "application/pdf",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/zip",
            "application/json",
            "text/plain",
            "text/csv",
            "image/png",
            "image/svg+xml",
            "image/tiff",
            "audio/wav",
            "audio/mpeg",
            "audio/flac",
            "audio/unheard",
            "video/mp4",
            "model/unheard",
        ],
    ),
    *(data(media_type, "!!!") for media_type in ("image/png", "application/pdf", "text/plain")),
    *(data(media_type, "") for media_type in ("image/png", "application/pdf", "text/plain")),
    *map(
        link,
        [
            "image/png",
            "application/pdf",
            "text/plain",
            "application/json",
            "audio/mpeg",
            "video/mp4",
            "application/octet-stream",
        ],
    ),
    TextBlock(text=""),
    TextBlock(text=" \n"),
]


@every_wire
@both_ways
async def test_no_block_keeps_a_model_from_being_asked(
    wire: Wire, stream: bool, provider: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    provider.script(*[Reply(text="ok")] * len(BLOCKS))
    async with wire.model(provider) as model:
        for block in BLOCKS:
            assert (await asked(model, given(block, IMAGE), stream=stream)).text == "ok", block
    assert len(provider.requests) == len(BLOCKS)
    for block, seen in zip(BLOCKS, provider.requests, strict=True):
        body = json.dumps(seen.body)
        assert seen.call_ids == seen.result_ids == ("a",), block
        assert "Here:" in body, block
        # Whatever had to be told in words, the image beside it is shown.
        assert PIXEL in body, block
        assert '"text": ""' not in body, block
    assert "asking again" not in caplog.text


@every_wire
@pytest.mark.parametrize("media_type", ["text/csv", "application/json"])
async def test_a_file_of_text_is_given_as_its_text(
    wire: Wire, media_type: str, provider: FakeProvider
) -> None:
    provider.script(Reply(text="ok"))
    wrapped = base64.encodebytes(b"name,count\ncats,7\n" * 5).decode()
    async with wire.model(provider) as model:
        await model.request(given(data(media_type, wrapped)))
    assert "cats,7" in json.dumps(provider.requests[0].body)


@every_wire
@both_ways
async def test_the_files_of_a_message_are_sent_with_their_names_or_told_in_words(
    wire: Wire, stream: bool, provider: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    blocks = [changed(b, name="a.bin") if isinstance(b, MediaBlock) else b for b in BLOCKS]
    picture = changed(IMAGE, name="cat.png")
    provider.script(*[Reply(text="ok")] * len(blocks))
    async with wire.model(provider) as model:
        for block in blocks:
            said = UserSaid(text=" ", files=(block, picture))
            assert (await asked(model, Prompt(history=(said,)), stream=stream)).text == "ok", block
    for block, seen in zip(blocks, provider.requests, strict=True):
        body = json.dumps(seen.body)
        assert PIXEL in body, block
        assert "cat.png:" in body, block
        assert '"text": ""' not in body, block
        assert not isinstance(block, MediaBlock) or "a.bin" in body, block
    assert "asking again" not in caplog.text


@every_wire
async def test_a_model_that_refuses_the_file_of_a_message_is_told_of_it_by_name(
    wire: Wire, provider: FakeProvider
) -> None:
    provider.script(Status(status=400, message="no images, please"), Reply(text="ok"))
    said = UserSaid(text="What is this?", files=(changed(IMAGE, name="cat.png"),))
    async with wire.model(provider) as model:
        assert (await model.request(Prompt(history=(said,)))).text == "ok"
    told = json.dumps(provider.requests[1].body)
    assert PIXEL not in told
    assert "What is this?" in told
    assert "[the file cat.png, of type image/png that cannot be read here]" in told


READ_BY_PROVIDER = [
    (CHAT, "image/png", "image_url"),
    (RESPONSES, "image/png", "image_url"),
    (RESPONSES, "application/pdf", "file_url"),
    (ANTHROPIC, "image/png", "url"),
    (ANTHROPIC, "application/pdf", "url"),
]


@pytest.mark.parametrize(("wire", "media_type", "field"), READ_BY_PROVIDER)
async def test_a_link_that_the_provider_reads_is_handed_on(
    wire: Wire, media_type: str, field: str, provider: FakeProvider
) -> None:
    provider.script(Reply(text="ok"))
    async with wire.model(provider) as model:
        await model.request(given(link(media_type)))
    body = json.dumps(provider.requests[0].body)
    assert f'"{field}": ' in body
    assert '"https://e.invalid/file"' in body
    assert "[a file of type" not in body


@pytest.mark.parametrize(
    ("wire", "media_type"),
    [
        (CHAT, "application/pdf"),
        (CHAT, "audio/mpeg"),
        (RESPONSES, "video/mp4"),
        (ANTHROPIC, "text/plain"),
        (GOOGLE, "image/png"),
        (GOOGLE, "application/pdf"),
    ],
)
async def test_a_link_that_would_be_downloaded_here_is_given_as_its_address(
    wire: Wire, media_type: str, provider: FakeProvider
) -> None:
    provider.script(Reply(text="ok"))
    async with wire.model(provider) as model:
        await model.request(given(link(media_type)))
    body = json.dumps(provider.requests[0].body)
    assert f"[a file of type {media_type} at https://e.invalid/file]" in body


@every_wire
@both_ways
@pytest.mark.parametrize("status", [400, 404, 413, 422])
async def test_a_model_that_refuses_an_image_is_asked_again_with_words_for_it(
    wire: Wire, stream: bool, status: int, provider: FakeProvider
) -> None:
    provider.script(Status(status=status, message="no images, please"), Reply(text="ok"))
    async with wire.model(provider) as model:
        answer = await asked(model, given(IMAGE), stream=stream)
    assert answer.text == "ok"
    shown, told = (json.dumps(seen.body) for seen in provider.requests)
    assert PIXEL in shown
    assert PIXEL not in told
    assert WORDS in told


@every_wire
@both_ways
@pytest.mark.parametrize("status", [401, 429, 500])
async def test_what_no_image_can_be_the_reason_of_is_not_asked_again_without_it(
    wire: Wire, stream: bool, status: int, provider: FakeProvider
) -> None:
    provider.script(Status(status=status))
    async with wire.model(provider) as model:
        with pytest.raises(ModelFailed):
            await asked(model, given(IMAGE), stream=stream)
    assert len(provider.requests) == 1


@every_wire
@both_ways
async def test_without_an_image_a_refusal_is_final(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    provider.script(Status(status=400, message="too long"))
    async with wire.model(provider) as model:
        with pytest.raises(ModelFailed) as caught:
            await asked(model, given(), stream=stream)
    assert len(provider.requests) == 1
    assert "too long" in str(caught.value)


@every_wire
@both_ways
async def test_a_second_refusal_is_final(wire: Wire, stream: bool, provider: FakeProvider) -> None:
    provider.script(Status(status=400, message="no images"), Status(status=400, message="too long"))
    async with wire.model(provider) as model:
        with pytest.raises(ModelFailed) as caught:
            await asked(model, given(IMAGE), stream=stream)
    assert not caught.value.transient
    assert "too long" in str(caught.value)


@every_wire
async def test_an_answer_that_breaks_off_is_no_refusal_of_an_image(
    wire: Wire, provider: FakeProvider
) -> None:
    provider.script(CutOff(reply=Reply(text="A longer answer"), after=3))
    async with wire.model(provider) as model:
        with pytest.raises(ModelFailed) as caught:
            await asked(model, given(IMAGE), stream=True)
    assert caught.value.transient
    assert len(provider.requests) == 1
