import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

REGISTRY = re.compile(
    r"https?://[^\s\"'<>]+/simple\b|pythonhosted\.org|registry\.npmjs"
    r"|--(?:(?:extra-)?index-url|find-links|trusted-host)\b"
)


def files_of_the_repository() -> Iterator[tuple[str, str]]:
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    ran = subprocess.run(listing, cwd=ROOT, check=False, capture_output=True, text=True)
    if ran.returncode != 0:
        pytest.skip("not a git checkout")
    for name in filter(None, ran.stdout.split("\0")):
        path = ROOT / name
        if path.is_file():
            yield name, path.read_bytes().decode("utf-8", errors="replace")


def machine_path() -> re.Pattern[str]:
    # The checkout's parent finds neighbours of the checkout too; "/" or the temporary directory
    # as a parent would match harmless examples.
    paths = {ROOT, Path.home(), ROOT.parent} - {Path("/"), Path(tempfile.gettempdir())}
    return re.compile(rf"(?<![\w.~-])(?:{'|'.join(re.escape(str(path)) for path in paths)})/")


def lines_matching(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}"
        for name, text in files_of_the_repository()
        for number, line in enumerate(text.splitlines(), start=1)
        if pattern.search(line)
    ]


def test_no_file_names_a_package_registry():
    assert lines_matching(REGISTRY) == []


def test_no_file_names_a_path_of_this_machine():
    assert lines_matching(machine_path()) == []
