"""Checks of JSON as Slack makes them: complaints in its words, with pointers to the place."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Check = Callable[[Any, str], Iterator[str]]


def units(text: str) -> int:
    """The length in UTF-16, the strictest count that any of Slack's clients uses."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def complaint(words: str, pointer: str) -> str:
    return f"{words} [json-pointer:{pointer}]"


def length(text: str, pointer: str, *, most: int, least: int = 0) -> Iterator[str]:
    """Complain about a text that is too long or too short."""
    if units(text) > most:
        yield complaint(f"must be less than {most + 1} characters", pointer)
    if units(text) < least:
        yield complaint(f"must be more than {least - 1} characters", pointer)


def raw(most: int, *, least: int = 0) -> Check:
    """A plain string."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, str):
            yield complaint("must be a string", pointer)
            return
        yield from length(value, pointer, most=most, least=least)

    return check


def flag(value: Any, pointer: str) -> Iterator[str]:
    """A boolean."""
    if not isinstance(value, bool):
        yield complaint("must be a boolean", pointer)


def whole(least: int, most: int) -> Check:
    """A whole number within bounds."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            yield complaint(f"must be between {least} and {most}", pointer)

    return check


def one_of(*values: str) -> Check:
    """One of some strings."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if value not in values:
            yield complaint(f"value must be one of {', '.join(values)}", pointer)

    return check


def anything(value: Any, pointer: str) -> Iterator[str]:
    """A value that is not looked at."""
    yield from ()


def many(each: Check, *, most: int, least: int = 1) -> Check:
    """A list within bounds, all of whose items pass."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, list):
            yield complaint("must be an array", pointer)
            return
        if len(value) > most:
            yield complaint(f"no more than {most} items allowed", pointer)
        if len(value) < least:
            yield complaint(f"no less than {least} items required", pointer)
        for number, item in enumerate(value[:most]):
            yield from each(item, f"{pointer}/{number}")

    return check


@dataclass(frozen=True, slots=True)
class Need:
    """A field that must be there."""

    check: Check


Fields = Mapping[str, "Check | Need"]


def fields(known: Fields, *, ignored: tuple[str, ...] = ()) -> Check:
    """An object with these fields and no others."""

    def check(value: Any, pointer: str) -> Iterator[str]:
        if not isinstance(value, dict):
            yield complaint("must be an object", pointer)
            return
        for name, each in known.items():
            if isinstance(each, Need) and name not in value:
                yield complaint(f"missing required field: {name}", pointer)
        for name, item in value.items():
            if name in known:
                found = known[name]
                yield from (found.check if isinstance(found, Need) else found)(
                    item, f"{pointer}/{name}"
                )
            elif name not in ignored:
                yield complaint(f"invalid additional property: {name}", pointer)

    return check


def typed(table: Callable[[], Mapping[str, Check]], *types: str) -> Check:
    """An object whose `type` says which check of the table it must pass.

    The table is a function, so that checks of nested objects can name tables that follow.
    """

    def check(value: Any, pointer: str) -> Iterator[str]:
        kind = value.get("type") if isinstance(value, dict) else None
        if kind not in types:
            yield complaint(f"unsupported type: {kind}", f"{pointer}/type")
            return
        yield from table()[kind](value, pointer)

    return check
