import asyncio
import socket
import traceback
from collections.abc import Sequence

import pytest

from assent.errors import ModelFailed
from assent.models import chat_model
from tests.models.wires import ANTHROPIC, CHAT, HELLO, KEY, WIRES, Wire, asked
from tests.providers import (
    CutOff,
    FakeProvider,
    Fault,
    Hang,
    RawBody,
    Reply,
    Status,
    StreamError,
    ToolUse,
    Unfinished,
)

every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.dialect)
both_ways = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
FULL = Reply(reasoning="Hm, hm.", text="Looking for it.", calls=(ToolUse(tool="search", id="a"),))


async def failure(
    wire: Wire, provider: FakeProvider, fault: Fault, *, stream: bool, seconds: float = 5.0
) -> ModelFailed:
    (error,) = await failures(wire, provider, [fault], stream=stream, seconds=seconds)
    return error


async def failures(
    wire: Wire,
    provider: FakeProvider,
    faults: Sequence[Fault],
    *,
    stream: bool,
    seconds: float = 5.0,
) -> list[ModelFailed]:
    """What one model reports of each fault; an answer in spite of one names it."""
    errors: list[ModelFailed] = []
    async with wire.model(provider, timeout_seconds=seconds) as model:
        for fault in faults:
            provider.script(fault)
            with pytest.raises(ModelFailed) as caught:
                pytest.fail(f"{await asked(model, stream=stream)} in spite of {fault}")
            errors.append(caught.value)
    return errors


@every_wire
@both_ways
async def test_a_status_that_passes_is_transient(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    statuses = [429, 500, 503, 529]
    faults = [Status(status=status) for status in statuses]
    errors = await failures(wire, provider, faults, stream=stream)
    assert all(error.transient for error in errors)
    for status, error in zip(statuses, errors, strict=True):
        assert f"HTTP {status}" in error.reason


@every_wire
@both_ways
async def test_a_status_that_stays_is_not_transient(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    faults = [Status(status=status) for status in (400, 401, 403, 404)]
    errors = await failures(wire, provider, faults, stream=stream)
    assert not any(error.transient for error in errors)


@pytest.mark.parametrize(
    ("status", "transient"),
    [(402, False), (408, True), (409, True), (413, False), (422, False), (502, True), (504, True)],
)
async def test_rarer_statuses_are_told_apart_too(
    status: int, transient: bool, provider: FakeProvider
) -> None:
    error = await failure(CHAT, provider, Status(status=status), stream=False)
    assert error.transient is transient


@every_wire
async def test_the_clients_do_not_retry_by_themselves(wire: Wire, provider: FakeProvider) -> None:
    provider.script(Status(status=500), Reply(text="too late"))
    async with wire.model(provider) as model:
        with pytest.raises(ModelFailed):
            await model.request(HELLO)
    assert len(provider.requests) == 1


async def test_a_used_up_quota_is_no_passing_rate_limit(provider: FakeProvider) -> None:
    fault = Status(status=429, code="insufficient_quota", message="You exceeded your quota")
    error = await failure(CHAT, provider, fault, stream=False)
    assert not error.transient


NO_ANSWERS = [
    RawBody(body=b"garbage"),
    RawBody(body=b""),
    RawBody(body=b"{}"),
    RawBody(body=b"[]"),
    RawBody(body=b"null"),
    RawBody(body=b'{"choices": [], "output": [], "content": [], "candidates": []}'),
    RawBody(body=b"<html>Bad gateway</html>", content_type="text/html"),
    RawBody(body=b"\xff\xfe\x00", content_type="application/octet-stream"),
    RawBody(body=b"data: {broken\n\n", content_type="text/event-stream"),
    RawBody(body=b'data: {"type": "unheard_of"}\n\n', content_type="text/event-stream"),
]


@every_wire
@both_ways
async def test_a_body_that_is_no_answer_is_a_failure(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    errors = await failures(wire, provider, NO_ANSWERS, stream=stream)
    assert all(error.transient for error in errors)
    assert not any("Bad gateway" in error.reason for error in errors)


@every_wire
@both_ways
async def test_a_connection_that_breaks_is_transient(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    faults = [CutOff(reply=FULL, after=after) for after in (0, 1, 3, None)]
    errors = await failures(wire, provider, faults, stream=stream)
    assert all(error.transient for error in errors)


@every_wire
@both_ways
async def test_an_answer_that_ends_without_a_finish_is_cut_off(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    faults = [Unfinished(reply=FULL, after=after) for after in (0, 1, 3, None)]
    errors = await failures(wire, provider, faults, stream=stream)
    assert all(error.transient for error in errors)


async def test_a_request_that_is_streamed_behind_the_scenes_is_cut_off_too(
    provider: FakeProvider,
) -> None:
    provider.script(Unfinished(reply=FULL))
    async with chat_model(ANTHROPIC.spec, base_url=provider.url, api_key=KEY) as model:
        with pytest.raises(ModelFailed) as caught:
            await model.request(HELLO)
    assert provider.requests[0].streamed
    assert caught.value.transient


@every_wire
@both_ways
async def test_an_error_within_a_stream_is_a_failure_with_its_message(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    faults = [StreamError(reply=FULL, message="too busy", after=after) for after in (0, 2)]
    errors = await failures(wire, provider, faults, stream=stream)
    assert all(error.transient and "too busy" in error.reason for error in errors)


@every_wire
@both_ways
async def test_a_provider_that_hangs_is_given_up_after_the_timeout(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    faults = [Hang(), Hang(reply=FULL, after=2)]
    async with asyncio.timeout(10):
        errors = await failures(wire, provider, faults, stream=stream, seconds=0.2)
    assert all(error.transient and "in time" in error.reason for error in errors)


@every_wire
@both_ways
async def test_a_provider_that_is_not_there_is_transient(wire: Wire, stream: bool) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        async with chat_model(wire.spec, base_url=address, api_key=KEY) as model:
            with pytest.raises(ModelFailed) as caught:
                await asked(model, stream=stream)
    assert caught.value.transient


@every_wire
@both_ways
async def test_a_key_that_a_server_echoes_shows_up_nowhere(
    wire: Wire, stream: bool, provider: FakeProvider
) -> None:
    said = f"this was refused: {KEY}"
    faults = [Status(status=status, message=said) for status in (400, 401, 500)]
    errors = await failures(wire, provider, faults, stream=stream)
    assert not any(KEY in "".join(traceback.format_exception(error)) for error in errors)


async def test_a_key_of_somebody_else_is_blacked_out(provider: FakeProvider) -> None:
    echo = Status(status=400, message="Incorrect API key provided: sk-other***********wxyz.")
    error = await failure(CHAT, provider, echo, stream=False)
    assert "sk-other" not in error.reason


async def test_what_a_provider_says_is_kept_short_and_on_one_line(provider: FakeProvider) -> None:
    shout = Status(status=400, message="no\n\x1b[31m" + "o" * 5_000)
    error = await failure(CHAT, provider, shout, stream=False)
    assert len(error.reason) < 400
    assert error.reason.isprintable()


async def test_after_a_failure_the_next_request_works(provider: FakeProvider) -> None:
    provider.script(CutOff(reply=FULL), Status(status=503), Reply(text="back"))
    async with CHAT.model(provider) as model:
        for _ in range(2):
            with pytest.raises(ModelFailed):
                await asked(model, stream=True)
        assert (await model.request(HELLO)).text == "back"
