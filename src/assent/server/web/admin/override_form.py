"""The form that changes how a tool is treated: its first values, and reading what was posted."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from assent.domain import tools
from assent.server.form_data import Posted
from assent.server.overrides import Override, override_of

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
_NO_NUMBER: Final = "A number, or nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The value of each control and the errors in them, both by control name."""

    values: Mapping[str, str]
    errors: Mapping[str, str]

    def value(self, name: str) -> str:
        """Return the value of a control; empty if there is none."""
        return self.values.get(name, "")


def form_of(override: tools.Override | None) -> Form:
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
    return Form(values=values, errors={})


def filled(posted: Posted) -> Form:
    """Return the form as it was posted."""
    return Form(values={name: posted.one(name).strip() for name in NAMES}, errors={})


def override_from(form: Form) -> tools.Override | Form | None:
    """Return the override that the form asks for, or the form with its errors.

    None means that the form overrides nothing.
    """
    asked, seconds = _asked(form), _seconds(form)
    if isinstance(seconds, str):
        return Form(values=form.values, errors={"within": seconds})
    asked["decide_within_seconds"] = seconds
    try:
        made = override_of(Override.model_validate(asked))
    except ValidationError as error:
        return Form(values=form.values, errors=_errors(error))
    return None if made == tools.Override() else made


def _asked(form: Form) -> dict[str, Any]:
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


def _seconds(form: Form) -> float | str | None:
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
