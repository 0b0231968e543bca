import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def make(*arguments: str) -> str:
    # A surrounding `make test` would pass its own flags down.
    environment = {k: v for k, v in os.environ.items() if k not in {"MAKEFLAGS", "MAKELEVEL"}}
    ran = subprocess.run(
        ["make", *arguments], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    )
    return ran.stdout


@pytest.mark.parametrize(
    "target", ["install", "demo", "chat", "test", "check", "docs", "bench", "pictures", "help"]
)
def test_help_lists_the_target_with_a_description(target: str):
    assert re.search(rf"^ +{target} +\S+", make("help"), flags=re.MULTILINE)


def test_make_without_a_target_prints_the_help():
    assert make() == make("help")


def test_ci_entry_point_is_executable_and_runs_check_before_test():
    entry = ROOT / ".ci" / "run"

    assert os.access(entry, os.X_OK)
    assert re.findall(r"^make (\w+)$", entry.read_text(), flags=re.MULTILINE) == ["check", "test"]
