"""Functions of tool authors, as they are called."""

import asyncio
import threading

from assent.domain.author_functions import MOST, call_function


async def test_as_many_plain_functions_wait_at_once_as_there_may_be() -> None:
    # Passed only by all of them together: one that stands in line would hold up the rest.
    gate = threading.Barrier(MOST)
    async with asyncio.timeout(20):
        places = await asyncio.gather(*(call_function(gate.wait, 15) for _ in range(MOST)))
    assert sorted(places) == list(range(MOST))
