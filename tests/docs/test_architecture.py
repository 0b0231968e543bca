"""docs/architecture.md names modules that exist, and its drawing shows the imports of today."""

import re
from pathlib import Path

import pytest

from tools import package_drawing

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text()
MODULES = sorted(set(re.findall(r"`([a-z_/]+/[a-z_0-9]+\.py)`", PAGE)))


def test_the_committed_drawing_shows_the_imports_of_today() -> None:
    drawn = package_drawing.DRAWING.read_text()

    assert drawn == package_drawing.draw(), "run `make docs` and commit docs/pictures/packages.svg"


def test_an_arrow_that_follows_from_others_is_left_out() -> None:
    edges = {("cli", "app"), ("app", "domain"), ("cli", "domain")}

    assert package_drawing.essential(edges) == [("app", "domain"), ("cli", "app")]


def test_the_walk_has_14_steps() -> None:
    assert re.findall(r"^(\d+)\. \*\*", PAGE, re.MULTILINE) == [str(n) for n in range(1, 15)]


@pytest.mark.parametrize("module", MODULES)
def test_a_module_that_the_page_names_exists(module: str) -> None:
    assert (ROOT / "src" / "assent" / module).is_file()


def test_every_package_of_the_drawing_has_a_row_in_the_table() -> None:
    named = set(re.findall(r"^\| `([a-z_]+)` \|", PAGE, re.MULTILINE))

    assert named == set(re.findall(r'class="name"[^>]*>([a-z_]+)<', package_drawing.draw()))
