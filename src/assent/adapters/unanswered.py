"""MCP requests that went out and were not answered: nobody knows what the server did."""

from typing import Final, cast

# The request ran out of time (in both versions of the protocol), or the connection was closed.
_CODES: Final = frozenset({408, -32000, -32001})


def is_unanswered(error: BaseException | None) -> bool:
    """Return True if an MCP server may have done what it was asked for, and did not say so."""
    if isinstance(error, BaseExceptionGroup):
        held = cast("BaseExceptionGroup[BaseException]", error)
        return any(map(is_unanswered, held.exceptions))
    code: object = getattr(getattr(error, "error", None), "code", None)
    return code in _CODES
