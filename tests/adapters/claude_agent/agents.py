"""Agents of the Claude Agent SDK with a model that a script plays.

Run as a program, it is a process of its own that talks to the same database.
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient

from assent import Assent
from assent.adapters.claude_agent import ClaudeGuard
from assent.engine.settings import Times
from assent.guard import Guard

LEASE = timedelta(seconds=1)


def engine(folder: Path) -> Assent:
    """An engine that runs nothing itself: Claude Code does."""
    url = f"sqlite:///{folder / 'assent.db'}"
    return Assent(url, agents=(), worker=False, times=Times(lease=LEASE), review_url="http://desk")


def options_for(folder: Path, env: Mapping[str, str], **more: Any) -> ClaudeAgentOptions:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    return ClaudeAgentOptions(cwd=project, env=dict(env), setting_sources=[], **more)


async def run(
    guard: Guard, options: ClaudeAgentOptions, prompt: str | None = "go", **more: Any
) -> Any:
    """One run of an agent, to its end or its deferral."""
    async with ClaudeGuard(guard, **more) as gate, ClaudeSDKClient(gate.options(options)) as client:
        await client.query(prompt or "")
        return [message async for message in client.receive_response()][-1]


async def run_plain(options: ClaudeAgentOptions) -> Any:
    """A run without callbacks: what gates it is in its settings."""
    async with ClaudeSDKClient(options) as client:
        await client.query("go")
        return [message async for message in client.receive_response()][-1]


async def _main(folder: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    async with engine(folder) as assent:
        guard = assent.guard_for(agent="claude", by="ana")
        options = options_for(folder, order["env"], **order.get("options", {}))
        ended = await (run_plain(options) if order.get("plain") else run(guard, options))
        return {"stop_reason": ended.stop_reason, "session_id": ended.session_id}


if __name__ == "__main__":
    reported = asyncio.run(_main(Path(sys.argv[1]), json.loads(sys.argv[2])))
    sys.stdout.write(json.dumps(reported))
