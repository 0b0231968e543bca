"""Children that can be killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.nursery import Nursery
from tests.faults.worker_program import Counter


@pytest.fixture(scope="session")
def warm_nursery() -> Iterator[Nursery]:
    """One per test process."""
    with Nursery() as nursery:
        yield nursery


@pytest.fixture
def nursery(warm_nursery: Nursery) -> Iterator[Nursery]:
    """Whatever a test leaves running is killed at its end."""
    yield warm_nursery
    warm_nursery.clear()


@pytest.fixture
def counter(tmp_path: Path) -> Counter:
    """The file outside in which effects are counted."""
    return Counter(str(tmp_path / "effects"))
