"""The rules of CONTRIBUTING.md for `src` that no linter knows."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
# One tree of errors in one place: docs/decisions/0011.
LONG = {ROOT / "src/assent/errors.py"}
LONGEST = 400
UNPLAIN = re.compile(r"(What|Whether|Who|Whose|Whom|Whoever|Whatever)\b")


def docstrings(path: Path) -> list[str]:
    """All docstrings of a module."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    nodes = [each for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, documented)]
    return [text for each in nodes if (text := ast.get_docstring(each))]


def test_docstrings_begin_with_a_verb_or_the_thing_they_name() -> None:
    found = [(path, text) for path in SOURCES for text in docstrings(path)]
    assert len(found) > 1000
    assert [(path.name, text) for path, text in found if UNPLAIN.match(text)] == []


def test_files_fit_on_a_few_screens() -> None:
    lines = {path: len(path.read_text().splitlines()) for path in SOURCES}
    assert {path for path, count in lines.items() if count > LONGEST} == LONG
