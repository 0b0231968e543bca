"""Folders for copies of files: held by a lock, so that those of a killed process are found."""

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

try:
    import fcntl
except ImportError:  # Windows: there a copy that a killed process left stays.
    fcntl = None

_PREFIX: Final = "assent-files-"
_LOCK: Final = "lock"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that only we may enter, until it is removed or this process ends."""

    path: Path
    # Released with the process, also by kill -9.
    descriptor: int

    @classmethod
    def made(cls) -> Self:
        """Create one, with its lock taken before the lock has its name."""
        path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        new = path / f"{_LOCK}.new"
        descriptor = os.open(new, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        if fcntl is not None:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            new.rename(path / _LOCK)
        return cls(path, descriptor)

    def remove(self) -> None:
        """Delete it with all that is in it; call it once."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.descriptor)


def remove_abandoned() -> None:
    """Delete the folders of processes that ended without it: they may hold sealed files."""
    if fcntl is None:
        return
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            descriptor = os.open(path / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(descriptor)
