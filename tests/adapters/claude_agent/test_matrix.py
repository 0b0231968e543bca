"""What people decide is what a Claude agent does: the real SDK with the Claude Code it brings."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from claude_agent_sdk import HookMatcher, ToolPermissionContext

from assent import Assent, answer, approve, ran, reject
from assent.adapters.claude_agent import ClaudeGuard
from assent.client import AsyncClient
from assent.domain.requests import Request
from assent.errors import InvalidParameter
from assent.guard import Guard
from tests.adapters.anthropic_api import FakeAnthropic, anthropic_api, use
from tests.adapters.claude_agent import agents
from tests.adapters.claude_agent.agents import engine, options_for, run
from tests.adapters.claude_code import CLI, SECONDS, Project, environment, needs_claude, soon

pytestmark = needs_claude
OPEN = {"allowed_tools": ["Bash", "Write", "Read"]}


class Desk:
    """A folder with the effects of commands."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.effects = folder, folder / "effects"
        (folder / "home").mkdir()

    def appends(self, line: str) -> str:
        return f"echo {line} >> {self.effects}"

    def lines(self) -> list[str]:
        return self.effects.read_text().splitlines() if self.effects.exists() else []

    def options(self, api: FakeAnthropic, **more: Any) -> Any:
        return options_for(self.folder, environment(self.folder / "home", api), **more)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Assent]:
    async with engine(tmp_path) as assent:
        yield assent


@pytest.fixture
def guard(office: Assent) -> Guard:
    return office.guard_for(agent="claude", by="ana")


async def asked(office: Assent) -> Request:
    (request,) = await soon(office.pending)
    return request


async def only_call(office: Assent, request: Request) -> Any:
    (call,) = (await office.conversation(request.conversation_id)).calls
    return call


