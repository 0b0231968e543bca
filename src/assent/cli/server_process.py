"""A server while it runs: it says when it is ready, and ends without losing anything."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from socket import socket
from typing import TYPE_CHECKING, cast

import uvicorn

from assent.cli.file_limits import handles_for
from assent.cli.listening import Listener
from assent.cli.screen import Ink, Screen
from assent.server.connections import ROOM, Lobby, Patience

if TYPE_CHECKING:
    from fastapi import FastAPI


INTERRUPTED = 130
# How long answers in flight may take to end once somebody wants to stop.
GRACE_SECONDS = 5
# How many may wait to be let in, and how many are before the lobby hears of the first.
BACKLOG = 2_048
ACCEPTED_AT_ONCE = 128
# For what else needs a file handle: the database, models, files, commands, health checks.
SPARE_HANDLES = 256 + ACCEPTED_AT_ONCE + ROOM


class Server(uvicorn.Server):
    """uvicorn's, but the signals are ours, and nobody is answered before all is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        # Whoever comes meanwhile waits: the socket listens since it is bound.
        await self._ready()
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(BACKLOG)


async def run(
    app: "FastAPI", listener: Listener, screen: Screen, ready: Callable[[], Awaitable[None]]
) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    most = Patience().connections
    room = handles_for(most + SPARE_HANDLES) - SPARE_HANDLES
    lobby = Lobby(Patience(connections=max(1, min(most, room))))
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        # Whom to believe about addresses is `Settings.proxy`'s to say, not a header's.
        proxy_headers=False,
        server_header=False,
        lifespan="off",
        http=cast("type[asyncio.Protocol]", lobby),
        ws="none",
        backlog=ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = Server(config, ready)
    _on_signals(server, app, screen)
    await server.serve([listener.socket])


def _on_signals(server: Server, app: "FastAPI", screen: Screen) -> None:
    def stop() -> None:
        if server.should_exit:
            # What is on disk is whole at any moment: ending here is no worse than a power cut.
            screen.line("Ended at once; a call that was running is in doubt.", Ink.WARNING)
            os._exit(INTERRUPTED)
        screen.line()
        screen.words("Stopping. What runs gets a few seconds to end; what waits is kept.")
        # First: the server waits for its connections, and an open stream would never end.
        app.state.service.live.close()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
