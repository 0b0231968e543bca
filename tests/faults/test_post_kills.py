"""SIGKILL around the sending of a post: none is lost, and none is shown twice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assent.engine.failpoints import POSTING
from tests.faults import post_program


def run(url: str, place: Path, what: str, failpoint: str = "") -> subprocess.Popen[str]:
    path = os.pathsep.join(folder for folder in sys.path if folder)
    return subprocess.Popen(
        [sys.executable, str(post_program.__file__), url, str(place), what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path, "ASSENT_FAILPOINT": failpoint},
    )


# requirement: R18, W9
@pytest.mark.parametrize("point", POSTING)
def test_a_kill_around_sending_loses_and_repeats_nothing(
    url: str, tmp_path: Path, point: str
) -> None:
    place = tmp_path / "platform"
    place.mkdir()
    with run(url, place, "ask", point) as killed:
        assert killed.wait(timeout=60) == -signal.SIGKILL
    assert len(list(place.iterdir())) == (0 if point == "before_post" else 1)

    with run(url, place, "watch") as second:
        assert second.stdout is not None
        assert second.stdout.readline() == "told\n"
        second.communicate("\n", timeout=60)

    [message] = place.iterdir()
    assert message.read_text() == '["open"]'