# Allowed by a rule of the SDK or not: the guard is asked.
@pytest.mark.parametrize("rules", [{}, OPEN])
async def test_a_command_waits_for_a_person_and_its_outcome_is_on_record(
    desk: Desk, office: Assent, guard: Guard, rules: dict[str, Any]
) -> None:
    script = [[use("Bash", command=desk.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        running = asyncio.create_task(run(guard, desk.options(api, **rules)))
        request = await asked(office)
        assert desk.lines() == []
        await office.decide(request, approve(), by="ana")
        await office.decide(request, approve(), by="ana")
        ended = await running

    assert (ended.result, desk.lines()) == ("done", ["hi"])
    call = await only_call(office, request)
    assert call.status == "succeeded"
    assert "stdout" in call.result


async def test_an_edit_is_what_runs_and_the_model_is_told(
    desk: Desk, office: Assent, guard: Guard
) -> None:
    script = [[use("Bash", command=desk.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        running = asyncio.create_task(run(guard, desk.options(api)))
        edit = approve(edit={"command": desk.appends("ho")})
        await office.decide(await asked(office), edit, by="ana")
        await running
        sent = json.dumps(api.requests[-1])

    assert desk.lines() == ["ho"]
    assert "changed" in sent


async def test_a_rejection_is_told_with_its_reason(
    desk: Desk, office: Assent, guard: Guard
) -> None:
    script = [[use("Bash", command=desk.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        running = asyncio.create_task(run(guard, desk.options(api, **OPEN)))
        await office.decide(await asked(office), reject("not on a Friday"), by="ana")
        ended = await running
        told = api.told()

    assert "not on a Friday" in told
    assert (ended.result, desk.lines()) == ("done", [])


async def test_what_people_enter_in_a_form_runs(desk: Desk, office: Assent, guard: Guard) -> None:
    fields = [{"name": "content", "description": "What it should say"}]
    form = {"Write": {"user_input": {"reason": "Only you know it", "fields": fields}}}
    written = desk.folder / "project" / "a.txt"
    script = [[use("Write", file_path=str(written), content="")], "done"]
    async with anthropic_api(script) as api:
        running = asyncio.create_task(run(guard, desk.options(api), tools=form))
        await office.decide(await asked(office), answer({"content": "0"}), by="ana")
        await office.decide(await asked(office), approve(), by="ana")
        await running

    assert written.read_text() == "0"


async def test_a_command_that_fails_is_on_record(desk: Desk, office: Assent, guard: Guard) -> None:
    script = [[use("Bash", command="exit 3")], "done"]
    async with anthropic_api(script) as api:
        running = asyncio.create_task(run(guard, desk.options(api)))
        request = await asked(office)
        await office.decide(request, approve(), by="ana")
        await running

    call = await only_call(office, request)
    assert call.status == "failed"
    assert "Exit code 3" in str(call.result)


async def test_a_claim_is_renewed_while_a_command_runs(
    desk: Desk, office: Assent, guard: Guard
) -> None:
    held = desk.folder / "held"
    os.mkfifo(held)
    script = [[use("Bash", command=f"{desk.appends('hi')}; cat {held}")], "done"]
    async with anthropic_api(script) as api:
        running = asyncio.create_task(run(guard, desk.options(api)))
        request = await asked(office)
        await office.decide(request, approve(), by="ana")
        call = await only_call(office, request)

        async def renewed() -> bool:
            entries = await only_call(office, request)
            first = call.lease_until
            return entries.lease_until is not None and (
                first is None or entries.lease_until > first
            )

        await soon(renewed)
        call = await only_call(office, request)
        await soon(renewed)
        release(held)
        await running

    assert (await only_call(office, request)).status == "succeeded"


async def test_nobody_decides_in_time(desk: Desk, office: Assent, guard: Guard) -> None:
    script = [[use("Bash", command=desk.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        await run(guard, desk.options(api, **OPEN), wait=0)
        told = api.told()

    assert "Nothing was run" in told
    assert await office.pending() == []
    assert desk.lines() == []


async def started(folder: Path, **order: Any) -> asyncio.subprocess.Process:
    path = str(Path(agents.__file__).parents[3])
    # Into files: Claude Code, which may outlive it, has them open, too.
    with (folder / "out").open("w") as out, (folder / "error").open("w") as error:
        return await asyncio.create_subprocess_exec(
            *(sys.executable, agents.__file__, str(folder), json.dumps(order)),
            env={**os.environ, "PYTHONPATH": path},
            stdout=out,
            stderr=error,
        )


async def ended_well(folder: Path, **order: Any) -> dict[str, Any]:
    process = await started(folder, **order)
    async with asyncio.timeout(SECONDS):
        code = await process.wait()
    assert code == 0, (folder / "error").read_text()
    return json.loads((folder / "out").read_text())


def release(held: Path) -> None:
    """Let a command go on that reads from a pipe, if it still does."""
    os.close(os.open(held, os.O_RDWR | os.O_NONBLOCK))


async def test_a_deferred_call_goes_on_in_another_process(desk: Desk, office: Assent) -> None:
    """With our hook in the agent's settings: those count before a resumed session does anything.

    Callbacks of the SDK are there a moment later, and may miss a deferred call.
    """
    project = Project(desk.folder / "settings")
    settings = project.install(
        "--wait", "0", "--undecided", "defer", db=str(desk.folder / "assent.db")
    )
    script = [[use("Bash", command=desk.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        env = environment(desk.folder / "home", api)
        options = {"settings": json.dumps(settings), **OPEN}
        first = await ended_well(desk.folder, env=env, plain=True, options=options)
        assert first["stop_reason"] == "tool_deferred"
        edit = approve(edit={"command": desk.appends("ho")})
        await office.decide(await asked(office), edit, by="ana")
        options["resume"] = first["session_id"]
        second = await ended_well(desk.folder, env=env, plain=True, options=options)

    assert second["stop_reason"] == "end_turn"
    assert desk.lines() == ["ho"]


async def test_a_kill_inside_the_tool_leaves_the_call_in_doubt(
    desk: Desk, office: Assent, guard: Guard
) -> None:
    held = desk.folder / "held"
    os.mkfifo(held)
    script = [[use("Bash", command=f"{desk.appends('hi')}; cat {held}")], "done"]
    async with anthropic_api(script) as api:
        env = environment(desk.folder / "home", api)
        process = await started(desk.folder, env=env)
        request = await asked(office)
        await office.decide(request, approve(), by="ana")

        async def runs() -> bool:
            return bool(desk.lines())

        await soon(runs)
        process.send_signal(signal.SIGKILL)
        async with asyncio.timeout(SECONDS):
            await process.wait()
        release(held)

        call_id = (await only_call(office, request)).id

        async def doubtful() -> Any:
            seen = await guard.look(call_id)
            return seen if seen.status == "in_doubt" else None

        seen = await soon(doubtful)
        assert seen.waits_for == "outcome"
        await office.decide(seen.request_id, ran("it is written"), by="ana")

    assert desk.lines() == ["hi"]


def is_cli(process: psutil.Process) -> bool:
    try:
        return process.exe() == str(CLI)
    except psutil.Error:
        # A child of an earlier test that has ended, and that nobody has waited for yet.
        return False


async def test_claude_code_that_is_gone_leaves_the_call_in_doubt(
    desk: Desk, office: Assent, guard: Guard
) -> None:
    """It dies alone; the process that asked lives on and must not renew for ever."""
    held = desk.folder / "held"
    os.mkfifo(held)
    script = [[use("Bash", command=f"{desk.appends('hi')}; cat {held}")], "done"]

    async def runs() -> bool:
        return bool(desk.lines())

    async with anthropic_api(script) as api:
        running = asyncio.create_task(run(guard, desk.options(api)))
        request = await asked(office)
        await office.decide(request, approve(), by="ana")
        await soon(runs)
        (cli,) = [each for each in psutil.Process().children() if is_cli(each)]
        cli.kill()
        release(held)
        with pytest.raises(Exception):  # noqa: B017, PT011 - whatever the SDK says of it
            async with asyncio.timeout(SECONDS):
                await running

    assert (await only_call(office, request)).status == "in_doubt"
    assert desk.lines() == ["hi"]


async def test_an_allow_of_another_hook_and_of_every_rule_runs_nothing(
    desk: Desk, guard: Guard
) -> None:
    async def allow(*_: Any) -> Any:
        said = {"hookEventName": "PreToolUse", "permissionDecision": "allow"}
        return {"hookSpecificOutput": said}

    script = [[use("Bash", command=desk.appends("hi"))], "done"]
    hooks = {"PreToolUse": [HookMatcher(hooks=[allow])]}
    async with anthropic_api(script) as api:
        await run(guard, desk.options(api, hooks=hooks, **OPEN), wait=0)
        told = api.told()

    assert "Nothing was run" in told
    assert desk.lines() == []


async def test_a_permission_that_the_guard_did_not_clear_is_denied(guard: Guard) -> None:
    gate = ClaudeGuard(guard)
    context = ToolPermissionContext(tool_use_id="toolu_forged")

    ruling = await gate.can_use_tool("Bash", {"command": "true"}, context)

    assert ruling.behavior == "deny"


async def test_a_session_resumed_with_a_used_approval_runs_nothing_again(
    desk: Desk, office: Assent, guard: Guard
) -> None:
    """The same use of a tool comes again, as from a transcript that was copied back."""
    script = [[use("Bash", command=desk.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        running = asyncio.create_task(run(guard, desk.options(api)))
        request = await asked(office)
        await office.decide(request, approve(), by="ana")
        ended = await running
    gate = ClaudeGuard(guard)
    given: Any = {
        "hook_event_name": "PreToolUse",
        "session_id": ended.session_id,
        "tool_use_id": "toolu_1",
        "tool_name": "Bash",
        "tool_input": script[0][0]["input"],  # type: ignore[index]
    }

    said: Any = await gate._before(given, None, {"signal": None})

    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "ran before" in said["hookSpecificOutput"]["permissionDecisionReason"]


async def test_a_guard_that_cannot_be_reached_blocks_the_tool(desk: Desk) -> None:
    script = [[use("Bash", command=desk.appends("hi"))], "done"]
    async with anthropic_api(script) as api:
        await run(AsyncClient("http://127.0.0.1:9", key="k"), desk.options(api, **OPEN))
        told = api.told()

    assert "The server cannot be used" in told
    assert desk.lines() == []


async def test_hooks_of_others_stay_and_a_callback_of_others_is_refused(guard: Guard) -> None:
    from claude_agent_sdk import ClaudeAgentOptions

    async def allow(*_: Any) -> Any:
        return None

    own = HookMatcher(hooks=[allow])
    options = ClaudeGuard(guard).options(ClaudeAgentOptions(hooks={"PreToolUse": [own]}))
    assert options.hooks is not None
    assert options.hooks["PreToolUse"][0] is own
    assert len(options.hooks["PreToolUse"]) == 2

    with pytest.raises(InvalidParameter, match="can_use_tool"):
        ClaudeGuard(guard).options(ClaudeAgentOptions(can_use_tool=allow))
