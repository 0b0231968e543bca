"""The demo's tool for shell commands, run in the workspace for a limited time."""

import asyncio
import math
import os
import signal
from contextlib import suppress
from datetime import timedelta
from typing import Annotated, cast

from pydantic import StringConstraints

from assent.demo.sandbox import Confinement, confinement, sandboxed_command
from assent.demo.workspace import Workspace
from assent.domain.declarations import tool
from assent.domain.people import Audience
from assent.domain.tools import Risk, Tool

TIMEOUT_SECONDS = 60.0
OUTPUT_BYTES = 20_000
_CHUNK_BYTES = 4_096
_IMPACT = {
    Confinement.NONE: "No sandbox on this system: it can reach all that the demo can reach",
    Confinement.FILES: "Can change every file in the workspace, none outside; has the network",
    Confinement.TCP: "Can change every file in the workspace; none outside, no TCP connections",
}

Command = Annotated[str, StringConstraints(min_length=1, max_length=2_000)]


def run_command_tool(
    workspace: Workspace, *, approvers: Audience, seconds: float = TIMEOUT_SECONDS
) -> Tool:
    """Make the tool that runs commands in the workspace, with these approvers."""

    @tool(
        risk=Risk.DANGEROUS,
        category="shell",
        impact=_IMPACT[confinement()],
        approvers=approvers,
        # The body limits its own time and answers; this is only for a machine that hangs.
        timeout=timedelta(seconds=seconds + 30),
    )
    async def run_command(command: Command) -> dict[str, object]:
        """Run a shell command in the workspace and return its output and exit code.

        Args:
            command: The command, as `sh -c` takes it.
        """
        return await _run(workspace, command, seconds)

    return run_command


async def _spawn(workspace: Workspace, command: str, seconds: float) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *sandboxed_command(workspace.root, command, math.ceil(seconds)),
        cwd=workspace.root,
        env=_environment(workspace),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        # Its own process group, so that all processes it started can be ended with it.
        start_new_session=True,
    )


async def _run(workspace: Workspace, command: str, seconds: float) -> dict[str, object]:
    spawning = asyncio.ensure_future(_spawn(workspace, command, seconds))
    output = bytearray()
    try:
        async with asyncio.timeout(seconds):
            process = await asyncio.shield(spawning)
            left_out = await _collect(cast("asyncio.StreamReader", process.stdout), output)
            code: int | None = await process.wait()
    except TimeoutError:
        left_out, code = 0, None
    finally:
        # Cancelled as it starts, only the shell would be killed, and not what that has started.
        process = await spawning
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    result: dict[str, object] = {"exit_code": code, "output": output.decode("utf-8", "replace")}
    if left_out:
        result["left_out"] = f"{left_out:,} bytes of output"
    if code is None:
        result["stopped"] = f"it was killed after {seconds:g} seconds"
    return result


async def _collect(source: asyncio.StreamReader, output: bytearray) -> int:
    """Fill `output` up to its limit; return the number of bytes beyond it."""
    left_out = 0
    while chunk := await source.read(_CHUNK_BYTES):
        room = OUTPUT_BYTES - len(output)
        output += chunk[:room]
        left_out += max(0, len(chunk) - room)
    return left_out


def _environment(workspace: Workspace) -> dict[str, str]:
    # Without the keys and tokens in the environment of the demo itself.
    path = os.environ.get("PATH", "/usr/bin:/bin")
    here = str(workspace.root)
    return {"PATH": path, "HOME": here, "TMPDIR": here, "LANG": "C.UTF-8", "TERM": "dumb"}
