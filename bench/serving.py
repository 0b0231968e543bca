"""The servers that the service is measured with: ours, and a bare one that does the same by hand.

Run as a program: `python -m bench.serving ours|bare PATH` prints its port, then serves.
"""

import asyncio
import json
import socket
import sqlite3
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from assent import Assent
from assent.server import Settings, create_app
from bench.cycle import agent

ROWS = 10_000
TABLES = (
    "CREATE TABLE IF NOT EXISTS requests (id INTEGER PRIMARY KEY, status TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS decisions (request_id INTEGER PRIMARY KEY, body TEXT NOT NULL)",
)


def ours(path: Path) -> Any:
    """The service as it is: it decides, and leaves running to whoever is the worker."""
    assent = Assent(f"sqlite:///{path}", agents=[agent()], worker=False)
    return create_app(assent, Settings(streams_per_person=10_000))


def bare(path: Path) -> Any:
    """One raw commit of an UPDATE and an INSERT; a stream that waits for something to happen."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    for table in TABLES:
        connection.execute(table)
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT OR IGNORE INTO requests VALUES (?, 'open')", ((id,) for id in range(ROWS))
    )
    connection.execute("COMMIT")
    waiting: set[asyncio.Future[bytes]] = set()

    async def decide(request: Request) -> Response:
        id, body = int(request.path_params["id"]), await request.json()
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(
            "UPDATE requests SET status = 'approved' WHERE id = ? AND status = 'open'", (id,)
        )
        connection.execute("INSERT INTO decisions VALUES (?, ?)", (id, json.dumps(body)))
        connection.execute("COMMIT")
        return JSONResponse({"status": "approved"})

    async def lines() -> AsyncGenerator[bytes]:
        yield b"retry: 1000\n\n"
        while True:
            future: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
            waiting.add(future)
            try:
                yield await future
            finally:
                waiting.discard(future)

    async def events(_: Request) -> Response:
        return StreamingResponse(lines(), media_type="text/event-stream")

    async def ready(_: Request) -> Response:
        return JSONResponse({"status": "ready"})

    return Starlette(
        routes=[
            Route("/readyz", ready),
            Route("/api/requests/{id}/decide", decide, methods=["POST"]),
            Route("/api/events", events),
        ]
    )


def main(which: str, path: str) -> None:
    """Serve on a free port until killed."""
    app = {"ours": ours, "bare": bare}[which](Path(path))
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        config = uvicorn.Config(app, log_level="error", access_log=False, backlog=4096)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
