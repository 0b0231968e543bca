"""The quickstart of each framework is short; `tests/docs` runs it."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
MOST_LINES = 15
BLOCK = re.compile(r"^```(?:python|ts)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# What is a quickstart's: pages have other blocks, too.
MARKS = {
    "pydantic-ai.md": ("import Assent, approve",),
    "openai-agents.md": ("import Assent, approve",),
    "langgraph.md": ("import Assent, approve",),
    # Its resumption is a block of its own.
    "ai-sdk-server.md": ("new Gate(", "gate.responses("),
}


@pytest.mark.parametrize("page", MARKS)
def test_a_quickstart_has_at_most_fifteen_lines(page: str):
    blocks = BLOCK.findall((DOCS / page).read_text())
    quickstart = [block for block in blocks if any(mark in block for mark in MARKS[page])]
    assert len(quickstart) == len(MARKS[page])

    lines = "".join(quickstart).splitlines()
    assert len([line for line in lines if line.strip()]) <= MOST_LINES
