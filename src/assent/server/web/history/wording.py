"""Words for what happened to calls: statuses, judges, actions, durations, arguments on a line."""

from collections.abc import Sequence
from datetime import timedelta
from enum import StrEnum
from typing import Final

from assent.domain.cards import NamedValue
from assent.domain.lifecycle import AWAITING, CallStatus, RequestKind
from assent.presentation.html_values import foreign
from assent.presentation.markup import Html, element, isolated, joined
from assent.presentation.sheet_values import described, inline_of, name_label
from assent.presentation.text import mark

_LINE_CHARS: Final = 140
_VALUE_CHARS: Final = 80
_NAME_CHARS: Final = 60
_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s"))
_STATUSES: Final = {
    CallStatus.AWAITING_APPROVAL: "waits for approval",
    CallStatus.AWAITING_INPUT: "waits for input",
    CallStatus.AWAITING_RESULT: "waits for a result",
    CallStatus.CLEARED: "about to run",
    CallStatus.RUNNING: "running",
    CallStatus.IN_DOUBT: "in doubt",
}
# Everything that can allow, ask about or refuse a call; `engine.gate` says which takes precedence.
_JUDGES: Final = {
    "tool": "the tool's setting",
    "override": "an override",
    "run": "the run's own check",
    "hook": "the policy hook",
    "approvals:off": "approvals are switched off",
    "caller": "the owner may not use this tool",
    "audience": "no one could have decided it",
    "error": "the policy failed",
    "deadline": "the deadline",
    "system": "the engine",
    "refused": "the engine",
}
_NAMED: Final = {
    "rule": "rule",
    "grant": "grant",
    "person": "",
    "agent": "agent",
    "own": "the owner's own rule",
}
_WORKER: Final = "worker:"


def status_words(status: CallStatus) -> str:
    """Return the words for a status label."""
    return _STATUSES.get(status, str(status))


def status_class(status: CallStatus) -> str:
    """Return the CSS class for the colour of a status."""
    return "waiting" if status in AWAITING else str(status)


def lasted(length: timedelta) -> str:
    """Return a length of time in its two largest units: `3 min 12 s`."""
    seconds = max(0.0, length.total_seconds())
    if seconds < 10:
        return f"{seconds:.1f} s" if seconds >= 0.1 else _instant(seconds * 1_000)
    rest, parts = int(seconds), list[str]()
    for size, unit in _UNITS:
        if rest >= size:
            parts.append(f"{rest // size} {unit}")
            rest %= size
    return " ".join(parts[:2])


def _instant(milliseconds: float) -> str:
    return "under 1 ms" if milliseconds < 1 else f"{milliseconds:.0f} ms"


def judge_words(by: str) -> Html:
    """Name the person or part of the policy that judged; names of others are shown as they are."""
    if by in _JUDGES:
        return element("span", _JUDGES[by])
    if by.startswith(_WORKER):
        return element("span", "a worker")
    kind, colon, name = by.partition(":")
    if colon and kind in _NAMED:
        before = f"{_NAMED[kind]} " if _NAMED[kind] else ""
        return element("span", before, foreign(name))
    return element("span", foreign(by))


def on_a_line(entries: Sequence[NamedValue], characters: int = _LINE_CHARS) -> Html:
    """Return arguments on one line; those without room are counted, and no value is cut."""
    pairs: list[Html] = []
    room = characters
    for entry in entries:
        pair, size = _pair(entry)
        if size > room and pairs:
            break
        pairs += [pair, Html(" ")]
        room -= size
    left = len(entries) - len(pairs) // 2
    rest = (element("span", f"and {left} more", class_="remark"),) if left else ()
    return joined((*pairs, *rest))


def _pair(entry: NamedValue) -> tuple[Html, int]:
    name, inline = name_label(entry.name), inline_of(entry.value)
    if len(name) > _NAME_CHARS:
        name = mark(f"a name of {len(entry.name):,} characters")
    if inline is None or len(inline) > _VALUE_CHARS:
        inline = mark(described(entry.value))
    shown = isolated(f"{name}={inline}")
    return element("code", shown, class_="pair"), len(name) + len(inline) + 2


class StepMark(StrEnum):
    """The mark of a step in a call's history: a symbol of `steps.svg` and a colour."""

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


