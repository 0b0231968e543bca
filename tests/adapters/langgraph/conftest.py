"""An engine, a guard and a desk for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assent import Assent
from assent.guard import Guard
from tests.adapters.langgraph.graphs import Desk, engine


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Assent]:
    async with engine(tmp_path) as assent:
        yield assent


@pytest.fixture
def guard(office: Assent) -> Guard:
    return office.guard_for(agent="desk", by="ana")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "effects")
