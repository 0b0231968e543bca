"""Tests and docs/conformance.md name the same cases and requirements."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "docs" / "conformance.md"

_LISTED = re.compile(r"^- \*\*(?P<id>[A-Z]?\d+)\*\* ", re.MULTILINE)
_MARK = re.compile(r"\s*# (?P<noun>conformance|requirement): (?P<ids>[A-Z0-9, ]+)$")
_TESTED = re.compile(r"\s*(@|def test_|async def test_|class Test)")


def marks(source: str) -> Iterator[tuple[str, str]]:
    """Each noun and id that a comment right above a test names."""
    lines = source.splitlines()
    for number, line in enumerate(lines):
        if (mark := _MARK.match(line)) is None:
            continue
        rest = (later for later in lines[number + 1 :] if not later.lstrip().startswith("#"))
        if _TESTED.match(next(rest, "")):
            yield from ((mark["noun"], id.strip()) for id in mark["ids"].split(","))


def named(noun: str) -> set[str]:
    """What the whole tests tree names."""
    files = TESTS.rglob("test_*.py")
    return {id for file in files for kind, id in marks(file.read_text()) if kind == noun}


def listed(noun: str) -> list[str]:
    """What docs/conformance.md lists: cases are numbers, requirements begin with a letter."""
    ids = [match["id"] for match in _LISTED.finditer(PAGE.read_text())]
    return [id for id in ids if id.isdigit() == (noun == "conformance")]


def in_order(ids: set[str]) -> str:
    return ", ".join(sorted(ids, key=lambda id: (len(id), id)))


@pytest.mark.parametrize("noun", ["conformance", "requirement"])
def test_every_case_of_the_page_is_named_by_a_test(noun: str) -> None:
    missing = set(listed(noun)) - named(noun)

    assert not missing, f"no test names {noun} {in_order(missing)}"


@pytest.mark.parametrize("noun", ["conformance", "requirement"])
def test_every_case_that_a_test_names_is_on_the_page(noun: str) -> None:
    unknown = named(noun) - set(listed(noun))

    assert not unknown, f"docs/conformance.md lacks {noun} {in_order(unknown)}"


@pytest.mark.parametrize(("noun", "least"), [("conformance", 138), ("requirement", 75)])
def test_the_page_lists_each_case_once(noun: str, least: int) -> None:
    ids = listed(noun)

    assert len(ids) == len(set(ids))
    assert len(ids) >= least  # a page that cannot be read would lack nothing


def test_only_a_comment_right_above_a_test_names_a_case() -> None:
    source = (
        "# conformance: 1, 2\n# requirement: R8\n@pytest.mark.slow\nasync def test_a(): ...\n"
        "# conformance: 3\n\nx = 1\n"
        "def helper(): ...  # conformance: 4\n"
    )

    assert set(marks(source)) == {("conformance", "1"), ("conformance", "2"), ("requirement", "R8")}
