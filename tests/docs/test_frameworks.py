"""The matrix of frameworks: what its cells rest on is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGE = (DOCS / "frameworks.md").read_text()
NAMED = re.compile(r"`(test_[a-z0-9_]+)`")
DEFINED = re.compile(r"def (test_[a-z0-9_]+)\(", re.MULTILINE)


def rows() -> list[list[str]]:
    """The cells of the matrix, row by row, without its head."""
    lines = PAGE.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("| | "))
    table = lines[start : lines.index("", start)]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def defined() -> set[str]:
    """The names of all tests."""
    files = (ROOT / "tests").rglob("*.py")
    return {name for path in files for name in DEFINED.findall(path.read_text())}


def pages() -> list[str]:
    """The pages of the frameworks, as the head of the matrix links them."""
    return sorted({page for cell in rows()[0] for page in re.findall(r"\(([^)]+\.md)\)", cell)})


def test_every_cell_of_the_matrix_says_something() -> None:
    head, _, *body = rows()
    assert len(body) == 9
    for row in body:
        assert len(row) == len(head)
        assert all(row)


def test_the_folders_of_its_tests_exist() -> None:
    last = rows()[-1]
    assert last[0] == "where the tests are"
    for cell in last[1:]:
        for folder in re.findall(r"`([^`]+)`", cell):
            assert (ROOT / folder.replace("…", "tests/adapters")).is_dir(), folder


@pytest.mark.parametrize("page", pages())
def test_every_test_that_a_page_names_exists(page: str) -> None:
    named = set(NAMED.findall((DOCS / page).read_text()))
    assert named - defined() == set()


@pytest.mark.parametrize("page", pages())
def test_a_page_names_a_test_for_every_case_of_the_matrix(page: str) -> None:
    _, _, *cases, _ = [cells[0] for cells in rows()]
    lines = [line.strip("|").split("|") for line in (DOCS / page).read_text().splitlines()]
    named = {cells[0].strip(): cells[1:] for cells in lines if NAMED.search("|".join(cells[1:]))}

    assert len(cases) == 8
    for case in cases:
        # Of two ways in on one page, the second may say that its test has the same name.
        assert all(NAMED.search(cell) or "the same name" in cell for cell in named[case]), case
