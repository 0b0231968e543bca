"""Running a server: it reports when it is ready, and stops without losing anything."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from socket import socket
from typing import TYPE_CHECKING, cast

import uvicorn

from assent.cli.listening import Listener
from assent.cli.screen import Ink, Screen
from assent.server.connections import ROOM, Lobby, Patience

if TYPE_CHECKING:
    from fastapi import FastAPI
import contextlib
import sys


def handles_for(wanted: int) -> int:
    """Raise the limit of open files to `wanted` if it is lower; return how many we may use."""
    if sys.platform == "win32":
        return wanted
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return wanted
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    # Some systems have a lower limit than the one they report.
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


INTERRUPTED = 130
# Seconds that open responses may take to end after the signal to stop.
GRACE_SECONDS = 5
# Connections that may wait to be accepted, and those that the loop accepts in one go, before the
# lobby can count any of them.
BACKLOG = 2_048
ACCEPTED_AT_ONCE = 128
# Handles for everything else: the database, models, files, commands, health checks.
SPARE_HANDLES = 256 + ACCEPTED_AT_ONCE + ROOM


class ReadyServer(uvicorn.Server):
    """uvicorn's server with our own signal handling; it answers only after all is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        # Clients that come meanwhile wait: the socket has been listening since it was bound.
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
        # `Settings.proxy` says which proxies are believed about addresses; uvicorn must not trust
        # headers.
        proxy_headers=False,
        server_header=False,
        lifespan="off",
        http=cast("type[asyncio.Protocol]", lobby),
        ws="none",
        backlog=ACCEPTED_AT_ONCE,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    server = ReadyServer(config, ready)
    _on_signals(server, app, screen)
    await server.serve([listener.socket])


def _on_signals(server: ReadyServer, app: "FastAPI", screen: Screen) -> None:
    def stop() -> None:
        if server.should_exit:
            # The database is consistent at any moment: ending here is no worse than a power cut.
            screen.line("Ended at once; a call that was running is in doubt.", Ink.WARNING)
            os._exit(INTERRUPTED)
        screen.line()
        screen.words("Stopping. What runs gets a few seconds to end; what waits is kept.")
        # Before the server stops: it waits for its connections, and an open stream would never end.
        app.state.service.live.close()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
