"""Work that several want at once is done once."""

import asyncio

import pytest

from assent.adapters.mcp.shared import Shared


class Work:
    """Work that ends when the test says so."""

    def __init__(self) -> None:
        self.begun, self.may_end = 0, asyncio.Event()

    async def __call__(self) -> None:
        self.begun += 1
        await self.may_end.wait()
        raise ValueError("it failed")


async def test_all_who_wait_share_one_run_and_its_error() -> None:
    work = Work()
    shared = Shared(work, name="test")
    waiting = [asyncio.create_task(shared.done()) for _ in range(100)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    work.may_end.set()

    ended = await asyncio.gather(*waiting, return_exceptions=True)

    assert work.begun == 1
    assert isinstance(ended[0], asyncio.CancelledError)
    assert {str(error) for error in ended[1:]} == {"it failed"}


async def test_the_next_who_wants_it_begins_again() -> None:
    work = Work()
    work.may_end.set()
    shared = Shared(work, name="test")
    for _ in range(2):
        with pytest.raises(ValueError, match="it failed"):
            await shared.done()

    assert work.begun == 2


async def test_closing_gives_up_what_is_under_way() -> None:
    shared = Shared(Work(), name="test")
    waiting = asyncio.create_task(shared.done())
    await asyncio.sleep(0)

    await shared.close()

    with pytest.raises(asyncio.CancelledError):
        await waiting
