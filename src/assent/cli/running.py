"""A server while it runs: it says when it is ready, and ends without losing anything."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from socket import socket
from typing import TYPE_CHECKING

import uvicorn

from assent.cli.listening import Listener
from assent.cli.screen import Ink, Screen

if TYPE_CHECKING:
    from fastapi import FastAPI


INTERRUPTED = 130
# How long answers in flight may take to end once somebody wants to stop.
GRACE_SECONDS = 5


class Server(uvicorn.Server):
    """uvicorn's, but the signals are ours."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        await self._ready()


async def run(
    app: "FastAPI", listener: Listener, screen: Screen, ready: Callable[[], Awaitable[None]]
) -> None:
    """Serve until Ctrl-C or SIGTERM."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        # Whom to believe about addresses is `Settings.proxy`'s to say, not a header's.
        proxy_headers=False,
        server_header=False,
        lifespan="off",
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
