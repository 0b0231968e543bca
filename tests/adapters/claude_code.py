"""The real Claude Code, from the wheel of its SDK, against a model that a script plays."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import claude_agent_sdk
import pytest

from tests.adapters.anthropic_api import FakeAnthropic

CLI = Path(claude_agent_sdk.__file__).parent / "_bundled" / "claude"
SECONDS = 60
needs_claude = pytest.mark.skipif(not CLI.exists(), reason="this wheel brings no Claude Code")


T = TypeVar("T")


async def soon(look: Callable[[], Awaitable[T]]) -> T:
    """What another process brings about, as soon as it is there."""
    async with asyncio.timeout(SECONDS):
        while not (found := await look()):  # noqa: ASYNC110 - it gives no sign
            await asyncio.sleep(0.02)
    return found


def environment(home: Path, api: FakeAnthropic) -> dict[str, str]:
    """Nothing of this machine's own settings, and no other address than the loopback one."""
    return {
        "HOME": str(home),
        "ANTHROPIC_BASE_URL": api.url,
        "ANTHROPIC_API_KEY": "sk-of-nobody",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "ASSENT_HOOK_DIR": str(home / "claims"),
        "ASSENT_KEY": os.environ["ASSENT_KEY"],
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
    }


class Project:
    """A folder in which Claude Code works, with our hook in its settings."""

    def __init__(self, root: Path) -> None:
        self.root, self.home = root / "project", root / "home"
        self.db, self.effects = root / "assent.db", root / "effects"
        for folder in (self.root / ".claude", self.home):
            folder.mkdir(parents=True)

    def lines(self) -> list[str]:
        return self.effects.read_text().splitlines() if self.effects.exists() else []

    def install(self, *options: str, db: str | None = None) -> dict[str, Any]:
        """Put into the settings what `assent hook --install` prints."""
        where = ("--db", db or str(self.db), "--by", "ana")
        said = hook(self, "--install", *where, *options)
        assert said.returncode == 0, said.stderr
        (self.root / ".claude" / "settings.json").write_text(said.stdout)
        return json.loads(said.stdout)

    def appends(self, line: str) -> str:
        """A command of a shell whose effect is a line of a file."""
        return f"echo {line} >> {self.effects}"


def hook(
    project: Project, *options: str, given: Any = None, **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the hook as an agent does."""
    text = given if isinstance(given, str) else json.dumps(given)
    variables = {
        **os.environ,
        "ASSENT_HOOK_DIR": str(project.home / "claims"),
        "PYTHONPATH": str(Path(__file__).parents[2] / "src"),
        **env,
    }
    return subprocess.run(
        [sys.executable, "-m", "assent.cli", "hook", *options],
        input=text,
        env=variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@asynccontextmanager
async def claude(
    project: Project, api: FakeAnthropic, *options: str
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """`claude -p`, at work; it is gone when the block is left.

    Resumed, it is told nothing new: with another prompt it would give up a deferred call.
    """
    prompt = () if "--resume" in options else ("go",)
    process = await asyncio.create_subprocess_exec(
        *(str(CLI), "-p", *prompt, "--output-format", "json", *options),
        cwd=project.root,
        env=environment(project.home, api),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def outcome(process: asyncio.subprocess.Process) -> dict[str, Any]:
    """What it reports in the end."""
    async with asyncio.timeout(SECONDS):
        out, error = await process.communicate()
    assert process.returncode == 0, (out, error)
    return json.loads(out)


async def run(project: Project, api: FakeAnthropic, *options: str) -> dict[str, Any]:
    """Run `claude -p` to its end."""
    async with claude(project, api, *options) as process:
        return await outcome(process)
