"""The interface of a database, and the type of its transactions."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from assent.store.transaction import Transaction as Tx
else:
    # There is one kind of transaction, over two drivers. It is named here for its type; loading it
    # would load SQLAlchemy, which `import assent` leaves for later.
    Tx = object

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
