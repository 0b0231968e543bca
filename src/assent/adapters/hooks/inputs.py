"""Inputs of tools as they ran, beside those that were cleared.

A coding agent may have other hooks, and one of those can change an input after ours has answered.
"""

import os
from collections.abc import Mapping
from typing import Any, Final, cast

from assent.domain.canonical import encode
from assent.errors import InvalidJson
from assent.guard import BodyOutcome, Unclear

_OTHER: Final = Unclear("it ran with other arguments than were cleared: another hook changed them")
# Stand for values that only the one who runs the call sees.
_MASKS: Final = ({"$secret"}, {"$masked"})


def are_equal(one: object, other: object) -> bool:
    """Return True if two values are the same JSON: for Python 1 is True as well."""
    try:
        return encode(cast("Any", one)) == encode(cast("Any", other))
    except InvalidJson:
        return False


def outcome_with(
    outcome: BodyOutcome, ran: Mapping[str, Any] | None, cleared: Mapping[str, Any], folder: str
) -> BodyOutcome:
    """Return the outcome of a tool; if it ran with what nobody cleared, people have to look."""
    return outcome if ran is None or _are_same(ran, cleared, folder) else _OTHER


def _are_same(ran: Mapping[str, Any], cleared: Mapping[str, Any], folder: str) -> bool:
    names = ran.keys() | cleared.keys()
    return all(_is_same(name, ran.get(name), cleared.get(name), folder) for name in names)


def _is_same(name: str, ran: Any, cleared: Any, folder: str) -> bool:
    """Return True if the agent made one value of the other.

    It adds and leaves out empty ones, reads numbers out of texts, and makes paths absolute.
    """
    if are_equal(ran, cleared) or not (ran or cleared):
        return True
    if isinstance(cleared, Mapping):
        given = cast("Mapping[str, Any]", cleared)
        is_mapping = isinstance(ran, Mapping)
        return set(given) in _MASKS or (is_mapping and _are_same(ran, given, folder))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(ran, str) and isinstance(cleared, str):
        # Only of paths: a command that is made absolute is another command.
        return name.endswith("path") and ran == _absolute(cleared, folder)
    return isinstance(ran, str | int | float) and str(ran).lower() == str(cleared).lower()


def _absolute(path: str, folder: str) -> str:
    # As text: what a link leads to is not what was cleared.
    return os.path.normpath(os.path.join(folder, os.path.expanduser(path)))  # noqa: PTH111, PTH118
