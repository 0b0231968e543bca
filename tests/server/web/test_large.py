"""Large arguments: they can be edited, and nobody else waits while they are laid out."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress

from assent import Risk
from assent.domain.canonical import Json
from assent.domain.declarations import schema_tool
from tests.browser.office import person, script
from tests.server.conftest import Serve, Served
from tests.server.web.visitor import Visitor

RAN: list[object] = []
# More than the loop may spend on one thing; to lay this text out takes several times as long.
_MOST_SECONDS = 0.2
_SLOW = "а " * 30_000


async def keep(_: object, arguments: object) -> str:
    RAN.append(arguments)
    return "kept"


ENTRY: Json = {"type": "object", "properties": {name: {"type": "string"} for name in "abcdef"}}
ANYTHING = schema_tool(
    "anything",
    description="Keep anything.",
    parameters={"type": "object", "properties": {"items": {"type": "array", "items": ENTRY}}},
    execute=keep,
    requires_approval=True,
    risk=Risk.MODERATE,
)


async def looking(served: Served, **arguments: Json) -> Visitor:
    """A visitor who looks at a call with these arguments."""
    RAN.clear()
    visitor = await Visitor.signed_in(served)
    said = f"anything {json.dumps(arguments, ensure_ascii=False)}"
    turn = await served.assent.send("agent", said, by=person("user"))
    await visitor.open(f"/requests/{turn.pending[0].id}")
    return visitor


@asynccontextmanager
async def listening_loop() -> AsyncGenerator[list[float]]:
    """How long the loop's own thread was busy with one thing, whatever else the machine does."""
    longest = [0.0]

    async def tick() -> None:
        last = time.thread_time()
        while True:
            await asyncio.sleep(0)
            now = time.thread_time()
            longest[0], last = max(longest[0], now - last), now

    task = asyncio.create_task(tick(), name="tick")
    try:
        yield longest
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_others_do_not_wait_while_a_large_request_is_laid_out(serve: Serve) -> None:
    async with serve(script, ANYTHING) as served:
        visitor = await looking(served, v=_SLOW)
        address = visitor.page.url.path
        id = address.rpartition("/")[2]
        for path in (address, f"{address}?do=edit", f"/batch?id={id}"):
            async with listening_loop() as longest:
                page = await visitor.open(path)
            assert page.status_code == 200
            assert longest[0] < _MOST_SECONDS, path
        await visitor.open(f"{address}?do=edit")
        async with listening_loop() as longest:
            await visitor.send({}, "edit")
        assert "What you changed" in visitor.page.text
        assert longest[0] < _MOST_SECONDS, "the difference"


async def test_a_large_edit_runs(serve: Serve) -> None:
    async with serve(script, ANYTHING) as served:
        nothing: list[Json] = [[] for _ in range(10_000)]
        large: dict[str, Json] = {"v": "a\u200b" * 40_000, "w": nothing}
        visitor = await looking(served, **large)
        await visitor.open(f"{visitor.page.url.path}?do=edit")
        await visitor.send({}, "edit")
        assert "the arguments are unchanged" in visitor.page.text
        await visitor.send({})
        assert "Recorded" in visitor.page.text
    assert [large] == RAN


async def test_an_edit_that_has_become_too_large_says_so_and_is_kept(serve: Serve) -> None:
    async with serve(script, ANYTHING) as served:
        visitor = await looking(served, v="x")
        await visitor.open(f"{visitor.page.url.path}?do=edit")
        await visitor.send({}, "edit", press="view:json")
        text = f'{{"v": "{"y" * 300_000}"}}'
        await visitor.send({"arguments": text}, "edit")
        assert visitor.page.status_code == 422
        assert "too large" in visitor.page.text
        assert visitor.form("edit").value("arguments") == text


async def test_rows_that_have_no_room_are_refused_and_nothing_is_lost(serve: Serve) -> None:
    async with serve(script, ANYTHING) as served:
        rows: list[Json] = [{"a": f"row {number}"} for number in range(30)]
        visitor = await looking(served, items=rows)
        await visitor.open(f"{visitor.page.url.path}?do=edit")
        added = 0
        while "cannot hold more rows" not in visitor.text:
            await visitor.send({}, "edit", press="add:/items")
            assert visitor.page.status_code == 200
            added += 1
            assert added < 40
        assert visitor.form("edit").value("arg/items/29/a") == "row 29"
        await visitor.send({}, "edit")
        assert "What you changed" in visitor.text
