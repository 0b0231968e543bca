"""Answers of the hook, in the words of each coding agent."""

from argparse import Namespace
from typing import Any, assert_never

from assent.adapters.hooks import Allowed, Denied, Ruling, Undecided
from assent.adapters.hooks.events import BEFORE


def answer_of(ruling: Ruling, options: Namespace) -> dict[str, Any] | None:
    """Return what to print; None leaves the rest to the agent's own permissions."""
    match ruling:
        case Allowed():
            return _codex_allows(ruling) if options.client == "codex" else _allows(ruling, options)
        case Denied():
            return _said("deny", ruling.reason)
        case Undecided():
            return _waits(ruling, options)
        case _:
            assert_never(ruling)


def _allows(ruling: Allowed, options: Namespace) -> dict[str, Any] | None:
    # Nobody was asked: what the agent's own rules ask or deny still counts.
    if not (ruling.claim.approved or options.only_gate or ruling.changed is not None):
        return None
    by = f"Approved by {ruling.call.decided_by}" if ruling.call.decided_by else "Allowed by policy"
    return _said("allow", by, **_changes(ruling))


def _codex_allows(ruling: Allowed) -> dict[str, Any] | None:
    # Codex refuses an allow that changes nothing, and takes silence as no objection.
    if ruling.changed is None:
        return None
    return _said("allow", None, **_changes(ruling))


def _changes(ruling: Allowed) -> dict[str, Any]:
    if ruling.changed is None:
        return {}
    note = {"additionalContext": ruling.call.note} if ruling.call.note else {}
    return {"updatedInput": dict(ruling.changed), **note}


def _waits(ruling: Undecided, options: Namespace) -> dict[str, Any]:
    # Codex knows neither of the others, and would run the tool.
    how = "deny" if options.client == "codex" else options.undecided
    if ruling.in_doubt:
        # The agent's own dialogue knows nothing of the first run.
        return _said("defer" if how == "defer" else "deny", ruling.reason)
    if how != "deny":
        return _said(how, ruling.reason)
    again = "Call the tool again to ask people again."
    return _said("deny", f"{ruling.reason} Nobody decided within {options.wait:g} s. {again}")


def _said(decision: str, reason: str | None, **more: Any) -> dict[str, Any]:
    said: dict[str, Any] = {"hookEventName": BEFORE, "permissionDecision": decision}
    if reason is not None:
        said["permissionDecisionReason"] = reason
    return {"hookSpecificOutput": {**said, **more}}
