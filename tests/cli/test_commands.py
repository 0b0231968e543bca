"""The commands beside the demo: errors, somebody's own agents, deciding from outside."""

import json
import re
from importlib.metadata import version
from pathlib import Path

import pytest

from assent.cli.options import without_password
from tests.cli.sessions import environment, piped, run

AGENTS = '''
from pathlib import Path

from assent import Agent, tool
from assent.testing import ScriptedModel, calls, says


def script(prompt):
    done = [said for said in prompt.history if type(said).__name__ == "ModelSaid"]
    return "All done." if done else says("Sending.", calls("send_mail", to="bob", copies=3))


@tool(requires_approval=True)
def send_mail(to: str = "everybody", copies: int = 1) -> str:
    """Send a mail."""
    sent = f"sent {copies} to {to}"
    Path("sent.txt").write_text(sent)
    return sent


def make():
    return [Agent("mailer", model=ScriptedModel(script), tools=[send_mail])]


broken = 42
'''


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with somebody's own agents, which is also where the commands run."""
    (tmp_path / "myagents.py").write_text(AGENTS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def waiting(project: Path) -> str:
    """The id of a request that waits in the project's database; nobody runs it."""
    with piped("chat", "myagents:make", "--user", "ada") as session:
        session.answer("ada ▸ ", "mail bob")
        session.expect("[l]ater")
        session.leave()
    listed = run("pending", "--db", "assent.db", "--agents", "myagents:make", "--user", "ada")
    [request] = [word for word in listed.stdout.split() if word.startswith("req_")]
    return request


def test_a_fault_in_ones_own_module_is_not_taken_for_a_missing_name(
    project: Path,
) -> None:
    (project / "faulty.py").write_text("import sys\n\nagent = sys.no_such_thing\n")
    told = run("chat", "faulty:agent", "--user", "ada").stderr
    assert "no_such_thing" in told
    assert "has no 'agent'" not in told
    assert "module 'myagents' has no 'missing'" in run("chat", "myagents:missing").stderr


def test_a_message_that_is_too_long_is_refused_not_cut(project: Path) -> None:
    with piped("chat", "myagents:make", "--user", "ada") as session:
        session.answer("ada ▸ ", "y" * 100_001)
        session.expect("Not sent", "100,001 characters", "ada ▸ ")
        session.leave()
    assert "send_mail" not in session.text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://me:pass@host:5432/db", "postgresql://host:5432/db"),
        ("postgresql://me:p@ss/word@host/db", "postgresql://host/db"),
        ("postgresql://host/db?user=me&password=pass", "postgresql://host/db"),
        ("postgresql://host/db?user=me&password=p@ss", "postgresql://…"),
        ("postgresql://me:p?ss@host/db", "postgresql://…"),
        ("sqlite:////home/me@work/a.db", "sqlite:////home/me@work/a.db"),
    ],
)
def test_a_database_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_the_version_is_the_packages() -> None:
    assert run("--version").stdout == f"assent {version('assent')}\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("frobnicate",), "invalid choice"),
        (("chat", "no_such_module:agents"), "no module 'no_such_module'"),
        (("chat", "myagents:nothing"), "has no 'nothing'"),
        (("chat", "myagents"), "write module:name"),
        (("chat", "myagents:broken"), "neither an Agent nor several"),
        (("chat", "myagents:make", "--agent", "other"), "no agent 'other'"),
        (("chat", "myagents:make", "--db", "mysql://x"), "url must be 'sqlite:///path'"),
        (("pending", "--db", "missing.db"), "no database at 'missing.db'"),
        (("chat", "--data-dir", "here", "--model", "nobody:x"), "Model 'nobody:x' cannot be used"),
    ],
)
def test_an_error_is_one_line_and_exit_code_2(
    project: Path, arguments: tuple[str, ...], said: str
) -> None:
    done = run(*arguments)

    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_with_debug_an_error_has_its_traceback(project: Path) -> None:
    assert "Traceback" in run("chat", "no_such_module:agents", "--debug").stderr


def test_a_second_worker_on_one_file_is_refused_with_what_to_do(project: Path) -> None:
    with piped("chat", "myagents:make", "--user", "ada") as session:
        session.expect("ada ▸ ")
        second = run("chat", "myagents:make", "--user", "ada")

    assert second.returncode == 2
    assert "Another worker already runs" in second.stderr


def test_somebodys_own_agent_asks_in_the_same_way(project: Path) -> None:
    with piped("chat", "myagents:make", "--user", "ada") as session:
        session.answer("ada ▸ ", "mail bob")
        session.answer("[l]ater", "a")
        session.expect("✓ send_mail: sent 3 to bob", "All done.", "ada ▸ ")
        session.leave()


