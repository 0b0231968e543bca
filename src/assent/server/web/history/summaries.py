"""Short descriptions of calls: arguments on a line, who judged, status, duration."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from assent.domain.cards import NamedValue
from assent.domain.lifecycle import AWAITING, CallStatus
from assent.presentation.fields import described, inline_of, name_label
from assent.presentation.html_values import foreign
from assent.presentation.markup import Html, element, isolated, joined
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
# Everything that can allow, ask about or refuse a call: see the gate's documentation of precedence.
_JUDGES: Final = {
    "tool": "the tool's setting",
    "override": "an override",
    "run": "the run's own check",
    "hook": "the policy hook",
    "approvals:off": "approvals are switched off",
    "caller": "the owner may not use this tool",
    "audience": "nobody could have decided it",
    "error": "the policy failed",
    "deadline": "the deadline",
    "system": "the engine",
    "refused": "the engine",
}
_NAMED: Final = {"rule": "rule", "grant": "grant", "person": "", "agent": "agent"}
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
