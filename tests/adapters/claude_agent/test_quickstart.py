"""The quickstart of docs/claude.md, unchanged, with the real SDK and Claude Code."""

import asyncio
import os
import re
import sys
from pathlib import Path

from assent import Assent, approve
from tests.adapters.anthropic_api import anthropic_api, use
from tests.adapters.claude_code import SECONDS, environment, needs_claude, soon

PAGE = (Path(__file__).parents[3] / "docs" / "claude.md").read_text()


@needs_claude
async def test_the_quickstart_waits_for_a_person(tmp_path: Path) -> None:
    block = re.search(r"^```py\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert block is not None
    assert len([line for line in block[1].splitlines() if line]) <= 15
    (tmp_path / "quickstart.py").write_text(block[1])
    (tmp_path / "home").mkdir()
    effects = tmp_path / "effects"
    async with (
        anthropic_api([[use("Bash", command=f"echo hi >> {effects}")], "done"]) as api,
        Assent(f"sqlite:///{tmp_path / 'assent.db'}", agents=(), worker=False) as assent,
    ):
        with (tmp_path / "out").open("w") as out:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "quickstart.py"),
                cwd=tmp_path,
                env={**os.environ, **environment(tmp_path / "home", api)},
                stdout=out,
                stderr=out,
            )
        (request,) = await soon(assent.pending)
        await assent.decide(request, approve(), by="ana")
        async with asyncio.timeout(SECONDS):
            code = await process.wait()

    assert code == 0, (tmp_path / "out").read_text()
    assert effects.read_text() == "hi\n"
