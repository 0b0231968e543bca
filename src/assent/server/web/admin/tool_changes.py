"""Changes of how a tool is treated and who made them, read from the record."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, cast

from assent.domain.confirmations import Confirmation
from assent.domain.events import Entry
from assent.domain.people import Audience
from assent.engine.people.directory import CHANGES, Directory
from assent.server.web.admin.tool_treatment import CONFIRMATIONS, COURSES, Course, deciders, length


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One recorded change of how a tool is treated."""

    at: datetime
    by: str
    lowers: bool
    restores: bool
    parts: tuple[tuple[str, str, str], ...]


async def changes_of(directory: Directory, tool: str) -> list[Change]:
    """Return the changes of how a tool is treated, newest first."""
    entries = await directory.overrides_of(tool)
    # Before the oldest change the declaration applied; in a list that was cut, it is unknown.
    pairs = zip(entries, [*entries[1:], None], strict=False)
    shown = [_change(entry, older) for entry, older in pairs]
    return shown[:-1] if len(entries) == CHANGES else shown


def _change(entry: Entry, older: Entry | None) -> Change:
    new, old = _words(_settings(entry)), _words(_settings(older))
    declared = "as declared"
    labels = dict.fromkeys((*old, *new))
    pairs = ((label, old.get(label, declared), new.get(label, declared)) for label in labels)
    return Change(
        at=entry.at,
        by=entry.actor,
        lowers=entry.data.get("loosens") is True,
        restores=entry.data.get("settings") is None,
        parts=tuple(pair for pair in pairs if pair[1] != pair[2]),
    )


def _settings(entry: Entry | None) -> Mapping[str, Any] | None:
    stored = None if entry is None else entry.data.get("settings")
    return json.loads(stored) if isinstance(stored, str) else None


def _words(stored: Mapping[str, Any] | None) -> dict[str, str]:
    """Describe a recorded override in words; settings as declared are left out."""
    words: dict[str, str] = {}
    for name, value in (stored or {}).items():
        if value is not None:
            words[_LABELS.get(name, name)] = _value_words(name, value)
    return words


_LABELS: Final = {
    "requires_approval": "Its calls",
    "risk": "Risk",
    "confirmation": "Approving takes",
    "audience": "Who decides",
    "decide_within": "Time to decide",
    "impact": "Impact",
    "category": "Category",
}


def _value_words(name: str, value: Any) -> str:
    match name, value:
        case "requires_approval", bool():
            return COURSES[Course.ASKS if value else Course.RUNS]
        case "audience", dict():
            return deciders(Audience.from_json(cast("dict[str, Any]", value)))
        case "decide_within", int() | float():
            return length(timedelta(seconds=value))
        case "confirmation", str() if value in CONFIRMATIONS:
            return CONFIRMATIONS[Confirmation(value)]
        case _:
            return str(value)
