"""A database that stops answering between two decisions of one page."""

import html
import threading
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assent import Effect, Rule
from tests.conftest import QUICK
from tests.server.conftest import Serve
from tests.server.web.office import Office, ask, script
from tests.server.web.test_batch import FIELD, decisions, listing
from tests.server.web.test_inbox import words

IMPATIENT = replace(QUICK, lease=timedelta(seconds=30), wait=timedelta(seconds=1))


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A thread can hang here without anybody else; PostgreSQL is silenced in `tests/faults`."""
    return f"sqlite:///{tmp_path / 'assent.db'}"


class Hanging:
    """A rule that stops where the database does its work, in the middle of a decision."""

    def __init__(self, word: str) -> None:
        self._word, self.is_armed, self.go_on = word, False, threading.Event()

    def __call__(self, arguments: Any, _: object) -> bool:
        if self.is_armed and arguments["word"] == self._word:
            assert self.go_on.wait(30)
        return False


async def test_what_was_decided_before_is_said_and_the_rest_is_as_it_is_found(
    serve: Serve,
) -> None:
    office, hanging = Office(), Hanging("b")
    rule = Rule.of(Effect.DENY, "refund", when=hanging)
    async with serve(script, *office.tools, rules=[rule], times=IMPATIENT) as served:
        ids = await ask(served, "refund a", "refund b", "refund c")
        listed = await listing(served, ids)
        fields: dict[str, Any] = {"id": ids, "verdict": "approve"}
        fields |= {name: html.unescape(text) for name, text in FIELD.findall(listed.text)}
        hanging.is_armed = True
        answer = await served.client().post("/batch", data=fields)
        hanging.go_on.set()
        assert answer.status_code == 303, words(answer)
        done = await served.client().get(answer.headers["location"])
        assert "2 of 3 decided" in words(done)
        assert words(done).count("Not decided: the database did not answer") == 1
        assert len(await decisions(served.assent, ids)) == 2
