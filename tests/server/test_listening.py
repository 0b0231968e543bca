"""The server of our tests leaves nothing open: what it leaves, another test would fail for."""

import asyncio
import gc
import socket
from contextlib import suppress

import pytest

from assent.server import create_app
from tests.conftest import World
from tests.server.conftest import listening


@pytest.fixture
def url() -> str:
    return "sqlite:///:memory:"


@pytest.mark.parametrize("turns", range(5))
async def test_a_connection_that_is_just_being_accepted_is_closed(world: World, turns: int) -> None:
    with socket.socket() as visitor:
        async with listening(create_app(world("Hello."))) as base:
            visitor.connect(("127.0.0.1", int(base.rpartition(":")[2])))
            for _ in range(turns):
                await asyncio.sleep(0)
        visitor.settimeout(30)
        # One that was not taken from the socket yet is reset.
        with suppress(ConnectionResetError):
            assert visitor.recv(1) == b""

    # An open transport complains here.
    gc.collect()
