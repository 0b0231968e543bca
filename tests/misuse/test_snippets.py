"""A corpus of what newcomers write: each works, or is refused with a sentence about the mistake."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from assent import AssentError
from tests.misuse.snippets import PRELUDE, SNIPPETS, Snippet


def run(snippet: Snippet) -> None:
    """Run it as a program."""
    names: dict[str, Any] = {"__name__": "newcomer"}
    exec(compile(PRELUDE + snippet.code, snippet.name, "exec"), names)
    if "main" in names:
        asyncio.run(asyncio.wait_for(names["main"](), 30))


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: snippet.name)
def test_a_newcomers_program_works_or_is_told_its_mistake(
    snippet: Snippet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    if not snippet.refused:
        run(snippet)
        return
    kinds = (TypeError, AttributeError, ImportError) if snippet.by_python else AssentError
    with pytest.raises(kinds) as told:
        run(snippet)
    assert snippet.refused in str(told.value)


def test_there_are_enough_of_them_and_no_two_are_the_same() -> None:
    assert len(SNIPPETS) >= 30
    assert len({snippet.name for snippet in SNIPPETS}) == len(SNIPPETS)
    assert len({snippet.code for snippet in SNIPPETS}) == len(SNIPPETS)
