"""Connections that a server of this loop is just accepting."""

import asyncio


async def accepted() -> None:
    """Wait until none is: call it right before a server is closed.

    asyncio fails to attach a connection to a server that was closed meanwhile, says nothing, and
    leaves it open. Some later test, in which it is collected, would fail for that.
    """
    while tasks := _accepting():
        await asyncio.gather(*tasks, return_exceptions=True)


def _accepting() -> list[asyncio.Task[object]]:
    named = "_accept_connection2"
    return [it for it in asyncio.all_tasks() if getattr(it.get_coro(), "__name__", "") == named]
