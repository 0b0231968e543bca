"""The interfaces to a store, a clock and a chat model; each has several implementations."""

from collections.abc import AsyncGenerator, Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Protocol, TypedDict, TypeVar

from assent.domain.messages import Answer, Delta, Prompt

if TYPE_CHECKING:
    from assent.store.transaction import Transaction as Tx
else:
    # There is one kind of transaction, over two drivers. It is named here for its type; loading it
    # would load SQLAlchemy, which `import assent` leaves for later.
    Tx = object

__all__ = ["CallChanges", "ChatModel", "Clock", "Held", "Store", "Tx", "TurnChanges"]

T = TypeVar("T")


class Store(Protocol):
    """A database: the engine only calls `run` to read and write."""

    async def open(self, *, worker: bool) -> None:
        """Connect and bring the schema up to date; a second SQLite worker is refused."""
        ...

    async def close(self) -> None: ...

    async def run(self, fn: Callable[[Tx], T]) -> T:
        """Run a plain function in one transaction; what it raises rolls everything back."""
        ...

    def listen(self, heard: Callable[[frozenset[str]], None]) -> None:
        """Register a callback for commits.

        It is called with the turns that changed here, or with none for a change elsewhere.
        """
        ...

    def listen_for_work(self, found: Callable[[], None]) -> None:
        """Register a callback for work that another process may have left for a worker."""
        ...


class ChatModel(Protocol):
    """A chat model: gives whole answers, or deltas that end in exactly one `Answer`."""

    @property
    def name(self) -> str: ...

    async def request(self, prompt: Prompt) -> Answer:
        """Ask and wait for the whole answer; raises `ModelFailed`."""
        ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        """Ask and yield deltas, then the whole answer last; raises `ModelFailed`."""
        ...


class Clock(Protocol):
    """Process time: for waiting and for leases held in memory, never for deadlines."""

    def monotonic(self) -> float: ...

    def now(self) -> datetime: ...


# A claimed call and the fence it was claimed under.
Held = tuple[str, int]


class CallChanges(TypedDict, total=False):
    """Columns of a call that a transition may set; lengths of time count from that moment."""

    revision: int
    arguments: str
    arguments_digest: str
    definition_hash: str
    policy_version: str
    cleared_by: str | None
    approved: bool
    run_by: timedelta | None
    fence: int
    attempts: int
    worker: str
    lease_until: timedelta | None
    task_id: str
    metadata: str
    supplied: str
    output: str
    note: str
    settled_at: datetime


class TurnChanges(TypedDict, total=False):
    """Columns of a turn that a change of status may set; `fence` is added to the stored one."""

    step: int
    fence: int
    worker: str
    lease_until: timedelta
    error: str | None
    ended_at: datetime | None
