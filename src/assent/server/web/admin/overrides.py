"""Overrides of a tool's settings: the form that sets them, and their changes on record."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, cast

from pydantic import ValidationError

from assent.domain import tools
from assent.domain.confirmations import Confirmation
from assent.domain.events import Entry
from assent.domain.people import Audience
from assent.engine.people.directory import CHANGES, Directory
from assent.server.form_data import Posted
from assent.server.overrides import Override, override_of
from assent.server.web.admin.tool_treatment import (
    CONFIRMATIONS,
    FORECASTS,
    Forecast,
    deciders,
    length,
)

NAMES: Final = (
    "requires_approval",
    "risk",
    "confirmation",
    "within",
    "unit",
    "audience",
    "owner",
    "roles",
    "people",
    "exclude_requester",
    "impact",
    "category",
)
UNITS: Final = {"minutes": 60, "hours": 3_600, "days": 86_400}
_ANSWERS: Final = {"yes": True, "no": False}
# Fields that have other names in the API than in this form.
_FIELDS: Final = {"decide_within_seconds": "within"}
_NO_NUMBER: Final = "Enter a number, or leave it empty"


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideForm:
    """The value of each control and the errors in them, both by control name."""

    values: Mapping[str, str]
    errors: Mapping[str, str]

    def value(self, name: str) -> str:
        """Return the value of a control; empty if there is none."""
        return self.values.get(name, "")


def form_of(override: tools.Override | None) -> OverrideForm:
    """Return the form filled from an override; settings as declared stay empty."""
    said = override or tools.Override()
    values = {
        "requires_approval": _word(said.requires_approval),
        "risk": said.risk or "",
        "confirmation": said.confirmation or "",
        "impact": said.impact or "",
        "category": said.category or "",
    }
    if said.decide_within is not None:
        values |= _amount(said.decide_within.total_seconds())
    if said.audience is not None:
        values |= {
            "audience": "these",
            "owner": "yes" if said.audience.owner else "",
            "roles": ", ".join(sorted(said.audience.roles)),
            "people": ", ".join(sorted(said.audience.people)),
            "exclude_requester": "yes" if said.audience.exclude_requester else "",
        }
    return OverrideForm(values=values, errors={})


def form_posted(posted: Posted) -> OverrideForm:
    """Return the form as it was posted."""
    return OverrideForm(values={name: posted.one(name).strip() for name in NAMES}, errors={})


def override_in(form: OverrideForm) -> tools.Override | OverrideForm | None:
    """Return the override that the form asks for, or the form with its errors.

    None means that the form overrides nothing.
    """
    asked, seconds = _asked(form), _seconds(form)
    if isinstance(seconds, str):
        return OverrideForm(values=form.values, errors={"within": seconds})
    asked["decide_within_seconds"] = seconds
    try:
        made = override_of(Override.model_validate(asked))
    except ValidationError as error:
        return OverrideForm(values=form.values, errors=_errors(error))
    return None if made == tools.Override() else made


def _asked(form: OverrideForm) -> dict[str, Any]:
    asked: dict[str, Any] = {
        name: form.value(name) or None for name in ("risk", "confirmation", "impact", "category")
    }
    asked["requires_approval"] = _ANSWERS.get(form.value("requires_approval"))
    if form.value("audience") == "these":
        asked["audience"] = {
            "owner": form.value("owner") == "yes",
            "roles": _listed(form.value("roles")),
            "people": _listed(form.value("people")),
            "exclude_requester": form.value("exclude_requester") == "yes",
        }
    return asked


def _seconds(form: OverrideForm) -> float | str | None:
    if not form.value("within"):
        return None
    try:
        return float(form.value("within")) * UNITS.get(form.value("unit"), 60)
    except ValueError:
        return _NO_NUMBER


def _errors(error: ValidationError) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in error.errors(include_input=False, include_context=False, include_url=False):
        names = [str(part) for part in each["loc"] if isinstance(part, str)]
        inner = names[-1] if names else "audience"
        found[_FIELDS.get(inner, inner)] = each["msg"].removeprefix("Value error, ").capitalize()
    return found


def _amount(seconds: float) -> dict[str, str]:
    """Return a duration in the largest unit that it is a whole number of."""
    whole = [unit for unit, size in UNITS.items() if seconds >= size and seconds % size == 0]
    unit = whole[-1] if whole else "minutes"
    return {"within": f"{seconds / UNITS[unit]:g}", "unit": unit}


def _word(answer: bool | None) -> str:
    return "" if answer is None else "yes" if answer else "no"


def _listed(text: str) -> list[str]:
    return [each.strip() for each in text.split(",") if each.strip()]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideChange:
    """One recorded change of how a tool is treated."""

    at: datetime
    by: str
    lowers: bool
    restores: bool
    parts: tuple[tuple[str, str, str], ...]


async def override_changes(directory: Directory, tool: str) -> list[OverrideChange]:
    """Return the changes of how a tool is treated, newest first."""
    entries = await directory.overrides_of(tool)
    # Before the oldest change the declaration applied; in a list that was cut, it is unknown.
    pairs = zip(entries, [*entries[1:], None], strict=False)
    shown = [_change(entry, older) for entry, older in pairs]
    return shown[:-1] if len(entries) == CHANGES else shown


def _change(entry: Entry, older: Entry | None) -> OverrideChange:
    new, old = _setting_words(_settings(entry)), _setting_words(_settings(older))
    declared = "as declared"
    labels = dict.fromkeys((*old, *new))
    pairs = ((label, old.get(label, declared), new.get(label, declared)) for label in labels)
    return OverrideChange(
        at=entry.at,
        by=entry.actor,
        lowers=entry.data.get("loosens") is True,
        restores=entry.data.get("settings") is None,
        parts=tuple(pair for pair in pairs if pair[1] != pair[2]),
    )


def _settings(entry: Entry | None) -> Mapping[str, Any] | None:
    stored = None if entry is None else entry.data.get("settings")
    return json.loads(stored) if isinstance(stored, str) else None


def _setting_words(stored: Mapping[str, Any] | None) -> dict[str, str]:
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
            return FORECASTS[Forecast.ASKS if value else Forecast.RUNS]
        case "audience", dict():
            return deciders(Audience.from_json(cast("dict[str, Any]", value)))
        case "decide_within", int() | float():
            return length(timedelta(seconds=value))
        case "confirmation", str() if value in CONFIRMATIONS:
            return CONFIRMATIONS[Confirmation(value)]
        case _:
            return str(value)
