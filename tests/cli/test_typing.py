"""A call that takes typing a value, decided at a terminal and on a command line."""

import re
import sqlite3
from pathlib import Path

import pytest

from tests.cli.sessions import piped, run

MODULE = '''
from assent import Agent, Confirmation, tool
from assent.testing import ScriptedModel, calls, says


def script(prompt):
    done = getattr(prompt.history[-1], "outputs", None)
    return "All done." if done else says("I will.", calls("erase", path="/srv/x"))


@tool(requires_approval=True, confirmation=Confirmation.TYPED)
def erase(path: str) -> str:
    """Erase a file."""
    return f"erased {path}"


def make():
    return [Agent("eraser", model=ScriptedModel(script), tools=[erase])]
'''
OWN = ("--db", "assent.db", "--agents", "typing_agents:make", "--user", "ada")


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The id of a request that waits, in a folder of its own."""
    (tmp_path / "typing_agents.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    with piped("chat", "typing_agents:make", "--user", "ada") as session:
        session.type("go")
        session.expect("[a]pprove")
        session.kill()
    found = re.search(r"req_[0-9a-f]+", run("pending", *OWN).stdout)
    assert found
    return found[0]


def decisions() -> list[tuple[str, str]]:
    with sqlite3.connect("assent.db") as database:
        return database.execute("SELECT channel, shown FROM decisions").fetchall()


# requirement: F5, D13
def test_the_terminal_asks_for_the_value_until_it_is_typed(waiting: str) -> None:
    done = run("decide", waiting, *OWN, input="a\n/srv/y\n/srv/x\n")

    assert "To approve this, type the value of path" in done.stdout
    assert "That is not it" in done.stdout
    assert "Approved." in done.stdout
    [(channel, shown)] = decisions()
    assert channel == "terminal"
    assert re.fullmatch(r"terminal/.+:[0-9a-f]{64}", shown)


# requirement: F5
def test_a_script_without_the_value_decides_nothing_and_reads_what_is_missing(
    waiting: str,
) -> None:
    nobody = run("decide", waiting, "approve", *OWN)
    assert "Nothing is decided; it keeps waiting." in nobody.stdout
    missing = run("decide", waiting, "approve", "--yes", *OWN)
    assert missing.returncode == 2
    assert "type the value of 'path': /srv/x" in missing.stderr
    assert decisions() == []

    right = run("decide", waiting, "approve", "--typed", "/srv/x", *OWN)
    assert "Approved." in right.stdout
