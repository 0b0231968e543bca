"""README's first example is a program that runs as it stands."""

import asyncio
import os
import re
import sys
from pathlib import Path

from tests.providers import FakeProvider, Reply, ToolUse

README = Path(__file__).parents[2] / "README.md"
SECONDS = 60


def program() -> str:
    """The text of the first Python block."""
    block = re.search(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    assert block is not None
    return block[1]


async def test_the_first_example_asks_and_then_deletes_the_file(tmp_path: Path) -> None:
    victim, script = tmp_path / "test.txt", tmp_path / "readme.py"
    victim.write_text("gone soon")
    script.write_text(program())

    async with FakeProvider() as provider:
        provider.script(
            Reply(calls=(ToolUse(tool="delete_file", arguments='{"path": "test.txt"}'),)),
            Reply(text="It is deleted."),
        )
        # What anybody sets to use another address; the text stays as it is.
        told = {"OPENAI_API_KEY": "key-of-a-test", "OPENAI_BASE_URL": provider.openai_url}
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            script,
            cwd=tmp_path,
            env=os.environ | told,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            async with asyncio.timeout(SECONDS):
                said, complaints = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()

    assert (process.returncode, complaints.decode()) == (0, "")
    assert said.decode().strip() == "It is deleted."
    assert not victim.exists()
    assert (tmp_path / "assent.db").exists()


def test_the_first_example_fits_on_a_screen() -> None:
    lines = [line for line in program().splitlines() if line.strip()]
    assert len(lines) <= 22
