"""Both stores, opened and closed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assent.app import open_store
from assent.ports import Store
from assent.testing import VirtualClock
from tests.store.rawsql import RawSql


@pytest.fixture
async def store(url: str, clock: VirtualClock) -> AsyncIterator[Store]:
    """An open store on a fresh database, each kind in turn, with a clock that the test moves."""
    opened = open_store(url, clock)
    await opened.open(worker=True)
    yield opened
    await opened.close()


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    """A SQLite file."""
    return f"sqlite:///{tmp_path / 'assent.db'}"


@pytest.fixture
async def file_store(file_url: str) -> AsyncIterator[Store]:
    """An open store on that file, with the real clock."""
    opened = open_store(file_url)
    await opened.open(worker=True)
    yield opened
    await opened.close()


@pytest.fixture
def raw(url: str) -> RawSql:
    """The same database behind the store's back."""
    return RawSql(url)
