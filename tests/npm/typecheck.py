"""Checks the types of the pages' JavaScript; `make check` runs it where Node is found."""

import subprocess
import sys

import pytest

from tests.npm.install import SOURCES, installed

PACKAGE = SOURCES.parents[1] / "src" / "assent"
PROJECTS = (
    PACKAGE / "server" / "web" / "tsconfig.json",
    PACKAGE / "demo" / "discord_sandbox" / "tsconfig.json",
)


def main() -> int:
    """The compiler's own verdict; 0 with a remark where Node is neither found nor required."""
    try:
        home = installed()
    except pytest.skip.Exception as missing:
        sys.stdout.write(f"JavaScript not checked: {missing.msg}\n")
        return 0
    except pytest.fail.Exception as missing:
        sys.stderr.write(f"{missing.msg}\n")
        return 1
    compiler = home / "node_modules" / ".bin" / "tsc"
    checks = [[compiler, "--project", project] for project in PROJECTS]
    return max(subprocess.run(check, check=False).returncode for check in checks)


if __name__ == "__main__":
    sys.exit(main())
