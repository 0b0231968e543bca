"""A server whose tool takes large files, as a process of its own: its memory can be measured."""

import asyncio
import json
import socket
import sys
from pathlib import Path

import uvicorn

from assent import Agent, Assent, Field, FieldType, File, Person, UserInput, tool
from assent.domain.people import SYSTEM
from assent.engine.gate.quotas import Quotas
from assent.server import Settings, create_app
from assent.testing import ScriptedModel, calls, says

FILE = FieldType.FILE
FORM = UserInput(
    "A film.",
    [
        Field("film", type=FILE, max_bytes=110_000_000),
        Field("key", type=FILE, max_bytes=110_000_000, sealed=True, required=False),
        Field(
            "paper",
            type=FILE,
            kinds="application/pdf",
            max_bytes=110_000_000,
            required=False,
        ),
    ],
)


@tool(user_input=FORM)
async def show(film: File, key: File | None = None, paper: File | None = None) -> str:
    """Show a film."""
    return film.sha256


async def serve(url: str, place: Path) -> None:
    """Serve until the end; what a client needs to know is in a file."""
    model = ScriptedModel([says("", calls("show")), "Shown."])
    assent = Assent(url, agents=Agent("agent", model=model, tools=[show]))
    settings = Settings(quotas=Quotas())
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        async with assent:
            await assent.people.add(Person("ada", roles={"requester"}), by=SYSTEM)
            _, key = await assent.people.issue_key("ada", by=SYSTEM)
            turn = await assent.send("agent", "show it", by=Person("ada", roles={"requester"}))
            told = {"key": key, "request": turn.pending[0].id, "turn": turn.id}
            place.write_text(json.dumps(told))  # noqa: ASYNC240 - before anything is served
            app = create_app(assent, settings)
            server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None))
            sys.stdout.write(f"{listener.getsockname()[1]}\n")
            sys.stdout.flush()
            await server.serve(sockets=[listener])


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Path(sys.argv[2])))