# The gate's result, by the status that it gave the call.
GATED: Final = {
    CallStatus.CLEARED: (StepMark.JUDGED, "Allowed to run without asking"),
    CallStatus.RUNNING: (StepMark.JUDGED, "Allowed to run without asking"),
    CallStatus.AWAITING_APPROVAL: (StepMark.JUDGED, "Needs an approval"),
    CallStatus.AWAITING_INPUT: (StepMark.JUDGED, "Needs input from a person"),
    CallStatus.AWAITING_RESULT: (
        StepMark.JUDGED,
        "A person or another program supplies the result",
    ),
    CallStatus.DENIED: (StepMark.BAD, "Denied by the policy"),
    CallStatus.FAILED: (StepMark.BAD, "Refused: no such tool, or arguments that do not fit it"),
}
# All other recorded actions; one that is missing here is shown by its name.
ACTIONS: Final = {
    "propose": (StepMark.PROPOSED, "Proposed"),
    "edit": (StepMark.EDITED, "Arguments edited"),
    "answer": (StepMark.EDITED, "Input given"),
    "draft": (StepMark.EDITED, "Part of the input given"),
    "approve": (StepMark.GOOD, "Approved"),
    "vote": (StepMark.GOOD, "One of several approvals"),
    "reject": (StepMark.BAD, "Rejected"),
    "cancel": (StepMark.STOPPED, "Cancelled"),
    "supply": (StepMark.GOOD, "Result supplied"),
    "ran": (StepMark.GOOD, "Confirmed: it did run"),
    "did_not_run": (StepMark.BAD, "Confirmed: it did not run"),
    "run_again": (StepMark.GOOD, "Confirmed: it did not run, and may run now"),
    "claim": (StepMark.RUN, "Started"),
    "retry": (StepMark.RUN, "Started again"),
    "succeed": (StepMark.GOOD, "Succeeded"),
    "fail": (StepMark.BAD, "Failed"),
    "doubt": (StepMark.DOUBT, "In doubt: it may have run"),
    "ask": (StepMark.ASKED, "The tool itself asked for approval"),
    "need_input": (StepMark.ASKED, "The tool itself asked for input"),
    "ask_beside": (StepMark.ASKED, "The tool asked for input while it ran"),
    "ask_again": (StepMark.ASKED, "Asked again before it could run"),
    "wait": (StepMark.RUN, "Waits for its result"),
    "reroute": (StepMark.ASKED, "Sent to other people"),
    "redefine": (StepMark.EDITED, "The tool has changed since"),
    "deny": (StepMark.BAD, "Denied by the policy"),
    "expire": (StepMark.LATE, "Expired: no decision in time"),
    "stop": (StepMark.STOPPED, "Stopped with its conversation"),
    "supersede": (StepMark.STOPPED, "Replaced by a newer message"),
    "late_outcome": (StepMark.LATE, "Ended too late: recorded, without effect"),
    "cut_off": (
        StepMark.LATE,
        "The database was lost before this was recorded; nothing changed",
    ),
    "refused": (StepMark.LATE, "An attempt was refused"),
    "altered": (StepMark.BAD, "Stopped: its record was altered"),
    "tool_gone": (StepMark.BAD, "Stopped: its tool no longer exists"),
    "import": (StepMark.NOTE, "Imported from another deployment"),
}
QUESTIONS: Final = {
    RequestKind.APPROVAL: "Approval asked for",
    RequestKind.INPUT: "Input asked for",
    RequestKind.RESULT: "Result asked for",
    RequestKind.OUTCOME: "Asked what happened",
}
# The status of a call after a question of each kind was opened.
OPENED: Final = {
    RequestKind.APPROVAL: CallStatus.AWAITING_APPROVAL,
    RequestKind.INPUT: CallStatus.AWAITING_INPUT,
    RequestKind.RESULT: CallStatus.AWAITING_RESULT,
    RequestKind.OUTCOME: CallStatus.IN_DOUBT,
}
EDITING: Final = frozenset({"edit", "answer", "redefine"})
# Actions that end a run: between a start and one of these the call ran.
ENDED_RUN: Final = frozenset(
    {"succeed", "fail", "doubt", "ask", "need_input", "wait", "retry", "late_outcome", "stop"}
)
STARTED: Final = frozenset({"claim", "retry"})
