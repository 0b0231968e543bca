"""Every case and requirement of this release is named by a test; whoever drops one hears of it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]

_SPANS = ((1, 6), (8, 103), (105, 143))
_UNUSED = {23, 41, 45}
CASES = {str(n) for first, last in _SPANS for n in range(first, last + 1) if n not in _UNUSED}
_NUMBERS = {
    "D": (*range(1, 19),),
    "F": (4, 5, 7),
    "T": (1, 2, 3, 4, 9, 15, 16),
    "W": (1, 2, 3, 4, 5, 6, 14, 15, 16, 17, 18),
    "S": (3, 11),
    "R": (1, 2, 3, 5, 7, 8, 12, 14, 15, 17, 20, 21, 22, 28),
    "L": (1,),
    "V": (1, 2, 3, 4, 5, 6, 7),
}
REQUIREMENTS = {f"{letter}{n}" for letter, numbers in _NUMBERS.items() for n in numbers}

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


@pytest.mark.parametrize(
    ("noun", "wanted"), [("conformance", CASES), ("requirement", REQUIREMENTS)]
)
def test_every_case_is_named_by_a_test(noun: str, wanted: set[str]) -> None:
    missing = sorted(wanted - named(noun), key=lambda id: (len(id), id))

    assert not missing, f"no test names {noun} {', '.join(missing)}"


def test_only_a_comment_right_above_a_test_names_a_case() -> None:
    source = (
        "# conformance: 1, 2\n# requirement: R8\n@pytest.mark.slow\nasync def test_a(): ...\n"
        "# conformance: 3\n\nx = 1\n"
        "def helper(): ...  # conformance: 4\n"
    )

    assert set(marks(source)) == {("conformance", "1"), ("conformance", "2"), ("requirement", "R8")}
