"""`assent hook` in the settings of the real Claude Code: people decide what it does."""

import asyncio
import json
import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from assent import Assent, answer, approve, ran, reject
from assent.domain.requests import Request
from tests.adapters.anthropic_api import anthropic_api, use
from tests.adapters.claude_code import (
    Project,
    claude,
    hook,
    needs_claude,
    outcome,
    run,
    soon,
)

pytestmark = needs_claude
# Claude Code itself would let them run: only the hook is in the way.
OPEN = ("--allowedTools", "Bash", "Write", "Read")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
async def office(project: Project) -> AsyncIterator[Assent]:
    async with Assent(f"sqlite:///{project.db}", agents=(), worker=False) as assent:
        yield assent


async def asked(office: Assent) -> Request:
    """The question, as soon as it is there."""
    (request,) = await soon(office.pending)
    return request


async def test_a_command_waits_for_a_person_and_its_outcome_is_on_record(
    project: Project, office: Assent
) -> None:
    project.install("--wait", "60")
    script = [[use("Bash", command=project.appends("hi"), description="x")], "done"]
    async with anthropic_api(script) as api, claude(project, api) as process:
        request = await asked(office)
        assert project.lines() == []
        assert (request.tool, request.risk) == ("Bash", "dangerous")
        await office.decide(request, approve(), by="ana")
        await office.decide(request, approve(), by="ana")
        said = await outcome(process)

    assert said["result"] == "done"
    assert project.lines() == ["hi"]
    (call,) = (await office.conversation(request.conversation_id)).calls
    assert call.status == "succeeded"
    assert "interrupted" in str(call.result)
    assert list((project.home / "claims").rglob("*.json")) == []


async def test_an_edit_is_what_runs(project: Project, office: Assent) -> None:
    project.install("--wait", "60")
    script = [[use("Bash", command=project.appends("hi"), description="x")], "done"]
    async with anthropic_api(script) as api, claude(project, api) as process:
        changed = {"command": project.appends("ho")}
        await office.decide(await asked(office), approve(edit=changed), by="ana")
        await outcome(process)
        sent = json.dumps(api.requests[-1])

    assert project.lines() == ["ho"]
    assert "changed" in sent


async def test_a_rejection_is_told_with_its_reason(project: Project, office: Assent) -> None:
    project.install("--wait", "60")
    script = [[use("Bash", command=project.appends("hi"))], "done"]
    async with anthropic_api(script) as api, claude(project, api, *OPEN) as process:
        await office.decide(await asked(office), reject("not on a Friday"), by="ana")
        said = await outcome(process)
        told = api.told()

    assert "not on a Friday" in told
    assert said["result"] == "done"
    assert project.lines() == []


async def test_what_people_enter_in_a_form_runs(
    project: Project, office: Assent, tmp_path: Path
) -> None:
    fields = [{"name": "content", "description": "What it should say"}]
    form = {"Write": {"user_input": {"reason": "Only you know it", "fields": fields}}}
    (tmp_path / "tools.json").write_text(json.dumps(form))
    project.install("--wait", "60", "--tools", str(tmp_path / "tools.json"))
    written = project.root / "a.txt"
    script = [[use("Write", file_path=str(written), content="")], "done"]
    async with anthropic_api(script) as api, claude(project, api) as process:
        first = await asked(office)
        await office.decide(first, answer({"content": "0"}), by="ana")
        await office.decide(await asked(office), approve(), by="ana")
        await outcome(process)

    assert first.kind == "input"
    assert written.read_text() == "0"


