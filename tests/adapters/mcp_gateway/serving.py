"""A server of Assent in this process, on a free port."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from assent.app import Assent
from assent.cli.gateway import serving
from assent.cli.listening import Listener
from assent.server import Settings, create_app


@asynccontextmanager
async def served(folder: Path) -> AsyncIterator[tuple[Assent, str]]:
    """An engine, and the address at which its API answers."""
    bound = socket.create_server(("127.0.0.1", 0))
    origin = f"http://127.0.0.1:{bound.getsockname()[1]}"
    assent = Assent(f"sqlite:///{folder / 'server.db'}", agents=[], review_url=origin)
    app = create_app(assent, Settings(origin=origin, local=True))
    listener = Listener(socket=bound, origin=origin, is_local=True)
    with bound:
        async with app.router.lifespan_context(app), serving(app, listener):
            yield assent, origin
