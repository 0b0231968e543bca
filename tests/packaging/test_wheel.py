import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [built] = target.glob("*.whl")
    return built


def files_in(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def files_in_source() -> set[str]:
    files = (path for path in (SRC / "assent").rglob("*") if path.is_file())
    return {path.relative_to(SRC).as_posix() for path in files if "__pycache__" not in path.parts}


def test_wheel_tells_type_checkers_that_it_is_typed(wheel: Path):
    assert "assent/py.typed" in files_in(wheel)


def test_wheel_holds_every_file_of_the_package_migrations_and_templates_included(wheel: Path):
    assert files_in_source() - files_in(wheel) == set()


def test_wheel_holds_nothing_but_the_package_and_its_metadata(wheel: Path):
    tops = {name.split("/")[0] for name in files_in(wheel)}

    assert {top for top in tops if not top.endswith(".dist-info")} == {"assent"}


def test_wheel_has_the_version_of_pyproject(wheel: Path):
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert wheel.name == f"assent-{version}-py3-none-any.whl"


def test_unpacked_wheel_imports_without_the_source_tree(wheel: Path, tmp_path: Path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import assent; print(assent.__file__)"
    )

    ran = subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )

    assert ran.stdout.strip() == str(tmp_path / "assent" / "__init__.py")
