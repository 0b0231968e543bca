"""What waits in a database of an earlier release is there after the upgrade, and goes on."""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from assent import Assent, Ran, answer, approve, supply
from assent.domain.lifecycle import CallStatus
from assent.testing import ScriptedModel, VirtualClock
from tests.server.streams.lines import eventually
from tests.store.rawsql import RawSql
from tests.upgrade.scenes import (
    ADA,
    FAY,
    PIN,
    RULES,
    START,
    TASK,
    World,
    agent,
)

SQLITE = "sqlite:///"
RELEASES = [path for path in sorted(Path(__file__).parent.iterdir()) if path.name[0].isdigit()]
# Before anything else happens; a day is over for nobody yet.
NOW = START + timedelta(minutes=10)
KEPT = {
    "ungated": CallStatus.SUCCEEDED,
    "succeeded": CallStatus.SUCCEEDED,
    "failed": CallStatus.FAILED,
    "doubt": CallStatus.IN_DOUBT,
    "edited": CallStatus.SUCCEEDED,
    "rejected": CallStatus.REJECTED,
    "stopped": CallStatus.CANCELLED,
    "superseded": CallStatus.SUPERSEDED,
    "expired": CallStatus.EXPIRED,
    "pending": CallStatus.AWAITING_APPROVAL,
    "quorum": CallStatus.AWAITING_APPROVAL,
    "form": CallStatus.AWAITING_INPUT,
    "draft": CallStatus.AWAITING_INPUT,
    "answered": CallStatus.SUCCEEDED,
    "result": CallStatus.AWAITING_RESULT,
    "deferred": CallStatus.AWAITING_RESULT,
    "cleared": CallStatus.CLEARED,
    "running": CallStatus.RUNNING,
}


