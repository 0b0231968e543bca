"""Hints between processes on one SQLite file: a byte to each other's sockets after each commit.

A hint carries no news and can get lost: every process polls as well. Where there are no Unix
sockets, or no folder for them can be made, polling is all there is.
"""

import asyncio
import contextlib
import logging
import os
import secrets
import socket
import stat
from pathlib import Path
from typing import Final, Protocol

log = logging.getLogger(__name__)

FOLDER: Final = "-hints"
SUFFIX: Final = ".socket"
NEWS, WORK = b"n", b"w"
# However many commits there are elsewhere, one look at the rows serves them all.
PACE_SECONDS = 0.005
# Hints read at once: as many as a socket keeps on any Linux. More mean the same as one.
MOST_AT_ONCE = 600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_TRIES = 10


class OnHint(Protocol):
    """Called for hints; `work` is True if one of them said that there is work to claim."""

    def __call__(self, *, work: bool) -> None: ...


def join(path: str, heard: OnHint) -> "FileHints | None":
    """Exchange hints with all processes that have this file open; None if that is not possible."""
    if not hasattr(socket, "AF_UNIX") or os.listdir not in os.supports_fd:
        return None
    # One folder, by whichever name the file is opened.
    real = Path(path).resolve()
    try:
        hints = FileHints(real.with_name(real.name + FOLDER), heard)
    except (OSError, NotImplementedError) as error:
        log.debug("no hints from other processes: %s", error)
        return None
    # Sending finds the sockets of processes that were killed.
    hints.send(work=False)
    return hints


class FileHints:
    """Our own socket in a folder beside the file, and the sockets of other processes there."""

    def __init__(self, folder: Path, heard: OnHint) -> None:
        self._folder, self._heard = folder, heard
        self._loop = asyncio.get_running_loop()
        self._pause: asyncio.TimerHandle | None = None
        # Random, so that a name is never used twice and any process may remove a dead one.
        self._name = secrets.token_hex(8) + SUFFIX
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            self._directory = self._bound()
        except BaseException:
            self._socket.close()
            raise
        try:
            self._listen()
        except BaseException:
            self._leave()
            raise

    def send(self, *, work: bool) -> None:
        """Send a hint to all other processes; never waits, and never fails."""
        try:
            names = os.listdir(self._directory)  # noqa: PTH208 - a descriptor is no path
        except OSError:
            return
        hint = WORK if work else NEWS
        for name in names:
            if name != self._name and name.endswith(SUFFIX):
                self._send(hint, name)

    def close(self) -> None:
        """Stop listening, and remove our socket."""
        if self._pause is not None:
            self._pause.cancel()
        self._loop.remove_reader(self._socket)
        self._leave()

    def _send(self, hint: bytes, name: str) -> None:
        try:
            self._socket.sendto(hint, f"{self._reached_by}/{name}")
        except ConnectionRefusedError:
            # Its process was killed.
            with contextlib.suppress(OSError):
                os.unlink(name, dir_fd=self._directory)
        except OSError:
            # It has just left, or has more hints than it can read: one of them is enough.
            pass

    def _bound(self) -> int:
        """Bind our socket in the folder; return the folder's descriptor."""
        self._socket.setblocking(False)
        # Before the bind: on Linux the socket's file is then private from its first moment.
        with contextlib.suppress(OSError):
            os.fchmod(self._socket.fileno(), 0o600)
        for _ in range(_TRIES):
            directory = _private_folder(self._folder)
            try:
                self._reached_by = _short(directory, self._folder)
                self._socket.bind(f"{self._reached_by}/{self._name}")
                os.chmod(self._name, 0o600, dir_fd=directory)
            except FileNotFoundError:
                # The last process that was here has just removed the folder.
                os.close(directory)
            except BaseException:
                os.close(directory)
                raise
            else:
                return directory
        raise FileNotFoundError(f"{self._folder} does not stay")

    def _listen(self) -> None:
        self._pause = None
        self._loop.add_reader(self._socket, self._read)

    def _read(self) -> None:
        work = False
        with contextlib.suppress(OSError):
            for _ in range(MOST_AT_ONCE):
                work |= self._socket.recv(1) != NEWS
        # Hints that come during the pause stay in the socket, and are read at its end.
        self._loop.remove_reader(self._socket)
        self._pause = self._loop.call_later(PACE_SECONDS, self._listen)
        self._heard(work=work)

    def _leave(self) -> None:
        self._socket.close()
        with contextlib.suppress(OSError):
            os.unlink(self._name, dir_fd=self._directory)
        os.close(self._directory)
        # Fails as long as there are other sockets.
        with contextlib.suppress(OSError):
            self._folder.rmdir()


def _private_folder(folder: Path) -> int:
    """Open or create the folder; refuses one that others may enter, or that is not ours."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(0o700)
        # An unusual umask can remove the owner's own permission bits.
        folder.chmod(0o700)
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    found = os.fstat(directory)
    if found.st_uid != os.geteuid() or found.st_mode & _OTHERS:
        os.close(directory)
        raise PermissionError(f"{folder} is not ours alone")
    return directory


def _short(directory: int, folder: Path) -> Path:
    """Return a path to the folder short enough for a socket address, which has about 100 bytes."""
    by_descriptor = Path(f"/proc/self/fd/{directory}")
    return by_descriptor if by_descriptor.is_dir() else folder
