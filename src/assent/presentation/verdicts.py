"""Verdicts in words."""

from collections.abc import Mapping
from typing import Final

from assent.domain.decisions import VerdictName

_DONE: Final[Mapping[str, str]] = {
    VerdictName.APPROVE: "approved",
    VerdictName.REJECT: "rejected",
    VerdictName.GIVE: "answered",
    VerdictName.SUPPLY: "result supplied",
    VerdictName.FAIL: "reported as failed",
    VerdictName.CANCEL: "cancelled",
    VerdictName.RAN: "said to have run",
    VerdictName.DID_NOT_RUN: "said not to have run",
    VerdictName.RUN_AGAIN: "run again",
}


def verdict_words(verdict: str) -> str:
    """Return a verdict that was given, in words."""
    return _DONE.get(verdict, verdict.replace("_", " "))
