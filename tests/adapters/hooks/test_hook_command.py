"""`assent hook` by itself: it answers in the agent's words, and refuses what it cannot ask."""

import asyncio
import io
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from assent import Assent, approve, reject
from assent.cli import main
from assent.cli.arguments import FAILED
from tests.adapters.ledger import BOTH, database


class Agent:
    """A coding agent's side of the hook: events in, answers out."""

    def __init__(self, folder: Path, url: str, capsys: Any, patch: pytest.MonkeyPatch) -> None:
        self.db, self._url = folder / "assent.db", url
        self._capsys, self._patch = capsys, patch
        patch.setenv("ASSENT_HOOK_DIR", str(folder / "claims"))

    def send(self, given: object, *options: str, where: tuple[str, ...] | None = None) -> Any:
        """The exit code, what it prints, and what it says on stderr."""
        text = given if isinstance(given, str) else json.dumps(given)
        self._patch.setattr(sys, "stdin", io.StringIO(text))
        where = ("--db", self._url, "--by", "ana") if where is None else where
        code = main(["hook", "--wait", "0", *where, *options])
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def ruling(self, given: object, *options: str) -> dict[str, Any]:
        code, out, error = self.send(given, *options)
        assert code == 0, error
        return json.loads(out)["hookSpecificOutput"] if out else {}

    def office(self, act: Callable[[Assent], Awaitable[Any]]) -> Any:
        """Do something as another process would."""

        async def opened() -> Any:
            async with Assent(self._url, agents=(), worker=False) as assent:
                return await act(assent)

        return asyncio.run(opened())

    def decide(self, verdict: Any) -> None:
        async def act(assent: Assent) -> None:
            (request,) = await assent.pending()
            await assent.decide(request, verdict, by="ana")

        self.office(act)

    def asked(self) -> Any:
        return self.office(lambda assent: assent.pending())


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return database(request, tmp_path)


