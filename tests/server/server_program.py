"""A server that tests start as a process of its own, and its agent; run as a program or served."""

import asyncio
import socket
import sys
from datetime import timedelta
from pathlib import Path

import uvicorn

from assent import Agent, Assent, Risk, tool
from assent.domain.messages import ModelSaid, Prompt
from assent.engine.settings import Times
from assent.models.scripted import ScriptStep
from assent.server import Settings, create_app
from assent.testing import ScriptedModel, calls, says

TIMES = Times(
    lease=timedelta(seconds=2),
    look=timedelta(milliseconds=100),
    flush=timedelta(milliseconds=20),
    grace=timedelta(seconds=2),
)
SETTINGS = Settings(streams_per_person=1_000, closing_patience=timedelta(seconds=2))


@tool(risk=Risk.DANGEROUS, requires_approval=True)
async def pay(amount: int) -> str:
    """Pay somebody."""
    return f"paid {amount}"


@tool(risk=Risk.DANGEROUS, requires_approval=True, timeout=timedelta(minutes=1))
async def pay_slowly(flags: str) -> str:
    """Pay somebody, but not before the file `go` is there."""
    folder = Path(flags)
    (folder / "began").touch()
    while not (folder / "go").exists():  # noqa: ASYNC110 - another process makes it
        await asyncio.sleep(0.02)
    return "paid"


def script(prompt: Prompt) -> ScriptStep:
    """Stateless, so that another process can go on."""
    last = prompt.history[-1]
    if isinstance(last, ModelSaid):
        return "Done."
    what, _, rest = last.text.partition(" ")
    if what == "talk":
        return "word " * 1_000
    return says("", calls("pay", amount=1) if what == "pay" else calls("pay_slowly", flags=rest))


def agent() -> Agent:
    """Pays, slowly if told so, and talks at length."""
    model = ScriptedModel(script, word_delay=timedelta(milliseconds=5))
    return Agent("agent", model=model, tools=[pay, pay_slowly])


AGENTS = [agent()]


def engine(url: str, *, worker: bool = True) -> Assent:
    """An engine on this database, with short times."""
    return Assent(url, agents=[agent()], worker=worker, times=TIMES)


def main(url: str, role: str) -> None:
    """Serve on a free port until told to stop; the port is the first line."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        sys.stdout.write(f"{listener.getsockname()[1]}\n")
        sys.stdout.flush()
        app = create_app(engine(url, worker=role == "worker"), SETTINGS)
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5)
        uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
