"""Options that adapters share, checked when they are given."""

from typing import Any, Final

from assent.domain import parameters
from assent.domain.parameters import Check, optional, taken
from assent.guard import Guard

GUARD: Final = parameters.instance(
    Guard, "a guard: that of Assent.guard_for(…), or an assent.client.AsyncClient"
)
_OPTIONS: Final[dict[str, Check]] = {
    "guard": GUARD,
    "wait": optional(parameters.number(0)),
    "unguarded": parameters.names,
}


def checked(where: str, **given: object) -> dict[str, Any]:
    """Return the options as they are kept; raises `InvalidParameter` for one that is not valid."""
    return taken(where, given, _OPTIONS)
