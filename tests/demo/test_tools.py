"""The demo's tools, through the engine, as an agent would call them."""

import asyncio
import os
import socket
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from assent import Person, answer, approve, supply
from assent.demo.agent import OTHERS_APPROVE, Home, demo_agent
from assent.demo.commands import (
    OUTPUT_BYTES,
    _run,  # pyright: ignore[reportPrivateUsage]
    run_command_tool,
)
from assent.demo.sandbox import Confinement, confinement
from assent.demo.workspace import Workspace
from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus
from assent.domain.tools import Preview
from assent.engine.queries.snapshots import Turn
from assent.errors import AssentError
from assent.testing import calls, says
from tests.child_processes import late_with_one_more
from tests.conftest import World

OWNER = Person("ada", roles=frozenset({"requester", "approver"}))
APPROVER = Person("grace", roles=frozenset({"approver"}))
SANDBOX = pytest.mark.skipif(
    confinement() is not Confinement.TCP,
    reason="the kernel has no Landlock for TCP",
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(root=tmp_path / "demo")
    home.furnish()
    return home


@pytest.fixture
def world(tmp_path: Path) -> World:
    """The tools are the same on every database; one will do."""
    return World(f"sqlite:///{tmp_path / 'assent.db'}")


async def outcome(world: World, home: Home, tool: str, **arguments: Json) -> Turn:
    """The turn in which a tool is called, approved if it asks."""
    script = [says("", calls(tool, arguments)), "Done."]
    async with world(script, *demo_agent(home).declared) as assent:
        turn = await assent.send("agent", "go", by=OWNER)
        for request in turn.pending:
            await assent.decide(request.id, approve(), by=APPROVER)
        return await assent.wait(turn.id)


def result(turn: Turn) -> Any:
    [call] = turn.calls
    return turn.result(call.id)


def is_over(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return not status.exists() or status.read_text().split()[2] == "Z"


async def test_a_command_runs_in_the_workspace(world: World, home: Home) -> None:
    turn = await outcome(world, home, "run_command", command="pwd; cat notes.txt >&2; exit 3")

    found = result(turn)
    assert found["exit_code"] == 3
    assert str(home.workspace.resolve()) in found["output"]
    assert "Grace" in found["output"]


async def test_a_command_sees_none_of_our_environment(
    world: World, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    turn = await outcome(world, home, "run_command", command="env")

    assert "very-secret" not in str(result(turn))
    assert "ASSENT_KEY" not in str(result(turn))


async def test_a_commands_output_is_bounded_and_counted(world: World, home: Home) -> None:
    command = f"head -c {OUTPUT_BYTES + 500} /dev/zero | tr '\\0' x"
    found = result(await outcome(world, home, "run_command", command=command))

    assert len(found["output"]) == OUTPUT_BYTES
    assert found["left_out"] == "500 bytes of output"


async def test_a_command_that_is_cancelled_as_it_starts_leaves_nothing(home: Home) -> None:
    pid, command = home.workspace / "pid", "sleep 600 & echo $! > new; mv new pid; wait"
    run = _run(Workspace(home.workspace), command, 60)
    running = asyncio.create_task(run)
    await late_with_one_more(pid.exists)
    running.cancel()
    await asyncio.wait({running}, timeout=20)
    assert running.cancelled()
    # What was killed is there until the kernel has taken it away.
    async with asyncio.timeout(20):
        while not is_over(int(pid.read_text())):  # noqa: ASYNC110 - nothing here is told of it
            await asyncio.sleep(0.01)


async def test_a_command_that_takes_too_long_is_killed_with_all_it_started(
    world: World, home: Home
) -> None:
    workspace = Workspace(home.workspace)
    tool = run_command_tool(workspace, approvers=OTHERS_APPROVE, seconds=0.5)
    command = "sleep 60 & echo $! > child; echo started; wait"
    script = [says("", calls("run_command", command=command)), "Done."]
    async with world(script, tool) as assent:
        turn = await assent.send("agent", "go", by=OWNER)
        [request] = turn.pending
        await assent.decide(request.id, approve(), by=APPROVER)
        found = result(await assent.wait(turn.id))

    assert found["exit_code"] is None
    assert found["output"] == "started\n"
    assert "killed after 0.5 seconds" in found["stopped"]
    assert is_over(int((home.workspace / "child").read_text()))


async def test_a_command_is_for_approvers_other_than_who_asked(world: World, home: Home) -> None:
    script = [says("", calls("run_command", command="touch ran")), "Done."]
    async with world(script, *demo_agent(home).declared) as assent:
        turn = await assent.send("agent", "go", by=OWNER)
        [request] = turn.pending
        assert await assent.pending(person=OWNER) == []
        assert [each.id for each in await assent.pending(person=APPROVER)] == [request.id]
        with pytest.raises(AssentError):
            await assent.decide(request.id, approve(), by=OWNER)

    assert not (home.workspace / "ran").exists()


@SANDBOX
async def test_a_command_reads_and_writes_nothing_outside_the_workspace(
    world: World, home: Home
) -> None:
    keys = home.root / "demo-keys.json"
    keys.write_text("the keys of the demo")
    command = f"cat {keys}; ls {home.root}; echo gone > {keys}; rm {keys}; touch inside; ls /proc/1"
    found = result(await outcome(world, home, "run_command", command=command))

    assert "the keys of the demo" not in found["output"]
    assert "databases" not in found["output"]
    assert found["output"].count("Permission denied") == 5
    assert keys.read_text() == "the keys of the demo"
    assert (home.workspace / "inside").exists()


@SANDBOX
async def test_a_command_reaches_no_server_and_no_process_of_ours(world: World, home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connect = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        # Not that of an activated environment, which the sandbox cannot read.
        python = "PATH=/usr/local/bin:/usr/bin:/bin python3"
        command = f'kill -0 {os.getpid()}; {python} -IS -c "{connect}"'
        found = result(await outcome(world, home, "run_command", command=command))

    assert "not permitted" in found["output"]
    assert "PermissionError" in found["output"]


@SANDBOX
def test_the_card_of_a_command_promises_no_more_than_the_sandbox_keeps(home: Home) -> None:
    [shell] = [each for each in demo_agent(home).declared if each.name == "run_command"]
    # Landlock knows TCP only: datagrams do get out.
    assert "no TCP connections" in shell.impact
    assert "network" not in shell.impact


@SANDBOX
async def test_a_command_cannot_fill_the_disk(world: World, home: Home) -> None:
    command = "head -c 200000000 /dev/zero > large"
    found = result(await outcome(world, home, "run_command", command=command))

    assert found["exit_code"] not in (0, None)
    assert (home.workspace / "large").stat().st_size <= 50_000_000


async def test_writing_shows_what_would_change(world: World, home: Home) -> None:
    script = [says("", calls("write_file", path="todo.txt", content="nothing\n"))]
    async with world(script, *demo_agent(home).declared) as assent:
        turn = await assent.send("agent", "go", by=Person("ada"))

    [request] = turn.pending
    before = (home.workspace / "todo.txt").read_text()
    assert request.question.preview == Preview(before=before, after="nothing\n")


async def test_a_query_cannot_write_or_look_into_other_files(world: World, home: Home) -> None:
    person = Person("ada")
    other = home.workspace / "other.db"
    sqlite3.connect(other).close()
    for sql in ("DELETE FROM orders", f"ATTACH '{other}' AS other", "SELECT 1; SELECT 2"):
        script = [says("", calls("query_database", sql=sql)), "Done."]
        async with world(script, *demo_agent(home).declared) as assent:
            turn = await assent.send("agent", "go", by=person)
            [request] = turn.pending
            await assent.decide(request.id, answer(database_name="production"), by=person)
            turn = await assent.wait(turn.id)
        assert [call.status for call in turn.calls] == [CallStatus.FAILED]


async def test_a_query_asks_which_database_each_time(world: World, home: Home) -> None:
    person = Person("ada")
    query = calls("query_database", sql="SELECT customer FROM orders ORDER BY id LIMIT 1")
    async with world([says("", query), says("", query), "Done."], *demo_agent(home).declared) as it:
        turn = await it.send("agent", "go", by=person)
        for name in ("production", "archive"):
            [request] = turn.pending
            await it.decide(request.id, answer(database_name=name), by=person)
            turn = await it.wait(turn.id)

    first, second = turn.calls
    assert turn.result(first.id) == [{"customer": "Ada"}]
    assert turn.result(second.id) == [{"customer": "Barbara"}]


@pytest.mark.parametrize(
    ("said", "status", "amount"),
    [
        ("yes", "refunded", 400),
        ("250", "refunded", 250),
        ("9999", "refused", 0),
        ("no, too late", "refused", 0),
        (True, "refunded", 400),
        (False, "refused", 0),
    ],
)
async def test_a_large_refund_is_what_the_person_says(
    world: World, home: Home, said: Json, status: str, amount: float
) -> None:
    person = Person("ada")
    script = [says("", calls("refund", amount=400)), "Done."]
    async with world(script, *demo_agent(home).declared) as assent:
        turn = await assent.send("agent", "go", by=person)
        [request] = turn.pending
        await assent.decide(request.id, supply(said), by=person)
        found = result(await assent.wait(turn.id))

    assert (found["status"], found["amount"]) == (status, amount)


@pytest.mark.parametrize("amount", [0, -40, 10_000_000])
async def test_an_amount_that_makes_no_sense_is_nobodys_to_refund(
    world: World, home: Home, amount: float
) -> None:
    turn = await outcome(world, home, "refund", amount=amount)

    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    assert not (home.workspace / "refunds.log").exists()


async def test_what_cannot_be_read_does_not_end_a_search(world: World, home: Home) -> None:
    (home.workspace / "large.txt").write_text("lease " * 100_000)

    assert result(await outcome(world, home, "web_search", query="lease"))
    assert result(await outcome(world, home, "index_documents"))["documents"] == 5


async def test_a_search_stays_in_the_workspace_and_says_so(world: World, home: Home) -> None:
    [search] = [tool for tool in demo_agent(home).declared if tool.name == "web_search"]
    assert "not the web" in search.description

    found = result(await outcome(world, home, "web_search", query="lease"))
    assert {hit["document"] for hit in found} == {"notes.txt", "docs/office.txt"}


async def test_renaming_asks_only_where_a_file_would_be_replaced(world: World, home: Home) -> None:
    script = [
        says("", calls("rename_file", path="todo.txt", to="done.txt")),
        "Done.",
        says("", calls("rename_file", path="done.txt", to="notes.txt")),
        "Done.",
    ]
    async with world(script, *demo_agent(home).declared) as assent:
        free = await assent.send("agent", "go", by=OWNER)
        asks = await assent.send("agent", "go", by=OWNER)
        [request] = asks.pending
        card = await assent.card(request)
        before = (home.workspace / "notes.txt").read_text()
        await assent.decide(request, approve(), by=OWNER)
        done = await assent.wait(asks)

    assert (free.pending, result(free)) == ((), "Renamed todo.txt to done.txt.")
    assert "notes.txt exists already and would be replaced" in card
    assert "budget" in before
    assert result(done) == "Renamed done.txt to notes.txt."
    assert "plants" in (home.workspace / "notes.txt").read_text()
    assert not (home.workspace / "done.txt").exists()


async def test_a_file_renamed_to_itself_stays(world: World, home: Home) -> None:
    script = [says("", calls("rename_file", path="todo.txt", to="./todo.txt")), "Done."]
    async with world(script, *demo_agent(home).declared) as assent:
        turn = await assent.send("agent", "go", by=OWNER)
        await assent.decide(turn.pending[0], approve(), by=OWNER)
        await assent.wait(turn)

    assert "plants" in (home.workspace / "todo.txt").read_text()


def test_nothing_is_renamed_out_of_the_workspace(home: Home) -> None:
    for path, to in (("../a", "b"), ("todo.txt", "../b"), ("todo.txt", "/tmp/b")):
        with pytest.raises(PermissionError):
            Workspace(home.workspace).rename(path, to)
    assert "plants" in (home.workspace / "todo.txt").read_text()
