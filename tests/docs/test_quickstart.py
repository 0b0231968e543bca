"""docs/quickstart.md can be followed: its agent is served, asked and decided in the terminal."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.servers import served
from tests.cli.sessions import SECONDS, run

PAGE = (Path(__file__).parents[2] / "docs" / "quickstart.md").read_text()
MESSAGE = "Are there enough chairs?"


def program() -> str:
    """The text of `shop.py`, which is the first Python block."""
    block = re.search(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert block is not None
    return block[1]


def said(*arguments: str) -> str:
    """What an `assent` command prints."""
    ran = run(*arguments)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_agent_is_served_and_decided_in_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shop.py").write_text(program())
    monkeypatch.chdir(tmp_path)
    where = ("--agents", "shop:agent", "--db", "assent.db", "--user", "ada")
    with served("serve", "shop:agent", "--db", "assent.db") as server:
        said("people", "add", "ada", "requester", "--db", "assent.db")
        key = said("keys", "create", "ada", "--db", "assent.db").strip()
        with server.client(key) as client:
            made = client.post("/api/conversations", json={"agent": "shop"}).json()
            talk = f"/api/conversations/{made['id']}"
            client.post(f"{talk}/messages", json={"text": MESSAGE}).raise_for_status()
            found = _until(r"req_\w+", lambda: said("pending", *where))
            said("decide", found, "approve", "--edit", '{"count": 10}', *where)
            _until("Done. The chairs", lambda: client.get(talk).text)
            calls = client.get(talk).json()["calls"]

    assert [(call["tool"], call["status"]) for call in calls] == [
        ("count_stock", "succeeded"),
        ("order", "succeeded"),
    ]
    assert "ordered 10 of chair" in str(calls[-1])


def test_the_page_shows_the_commands_that_the_test_uses() -> None:
    assert "assent serve shop:agent" in PAGE
    assert "assent pending --agents shop:agent --db assent.db" in PAGE
    assert MESSAGE in PAGE


def _until(pattern: str, look: Callable[[], str]) -> str:
    """What matches, as soon as it is there."""
    ends = time.monotonic() + SECONDS
    while (match := re.search(pattern, text := look())) is None:
        assert time.monotonic() < ends, text
    return match[0]
