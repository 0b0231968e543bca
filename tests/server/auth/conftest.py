"""Credentials over HTTP. What the database does with them is tested with the engine, on both."""

from pathlib import Path

import pytest

from tests.conftest import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    """One SQLite file."""
    return World(f"sqlite:///{tmp_path / 'assent.db'}")
