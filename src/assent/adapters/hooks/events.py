"""Events of a coding agent, read from the JSON that it sends to hooks."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from assent.errors import InvalidHookInput
from assent.guard import BodyOutcome, Raised, Returned, Unclear

MAX_CHARS: Final = 20_000_000
BEFORE: Final = "PreToolUse"
_AFTER: Final = "PostToolUse"
_FAILED: Final = "PostToolUseFailure"
_ENDS: Final = ("Stop", "SessionEnd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """A tool is about to run."""

    session: str
    id: str
    tool: str
    arguments: Mapping[str, Any]
    # Of a part of the agent that works on its own; empty for the agent itself.
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """A tool has run, or was broken off."""

    session: str
    id: str
    outcome: BodyOutcome
    # What it ran with, if the agent says so, and the folder that paths there are relative to.
    ran: Mapping[str, Any] | None = None
    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The agent has come to rest; its parts may still work unless the `whole` session is over."""

    session: str
    whole: bool


HookEvent = Before | After | Ended


def event_of(text: str) -> HookEvent | None:
    """Read an event; None for a kind that does not concern tools."""
    if len(text) > MAX_CHARS:
        raise InvalidHookInput(f"it is longer than {MAX_CHARS:,} characters")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidHookInput(f"it is not JSON: {error}") from None
    if not isinstance(given, dict):
        raise InvalidHookInput("it is not a JSON object")
    return read(cast("dict[str, Any]", given))


def read(given: Mapping[str, Any]) -> HookEvent | None:
    """Read an event from a JSON object, as `event_of` does."""
    kind, session = _text(given, "hook_event_name"), _text(given, "session_id")
    if kind == BEFORE:
        arguments = given.get("tool_input")
        if not isinstance(arguments, Mapping):
            raise InvalidHookInput("'tool_input' is not an object")
        return Before(
            session=session,
            id=_text(given, "tool_use_id"),
            tool=_text(given, "tool_name"),
            arguments=cast("Mapping[str, Any]", arguments),
            part=str(given.get("agent_id") or ""),
        )
    if kind in (_AFTER, _FAILED):
        ran: object = given.get("tool_input")
        return After(
            session=session,
            id=_text(given, "tool_use_id"),
            outcome=_outcome(given, failed=kind == _FAILED),
            ran=cast("Mapping[str, Any]", ran) if isinstance(ran, Mapping) else None,
            folder=str(given.get("cwd") or ""),
        )
    if kind in _ENDS:
        return Ended(session=session, whole=kind != "Stop")
    return None


def _outcome(given: Mapping[str, Any], *, failed: bool) -> BodyOutcome:
    response = given.get("tool_response")
    is_cut_off = isinstance(response, Mapping) and response.get("interrupted") is True  # pyright: ignore[reportUnknownMemberType]
    if given.get("is_interrupt") is True or is_cut_off:
        return Unclear("it was interrupted while it ran")
    if failed:
        return Raised(str(given.get("error") or "it failed, and did not say why"))
    return Returned(cast("object", response))


def _text(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidHookInput(f"{name!r} is missing")
    return value
