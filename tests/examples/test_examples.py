"""The examples, run as their readers run them: against `assent demo`."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.servers import Served, keys_in, served

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "demo"


@pytest.fixture
def demo(folder: Path) -> Iterator[Served]:
    with served("demo", "--data-dir", str(folder)) as server:
        yield server


def ran(*command: str, server: Served, folder: Path, typed: str = "") -> str:
    keys = keys_in(folder)
    given = {"BASE": server.origin, "KEY": keys["user"], "APPROVER_KEY": keys["approver"]}
    done = subprocess.run(
        command,
        env={**os.environ, **given},
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_python_client_sends_decides_and_reads_the_answer(demo: Served, folder: Path) -> None:
    client = str(EXAMPLES / "client.py")
    log = folder / "workspace" / "danger.log"
    said = ran(sys.executable, client, server=demo, folder=folder, typed="not now\n")
    assert "It was rejected: not now" in said
    assert not log.exists()

    said = ran(sys.executable, client, server=demo, folder=folder, typed="yes\n")
    assert "Performed delete on test.txt" in said
    assert log.read_text() == "delete test.txt\n"


def test_the_python_client_fills_in_forms_and_supplies_results(demo: Served, folder: Path) -> None:
    client = (sys.executable, str(EXAMPLES / "client.py"))
    report = ("Get", "my", "P&L", "report")
    said = ran(*client, *report, server=demo, folder=folder, typed="9130346988354456\n")
    assert "profit: 20000" in said

    said = ran(*client, "refund", "400", server=demo, folder=folder, typed="250\n")
    assert "amount: 250" in said


def test_the_python_client_fits_on_a_screen() -> None:
    assert len((EXAMPLES / "client.py").read_text().splitlines()) < 60


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_curl_walk_through_does_what_its_headings_say(demo: Served, folder: Path) -> None:
    said = ran("sh", str(EXAMPLES / "curl.sh"), server=demo, folder=folder)
    steps = dict(part.split("\n", 1) for part in said.split("\n== ")[1:])

    def answer(heading: str) -> dict[str, object]:
        [found] = [body for title, body in steps.items() if title.startswith(heading)]
        return json.loads(found.splitlines()[0])

    assert answer("Who am I?")["id"] == "user"
    assert answer("What waits for me?")["tool"] == "dangerous_tool"
    assert answer("Approve exactly what was shown")["status"] == "approved"
    assert answer("Approve it again")["replayed"] is True
    assert answer("Reject it after all")["code"] == "already_approved"
    assert "Performed delete on test.txt" in steps["The answer"]
    assert answer("A command: not for me")["status"] == 403
    assert answer("The approver rejects it")["status"] == "rejected"
    assert "data: [DONE]" in said
    assert (folder / "workspace" / "danger.log").read_text() == "delete test.txt\n"
