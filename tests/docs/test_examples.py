"""The Python blocks of the documentation run, from top to bottom of their page."""

import ast
import inspect
import linecache
import re
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PAGES = [page for page in sorted(DOCS.glob("*.md")) if BLOCK.search(page.read_text())]


def blocks(page: Path) -> list[tuple[str, str]]:
    """Each block with the name that a traceback shows for it: its page and first line."""
    text = page.read_text()
    found: list[tuple[str, str]] = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start(1))
        found.append((f"{page.name}:{line + 1}", "\n" * line + match.group(1)))
    return found


async def run(name: str, source: str, namespace: dict[str, Any]) -> None:
    # So that a failing line is shown, and the source of a decorated function is found.
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    code = compile(source, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    if code.co_flags & inspect.CO_COROUTINE:
        await eval(code, namespace)
    else:
        exec(code, namespace)


def test_the_page_about_tools_has_examples() -> None:
    assert "tools.md" in [page.name for page in PAGES]
    assert len(blocks(DOCS / "tools.md")) > 15


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
async def test_the_examples_of_a_page_run(page: Path) -> None:
    namespace: dict[str, Any] = {"__name__": f"docs.{page.stem}"}

    for name, source in blocks(page):
        await run(name, source, namespace)
