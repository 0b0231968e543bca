from collections.abc import AsyncIterator

import pytest

from tests.channels.slack import LoopbackSlack


@pytest.fixture
async def slack() -> AsyncIterator[LoopbackSlack]:
    """A workspace with our app installed and nobody in it yet."""
    async with LoopbackSlack() as loopback:
        yield loopback
