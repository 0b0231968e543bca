"""Accepting a changed definition: on the tools page, by the API and at a terminal."""

from contextlib import asynccontextmanager
from pathlib import Path

from assent import Person
from assent.testing import ScriptedModel, calls, says
from tests.adapters.mcp.conftest import Moody, eventually
from tests.cli.sessions import run
from tests.conftest import World
from tests.server.conftest import Serve, Served, serve  # noqa: F401 - a fixture
from tests.server.web.desk_clerk import Clerk

ADA = Person("ada")
EVIL = "Sends a note.\u202e <script>accept()</script>"


@asynccontextmanager
async def changed(serve: Serve, moody: Moody):  # noqa: F811
    model = ScriptedModel([says("", calls("moody__announce")), "Said."])
    async with serve(model, mcp=[moody.server()]) as served:
        moody.define(send=EVIL)
        await served.assent.send("agent", "Announce.", by=ADA)
        await eventually(lambda: bool(change(served)))
        yield served


def change(served: Served) -> object:
    tools = {item.tool.name: item for item in served.assent.tools()}
    return tools["moody__send"].change


async def test_the_page_shows_the_difference_and_accepts_what_it_showed(
    serve: Serve,  # noqa: F811
    moody: Moody,
) -> None:
    async with changed(serve, moody) as served:
        user = await Clerk.of(served, "user")
        await user.open("/tools/moody__send")
        assert "Its definition has changed" in user.text
        assert "Accept this definition" not in user.text
        clerk = await Clerk.of(served)
        await clerk.open("/tools/moody__send")
        page = clerk.page.text
        stale = [("csrf_token", clerk.csrf), ("definition", "0" * 64), ("do", "accept")]
        refused = await clerk.post("/tools/moody__send", stale)
        await clerk.open("/tools/moody__send")
        await clerk.press("/tools/moody__send", "accept")
        assert change(served) is None
        again = await clerk.post("/tools/moody__send", stale)

    assert "<script>accept" not in page
    assert "\u202e" not in page
    assert refused.status_code == 409
    assert again.status_code == 409


async def test_the_api_shows_and_accepts_it_for_admins_only(
    serve: Serve,  # noqa: F811
    moody: Moody,
) -> None:
    async with changed(serve, moody) as served:
        admin, user = served.client("admin"), served.client("user")
        shown = (await admin.get("/api/tools/moody__send")).json()["items"][0]
        said = {"definition": shown["change"]["definition"]}
        stranger = await user.post("/api/tools/moody__send/accept", json=said)
        wrong = await admin.post("/api/tools/moody__send/accept", json={"definition": "0" * 64})
        empty = await admin.post("/api/tools/moody__send/accept", json={})
        taken = await admin.post("/api/tools/moody__send/accept", json=said)
        again = await admin.post("/api/tools/moody__send/accept", json=said)
        unknown = await admin.post("/api/tools/nothing/accept", json=said)

    assert "Sends a note." in shown["change"]["before"]
    assert (stranger.status_code, wrong.status_code, empty.status_code) == (403, 409, 422)
    assert taken.json()["items"][0]["change"] is None
    assert (again.status_code, unknown.status_code) == (409, 404)


async def _change(path: Path, moody: Moody) -> None:
    world = World(f"sqlite:///{path / 'assent.db'}")
    async with world([], mcp=[moody.server()]):
        pass
    moody.define(send="Sends it to \x1b[2J everybody.")
    async with world([], mcp=[moody.server()]):
        pass


async def test_a_terminal_shows_and_accepts_it_beside_a_server(
    tmp_path: Path, moody: Moody
) -> None:
    await _change(tmp_path, moody)
    database = ("--db", str(tmp_path / "assent.db"))
    listed = run("tools", "changed", *database).stdout
    refused = run("tools", "accept", "moody__send", *database)
    other = run("tools", "accept", "moody__announce", "--yes", *database)
    accepted = run("tools", "accept", "moody__send", "--yes", *database).stdout
    after = run("tools", "changed", *database).stdout

    assert "moody__send" in listed
    assert "everybody" in listed
    assert "\x1b[2J" not in listed
    assert refused.returncode != 0
    assert other.returncode != 0
    assert "Accepted: moody__send." in accepted
    assert "All definitions are as they were accepted." in after
