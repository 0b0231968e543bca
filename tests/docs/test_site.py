"""The documentation site builds without a warning, and every page is found and leads somewhere."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assent
from assent import models, server, testing
from assent.server import streams

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
TEXTS = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"""\]\((?P<to>[^)\s]+)\)|(?:src|href)="(?P<at>[^"]+)\"""")


def links(text: Path) -> Iterator[str]:
    """The relative links and pictures of a text, without their anchors."""
    for match in _LINK.finditer(_FENCED.sub("", text.read_text())):
        target = (match["to"] or match["at"]).partition("#")[0]
        if target and "://" not in target and not target.startswith("mailto:"):
            yield target


def in_nav(items: Any) -> Iterator[str]:
    match items:
        case str():
            yield items
        case list():
            for item in items:
                yield from in_nav(item)
        case dict():
            yield from in_nav(list(items.values()))


@pytest.mark.parametrize("text", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_to_files_of_the_repository(text: Path) -> None:
    dead = [target for target in links(text) if not (text.parent / target).exists()]

    assert dead == []


def test_no_page_links_to_what_the_site_does_not_have() -> None:
    outside = {
        f"{page}: {target}"
        for page in PAGES
        for target in links(DOCS / page)
        if not (DOCS / page).parent.joinpath(target).resolve().is_relative_to(DOCS)
    }

    assert outside == set()


def test_every_page_is_in_the_navigation() -> None:
    project = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]

    assert sorted(in_nav(project["nav"])) == PAGES


@pytest.mark.parametrize("index", [ROOT / "README.md", DOCS / "index.md"], ids=lambda p: p.name)
def test_an_index_links_every_page_for_users(index: Path) -> None:
    linked = {(index.parent / target).resolve() for target in links(index)}
    pages = {DOCS / page for page in PAGES if "/" not in page} - {DOCS / "index.md"}

    # It exists on the site only.
    assert pages - linked <= {DOCS / "reference.md"}


@pytest.mark.parametrize(
    "module", [assent, models, testing, server, streams], ids=lambda module: module.__name__
)
def test_the_reference_has_every_public_name(module: Any) -> None:
    told = set(re.findall(r"^::: (\S+)$", (DOCS / "reference.md").read_text(), re.MULTILINE))
    # All errors come from their module.
    names = set(module.__all__) - {"AssentError"}

    assert {f"{module.__name__}.{name}" for name in names} - told == set()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built beside the repository."""
    pytest.importorskip("zensical")
    folder = tmp_path_factory.mktemp("site")
    shutil.copy(ROOT / "zensical.toml", folder)
    for name in ("docs", "src"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    build = [sys.executable, "-m", "zensical", "build", "--strict"]
    ran = subprocess.run(build, cwd=folder, check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder / "site"


def test_the_site_builds_without_a_warning_and_has_every_page(site: Path) -> None:
    pages = {page.removesuffix(".md") + ".html" for page in PAGES}

    assert {page for page in pages if not (site / page).is_file()} == set()


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    loading = re.compile(r"""<(?:script|img|iframe)[^>]+src="?https?:|<link[^>]+href="?https?:""")
    pages = [page for page in site.rglob("*.html") if loading.search(page.read_text())]

    assert pages == []


def test_the_reference_is_made_of_docstrings(site: Path) -> None:
    page = (site / "reference.html").read_text()

    assert 'id="assent.Assent.decide"' in page
    assert str(assent.approve.__doc__).splitlines()[0].partition(":")[0] in page
