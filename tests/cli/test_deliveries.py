"""`assent deliveries`, beside a database that nobody serves just now."""

import asyncio
from pathlib import Path

import pytest

from assent import Assent, Person, Risk, tool
from assent.channels import ChannelError, Room
from assent.testing import ScriptedModel, calls, says
from tests.cli.sessions import run
from tests.conftest import World
from tests.engine.deliveries.wall import PATIENCE_SECONDS, Wall

ROOT = Person("root", roles=frozenset({"admin"}))
ROOMS = (Room(address="room:1", everything=True),)


@tool(risk=Risk.MODERATE, requires_approval=True)
async def pay(amount: int) -> str:
    """Pay something."""
    return "paid"


def hooks() -> list[Wall]:
    return [Wall(name, rooms=ROOMS, reaches_people=False) for name in ("hook", "other")]


def opened(path: Path, *walls: Wall) -> Assent:
    model = ScriptedModel([says("", calls("pay", amount=7))])
    return World(f"sqlite:///{path / 'assent.db'}")(model, pay, channels=walls)


@pytest.fixture
async def request_id(tmp_path: Path) -> str:
    """A request of which two channels could not tell."""
    walls = hooks()
    async with opened(tmp_path, *walls) as assent:
        for wall in walls:
            wall.errors.append(ChannelError("The room\x1b[2J is gone", permanent=True))
        turn = await assent.send("agent", "Pay.", by=Person("ada"))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(await assent.channels.dead_letters(by=ROOT)) < 2:  # noqa: ASYNC110 - rows have no event
                await asyncio.sleep(0.02)
    return turn.pending[0].id


async def told_again(path: Path, id: str) -> list[str]:
    """The channels that tell of it once they are served again, and of something new after it."""
    walls = hooks()
    async with opened(path, *walls) as assent:
        new = (await assent.send("agent", "Pay.", by=Person("ada"))).pending[0].id
        for wall in walls:
            await wall.until(lambda: new in wall.told("room:1"))  # noqa: B023 - awaited
        return [wall.name for wall in walls if id in wall.told("room:1")]


def test_what_could_not_be_delivered_is_listed(tmp_path: Path, request_id: str) -> None:
    database = ("--db", str(tmp_path / "assent.db"))
    listed = run("deliveries", *database).stdout
    assert listed.count(request_id) == 2
    assert "hook: room:1" in listed
    assert "is gone" in listed
    assert "\x1b[2J" not in listed
    one = run("deliveries", "--channel", "other", *database).stdout
    assert one.count(request_id) == 1
    assert "hook:" not in one


async def test_all_are_sent_again(tmp_path: Path, request_id: str) -> None:
    database = ("--db", str(tmp_path / "assent.db"))
    sent = run("deliveries", "--send-again", *database).stdout
    assert "2 are being sent again." in sent
    assert "No process serves hook now" in sent
    assert "There are no dead letters." in run("deliveries", *database).stdout
    assert await told_again(tmp_path, request_id) == ["hook", "other"]


async def test_those_of_one_channel_are_sent_again(tmp_path: Path, request_id: str) -> None:
    database = ("--db", str(tmp_path / "assent.db"))
    sent = run("deliveries", request_id, "--channel", "hook", "--send-again", *database)
    assert "1 is being sent again." in sent.stdout
    assert await told_again(tmp_path, request_id) == ["hook"]


def test_of_an_unknown_request_there_is_none(tmp_path: Path, request_id: str) -> None:
    answer = run("deliveries", "req_nothing", "--db", str(tmp_path / "assent.db"))
    assert (answer.returncode, answer.stdout) == (0, "There are no dead letters.\n")
