"""A cache with a limited number of entries, each with a limited age."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

T = TypeVar("T")
MAX_ENTRIES: Final = 10_000


class TtlCache(Generic[T]):
    """Remembers values for some seconds; the oldest go first when there are too many."""

    def __init__(
        self, monotonic: Callable[[], float], seconds: float, limit: int = MAX_ENTRIES
    ) -> None:
        self._monotonic, self._seconds, self._limit = monotonic, seconds, limit
        self._kept: dict[str, tuple[float, T]] = {}

    def get(self, name: str) -> T | None:
        """Return the value of this name, or None if it is missing or too old."""
        found = self._kept.get(name)
        if found is None:
            return None
        until, value = found
        if self._monotonic() < until:
            return value
        del self._kept[name]
        return None

    def put(self, name: str, value: T) -> None:
        """Remember a value from now on."""
        self._kept.pop(name, None)
        while len(self._kept) >= self._limit:
            del self._kept[next(iter(self._kept))]
        self._kept[name] = (self._monotonic() + self._seconds, value)

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()
