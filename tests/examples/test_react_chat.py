"""The React example: the unmodified page, its real packages and its own Vite server, in jsdom."""

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.servers import Served, keys_in, served
from tests.cli.sessions import run
from tests.npm.install import installed

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "react-chat"
SECONDS = 90
Step = tuple[str, str | list[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example as a reader has it after `npm install`."""
    home = installed(EXAMPLE, jsdom="26.1.0")
    project = tmp_path / "react-chat"
    shutil.copytree(EXAMPLE, project, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (project / "node_modules").symlink_to(home / "node_modules")
    shutil.copy(HERE / "page.mjs", project)
    return project


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "demo"


@pytest.fixture
def demo(folder: Path) -> Iterator[Served]:
    with served("demo", "--data-dir", str(folder)) as server:
        yield server


class Page:
    """The page at work, in its own process."""

    def __init__(self, project: Path, demo: Served, folder: Path, *steps: Step) -> None:
        keys = {"BASE": demo.origin, "KEY": keys_in(folder)["user"]}
        self._process = subprocess.Popen(
            ["node", "page.mjs", json.dumps(steps)],
            cwd=project,
            env={**os.environ, **keys},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._seen: list[str] = []

    def has_taken(self, steps: int) -> None:
        """Wait until it has taken so many steps."""
        assert self._process.stdout is not None
        while len(self._seen) < steps and (line := self._process.stdout.readline()):
            self._seen.append(json.loads(line))

    def seen(self) -> list[str]:
        """What it showed after each step."""
        try:
            out, errors = self._process.communicate(timeout=SECONDS)
        finally:
            self._process.kill()
        assert self._process.returncode == 0, errors
        return [*self._seen, *map(json.loads, out.splitlines())]


def test_a_call_is_shown_approved_and_runs_once(project: Path, demo: Served, folder: Path) -> None:
    page = Page(
        project,
        demo,
        folder,
        ("say", "Perform a dangerous operation on test.txt"),
        ("see", "asks for your approval dangerous"),
        ("press", "Approve"),
        ("press", "Yes, run it"),
        ("see", "dangerous_tool answered"),
    )
    _, asked, *_, done = page.seen()

    assert '"action": "delete"' in asked
    assert "dangerous_tool ran" in done
    assert (folder / "workspace" / "danger.log").read_text() == "delete test.txt\n"


def test_what_is_dangerous_takes_a_second_step(project: Path, demo: Served, folder: Path) -> None:
    page = Page(
        project,
        demo,
        folder,
        ("say", "Perform a dangerous operation on test.txt"),
        ("press", "Approve"),
        ("see", "Yes, run it: dangerous"),
    )
    page.seen()

    assert not (folder / "workspace" / "danger.log").exists()


def test_what_has_to_be_typed_is_typed_or_asked_again(
    project: Path, demo: Served, folder: Path
) -> None:
    with demo.client(keys_in(folder)["admin"]) as admin:
        typed = {"confirmation": "typed"}
        admin.put("/api/tools/dangerous_tool/override", json=typed).raise_for_status()
    page = Page(
        project,
        demo,
        folder,
        ("say", "Perform a dangerous operation on test.txt"),
        ("press", "Approve"),
        ("press", "Yes, run it"),
        ("see", "type the value of"),
        ("press", "Go back"),
        ("see", "asks for your approval"),
        ("press", "Approve"),
        ("press", "Yes, run it"),
        ("fill", ["Type it", "something else"]),
        ("press", "Confirm"),
        ("see", "The text that was typed does not match"),
        ("fill", ["Type it", "test.txt"]),
        ("press", "Confirm"),
        ("see", "dangerous_tool answered"),
    )
    page.seen()

    assert (folder / "workspace" / "danger.log").read_text() == "delete test.txt\n"


def test_a_rejection_says_why_and_nothing_runs(project: Path, demo: Served, folder: Path) -> None:
    page = Page(
        project,
        demo,
        folder,
        ("say", "delete test.txt and notes.txt"),
        ("fill", ["Why not?", "I need it"]),
        ("press", "Reject"),
        ("press", "Approve"),
        ("press", "Yes, run it"),
        ("see", "It was rejected: I need it"),
        ("see", "Deleted notes.txt."),
    )
    page.seen()

    left = {path.name for path in (folder / "workspace").iterdir()}
    assert "test.txt" in left
    assert "notes.txt" not in left


def test_a_form_then_an_approval_then_a_result(project: Path, demo: Served, folder: Path) -> None:
    page = Page(
        project,
        demo,
        folder,
        ("say", "connect to example.com"),
        ("fill", ["Username", "Not Valid"]),
        ("fill", ["How to log in", "password"]),
        ("fill", ["Password", "swordfish"]),
        ("press", "Answer"),
        ("see", "A username has small letters"),
        ("fill", ["Username", "ada"]),
        ("press", "Answer"),
        ("press", "Approve"),
        ("see", "with a password of 9 characters"),
        ("see", "ssh_connect answered"),
        ("say", "refund 400"),
        ("fill", ["Refund it?", "250"]),
        ("press", "Answer"),
        ("see", "note: of 400"),
    )

    assert not [shown for shown in page.seen() if "swordfish" in shown]


def test_a_message_while_calls_wait_is_taken_back_and_they_are_decided(
    project: Path, demo: Served, folder: Path
) -> None:
    page = Page(
        project,
        demo,
        folder,
        ("say", "Perform a dangerous operation on test.txt"),
        ("see", "asks for your approval dangerous"),
        ("say", "and another thing"),
        ("see", "waits for dangerous_tool"),
        ("press", "Decide first"),
        ("press", "Approve"),
        ("press", "Yes, run it"),
        ("see", "dangerous_tool answered"),
    )
    page.seen()

    assert (folder / "workspace" / "danger.log").read_text() == "delete test.txt\n"


def test_a_message_while_calls_wait_may_take_their_place(
    project: Path, demo: Served, folder: Path
) -> None:
    page = Page(
        project,
        demo,
        folder,
        ("say", "Perform a dangerous operation on test.txt"),
        ("see", "asks for your approval dangerous"),
        ("say", "delete notes.txt"),
        ("press", "Cancel them and send"),
        ("see", "delete_file asks for your approval"),
    )
    *_, shown = page.seen()

    # The client could not send an answer to it any more.
    assert "dangerous_tool was not decided" in shown
    assert shown.count("Approve") == 1

    assert not (folder / "workspace" / "danger.log").exists()


def test_what_somebody_else_decides_is_waited_for(
    project: Path, demo: Served, folder: Path
) -> None:
    page = Page(
        project,
        demo,
        folder,
        ("say", "run echo from the sandbox"),
        ("see", "Somebody else has to decide run_command"),
        ("pressUntil", ["Look again", "run_command ran"]),
        ("see", "run_command answered"),
    )
    # Or it may be approved before the page has shown that it waits.
    page.has_taken(2)
    approve_as_soon_as_asked(demo, keys_in(folder)["approver"])

    assert "from the sandbox" in page.seen()[-1]


DOUBTFUL = """
from assent import Agent, OutcomeUnknown, tool
from assent.models.scripted import ScriptedModel, calls, says

@tool
async def pay() -> str:
    \"\"\"Pay.\"\"\"
    raise OutcomeUnknown("the connection broke")

agent = Agent("payer", model=ScriptedModel([says("", calls("pay")), "Then I know."]), tools=[pay])
"""


def test_a_call_in_doubt_is_settled_by_who_knows(
    project: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.mkdir()
    (folder / "doubtful.py").write_text(DOUBTFUL)
    monkeypatch.chdir(folder)
    with served("serve", "doubtful:agent") as server:
        run("people", "add", "user", "requester", "--db", "assent.db")
        key = run("keys", "create", "user", "--db", "assent.db").stdout.strip()
        (folder / "demo-keys.json").write_text(json.dumps({"user": key}))
        page = Page(
            project,
            server,
            folder,
            ("say", "pay"),
            ("see", "Nobody knows whether pay ran"),
            ("fill", ["Did it run?", "did_not_run"]),
            ("press", "Answer"),
            ("see", "Then I know."),
        )
        page.seen()


def approve_as_soon_as_asked(demo: Served, key: str) -> None:
    with demo.client(key) as client:
        until = time.monotonic() + SECONDS
        while not (asked := client.get("/api/requests", params={"mine": True}).json()["items"]):
            assert time.monotonic() < until, "nobody asked"
            time.sleep(0.1)
        body = {"verdict": "approve", "digest": asked[0]["digest"]}
        client.post(f"/api/requests/{asked[0]['id']}/decide", json=body).raise_for_status()


def test_it_builds(project: Path) -> None:
    built = subprocess.run(
        ["node_modules/.bin/vite", "build"],
        cwd=project,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert built.returncode == 0, built.stderr
    assert list((project / "dist" / "assets").glob("*.js"))
