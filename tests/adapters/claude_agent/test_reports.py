"""Reports of a Claude agent that cannot be recorded: none keeps the others from their end."""

import asyncio
from pathlib import Path
from typing import Any

from assent.adapters.claude_agent import ClaudeGuard
from tests.adapters.claude_agent.agents import engine


def event(id: str) -> Any:
    return {
        "hook_event_name": "PreToolUse",
        "session_id": "s1",
        "tool_use_id": id,
        "tool_name": "Read",
        "tool_input": {"file_path": "/a"},
    }


async def test_a_record_that_is_gone_leaves_no_renewals_behind(tmp_path: Path) -> None:
    async with engine(tmp_path) as office:
        gate = ClaudeGuard(office.guard_for(agent="claude", by="ana"))
        (before,) = gate.options().hooks["PreToolUse"]  # type: ignore[index]
        for id in ("toolu_1", "toolu_2"):
            said = await before.hooks[0](event(id), None, {"signal": None})
            assert said["hookSpecificOutput"]["permissionDecision"] == "allow"  # type: ignore[typeddict-item]
        assert len(renewals()) == 2

    await gate.__aexit__(None, None, None)

    assert renewals() == []


def renewals() -> list[str]:
    names = [task.get_name() for task in asyncio.all_tasks()]
    return [name for name in names if name.startswith("assent-renew-")]


async def test_a_call_that_another_hook_changed_is_in_doubt(tmp_path: Path) -> None:
    async with engine(tmp_path) as office:
        guard = office.guard_for(agent="claude", by="ana")
        unasked = {"Read": {"risk": "moderate", "requires_approval": False}}
        async with ClaudeGuard(guard, tools=unasked) as gate:
            hooks = gate.options().hooks
            (before,), (after, *_) = hooks["PreToolUse"], hooks["PostToolUse"]  # type: ignore[index]
            await before.hooks[0](event("toolu_1"), None, {"signal": None})
            ran = {"hook_event_name": "PostToolUse", "tool_input": {"file_path": "/b"}}
            report: Any = {**event("toolu_1"), **ran}
            await after.hooks[0](report, None, {"signal": None})

        (request,) = await office.pending()
        assert request.kind == "outcome"
