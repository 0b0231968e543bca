"""What no guard can take is refused by name before anything is on record, here and over HTTP."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Mapping
from typing import Any

import pytest

from assent import Deferred, tool
from assent.client import AsyncClient, Client, external
from assent.domain.lifecycle import CallStatus
from assent.errors import InvalidParameter, ServerUnreachable
from assent.guard import Raised, Returned, Unclear
from tests.client.conftest import Open

PING = external("ping", requires_approval=False)
ASK = external("ask")


def nothing(_: Mapping[str, Any]) -> None:
    """Do nothing."""


async def a_coroutine() -> None:
    """Do nothing, later."""


def a_generator(_: Mapping[str, Any]) -> Generator[int]:
    yield 1


async def an_async_generator(_: Mapping[str, Any]) -> AsyncGenerator[int]:
    yield 1


@pytest.mark.parametrize("given", [None, 1, nothing, "ping"])
async def test_only_a_tool_is_run_by_its_caller(guarded: Open, given: Any) -> None:
    async with guarded() as held:
        with pytest.raises(InvalidParameter, match="Guard: tool must be"):
            await held.guard.run(given, {}, nothing)
        if not isinstance(given, str):
            with pytest.raises(InvalidParameter, match="Guard: tool must be"):
                await held.guard.propose(given, {})
        assert not await held.assent.pending()


@pytest.mark.parametrize("given", [None, [], "{}", [("a", 1)], {1: 1}])
async def test_arguments_are_a_mapping(guarded: Open, given: Any) -> None:
    async with guarded() as held:
        with pytest.raises(InvalidParameter, match="Guard: arguments must be"):
            await held.guard.propose(PING, given)


@pytest.mark.parametrize("given", ["5", -1, True, float("nan"), float("inf")])
async def test_a_wait_is_a_number_of_seconds(guarded: Open, given: Any) -> None:
    async with guarded() as held:
        with pytest.raises(InvalidParameter, match="Guard: wait must be"):
            await held.guard.propose(PING, {}, wait=given)
        with pytest.raises(InvalidParameter, match="Guard: wait must be"):
            await held.guard.look("call_1", wait=given)


async def test_a_call_is_named_by_its_id(guarded: Open) -> None:
    async with guarded() as held:
        call = await held.guard.propose(PING, {})
        guard: Any = held.guard
        for method in (guard.look, guard.claim, guard.withdraw, guard.release):
            with pytest.raises(InvalidParameter, match="Guard: call_id must be the id of a call"):
                await method(call)
        with pytest.raises(InvalidParameter, match="Guard: call must be"):
            await guard.finish(call.id, nothing)


@pytest.mark.parametrize("body", [None, len, int, a_generator, an_async_generator, lambda: 1])
async def test_a_body_is_refused_before_anything_is_asked(guarded: Open, body: Any) -> None:
    async with guarded() as held:
        if body is len:  # a function of one argument
            assert (await held.guard.run(PING, {}, body)).output == 0
            return
        with pytest.raises(InvalidParameter, match="Guard: body must be"):
            await held.guard.run(ASK, {}, body)
        assert not await held.assent.pending()


@pytest.mark.parametrize("said", [None, 1, {"output": 1}, Returned])
async def test_an_outcome_that_is_none_is_refused_and_another_may_follow(
    guarded: Open, said: Any
) -> None:
    async with guarded() as held:
        claim = await held.guard.claim((await held.guard.propose(PING, {})).id)
        with pytest.raises(InvalidParameter, match="Guard: outcome must be"):
            await held.guard.settle(claim, said)
        assert (await held.guard.settle(claim, Returned(1))).output == 1


@pytest.mark.parametrize("kind", [Raised, Unclear])
@pytest.mark.parametrize("given", [None, 1, ValueError("no")])
def test_the_words_of_an_outcome_are_text(kind: Any, given: Any) -> None:
    with pytest.raises(InvalidParameter, match="must be text"):
        kind(given)


async def test_what_was_not_awaited_is_no_output() -> None:
    begun = a_coroutine()
    with pytest.raises(InvalidParameter, match="awaited"):
        Returned(begun)
    begun.close()


@pytest.mark.parametrize(
    "made", [a_coroutine, lambda: a_generator({}), lambda: an_async_generator({})]
)
async def test_a_body_that_nobody_ran_is_not_said_to_have_run(guarded: Open, made: Any) -> None:
    async def body(_: Mapping[str, Any]) -> Any:
        return made()

    async with guarded() as held:
        call = await held.guard.run(PING, {}, body)
    assert call.status is CallStatus.FAILED
    assert "that nobody ran" in call.error


async def test_a_task_that_was_begun_elsewhere_is_in_doubt(guarded: Open) -> None:
    async with guarded() as held:
        call = await held.guard.run(PING, {}, lambda _: Deferred("job-7"))
    assert call.status is CallStatus.IN_DOUBT


async def test_a_function_that_defers_is_in_doubt_too(guarded: Open) -> None:
    @tool
    async def begin() -> Deferred:
        """Begin a job elsewhere."""
        return Deferred("job-7")

    async with guarded() as held:
        call = await held.assent.guard(begin, {}, by="user")
    assert call.status is CallStatus.IN_DOUBT


@pytest.mark.parametrize("said", ["x" * 400_000, "half \udc80 a pair"])
async def test_every_error_of_a_body_is_on_record(guarded: Open, said: str) -> None:
    def body(_: Mapping[str, Any]) -> None:
        raise ValueError(said)

    async with guarded() as held:
        call = await held.guard.run(PING, {}, body)
    assert call.status is CallStatus.FAILED
    assert call.error.startswith("ValueError: ")


@pytest.mark.parametrize(
    "url",
    [
        *("localhost:8000", "127.0.0.1:8000", "assent.example.com", "ftp://x.example", "http://"),
        *(" http://x.example", "http://x.example?a=1", "http://x.example:99999", "http://x:y"),
    ],
)
def test_what_is_no_address_of_a_server_is_refused_when_the_client_is_made(url: str) -> None:
    with pytest.raises(InvalidParameter, match="AsyncClient: url must be the address of a server"):
        AsyncClient(url, key="k")


@pytest.mark.parametrize("key", ["Bearer abc", "a\nb", "é", " "])
def test_what_is_no_key_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(InvalidParameter, match="AsyncClient: key must be an API key") as refusal:
        AsyncClient("http://x.example", key=key)
    assert "abc" not in str(refusal.value)


async def test_an_address_may_end_with_a_slash() -> None:
    seen: list[str] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append((await reader.readline()).decode().split()[1])
        writer.write(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for url in (base, f"{base}/", f"{base}/assent", f"{base}/assent/"):
            async with AsyncClient(url, key="k") as client:
                with pytest.raises(ServerUnreachable):
                    await client.look("call_1")
    assert seen == [*["/api/calls/call_1?wait=0"] * 2, *["/assent/api/calls/call_1?wait=0"] * 2]


async def test_a_server_that_was_not_reached_is_not_said_to_have_received_anything() -> None:
    async def cut_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.close()

    async with await asyncio.start_server(cut_off, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with AsyncClient(f"http://127.0.0.1:{port}", key="k") as client:
            with pytest.raises(ServerUnreachable, match="may have received"):
                await client.look("call_1")
    async with AsyncClient(f"http://127.0.0.1:{port}", key="k") as client:
        with pytest.raises(ServerUnreachable, match="Nothing was sent"):
            await client.look("call_1")


async def test_what_may_have_arrived_is_said_although_the_server_is_gone_since() -> None:
    async def crash(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        server.close()
        writer.close()

    server = await asyncio.start_server(crash, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with AsyncClient(f"http://127.0.0.1:{port}", key="k") as client:
        with pytest.raises(ServerUnreachable, match="may have received"):
            await client.withdraw("call_1")
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


def test_the_client_for_plain_code_takes_plain_functions() -> None:
    async def body(_: Mapping[str, Any]) -> None:
        """Do nothing, later."""

    with Client("http://127.0.0.1:9", key="k") as client:
        with pytest.raises(InvalidParameter, match="AsyncClient"):
            client.run(PING, {}, body)
        for given in (None, lambda: 1):
            with pytest.raises(InvalidParameter, match="body must be"):
                client.run(PING, {}, given)  # type: ignore[arg-type]
