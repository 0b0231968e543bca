"""Installs the npm clients that tests drive: once, outside of what is tracked."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCES = Path(__file__).parent
_INSTALL_SECONDS = 300
# A lock file would hold the address of somebody's registry.
_INSTALL = ("npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")


def installed(sources: Path = SOURCES, **more: str) -> Path:
    """A folder with `node_modules`, and our scripts in `clients`; skips where Node is missing.

    `more` are packages, with their versions, that only the test of an example needs.
    """
    missing = [name for name in ("node", "npm") if shutil.which(name) is None]
    if missing:
        _give_up(f"{' and '.join(missing)} not found: the real npm clients cannot run")
    wanted = _wanted(sources, more)
    home = Path(sys.prefix) / "npm" / hashlib.sha256(wanted).hexdigest()[:16]
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:
        # Several test processes want it at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (home / "done").exists():
            _install(home, wanted)
        _link(home / "clients", sources)
    return home


def _wanted(sources: Path, more: dict[str, str]) -> bytes:
    package = (sources / "package.json").read_bytes()
    if not more:
        return package
    asked = json.loads(package)
    return json.dumps({**asked, "dependencies": {**asked["dependencies"], **more}}).encode()


def _install(home: Path, wanted: bytes) -> None:
    (home / "package.json").write_bytes(wanted)
    try:
        subprocess.run(
            _INSTALL, cwd=home, check=True, capture_output=True, timeout=_INSTALL_SECONDS, text=True
        )
    except subprocess.CalledProcessError as error:
        _give_up(f"npm could not install the clients: {error.stderr[-400:]}")
    except subprocess.TimeoutExpired:
        _give_up(f"npm did not install the clients within {_INSTALL_SECONDS} s")
    (home / "done").touch()


def _link(scripts: Path, sources: Path) -> None:
    # Another clone with the same environment may have had its own scripts there.
    if not scripts.is_symlink() or scripts.readlink() != sources:
        scripts.unlink(missing_ok=True)
        scripts.symlink_to(sources, target_is_directory=True)


def _give_up(reason: str) -> None:
    if os.environ.get("CI") or os.environ.get("ASSENT_REQUIRE_NODE"):
        pytest.fail(reason)
    pytest.skip(reason)
