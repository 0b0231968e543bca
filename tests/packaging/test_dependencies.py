import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
LATER = {"server", "discord", "slack"}


def pins() -> dict[str, Version]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines)
    return {canonicalize_name(name): Version(version) for name, version in pairs}


def development_requirements() -> list[str]:
    chosen = [specs for extra, specs in EXTRAS.items() if extra not in LATER | {"all"}]
    return sorted({*PROJECT["dependencies"], *(spec for specs in chosen for spec in specs)})


@pytest.mark.parametrize("spec", development_requirements())
def test_constraints_pin_a_version_inside_the_range(spec: str):
    requirement = Requirement(spec)

    assert pins()[canonicalize_name(requirement.name)] in requirement.specifier


def test_the_all_extra_names_every_extra_but_those_for_development():
    [everything] = EXTRAS["all"]

    assert Requirement(everything).extras == EXTRAS.keys() - {"all", "dev", "docs"}


def test_the_version_is_written_in_pyproject_only():
    sources = (ROOT / "src").rglob("*.py")

    assert [path.name for path in sources if PROJECT["version"] in path.read_text()] == []