def test_a_request_is_decided_without_a_worker_and_runs_when_there_is_one(waiting: str) -> None:
    own = ("--db", "assent.db", "--agents", "myagents:make", "--user", "ada")
    decided = run("decide", waiting, "approve", *own)
    assert "Approved." in decided.stdout

    again = run("decide", waiting, "reject", *own)
    assert "Too late" in again.stdout

    with piped("chat", "myagents:make", "--user", "ada") as session:
        session.expect("All done.")
        session.leave()


def test_a_decision_shows_the_card_first_and_can_be_asked_for(waiting: str) -> None:
    own = ("--db", "assent.db", "--agents", "myagents:make", "--user", "ada")
    done = run("decide", waiting, *own, input="r\nnot bob\n")

    assert re.search(r'to +"bob"', done.stdout)
    assert "Rejected." in done.stdout


def test_an_edit_on_the_command_line_is_checked(waiting: str) -> None:
    own = ("--db", "assent.db", "--agents", "myagents:make", "--user", "ada")
    wrong = run("decide", waiting, "approve", "--arguments", '{"whom": "eve"}', *own)
    assert wrong.returncode == 2
    assert "are not valid" in wrong.stderr

    right = run("decide", waiting, "approve", "--arguments", '{"to": "eve"}', *own)
    assert "Approved." in right.stdout


@pytest.mark.parametrize(
    ("option", "given", "shown", "ran"),
    [
        ("--arguments", "{}", 'to      "everybody"', "sent 1 to everybody"),
        ("--arguments", '{"to": "eve"}', 'to      "eve"', "sent 1 to eve"),
        ("--edit", '{"to": ""}', 'to      ""', "sent 3 to "),
        ("--edit", "{}", "That changes nothing.", "sent 3 to bob"),
    ],
)
def test_an_edit_on_the_command_line_is_whole_or_a_patch_and_shown_before_it_counts(
    waiting: str, option: str, given: str, shown: str, ran: str
) -> None:
    own = ("--db", "assent.db", "--agents", "myagents:make", "--user", "ada")
    decided = run("decide", waiting, "approve", option, given, *own)
    edit = decided.stdout.partition("It will run with:")[2] or decided.stdout
    assert shown in edit
    assert "Approved." in decided.stdout

    with piped("chat", "myagents:make", "--user", "ada") as session:
        session.expect("All done.")
        session.leave()
    assert Path("sent.txt").read_text() == ran


def test_arguments_and_a_patch_are_not_given_together(waiting: str) -> None:
    own = ("--db", "assent.db", "--agents", "myagents:make", "--user", "ada")
    both = run("decide", waiting, "approve", "--arguments", "{}", "--edit", "{}", *own)
    assert both.returncode == 2
    assert "not allowed with" in both.stderr


def test_a_stranger_cannot_decide_and_learns_nothing(waiting: str) -> None:
    own = ("--db", "assent.db", "--agents", "myagents:make", "--user", "mallory")
    done = run("decide", waiting, "approve", *own)

    assert done.returncode == 2
    assert done.stderr == f"assent: There is no request '{waiting}'\n"
    assert "bob" not in done.stdout


def test_without_its_agents_nothing_is_decided(waiting: str) -> None:
    done = run("decide", waiting, "approve", "--db", "assent.db", "--user", "ada")

    assert done.returncode == 2
    assert "name its agents with --agents module:name" in done.stderr


def test_a_conversation_can_be_exported_and_imported(waiting: str) -> None:
    own = ("--db", "assent.db", "--user", "ada")
    [conversation] = [
        word for word in run("export", *own).stdout.split() if word.startswith("conv_")
    ]
    exported = run("export", conversation, *own).stdout
    assert json.loads(exported)["format"] == "assent-conversation"

    imported = run("import", "-", *own, "--agents", "myagents:make", input=exported)
    assert imported.stdout.strip() in run("export", *own).stdout


def test_a_pipe_gets_no_escapes(project: Path) -> None:
    done = run("chat", "--data-dir", "here", "--user", "ada", input="help\n")

    assert done.returncode == 0
    assert "\x1b" not in done.stdout


def test_an_ascii_terminal_is_no_reason_to_end(project: Path) -> None:
    env = environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    done = run("chat", "--data-dir", "here", "--user", "ada", input="help\n", env=env)

    assert done.returncode == 0
    assert "scripted, offline" in done.stdout
