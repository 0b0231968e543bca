"""`assent hook` with a server elsewhere."""

import asyncio
import json
from pathlib import Path
from typing import Any

from assent import Assent, approve
from assent.server import create_app
from tests.adapters.claude_code import Project, hook, soon
from tests.server.conftest import accounts, listening

EVENT = {
    "hook_event_name": "PreToolUse",
    "session_id": "s1",
    "tool_use_id": "toolu_1",
    "tool_name": "Bash",
    "tool_input": {"command": "true"},
}


async def test_a_call_is_decided_and_settled_on_the_server(tmp_path: Path) -> None:
    project = Project(tmp_path)
    assent = Assent(f"sqlite:///{tmp_path / 'assent.db'}", agents=())
    async with listening(create_app(assent)) as base:
        key = (await accounts(assent))["user"]

        def send(given: Any) -> Any:
            where = ("--server", base, "--wait", "30")
            return hook(project, *where, given=given, ASSENT_API_KEY=key)

        asking = asyncio.create_task(asyncio.to_thread(send, EVENT))
        (request,) = await soon(assent.pending)
        await assent.decide(request, approve(edit={"command": "false"}), by="user")
        said = await asking
        ruling = json.loads(said.stdout)["hookSpecificOutput"]
        assert (ruling["permissionDecision"], ruling["updatedInput"]) == (
            "allow",
            {"command": "false"},
        )

        ran = {"tool_input": {"command": "false"}, "tool_response": ""}
        after = {**EVENT, "hook_event_name": "PostToolUse", **ran}
        assert (await asyncio.to_thread(send, after)).returncode == 0
        (call,) = (await assent.conversation(request.conversation_id)).calls

    assert call.status == "succeeded"


async def test_a_server_that_cannot_be_reached_blocks(tmp_path: Path) -> None:
    where = ("--server", "http://127.0.0.1:9", "--wait", "1")

    said = await asyncio.to_thread(
        hook, Project(tmp_path), *where, given=EVENT, ASSENT_API_KEY="no-such-key-of-anybody"
    )

    assert (said.returncode, said.stdout) == (2, "")
    assert "Nothing was run: Assent could not be asked." in said.stderr


async def test_a_key_that_the_server_refuses_blocks(tmp_path: Path) -> None:
    assent = Assent(f"sqlite:///{tmp_path / 'assent.db'}", agents=())
    async with listening(create_app(assent)) as base:
        said = await asyncio.to_thread(
            hook, Project(tmp_path), "--server", base, given=EVENT, ASSENT_API_KEY="not-a-key"
        )

    assert (said.returncode, said.stdout) == (2, "")
