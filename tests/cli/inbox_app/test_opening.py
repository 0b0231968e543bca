"""`assent inbox` as a command: its options, what it refuses, and a real terminal."""

import asyncio
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from assent.cli.arguments import parser
from assent.cli.inbox_app import opening
from assent.errors import InvalidCommand
from tests.cli.inbox_app.office import Office
from tests.cli.sessions import at_terminal, run


def options(*arguments: str) -> Namespace:
    return parser().parse_args(["inbox", *arguments])


def test_who_one_is_has_the_name_of_the_other_commands_and_a_shorter_one() -> None:
    assert options("--as", "ana").user == options("--user", "ana").user == "ana"


@pytest.mark.parametrize(
    "server",
    [
        "https://assent.example.com",
        "http://127.0.0.1:8000",
        "http://localhost:8000/",
        "http://[::1]:8000",
        "https://example.com/assent",
    ],
)
def test_an_address_to_which_a_key_may_go(server: str) -> None:
    assert opening.server_of(options("--server", server)) == server.rstrip("/")


@pytest.mark.parametrize(
    "server",
    [
        "http://assent.example.com",
        "http://10.0.0.1",
        "http://127.0.0.1.example.com",
        "ftp://example.com",
        "example.com",
        "https://",
        "https://ana:secret@example.com",
        "https://example.com/?key=1",
        "https://example.com/#x",
    ],
)
def test_an_address_to_which_no_key_goes(server: str) -> None:
    with pytest.raises(InvalidCommand) as error:
        opening.server_of(options("--server", server))
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("also", [["m:a"], ["--db", "x"], ["--as", "ana"], ["--data-dir", "x"]])
def test_a_server_knows_by_itself_what_is_said_of_a_database(also: list[str]) -> None:
    with pytest.raises(InvalidCommand, match="is for a database"):
        opening.server_of(options("--server", "https://example.com", *also))


def test_a_key_comes_from_a_file_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ASSENT_API_KEY_FILE", raising=False)
    monkeypatch.delenv("ASSENT_API_KEY", raising=False)
    with pytest.raises(InvalidCommand, match="--key-file"):
        opening.key_of(options())
    monkeypatch.setenv("ASSENT_API_KEY", "of-the-environment")
    assert opening.key_of(options()) == "of-the-environment"
    file = tmp_path / "key"
    file.write_text("of-the-file\n")
    monkeypatch.setenv("ASSENT_API_KEY_FILE", str(file))
    assert opening.key_of(options()) == "of-the-file"
    other = tmp_path / "other"
    other.write_text("of-the-option")
    assert opening.key_of(options("--key-file", str(other))) == "of-the-option"


@pytest.mark.parametrize("text", ["", " \n", "two\nlines", "k\u00e9y", "x" * 5_000, "a\x00b"])
def test_what_is_no_key_is_refused_and_not_repeated(tmp_path: Path, text: str) -> None:
    file = tmp_path / "key"
    file.write_text(text)
    with pytest.raises(InvalidCommand) as error:
        opening.key_of(options("--key-file", str(file)))
    assert str(error.value) == "that is no API key: one line of plain characters is wanted"


def test_no_option_takes_a_key_itself() -> None:
    known = {action.dest for action in _inbox()._actions}
    assert known == {
        *("help", "agents", "db", "data_dir", "user", "server", "key_file", "debug"),
    }


def _inbox() -> Any:
    commands: Any = next(action for action in parser()._actions if action.dest == "command")
    return commands.choices["inbox"]


def test_without_a_terminal_scripts_are_told_what_to_use(tmp_path: Path) -> None:
    said = run("inbox", "--db", str(tmp_path / "none.db"))
    assert said.returncode == 2
    assert "needs a terminal" in said.stderr
    assert "assent pending" in said.stderr


async def test_a_missing_package_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(opening, "_NEEDED", ("no_such_package",))
    with pytest.raises(InvalidCommand, match=r"no_such_package.*assent\[terminal\]"):
        await opening.open_inbox(options())


def test_other_commands_do_not_load_the_app() -> None:
    said = run("pending", "--db", "none.db")
    assert "there is no database" in said.stderr
    program = (
        "import sys; import assent.cli.commands; "
        "sys.exit(any(name.startswith(('textual', 'httpx')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


async def test_a_request_is_decided_at_a_real_terminal(local_office: Office) -> None:
    office = local_office
    id = await office.asks("note", text="hello")

    def decide() -> None:
        agents = "tests.cli.inbox_app.office:agent"
        arguments = ("inbox", agents, "--db", office.url, "--as", "ana")
        with at_terminal(*arguments, term="xterm-256color", size=(24, 80)) as session:
            session.expect("note", 'text="hello"')
            session.press(b"\r")
            session.expect("Approval needed")
            session.press(b"\x1b[F")
            session.expect("end")
            session.press(b"r")
            session.expect("Why not?")
            session.press(b"no\r")
            session.expect("Rejected: note.")
            session.press(b"q")
            assert session.process.wait(20) == 0

    await asyncio.to_thread(decide)
    assert await office.status(id) == "rejected"
