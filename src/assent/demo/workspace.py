"""The one folder that the demo's tools can change."""

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

MAX_FILE_BYTES = 200_000
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class Workspace:
    """A folder whose files can be read, written and deleted, and none outside it.

    Every part of a path is opened relative to the one before and never through a link, so that a
    change between check and use cannot lead outside.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str) -> str:
        """Return the text of a file."""
        with self._opened(path, os.O_RDONLY) as file:
            if not stat.S_ISREG(os.fstat(file).st_mode):
                raise PermissionError(f"{path!r} is not a regular file")
            data = _read(file, MAX_FILE_BYTES + 1)
        if len(data) > MAX_FILE_BYTES:
            raise ValueError(f"{path!r} is larger than {MAX_FILE_BYTES:,} bytes")
        return data.decode("utf-8", "replace")

    def read_if_there(self, path: str) -> str:
        """Return the text of a file; empty if it does not exist."""
        with suppress(FileNotFoundError):
            return self.read(path)
        return ""

    def has(self, path: str) -> bool:
        """Return True if there is a file or folder of that name."""
        *folders, name = self._parts(path)
        with suppress(FileNotFoundError), self._folder(path, folders, make=False) as folder:
            os.stat(name, dir_fd=folder, follow_symlinks=False)
            return True
        return False

    def write(self, path: str, text: str) -> None:
        """Write or replace a file, and create the folders it needs."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with self._opened(path, flags, make_folders=True) as file:
            _write(file, text.encode("utf-8", "replace"))

    def append(self, path: str, line: str) -> None:
        """Add a line to a file."""
        with self._opened(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND) as file:
            _write(file, f"{line}\n".encode("utf-8", "replace"))

    def delete(self, path: str) -> None:
        """Delete a file; of a link only the link is deleted."""
        *folders, name = self._parts(path)
        with self._folder(path, folders, make=False) as folder:
            os.unlink(name, dir_fd=folder)

    def rename(self, path: str, to: str) -> None:
        """Rename or move a file; an existing file of the new name is replaced."""
        (*folders, name), (*others, new) = self._parts(path), self._parts(to)
        with (
            self._folder(path, folders, make=False) as here,
            self._folder(to, others, make=True) as there,
        ):
            os.replace(name, new, src_dir_fd=here, dst_dir_fd=there)

    def files(self) -> list[str]:
        """Return the paths of all regular files below the folder, without hidden ones."""
        found: list[str] = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            base = Path(folder)
            visible = (base / name for name in sorted(names) if not name.startswith("."))
            plain = (path for path in visible if path.is_file() and not path.is_symlink())
            found += [path.relative_to(self.root).as_posix() for path in plain]
        return found

    def _parts(self, path: str) -> tuple[str, ...]:
        parts = PurePosixPath(path).parts
        if "\x00" in path or not parts:
            raise PermissionError(f"{path!r} is not the name of a file")
        if PurePosixPath(path).is_absolute():
            raise PermissionError(f"{path!r} is absolute: name a file inside the workspace")
        if ".." in parts:
            raise PermissionError(f"{path!r} leads out of the workspace")
        return parts

    @contextmanager
    def _opened(self, path: str, flags: int, *, make_folders: bool = False) -> Generator[int]:
        *folders, name = self._parts(path)
        with self._folder(path, folders, make=make_folders) as folder:
            file = _open(path, name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, folder)
        try:
            yield file
        finally:
            os.close(file)

    @contextmanager
    def _folder(self, path: str, names: list[str], *, make: bool) -> Generator[int]:
        folder = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            for name in names:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(name, dir_fd=folder)
                inner = _open(path, name, _DIRECTORY, folder)
                os.close(folder)
                folder = inner
            yield folder
        finally:
            os.close(folder)


def _open(path: str, name: str, flags: int, folder: int) -> int:
    try:
        return os.open(name, flags, mode=0o644, dir_fd=folder)
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        raise type(error)(f"{path!r}: {error.strerror}") from None
    except OSError as error:
        # ELOOP or, for folders, ENOTDIR: the name is a link.
        raise PermissionError(f"{path!r} is or passes through a link or a device") from error


def _read(file: int, limit: int) -> bytes:
    data = b""
    while len(data) < limit and (more := os.read(file, limit - len(data))):
        data += more
    return data


def _write(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