@pytest.fixture
def agent(
    tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Agent:
    return Agent(tmp_path, url, capsys, monkeypatch)


def event(name: str = "PreToolUse", **more: Any) -> dict[str, Any]:
    return {
        "hook_event_name": name,
        "session_id": "s1",
        "tool_use_id": "toolu_1",
        "tool_name": "Bash",
        "tool_input": {"command": "true"},
        **more,
    }


DEFER = ("--undecided", "defer")


@pytest.mark.parametrize(
    "given",
    [
        "",
        "null",
        "0",
        "[]",
        "{",
        "\x00",
        "{}",
        "[" * 100_000,
        event(tool_input=["ls"]),
        event(tool_input=None),
        event(tool_use_id=""),
        event(tool_use_id=1),
        event(session_id=None),
        event(tool_name=[]),
        event(name=""),
        event(tool_input={"command": "\ud800"}),
        json.dumps(event(tool_input={"command": "x" * 20_000_000})),
    ],
    ids=lambda given: str(given)[:40],
)
def test_input_that_cannot_be_read_blocks(agent: Agent, given: object) -> None:
    code, out, error = agent.send(given)

    assert (code, out) == (2, "")
    assert "Nothing was run" in error


def test_a_report_that_cannot_be_read_never_says_that_nothing_was_run(agent: Agent) -> None:
    code, out, error = agent.send(event("PostToolUse", tool_response="x" * 20_000_000))

    assert (code, out) == (2, "")
    assert "longer than 20,000,000 characters" in error
    assert "Nothing was run" not in error


@pytest.mark.parametrize(
    "where",
    [
        (),
        ("--db", "a.db", "--server", "https://assent.example.com"),
        ("--db", "/dev/null/a.db"),
        ("--db", "nosql://here"),
        ("--server", "http://assent.example.com"),
    ],
)
def test_a_guard_that_cannot_be_opened_blocks(agent: Agent, where: tuple[str, ...]) -> None:
    code, out, error = agent.send(event(), where=where)

    assert (code, out) == (2, "")
    assert "Nothing was run: Assent could not be asked." in error


@pytest.mark.parametrize("text", ["", "[]", '{"Bash": 1}', '{"Bash": {"risk": "small"}}'])
def test_metadata_that_cannot_be_read_blocks(agent: Agent, tmp_path: Path, text: str) -> None:
    (tmp_path / "tools.json").write_text(text)

    code, out, _ = agent.send(event(), "--tools", str(tmp_path / "tools.json"))

    assert (code, out) == (2, "")


def test_an_option_that_is_not_known_blocks(agent: Agent) -> None:
    with pytest.raises(SystemExit) as raised:
        agent.send(event(), "--such")

    assert raised.value.code == 2


def test_events_of_other_kinds_are_let_alone(agent: Agent) -> None:
    assert agent.send(event("Notification")) == (0, "", "")


def test_a_report_about_what_was_never_claimed_changes_nothing(agent: Agent) -> None:
    assert agent.send(event("PostToolUse", tool_response="done")) == (0, "", "")
    assert agent.send(event("Stop")) == (0, "", "")
    assert not agent.db.exists()


def test_a_call_that_nobody_decides_is_denied_and_its_question_closed(agent: Agent) -> None:
    ruling = agent.ruling(event())

    assert ruling["permissionDecision"] == "deny"
    assert "Nobody decided within 0 s" in ruling["permissionDecisionReason"]
    assert agent.asked() == []


def test_a_deferred_call_keeps_its_question_and_is_found_again(agent: Agent) -> None:
    assert agent.ruling(event(), *DEFER)["permissionDecision"] == "defer"
    assert agent.ruling(event(), *DEFER)["permissionDecision"] == "defer"
    agent.decide(approve())

    ruling = agent.ruling(event(), *DEFER)

    assert ruling["permissionDecision"] == "allow"
    assert ruling["permissionDecisionReason"] == "Approved by ana"
    assert "updatedInput" not in ruling


@BOTH
def test_a_call_that_runs_is_not_allowed_a_second_time(agent: Agent) -> None:
    agent.ruling(event(), *DEFER)
    agent.decide(approve())
    assert agent.ruling(event(), *DEFER)["permissionDecision"] == "allow"

    # Running, and then settled: the same approval allows nothing more.
    assert agent.ruling(event(), *DEFER)["permissionDecision"] == "deny"
    agent.send(event("PostToolUse", tool_response={"stdout": "hi"}))
    ruling = agent.ruling(event(), *DEFER)

    assert ruling["permissionDecision"] == "deny"
    assert "ran before" in ruling["permissionDecisionReason"]
    assert "hi" in ruling["permissionDecisionReason"]


def test_another_input_under_the_same_id_blocks(agent: Agent) -> None:
    agent.ruling(event(), *DEFER)
    agent.decide(approve())

    code, out, error = agent.send(event(tool_input={"command": "rm -r /"}), *DEFER)

    assert (code, out) == (2, "")
    assert "was used before" in error


def test_a_rejection_says_why(agent: Agent) -> None:
    agent.ruling(event(), *DEFER)
    agent.decide(reject("not on a Friday"))

    ruling = agent.ruling(event(), *DEFER)

    assert ruling["permissionDecision"] == "deny"
    assert "not on a Friday" in ruling["permissionDecisionReason"]


@BOTH
def test_an_edit_is_the_updated_input_and_told(agent: Agent) -> None:
    agent.ruling(event(), *DEFER)
    agent.decide(approve(args={"command": "false"}))

    ruling = agent.ruling(event(), *DEFER)

    assert ruling["updatedInput"] == {"command": "false"}
    assert "changed" in ruling["additionalContext"]


@pytest.mark.parametrize("response", [0, "", {}, [], None, False])
def test_any_response_is_an_outcome(agent: Agent, response: object) -> None:
    agent.ruling(event(), *DEFER)
    agent.decide(approve())
    agent.ruling(event(), *DEFER)

    code, _, error = agent.send(event("PostToolUse", tool_response=response))

    assert (code, error) == (0, "")
    assert agent.office(_statuses) == ["succeeded"]


async def _statuses(assent: Assent) -> list[str]:
    entries = await assent.audit()
    ids = {str(entry.conversation_id) for entry in entries if entry.conversation_id}
    threads = [await assent.conversation(id) for id in sorted(ids)]
    return [str(call.status) for thread in threads for call in thread.calls]


@pytest.mark.parametrize(
    ("report", "status"),
    [
        (event("PostToolUseFailure", error="Exit code 3"), "failed"),
        (event("PostToolUseFailure", error="", is_interrupt=True), "in_doubt"),
        (event("PostToolUse", tool_response={"interrupted": True}), "in_doubt"),
        (event("Stop"), "in_doubt"),
        (event("SessionEnd"), "in_doubt"),
    ],
)
def test_how_a_call_ends(agent: Agent, report: dict[str, Any], status: str) -> None:
    agent.ruling(event(), *DEFER)
    agent.decide(approve())
    agent.ruling(event(), *DEFER)

    agent.send(report)

    assert agent.office(_statuses) == [status]


@pytest.mark.parametrize(
    ("ran", "status"),
    [
        ({"command": "true"}, "succeeded"),
        ({"command": "true", "run_in_background": False}, "succeeded"),
        ({"command": "rm -r /"}, "in_doubt"),
        ({"command": "true", "dangerouslyDisableSandbox": True}, "in_doubt"),
        ({"command": "/here/true"}, "in_doubt"),
        ({"command": float("nan")}, "in_doubt"),
        ({}, "in_doubt"),
    ],
)
def test_what_ran_is_what_was_approved_or_people_look(
    agent: Agent, ran: dict[str, Any], status: str
) -> None:
    agent.ruling(event(), *DEFER)
    agent.decide(approve())
    agent.ruling(event(), *DEFER)

    agent.send(event("PostToolUse", tool_input=ran, tool_response="", cwd="/here"))

    assert agent.office(_statuses) == [status]


@pytest.mark.parametrize(
    ("ran", "status"),
    [
        ({"file_path": "/here/b", "content": "", "limit": 4}, "succeeded"),
        ({"file_path": "/there/b", "content": "", "limit": 4}, "in_doubt"),
        ({"file_path": "/here/a", "content": "x", "limit": 4}, "in_doubt"),
    ],
)
def test_an_edit_ran_though_the_agent_writes_it_in_its_own_way(
    agent: Agent, ran: dict[str, Any], status: str
) -> None:
    proposed = {"tool_name": "Write", "tool_input": {"file_path": "/here/a", "content": "x"}}
    agent.ruling(event(**proposed), *DEFER)
    agent.decide(approve(args={"file_path": "c/../b", "content": "", "limit": "4"}))
    agent.ruling(event(**proposed), *DEFER)

    report = event("PostToolUse", tool_name="Write", tool_input=ran, tool_response="", cwd="/here")
    agent.send(report)

    assert agent.office(_statuses) == [status]


def test_an_edit_of_one_to_true_is_an_edit(agent: Agent) -> None:
    proposed = event(tool_input={"command": "true", "run_in_background": 1})
    agent.ruling(proposed, *DEFER)
    agent.decide(approve(edit={"run_in_background": True}))

    ruling = agent.ruling(proposed, *DEFER)

    assert ruling["updatedInput"]["run_in_background"] is True


def test_a_skill_asks_since_its_commands_come_to_no_hook(agent: Agent) -> None:
    agent.ruling(event(tool_name="Skill", tool_input={"skill": "x"}), "--skip-safe", *DEFER)

    (request,) = agent.asked()
    assert (request.tool, request.risk) == ("Skill", "dangerous")


@BOTH
@pytest.mark.parametrize("undecided", ["deny", "ask", "defer"])
def test_what_is_in_doubt_is_not_asked_about_as_if_it_had_not_run(
    agent: Agent, undecided: str
) -> None:
    agent.ruling(event(), *DEFER)
    agent.decide(approve())
    agent.ruling(event(), *DEFER)
    agent.send(event("SessionEnd"))

    ruling = agent.ruling(event(), "--undecided", undecided)

    assert ruling["permissionDecision"] == ("defer" if undecided == "defer" else "deny")
    assert "It is not known whether 'Bash' ran" in ruling["permissionDecisionReason"]
    assert "Call the tool again" not in ruling["permissionDecisionReason"]
    assert [request.kind for request in agent.asked()] == ["outcome"]


@pytest.mark.parametrize("kind", ["PostToolUse", "Stop"])
def test_a_report_that_fails_never_says_that_nothing_was_run(
    agent: Agent, tmp_path: Path, kind: str
) -> None:
    agent.ruling(event(), *DEFER)
    agent.decide(approve())
    agent.ruling(event(), *DEFER)

    code, _, error = agent.send(event(kind), where=("--db", "nosql://here"))
    assert code == 1
    assert "the outcome is not on record" in error

    # What metadata says is for the next call only.
    (tmp_path / "tools.json").write_text("[")
    code, _, error = agent.send(event(kind), "--tools", str(tmp_path / "tools.json"))
    assert code == 0
    assert agent.office(_statuses) == ["succeeded" if kind == "PostToolUse" else "in_doubt"]


def test_a_part_that_works_on_is_not_in_doubt_when_the_agent_rests(agent: Agent) -> None:
    agent.ruling(event(agent_id="a1"), *DEFER)
    agent.decide(approve())
    agent.ruling(event(agent_id="a1"), *DEFER)

    agent.send(event("Stop"))

    assert agent.office(_statuses) == ["running"]


def test_what_policy_allows_leaves_the_rest_to_the_agent(agent: Agent) -> None:
    read = event(tool_name="Read", tool_input={"file_path": "/etc/passwd"})

    assert agent.ruling(read) == {}
    assert agent.office(_statuses) == ["running"]
    ruling = agent.ruling({**read, "tool_use_id": "toolu_2"}, "--only-gate")
    assert ruling["permissionDecision"] == "allow"


def test_tools_that_only_read_can_be_skipped(agent: Agent) -> None:
    assert agent.ruling(event(tool_name="Read"), "--skip-safe") == {}
    assert not agent.db.exists()


@pytest.mark.parametrize("name", ["mcp__files__keep", "Reader", "reads", "Bash2"])
def test_tools_that_are_not_known_ask(agent: Agent, name: str) -> None:
    agent.ruling(event(tool_name=name), *DEFER)

    (request,) = agent.asked()
    assert (request.tool, request.risk) == (name, "moderate")


@pytest.mark.parametrize("name", ["Résumé", "a b", f"mcp__{'x' * 10_000}", "../x", "\u202e"])
def test_names_that_no_tool_may_have_ask_under_another_one(agent: Agent, name: str) -> None:
    agent.ruling(event(tool_name=name), *DEFER)
    agent.ruling(event(tool_name=f"{name}2", tool_use_id="2"), *DEFER)

    assert len({request.tool for request in agent.asked()}) == 2


def test_metadata_by_pattern_replaces_the_table(agent: Agent, tmp_path: Path) -> None:
    said = {
        "mcp__files__*": {"risk": "safe", "requires_approval": False},
        "mcp__files__delete*": {"risk": "dangerous"},
    }
    (tmp_path / "tools.json").write_text(json.dumps(said))
    more = ("--tools", str(tmp_path / "tools.json"), *DEFER)

    assert agent.ruling(event(tool_name="mcp__files__list"), *more) == {}
    agent.ruling(event(tool_name="mcp__files__delete_all", tool_use_id="2"), *more)

    (request,) = agent.asked()
    assert (request.tool, request.risk) == ("mcp__files__delete_all", "dangerous")


def test_codex_is_answered_in_what_it_understands(agent: Agent) -> None:
    codex = ("--client", "codex", *DEFER)
    # Neither of defer and ask: it would take them for a broken hook and go on.
    assert agent.ruling(event(), *codex)["permissionDecision"] == "deny"
    agent.decide(approve())
    assert agent.send(event(), *codex)[:2] == (0, "")

    second = event(tool_use_id="2")
    agent.ruling(second, *codex)
    agent.decide(approve(args={"command": "false"}))
    ruling = agent.ruling(second, *codex)
    assert (ruling["permissionDecision"], ruling["updatedInput"]) == ("allow", {"command": "false"})


def test_the_settings_for_each_client(agent: Agent) -> None:
    _, out, _ = agent.send("", "--install", "--only-gate")
    claude = json.loads(out)["hooks"]
    (before,) = claude["PreToolUse"][0]["hooks"]
    assert (before["timeout"], before["onFailure"]) == (60, "block")
    assert str(agent.db) in before["command"]
    assert "--only-gate" in before["command"]
    assert set(claude) == {
        *("PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
    }

    _, out, _ = agent.send("", "--install", "--client", "codex")
    assert "onFailure" not in out
    assert set(json.loads(out)["hooks"]) == {"PreToolUse", "PostToolUse", "Stop"}


OWN = {"matcher": "Bash", "hooks": [{"type": "command", "command": "my-own-hook"}]}


def test_hooks_are_put_into_settings_beside_what_is_there(agent: Agent, tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps({"model": "opus", "hooks": {"PreToolUse": [OWN], "Own": [OWN]}}))
    file.chmod(0o600)

    for _ in range(2):
        assert agent.send("", "--install", str(file))[0] == 0

    settings = json.loads(file.read_text())
    assert (settings["model"], settings["hooks"]["Own"]) == ("opus", [OWN])
    own, ours = settings["hooks"]["PreToolUse"]
    assert own == OWN
    assert str(agent.db) in ours["hooks"][0]["command"]
    assert len(settings["hooks"]["PostToolUse"]) == 1
    assert (file.stat().st_mode & 0o777, [*tmp_path.glob(".*")]) == (0o600, [])


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"hooks": []}', '{"hooks": {"PreToolUse": {}}}', "\udcff"]
)
def test_settings_that_cannot_be_read_stay_as_they_are(
    agent: Agent, tmp_path: Path, text: str
) -> None:
    file = tmp_path / "settings.json"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))

    code, out, error = agent.send("", "--install", str(file))

    assert (code, out) == (FAILED, "")
    assert "It was left as it is." in error
    assert file.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_a_hook_that_could_ask_nobody_is_not_installed(agent: Agent, tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    for where in ((), ("--db", "a.db", "--server", "http://127.0.0.1:1")):
        code, _, error = agent.send("", "--install", str(file), where=where)
        assert code == FAILED
        assert "either a database with --db or a server" in error
    (tmp_path / "extreme.json").write_text('{"Bash": {"risk": "extreme"}}')
    extreme = ("--tools", str(tmp_path / "extreme.json"))
    code, _, error = agent.send("", "--install", str(file), *extreme)
    assert (code, "risk must be" in error) == (FAILED, True)
    missing = ("--tools", str(tmp_path / "missing.json"))
    assert agent.send("", "--install", str(file), *missing)[0] == FAILED
    assert not file.exists()


def test_a_new_file_of_settings_is_made_with_its_folder(agent: Agent, tmp_path: Path) -> None:
    file = tmp_path / ".claude" / "settings.json"
    assert agent.send("", "--install", str(file))[0] == 0
    assert "PreToolUse" in json.loads(file.read_text())["hooks"]
