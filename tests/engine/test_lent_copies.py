"""Copies of files on the disk: given back, and found again after a process was killed."""

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from assent import Field, FieldType, File, Person, UserInput, answer, tool
from assent.testing import calls, says

KEY = b"canary-19-of-a-private-key"
ELSEWHERE = """
import sys
from assent.engine.files.folders import Folder
folder = Folder.made()
(folder.path / "key").write_bytes(b"canary-19-of-a-private-key")
print(folder.path, flush=True)
sys.stdin.read()
"""


def copies(folder: Path) -> list[bytes]:
    """The keys below a folder."""
    return [each.read_bytes() for each in folder.rglob("*key") if each.is_file()]


def another() -> subprocess.Popen[bytes]:
    """A process that has a copy, too."""
    command = [sys.executable, "-c", ELSEWHERE]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    return process


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, of this process and those that it starts."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no flock")
async def test_what_a_killed_process_left_is_deleted_and_what_is_in_use_stays(
    world: Any, owner: Person, place: Path
) -> None:
    found: list[list[bytes]] = []
    running: list[Any] = []

    @tool(user_input=UserInput("A key.", [Field("key", type=FieldType.FILE, sealed=True)]))
    async def sign(key: File) -> str:
        """Sign it."""
        with another() as process:
            await running[0].files.sweep()
            found.append(copies(place))
            process.kill()
        await running[0].files.sweep()
        found.append(copies(place))
        return "signed"

    async with world([says("", calls("sign")), "Done."], sign) as assent:
        running.append(assent)
        turn = await assent.send("agent", "sign it", by=owner)
        sent = await assent.files.upload(turn.pending[0], "key", KEY, by=owner, name="my.key")
        await assent.decide(turn.pending[0], answer(key=sent), by=owner)
        turn = await assent.wait(turn)

    assert turn.calls[0].status == "succeeded"
    assert found == [[KEY, KEY], [KEY]]
    assert copies(place) == []
