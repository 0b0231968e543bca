"""The quickstart of each framework is short; `tests/docs` runs it."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MOST_LINES = 15
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["pydantic-ai.md", "openai-agents.md"])
def test_a_quickstart_has_at_most_fifteen_lines(page: str):
    blocks = BLOCK.findall((DOCS / page).read_text())
    [quickstart] = [block for block in blocks if "import Assent, approve" in block]

    assert len([line for line in quickstart.splitlines() if line.strip()]) <= MOST_LINES
