"""The steps of a call's history and their titles; texts from others are shown beside, marked."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from assent.domain.lifecycle import CallStatus as S
from assent.domain.lifecycle import RequestKind
from assent.presentation.markup import Html


class Look(StrEnum):
    """The mark of a step: a symbol of `steps.svg` and a colour."""

    PROPOSED = "proposed"
    JUDGED = "judged"
    ASKED = "asked"
    EDITED = "edited"
    GOOD = "good"
    BAD = "bad"
    RUN = "run"
    DOUBT = "doubt"
    LATE = "late"
    STOPPED = "stopped"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A long part of a step, under its own heading."""

    heading: str
    content: Html
    digest: str = ""
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing that happened; `since` says how long it took until then."""

    at: datetime
    look: Look
    title: str
    by: Html | None = None
    via: str = ""
    since: str = ""
    facts: tuple[tuple[str, Html], ...] = ()
    parts: tuple[Part, ...] = ()
    link: str = ""

    def with_parts(self, *parts: Part) -> "Step":
        """Return the step with more parts."""
        return replace(self, parts=(*self.parts, *parts))


# The gate's result, by the status that it gave the call.
GATED: Final = {
    S.CLEARED: (Look.JUDGED, "Allowed to run without asking"),
    S.RUNNING: (Look.JUDGED, "Allowed to run without asking"),
    S.AWAITING_APPROVAL: (Look.JUDGED, "Needs an approval"),
    S.AWAITING_INPUT: (Look.JUDGED, "Needs input from a person"),
    S.AWAITING_RESULT: (Look.JUDGED, "Somebody else supplies the result"),
    S.DENIED: (Look.BAD, "Denied by the policy"),
    S.FAILED: (Look.BAD, "Refused: no such tool, or arguments that do not fit it"),
}
# All other recorded actions; one that is missing here is shown by its name.
ACTIONS: Final = {
    "propose": (Look.PROPOSED, "Proposed"),
    "edit": (Look.EDITED, "Arguments edited"),
    "answer": (Look.EDITED, "Input given"),
    "draft": (Look.EDITED, "A part of the input given"),
    "approve": (Look.GOOD, "Approved"),
    "vote": (Look.GOOD, "One of several approvals"),
    "reject": (Look.BAD, "Rejected"),
    "cancel": (Look.STOPPED, "Cancelled"),
    "supply": (Look.GOOD, "Result supplied"),
    "ran": (Look.GOOD, "Confirmed: it did run"),
    "did_not_run": (Look.BAD, "Confirmed: it did not run"),
    "run_again": (Look.GOOD, "Confirmed: it did not run, and shall now"),
    "claim": (Look.RUN, "Started"),
    "retry": (Look.RUN, "Started again"),
    "succeed": (Look.GOOD, "Succeeded"),
    "fail": (Look.BAD, "Failed"),
    "doubt": (Look.DOUBT, "In doubt: it may have run"),
    "ask": (Look.ASKED, "The tool itself asked for approval"),
    "ask_again": (Look.ASKED, "Asked again before it could run"),
    "wait": (Look.RUN, "Waits for its result"),
    "reroute": (Look.ASKED, "Put to other people"),
    "redefine": (Look.EDITED, "The tool has changed since"),
    "deny": (Look.BAD, "Denied by the policy"),
    "expire": (Look.LATE, "Expired: nobody decided in time"),
    "stop": (Look.STOPPED, "Stopped with its conversation"),
    "supersede": (Look.STOPPED, "Dropped for a newer message"),
    "late_outcome": (Look.LATE, "It ended after its time: recorded, nothing else"),
    "cut_off": (Look.LATE, "The database was lost before this was written; nothing was changed"),
    "refused": (Look.LATE, "An attempt was refused"),
    "altered": (Look.BAD, "Stopped: its record was altered"),
    "tool_gone": (Look.BAD, "Stopped: its tool is gone"),
    "import": (Look.NOTE, "Imported from another deployment"),
}
QUESTIONS: Final = {
    RequestKind.APPROVAL: "Approval asked for",
    RequestKind.INPUT: "Input asked for",
    RequestKind.RESULT: "Result asked for",
    RequestKind.OUTCOME: "Asked what became of it",
}
# The status of a call after a question of each kind was opened.
OPENED: Final = {
    RequestKind.APPROVAL: S.AWAITING_APPROVAL,
    RequestKind.INPUT: S.AWAITING_INPUT,
    RequestKind.RESULT: S.AWAITING_RESULT,
    RequestKind.OUTCOME: S.IN_DOUBT,
}
EDITING: Final = frozenset({"edit", "answer", "redefine"})
# Actions that end a run: between a start and one of these the call ran.
ENDED_RUN: Final = frozenset(
    {"succeed", "fail", "doubt", "ask", "wait", "retry", "late_outcome", "stop"}
)
STARTED: Final = frozenset({"claim", "retry"})
