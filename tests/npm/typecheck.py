"""Checks the types of the pages' JavaScript; `make check` runs it where Node is found."""

import subprocess
import sys

import pytest

from tests.npm.install import SOURCES, installed

PROJECT = SOURCES.parents[1] / "src" / "assent" / "server" / "web" / "tsconfig.json"


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
    return subprocess.run([compiler, "--project", PROJECT], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
