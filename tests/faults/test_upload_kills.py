"""SIGKILL in the middle of an upload: nothing of it counts, and it can be sent again."""

import os
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assent import Person
from assent.engine.failpoints import UPLOADING
from assent.testing import VirtualClock
from tests.engine.test_files import raw
from tests.faults import upload_program
from tests.faults.upload_program import CONTENT


def killed(url: str, failpoint: str) -> int:
    path = os.pathsep.join(folder for folder in sys.path if folder)
    return subprocess.run(
        [sys.executable, str(upload_program.__file__), url],
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONPATH": path, "ASSENT_FAILPOINT": failpoint},
    ).returncode


# requirement: R8
@pytest.mark.parametrize("failpoint", [*UPLOADING, f"{UPLOADING[0]}:2"])
async def test_a_kill_during_an_upload_leaves_nothing_that_counts(
    world: Any, url: str, failpoint: str
) -> None:
    assert killed(url, failpoint) == -signal.SIGKILL
    ada, clock = Person("ada"), VirtualClock(datetime.now(UTC) + timedelta(hours=2))
    async with world(["Seen."], clock=clock) as assent:
        half = await raw(url, "SELECT complete FROM files")
        sent = await assent.files.attach(CONTENT, by=ada, name="film.bin")
        turn = await assent.send("agent", "look", by=ada, files=sent)
        await assent.files.sweep()
        left = await raw(url, "SELECT complete, bytes FROM files")
        chunks = await raw(url, "SELECT sum(length(data)) FROM file_chunks")

    assert [bool(complete) for [complete] in half] == [False]
    assert [(bool(complete), size) for complete, size in left] == [(True, len(CONTENT))]
    assert chunks == [(len(CONTENT),)]
    assert turn.text == "Seen."