class Upgraded:
    """A database of an earlier release, to be opened by this one."""

    def __init__(self, url: str, scenes: dict[str, dict[str, str]]) -> None:
        self.url = url
        self.scenes = scenes
        self.world = World()
        self.clock = VirtualClock(NOW)
        self.model = ScriptedModel(lambda _: "Done.")

    def __call__(self, *, worker: bool = True) -> Assent:
        agents = [agent(self.world, self.model)]
        return Assent(self.url, agents=agents, rules=RULES, clock=self.clock, worker=worker)

    def id(self, scene: str, noun: str) -> str:
        return self.scenes[scene][noun]

    async def status(self, assent: Assent, scene: str) -> CallStatus:
        """How the scene's call stands."""
        turn = await assent.turn(self.id(scene, "turn"))
        (call,) = [call for call in turn.calls if call.id == self.id(scene, "call")]
        return call.status

    async def is_in_doubt(self, assent: Assent, scene: str) -> bool:
        return await self.status(assent, scene) is CallStatus.IN_DOUBT


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def release(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"{SQLITE}{tmp_path / 'assent.db'}"
    return request.getfixturevalue("empty_postgres_url")


@pytest.fixture
async def upgraded(release: Path, empty_url: str) -> Upgraded:
    kind = "sqlite" if empty_url.startswith(SQLITE) else "postgres"
    scenes = json.loads((release / "scenes.json").read_text())[kind]
    script = (release / f"{kind}.sql").read_text()
    if kind == "sqlite":
        _restore(Path(empty_url.removeprefix(SQLITE)), script)
    else:
        admin: Any = await asyncpg.connect(empty_url)
        await admin.execute(script)
        await admin.close()
    return Upgraded(empty_url, scenes)


def _restore(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    path.chmod(0o600)


def test_there_is_a_database_of_the_first_release() -> None:
    assert "0.1.0" in [path.name for path in RELEASES]


async def test_every_call_is_as_it_was(upgraded: Upgraded) -> None:
    async with upgraded(worker=False) as assent:
        assert {scene: await upgraded.status(assent, scene) for scene in KEPT} == KEPT


async def test_nothing_that_was_recorded_is_lost(upgraded: Upgraded) -> None:
    raw = RawSql(upgraded.url)
    before = Counter(dict(await raw.rows("SELECT action, count(*) FROM audit GROUP BY action")))
    async with upgraded(worker=False) as assent:
        after = Counter([entry.action for entry in await assent.audit()])
    assert after == before
    assert after.total() > 50


async def test_accounts_keys_overrides_and_saved_answers_are_kept(upgraded: Upgraded) -> None:
    async with upgraded(worker=False) as assent:
        known = await assent.people.by_key(upgraded.id("key", "text"))
        assert known is not None
        assert known[0].id == "ada"
        assert {account.id for account in await assent.people.all()} == {"ada", "finn", "fay"}
        (look,) = [tool for tool in assent.tools() if tool.tool.name == "look"]
        assert look.risk == "moderate"
        saved = await assent.saved_values(upgraded.id("answered", "conversation"))
        assert [values["to"] for values in saved.values()] == ["bob"]


async def test_what_was_edited_is_told_as_it_was(upgraded: Upgraded) -> None:
    async with upgraded(worker=False) as assent:
        turn = await assent.turn(upgraded.id("edited", "turn"))
        assert turn.calls[0].arguments == {"amount": 40, "to": "eve"}
        assert turn.calls[0].result == "paid 40 to eve"


async def test_what_waits_is_decided_and_runs_once(upgraded: Upgraded) -> None:
    async with upgraded() as assent:
        for scene, verdict, by in (
            ("pending", approve(), ADA),
            ("quorum", approve(), FAY),
            ("form", answer(to="bob", pin=PIN), ADA),
            ("draft", answer(to="eve"), ADA),
            ("result", supply("signed"), ADA),
        ):
            decided = await assent.decide(upgraded.id(scene, "request"), verdict, by=by)
            await assent.wait(decided)
            assert await upgraded.status(assent, scene) is CallStatus.SUCCEEDED, scene
        await assent.resolve(TASK, "arrived")
        assert await upgraded.status(assent, "deferred") is CallStatus.SUCCEEDED
    wanted = ["paid 10 to bob", "wired 11", f"paid 12 to bob with {PIN}"]
    assert [effect for effect in upgraded.world.effects if effect in wanted] == wanted
    assert f"paid 13 to eve with {PIN}" in upgraded.world.effects


async def test_what_was_approved_and_not_run_runs_or_is_asked_again(upgraded: Upgraded) -> None:
    async with upgraded() as assent:
        turn = await assent.wait(upgraded.id("cleared", "turn"))
        for request in turn.pending:
            turn = await assent.wait(await assent.decide(request, approve(), by=ADA))
        assert await upgraded.status(assent, "cleared") is CallStatus.SUCCEEDED
    assert upgraded.world.effects.count("paid 17 to bob") == 1


async def test_what_was_running_is_in_doubt_and_people_say_what_became_of_it(
    upgraded: Upgraded,
) -> None:
    upgraded.clock.advance(timedelta(minutes=5))
    async with upgraded() as assent:
        await eventually(lambda: upgraded.is_in_doubt(assent, "running"))
        for scene in ("running", "doubt"):
            turn = await assent.turn(upgraded.id(scene, "turn"))
            decided = await assent.decide(turn.pending[0], Ran(output="done"), by=ADA)
            await assent.wait(decided)
            assert await upgraded.status(assent, scene) is CallStatus.SUCCEEDED
    assert not [effect for effect in upgraded.world.effects if effect.startswith("shipped")]


async def test_a_new_message_goes_through_the_gate_in_an_old_conversation(
    upgraded: Upgraded,
) -> None:
    async with upgraded() as assent:
        conversation = upgraded.id("succeeded", "conversation")
        turn = await assent.send("agent", "and now?", by=ADA, conversation_id=conversation)
        assert turn.text == "Done."
        thread = await assent.conversation(conversation)
        assert [message.text for message in thread.messages][-2:] == ["and now?", "Done."]
