from collections.abc import AsyncIterator

import pytest

from tests.providers import FakeProvider


@pytest.fixture
async def provider() -> AsyncIterator[FakeProvider]:
    async with FakeProvider() as fake:
        yield fake
