"""A process or a database that cannot do its work."""

from typing import ClassVar

from assent.domain.errors.root import AssentError


class StoreUnavailable(AssentError):
    """The database cannot be read or written; nothing was changed and nothing ran."""

    code = "store_unavailable"
    retry_after: ClassVar[int] = 1
    _what_now: ClassVar[str] = "Nothing was changed"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"The database is not usable: {reason}. {self._what_now}")


class WriteUncertain(StoreUnavailable):
    """The database was lost while it wrote; whether it did is unknown until somebody looks."""

    code = "write_uncertain"
    _what_now = (
        "Whether this was recorded is unknown. Look again, or repeat it with the same idempotency "
        "key: what was recorded already is found, not done twice"
    )


class StoreGone(StoreUnavailable):
    """The database file was deleted or replaced while it was open; nothing runs any more."""

    code = "store_gone"
    _what_now = "Nothing was changed, and nothing runs here: put it back, then start again"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(f"the file {path!r} was deleted or replaced")


class WorkerRunning(AssentError):
    """A second worker was started on one SQLite file."""

    code = "worker_running"

    def __init__(self, path: str) -> None:
        self.path = path
        super().__init__(
            f"Another worker already runs on {path!r}. One SQLite file has one worker: stop it, "
            "open this one with worker=False to read and decide beside it, or use PostgreSQL"
        )


class NoWorker(AssentError):
    """Nobody took up a turn: what was sent or decided is stored, and waits for a worker."""

    code = "no_worker"

    def __init__(self, turn_id: str, seconds: float) -> None:
        self.turn_id, self.seconds = turn_id, seconds
        super().__init__(
            f"No worker took up turn {turn_id!r} within {seconds:g} s, and this process is none "
            "(worker=False). Nothing is lost: it goes on once a worker runs on this database, for "
            "example Assent(…) without worker=False, or `assent serve`"
        )


class WrongLoop(AssentError, RuntimeError):
    """An engine was used in another event loop than it was opened in."""

    code = "wrong_loop"

    def __init__(self, where: str) -> None:
        self.where = where
        super().__init__(
            f"{where}: this engine was opened in another event loop. Use it where its `async with` "
            "is; from a thread, asyncio.run_coroutine_threadsafe(…, loop) takes you there"
        )


class LeaseLost(AssentError):
    """Another worker took over; what this one holds is void."""

    code = "lease_lost"

    def __init__(self, noun: str, id: str) -> None:
        self.noun, self.id = noun, id
        super().__init__(f"The lease of {noun} {id!r} is lost; another worker holds it")


class NotReady(AssentError):
    """This process answers but cannot work; the reason is for operators."""

    code = "not_ready"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(f"This process is not ready: {reason}")