async def test_a_deferred_call_goes_on_in_another_process(project: Project, office: Assent) -> None:
    project.install("--wait", "0", "--undecided", "defer")
    script = [[use("Bash", command=project.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        paused = await run(project, api)
        assert paused["stop_reason"] == "tool_deferred"
        # Nobody has decided yet: it waits once more.
        again = await run(project, api, "--resume", paused["session_id"])
        assert again["stop_reason"] == "tool_deferred"
        assert project.lines() == []

        await office.decide(await asked(office), approve(), by="ana")
        said = await run(project, api, "--resume", paused["session_id"])

    assert said["result"] == "done"
    assert project.lines() == ["hi"]


async def test_nobody_decides_in_time(project: Project, office: Assent) -> None:
    project.install("--wait", "0")
    script = [[use("Bash", command=project.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        await run(project, api, *OPEN)
        told = api.told()

    assert "Nobody decided within 0 s" in told
    assert await office.pending() == []
    assert project.lines() == []


async def test_a_kill_inside_the_tool_leaves_the_call_in_doubt(
    project: Project, office: Assent
) -> None:
    project.install("--wait", "60")
    held = project.root / "held"
    os.mkfifo(held)

    async def runs() -> bool:
        return bool(project.lines() and keepers(project))

    async def left_alone() -> bool:
        return not keepers(project)

    script = [[use("Bash", command=f"{project.appends('hi')}; cat {held}")], "done"]
    async with anthropic_api(script) as api, claude(project, api) as process:
        request = await asked(office)
        await office.decide(request, approve(), by="ana")
        await soon(runs)
        process.send_signal(signal.SIGKILL)
        await process.communicate()
        with held.open("w"):
            pass
        await soon(left_alone)
        session = json.loads(next((project.home / "claims").rglob("*.json")).read_text())["session"]
        _end_leases(project.db)
        guard = office.guard_for(agent="claude", by="ana")
        call_id = (await office.conversation(request.conversation_id)).calls[0].id
        seen = await guard.look(call_id)
        assert (seen.status, seen.waits_for) == ("in_doubt", "outcome")

    # The same use of the tool once more is not run a second time.
    await office.decide(str(seen.request_id), ran("it is written"), by="ana")
    again = {
        "hook_event_name": "PreToolUse",
        "session_id": session,
        "tool_use_id": "toolu_1",
        "tool_name": "Bash",
        "tool_input": script[0][0]["input"],
    }
    said = await asyncio.to_thread(
        hook, project, "--db", str(project.db), "--by", "ana", given=again
    )
    assert json.loads(said.stdout)["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "it is written" in said.stdout
    assert project.lines() == ["hi"]


def keepers(project: Project) -> list[int]:
    """The processes that renew claims of this test."""
    found = psutil.process_iter(["cmdline"])
    lines = {each.pid: " ".join(each.info["cmdline"] or ()) for each in found}
    return [pid for pid, line in lines.items() if f"--keep {project.home}" in line]


def _end_leases(db: Path) -> None:
    """As if its 30 seconds had passed."""
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE calls SET lease_until = 1")
    connection.close()


async def test_a_hook_that_cannot_ask_blocks_the_tool(project: Project, tmp_path: Path) -> None:
    project.install("--wait", "60", db=str(tmp_path / "missing" / "folder" / "assent.db"))
    script = [[use("Bash", command=project.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        await run(project, api, *OPEN)
        told = api.told()

    assert "Assent could not be asked" in told
    assert project.lines() == []


async def test_a_hook_that_is_gone_blocks_the_tool(project: Project) -> None:
    settings = project.install()
    (before,) = settings["hooks"]["PreToolUse"]
    before["hooks"][0]["command"] = "no-such-program hook"
    (project.root / ".claude" / "settings.json").write_text(json.dumps(settings))
    script = [[use("Bash", command=project.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        await run(project, api, *OPEN)

    assert project.lines() == []


async def test_another_hook_that_changes_what_was_approved_leaves_the_call_in_doubt(
    project: Project, office: Assent
) -> None:
    settings = project.install("--wait", "60")
    given = {"command": project.appends("ho")}
    said = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": given}
    (project.root / "said").write_text(json.dumps({"hookSpecificOutput": said}))
    other = {"type": "command", "command": f"cat {project.root / 'said'}"}
    settings["hooks"]["PreToolUse"].append({"matcher": "*", "hooks": [other]})
    (project.root / ".claude" / "settings.json").write_text(json.dumps(settings))
    script = [[use("Bash", command=project.appends("hi"))], "done"]
    async with anthropic_api(script) as api, claude(project, api) as process:
        request = await asked(office)
        await office.decide(request, approve(), by="ana")
        await outcome(process)

    # Claude Code lets it: that it happened is at least not recorded as what people approved.
    assert project.lines() == ["ho"]
    (call,) = (await office.conversation(request.conversation_id)).calls
    assert call.status == "in_doubt"


async def test_an_allow_of_another_hook_and_of_every_rule_runs_nothing(
    project: Project, office: Assent
) -> None:
    settings = project.install("--wait", "0")
    said = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
    (project.root / "said").write_text(json.dumps({"hookSpecificOutput": said}))
    other = {"matcher": "*", "hooks": [{"type": "command", "command": f"cat {project.root}/said"}]}
    ours = settings["hooks"]["PreToolUse"]
    settings["hooks"]["PreToolUse"] = [other, *ours, other]
    settings["permissions"] = {"allow": ["Bash"]}
    (project.root / ".claude" / "settings.json").write_text(json.dumps(settings))
    script = [[use("Bash", command=project.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        await run(project, api, *OPEN)
        told = api.told()

    assert "Nobody decided within 0 s" in told
    assert project.lines() == []


async def test_the_commands_of_a_skill_do_not_run_unasked(project: Project, office: Assent) -> None:
    project.install("--wait", "0", "--only-gate")
    skill = project.root / ".claude" / "skills" / "sly"
    skill.mkdir(parents=True)
    head = "---\nname: sly\ndescription: sly\nallowed-tools: Bash\n---\n"
    (skill / "SKILL.md").write_text(f"{head}\n!`{project.appends('hi')}`\n")
    async with anthropic_api([[use("Skill", skill="sly")], "done"]) as api:
        await run(project, api, "--allowedTools", "Skill", "Bash")
        told = api.told()

    assert "Nobody decided within 0 s" in told
    assert project.lines() == []


async def test_what_only_reads_runs_unasked_and_is_on_record(
    project: Project, office: Assent
) -> None:
    project.install("--wait", "60")
    (project.root / "a.txt").write_text("contents")
    script = [[use("Read", file_path=str(project.root / "a.txt"))], "done"]
    async with anthropic_api(script) as api:
        await run(project, api)
        told = api.told()

    assert "contents" in told
    assert [entry.action for entry in await office.audit() if entry.call_id]
