"""A database, and one transaction of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from assent.store.transaction import Transaction as Tx
else:
    # There is one kind of transaction, over two drivers. It is named here for its type; to load it
    # is to load SQLAlchemy, which `import assent` leaves for later.
    Tx = object

T = TypeVar("T")


class Store(Protocol):
    """A database: `run` is all the engine does with it."""

    async def open(self, *, worker: bool) -> None:
        """Connect and bring the schema up to date; a second SQLite worker is refused."""
        ...

    async def close(self) -> None: ...

    async def run(self, fn: Callable[[Tx], T]) -> T:
        """Run a plain function in one transaction; what it raises rolls everything back."""
        ...

    def listen(self, heard: Callable[[frozenset[str]], None]) -> None:
        """Call back after commits: turns that changed here, or nothing for a change elsewhere."""
        ...

    def listen_for_work(self, found: Callable[[], None]) -> None:
        """Call back when another process may have left something that a worker has to look at."""
        ...
