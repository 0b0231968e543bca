"""Lines on the wire: whole whatever they carry, alive while idle."""

import asyncio
import json
from collections.abc import AsyncGenerator
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.server.frames import compact, kept_alive, sse
from assent.server.streams.data_stream import line

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(JSON)
def test_a_value_is_one_line_for_every_reader(value: Any) -> None:
    for framed, ending in ((sse(value), b"\n\n"), (line("0", value), b"\n")):
        body = framed.removesuffix(ending)
        # Python counts more characters as ends of a line than any client does.
        assert len(body.decode().splitlines()) == 1
        assert json.loads(body.partition(b":")[2]) == value


def test_half_a_surrogate_pair_does_not_break_the_stream() -> None:
    assert json.loads(sse({"text": "a\ud800b"})[6:]) == {"text": "a?b"}


def test_json_is_compact() -> None:
    assert compact([{"toolCallId": "c", "validated": "pending"}]) == (
        '[{"toolCallId":"c","validated":"pending"}]'
    )


async def _said(*pieces: bytes, wait: asyncio.Event | None = None) -> AsyncGenerator[bytes]:
    for piece in pieces:
        if wait is not None:
            await wait.wait()
        yield piece


async def test_silence_is_filled_with_beats_and_nothing_gets_lost() -> None:
    go, never = asyncio.Event(), asyncio.get_running_loop().create_future()
    seen: list[bytes] = []
    async for piece in kept_alive(
        _said(b"1", b"2", wait=go), b"~", timedelta(milliseconds=5), never
    ):
        seen.append(piece)
        if seen == [b"~", b"~"]:
            go.set()

    assert seen == [b"~", b"~", b"1", b"2"]


async def test_it_ends_at_once_when_it_has_to_and_closes_its_source() -> None:
    ended, closed = asyncio.get_running_loop().create_future(), asyncio.Event()

    async def source() -> AsyncGenerator[bytes]:
        try:
            yield b"1"
            await asyncio.Event().wait()
        finally:
            closed.set()

    seen: list[bytes] = []
    async with asyncio.timeout(5):
        async for piece in kept_alive(source(), b"~", timedelta(seconds=60), ended):
            seen.append(piece)
            ended.set_result(None)

    assert seen == [b"1"]
    assert closed.is_set()


async def test_a_reader_that_leaves_closes_the_source() -> None:
    closed = asyncio.Event()

    async def source() -> AsyncGenerator[bytes]:
        try:
            while True:
                await asyncio.sleep(0)
                yield b"1"
        finally:
            closed.set()

    never = asyncio.get_running_loop().create_future()
    lines = kept_alive(source(), b"~", timedelta(seconds=60), never)
    assert await anext(lines) == b"1"
    await lines.aclose()

    assert closed.is_set()


async def test_a_source_that_fails_fails_its_reader() -> None:
    async def source() -> AsyncGenerator[bytes]:
        yield b"1"
        raise RuntimeError("broken")

    never = asyncio.get_running_loop().create_future()
    with pytest.raises(RuntimeError, match="broken"):
        _ = [piece async for piece in kept_alive(source(), b"~", timedelta(seconds=1), never)]
