"""SQLite's file: created private, locked by one worker under any name, watched for removal."""

import logging
import os
import sqlite3
import stat
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from assent.errors import StoreGone, StoreUnavailable, WorkerRunning

try:
    import fcntl
except ImportError:  # Windows: there the lock beside the file is the only one.
    fcntl = None

log = logging.getLogger(__name__)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_Identity = tuple[int, int]
# Files that SQLite keeps beside the database while it is open: its log, and its locks.
_PARTS = ("-wal", "-shm")
BUSY_SECONDS = 10.0
BUSY_PAUSE = 0.005
# A commit logs a page of each table and index that it touches, however little changed on it; see
# docs/decisions/0010-what-a-cycle-costs.md.
PAGE_BYTES = 2048


@dataclass
class _Held:
    """One descriptor of a file for all stores of this process.

    Closing any descriptor of a file drops every lock this process has on it, SQLite's own too. So
    there is one, and it is closed with the last store.
    """

    descriptor: int
    users: int = 0
    has_worker: bool = False


_held: dict[_Identity, _Held] = {}
_guard = threading.Lock()


class DatabaseFile:
    """A file that is held open, identified by its inode and not by one of its names."""

    def __init__(self, path: str, *, worker: bool) -> None:
        # Absolute: the program may change its working directory later.
        self._path, self._name, self._is_worker = Path(path).absolute(), path, worker
        self._beside: sqlite3.Connection | None = None
        # The name of the file that is gone, once one is.
        self._gone: str | None = None
        if not self._path.resolve().parent.is_dir():
            raise StoreUnavailable(f"there is no folder for {path!r}")
        try:
            self._identity = self._hold()
        except OSError as error:
            raise StoreUnavailable(f"{path!r} cannot be opened: {error.strerror}") from error
        try:
            self._beside = _lock_beside(self._path.resolve(), path) if worker else None
        except BaseException:
            self.close()
            raise
        self._wanted = {self._path: self._identity}

    def _hold(self) -> _Identity:
        with _guard:
            identity = _identity(self._path)
            held = None if identity is None else _held.get(identity)
            if identity is None or held is None:
                held = _Held(_private(self._path))
                found = os.fstat(held.descriptor)
                identity = found.st_dev, found.st_ino
            try:
                self._admit(held)
            except BaseException:
                if held.users == 0:
                    os.close(held.descriptor)
                raise
            held.users += 1
            _held[identity] = held
        return identity

    def _admit(self, held: _Held) -> None:
        found = os.fstat(held.descriptor)
        if found.st_nlink > 1:
            reason = f"{self._name!r} has another name (a hard link), under which SQLite would not"
            raise StoreUnavailable(f"{reason} find what is not yet written to it; remove one")
        if os.name == "posix" and found.st_mode & _OTHERS and held.users == 0:
            mode = stat.S_IMODE(found.st_mode)
            log.warning("others may open %s (mode %04o); run: chmod 600", self._name, mode)
        if not self._is_worker:
            return
        if held.has_worker:
            raise WorkerRunning(self._name)
        if fcntl is not None:
            try:
                fcntl.flock(held.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise WorkerRunning(self._name) from None
        held.has_worker = True

    def want_parts(self) -> None:
        """Watch the files that SQLite keeps beside an open database, too: they must stay."""
        real = self._path.resolve()
        for path in (real.with_name(real.name + part) for part in _PARTS):
            if (identity := _identity(path)) is not None:
                self._wanted[path] = identity

    def want_there(self) -> None:
        """Raise `StoreGone` if the file or a part of it is gone or replaced; it stays gone."""
        if self._gone is None:
            lost = (path for path, identity in self._wanted.items() if _identity(path) != identity)
            if (path := next(lost, None)) is None:
                return
            self._gone = self._name if path == self._path else str(path)
            log.error("%s", StoreGone(self._gone))
        raise StoreGone(self._gone)

    def close(self) -> None:
        """Close the descriptor; SQLite must have closed the file before."""
        if self._beside is not None:
            self._beside.close()
        with _guard:
            held = _held[self._identity]
            held.users -= 1
            if self._is_worker:
                held.has_worker = False
                if fcntl is not None:
                    fcntl.flock(held.descriptor, fcntl.LOCK_UN)
            if held.users == 0:
                del _held[self._identity]
                os.close(held.descriptor)


def _identity(path: Path) -> _Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _private(path: Path) -> int:
    """Open a file; a new one is private, and SQLite gives the files beside it the same mode."""
    flags = os.O_RDWR | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(path.resolve(), flags | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        try:
            return os.open(path, flags)
        except PermissionError:
            # A read-only file: nothing can be written, but people can still see what waits.
            return os.open(path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    # An unusual umask can remove the owner's own permission bits.
    path.chmod(0o600)
    return descriptor


def _lock_beside(path: Path, name: str) -> sqlite3.Connection:
    # An exclusive transaction on a file of its own: released with the process, even by kill -9, and
    # the same on every system that SQLite runs on. Earlier releases have no other lock.
    beside = path.with_name(f"{path.name}-worker")
    os.close(_private(beside))
    lock = sqlite3.connect(beside, isolation_level=None, timeout=0)
    try:
        lock.execute("PRAGMA journal_mode=DELETE")
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if "locked" in str(error):
            raise WorkerRunning(name) from None
        raise StoreUnavailable(str(error)) from None
    return lock


def open_database(path: str) -> sqlite3.Connection:
    """Return a connection with a write-ahead log; a commit is on the disk when it returns."""
    connection = sqlite3.connect(
        path, isolation_level=None, timeout=BUSY_SECONDS, cached_statements=512
    )
    try:
        # Takes effect in a new file only: an older one keeps its page size.
        connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
        _write_ahead(connection)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        # SQLite's own knows ASCII only: nobody would find "Özge" by "özge".
        connection.create_function("lower", 1, _lower, deterministic=True)
    except BaseException:
        connection.close()
        raise
    return connection


def _lower(text: str | None) -> str | None:
    return None if text is None else text.lower()


def _write_ahead(connection: sqlite3.Connection) -> None:
    # The one statement that is refused at once, without the wait that others get, while another
    # process is about to do the same.
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(BUSY_PAUSE)
        else:
            return
