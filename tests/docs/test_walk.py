"""`python -m tools.walk` counts what one gated call passes through."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
COUNTED = r"""one gated call over HTTP: (\d+) modules, (\d+) switches
longest chain of imports from assent\.server\.app: (\d+) modules
"""


def test_the_walk_of_a_gated_call_is_counted() -> None:
    command = [sys.executable, "-m", "tools.walk"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    found = re.fullmatch(COUNTED, ran.stdout)
    assert found, ran.stdout
    modules, switches, depth = map(int, found.groups())
    # Server, engine, domain and store at least; a walk that stops at the pause has far fewer.
    assert modules > 60
    assert switches > modules
    assert depth > 10
