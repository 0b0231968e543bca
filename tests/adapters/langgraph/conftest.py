"""An engine, a guard and a desk for each test."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assent import Assent
from assent.guard import Guard
from tests.adapters.langgraph.graphs import Desk, engine
from tests.adapters.ledger import database


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return database(request, tmp_path)


@pytest.fixture
async def office(url: str) -> AsyncIterator[Assent]:
    async with engine(url) as assent:
        yield assent


@pytest.fixture
def guard(office: Assent) -> Guard:
    return office.guard_for(agent="desk", by="ana")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "effects")
