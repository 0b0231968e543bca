"""Servers that die, hang, flood, lie or send too much: contained, and said."""

import asyncio
import logging
import time

import psutil
import pytest

from assent import OutcomeUnknown
from assent.adapters.mcp.connection import McpConnection
from assent.adapters.mcp.limits import McpLimits
from assent.errors import InvalidOutput, McpRefused, McpUnavailable
from tests.adapters.mcp.conftest import Done, hostile, returned


async def test_a_call_that_hangs_keeps_no_other_call_waiting(done: Done) -> None:
    async with McpConnection(hostile("hang", done)) as connection:
        hanging = asyncio.create_task(connection.call("go", {}, within=60))
        other = await connection.call("other", {})
        with pytest.raises(OutcomeUnknown, match="timed out"):
            await connection.call("go", {}, within=0.1)
        hanging.cancel()

    assert returned(other) == "other is done"


async def test_a_server_that_never_speaks_is_given_up_in_time() -> None:
    began = time.monotonic()
    async with McpConnection(hostile("silent", connect_within=1)) as connection:
        with pytest.raises(McpUnavailable, match="did not answer in time"):
            await connection.tools()

    assert time.monotonic() - began < 10


async def test_dying_in_a_call_is_an_unknown_outcome(done: Done) -> None:
    async with McpConnection(hostile("die", done)) as connection:
        with pytest.raises(OutcomeUnknown):
            await connection.call("go", {})

    assert done.text == "go\n"


@pytest.mark.parametrize("fault", ["big", "big_id_last"])
async def test_an_answer_of_100_megabytes_is_not_kept(fault: str) -> None:
    process = psutil.Process()
    before = process.memory_info().rss
    async with McpConnection(hostile(fault)) as connection:
        with pytest.raises(InvalidOutput, match="more than 8,000,000 bytes"):
            await connection.call("go", {})
        after = process.memory_info().rss
        if fault == "big":
            assert returned(await connection.call("other", {})) == "other is done"

    assert after - before < 60_000_000


async def test_garbage_on_stdout_is_ignored_and_said_once(caplog: pytest.LogCaptureFixture) -> None:
    async with McpConnection(hostile("garbage")) as connection:
        said = returned(await connection.call("go", {}))

    assert said == "go is done"
    assert [r.message for r in caplog.records if "no messages" in r.message] != []
    assert len(caplog.records) == 1


async def test_nothing_but_garbage_ends_the_connection() -> None:
    limits = McpLimits(messages_per_second=1_000_000)
    async with McpConnection(hostile("only_garbage"), limits=limits) as connection:
        with pytest.raises(McpUnavailable, match="lines that are no messages"):
            await connection.call("go", {})


async def test_a_flood_of_notifications_holds_nobody_up() -> None:
    changes = 0

    def changed() -> None:
        nonlocal changes
        changes += 1

    limits = McpLimits(messages_per_second=1_000)
    async with (
        McpConnection(hostile("flood"), limits=limits, on_changed=changed) as flooded,
        McpConnection(hostile("fine")) as quiet,
    ):
        call = asyncio.create_task(flooded.call("go", {}))
        began = time.monotonic()
        assert returned(await quiet.call("go", {})) == "go is done"
        took = time.monotonic() - began
        assert returned(await call) == "go is done"

    assert took < 5
    assert changes == 200


async def test_a_flood_of_stderr_is_drained() -> None:
    async with McpConnection(hostile("stderr")) as connection:
        assert returned(await connection.call("go", {})) == "go is done"


async def test_10000_tools_are_bounded_and_said() -> None:
    async with McpConnection(hostile("many")) as connection:
        listing = await connection.tools()

    assert len(listing.tools) == 500
    assert "9,500 more tools" in listing.refused[0]


async def test_an_allow_list_finds_its_tool_among_10000() -> None:
    async with McpConnection(hostile("many", allow=["t9999"])) as connection:
        listing = await connection.tools()

    assert [tool.name for tool in listing.tools] == ["t9999"]
    assert listing.refused == ()


async def test_endless_pages_end() -> None:
    async with McpConnection(hostile("endless"), limits=McpLimits(pages=20)) as connection:
        listing = await connection.tools()

    assert len(listing.tools) == 20
    assert "too many" in listing.refused[0]


async def test_a_cursor_that_comes_again_ends_the_list() -> None:
    async with McpConnection(hostile("circle")) as connection:
        listing = await connection.tools()

    assert {tool.name for tool in listing.tools} == {"one"}
    assert len(listing.tools) <= 2


async def test_a_huge_definition_is_left_out_and_said() -> None:
    async with McpConnection(hostile("huge_definition")) as connection:
        listing = await connection.tools()

    assert [tool.name for tool in listing.tools] == ["small"]
    assert "'big'" in listing.refused[0]


async def test_a_list_that_is_none_is_said() -> None:
    async with McpConnection(hostile("malformed")) as connection:
        with pytest.raises(McpUnavailable, match="does not follow the protocol"):
            await connection.tools()


async def test_an_answer_that_is_none_ran_and_cannot_be_used() -> None:
    async with McpConnection(hostile("shapeless")) as connection:
        with pytest.raises(InvalidOutput, match="does not follow the protocol"):
            await connection.call("go", {})


async def test_an_error_of_the_server_is_its_refusal() -> None:
    async with McpConnection(hostile("error")) as connection:
        with pytest.raises(McpRefused, match="no such thing"):
            await connection.call("go", {})


async def test_sampling_and_roots_are_refused(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    async with McpConnection(hostile("asks")) as connection:
        said = str(returned(await connection.call("go", {})))

    assert "List roots not supported" in said
    assert "Sampling not supported" in said
