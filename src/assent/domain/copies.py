"""Changed copies of frozen values: `dataclasses.replace` in less than half the time."""

from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")


@lru_cache
def _anatomy(kind: type[Any]) -> tuple[Callable[[Any], tuple[Any, ...]], dict[str, Any]]:
    """What reads all fields of a slotted dataclass, and what sets each of them."""
    names = [item.name for item in fields(kind)]
    return attrgetter(*names), {name: getattr(kind, name).__set__ for name in names}


def changed(value: T, **changes: Any) -> T:
    """The same but for some fields. Only for slotted dataclasses that check nothing when made.

    A call has thirty fields and passes through ten such copies before it is settled.
    """
    kind = type(value)
    read, setters = _anatomy(kind)
    copy = object.__new__(kind)
    for put, old in zip(setters.values(), read(value), strict=True):
        put(copy, old)
    for name, new in changes.items():
        setters[name](copy, new)
    return copy
