"""Options that a tool's own search finds: too many to list, so that they are never stored."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from assent.domain.canonical import Json
from assent.domain.field_types.kinds import refuse

if TYPE_CHECKING:
    from assent.domain.fields import Field

OPTION_CHARS: Final = 200
# The key, the option and the authentication code.
PROOF: Final = re.compile(r"([A-Za-z0-9_-]{1,32})\.([A-Za-z0-9_=-]{1,4000})\.([0-9a-f]{64})")
NOT_OFFERED: Final = "Choose one of the options that were found."


def read_found(field: Field, value: object) -> Json:
    """Read an option that was offered, or the proof of one, which only the engine can check."""
    if isinstance(value, str) and PROOF.fullmatch(value):
        return value
    said = dict(cast("Mapping[str, object]", value)) if isinstance(value, Mapping) else None
    chosen, label = (None, None) if said is None else (said.get("value"), said.get("label"))
    if (
        not isinstance(chosen, str)
        or not isinstance(label, str)
        or len(said or ()) != len(("value", "label"))
    ):
        refuse(field, NOT_OFFERED)
    return {"value": chosen, "label": label}


def spell_found(_field: Field, value: Json) -> str:
    """Write an option as people read it."""
    option = (
        cast("Mapping[str, str]", value) if isinstance(value, dict) else {"label": "", "value": ""}
    )
    label, chosen = option["label"], option["value"]
    return f"{label} ({chosen})" if label else chosen


def split_found(_field: Field, _value: Json) -> list[str]:
    """Return nothing: a page shows the option itself, with a new proof that it was offered."""
    return []


def found_schema(_field: Field) -> dict[str, Json]:
    """Describe the answer: the proof that comes with an option."""
    told = "The `proof` of an option from GET /api/requests/{id}/fields/{name}/options."
    return {"type": "string", "description": told}
