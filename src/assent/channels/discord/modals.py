"""Modals: forms of ours in Discord's components, and what people entered in them."""

from collections.abc import Mapping
from typing import Any, Final, cast

from assent.channels.discord.markup import short
from assent.channels.form_pages import hint_of, is_typed, known_text
from assent.channels.replies import Fill, FormLimits
from assent.domain.field_types import Control
from assent.domain.fields import Field
from assent.domain.suggestions import Suggestion
from assent.presentation.rendering import units
from assent.presentation.suggested import last_time
from assent.presentation.text import safe_line

Payload = dict[str, Any]
# A field of a modal takes 4,000 characters, in UTF-16 units.
LIMITS: Final = FormLimits(fields=5, characters=4000)
_TITLE_CHARS: Final = 45
_LABEL_CHARS: Final = 45
_DESCRIPTION_CHARS: Final = 100
_PLACEHOLDER_CHARS: Final = 100
_OPTION_CHARS: Final = 100
_LABEL, _TEXT_INPUT, _SELECT = 18, 4, 3
_SHORT, _PARAGRAPH = 1, 2
_YES_NO: Final = (("true", "Yes"), ("false", "No"))
_CONSENT: Final = (("true", "I agree"),)
_CHOSEN: Final = frozenset({Control.YES_NO, Control.CONSENT, Control.CHOICE, Control.CHOICES})
# Marks the name of a field that takes several options; names of fields have no such character.
_SEVERAL: Final = "*"


def modal_of(fill: Fill) -> Payload:
    """Return a form as a modal."""
    return {
        "custom_id": str(fill.reference),
        "title": short(fill.title, _TITLE_CHARS),
        "components": [_labelled(field, fill) for field in fill.fields],
    }


def fits(fill: Fill) -> bool:
    """Return True if Discord can show all of a form: every option, and every text in full."""
    if not all(map(_is_told, fill.fields)):
        return False
    listed = [field for field in fill.fields if not is_typed(field)]
    values = [option.value for field in listed for option in field.choices]
    if not all(0 < units(value.strip()) == units(value) <= _OPTION_CHARS for value in values):
        return False
    # A text that was cut would be sent back as if its person had written it so.
    return all(
        units(_known_text(each, fill.values.get(each.name))) <= _most(each) for each in fill.fields
    )


def entered_in(data: Mapping[str, Any]) -> dict[str, object]:
    """Return what a person entered, by the name of the field; a choice that is empty is none."""
    found: dict[str, object] = {}
    for component in _controls(data):
        name = str(component.get("custom_id", ""))
        if "values" not in component:
            found[name] = str(component.get("value") or "")
            continue
        values = [str(each) for each in cast("list[object]", component["values"])]
        # One option is the answer itself; several were possible if the field says so.
        found[name.removeprefix(_SEVERAL)] = (
            values if name.startswith(_SEVERAL) else (values[0] if values else "")
        )
    return found


def _controls(data: Mapping[str, Any]) -> list[Payload]:
    found = list[Payload]()
    for each in cast("list[Payload]", data.get("components") or []):
        inside = cast("list[Payload]", each.get("components") or [])
        found += [each["component"]] if isinstance(each.get("component"), dict) else inside
    return found


def _labelled(field: Field, fill: Fill) -> Payload:
    label = safe_line(field.label or field.name)
    made: Payload = {
        "type": _LABEL,
        "label": short(label, _LABEL_CHARS),
        "component": _control(field, fill.values.get(field.name)),
    }
    described = safe_line(field.help) if field.help else ""
    if len(label) > _LABEL_CHARS:
        described = f"{label}. {described}"
    if (found := fill.suggestions.get(field.name)) is not None:
        described = _with_suggestion(field, described, found)
    if described:
        made["description"] = short(described, _DESCRIPTION_CHARS)
    return made


def _with_suggestion(field: Field, described: str, found: Suggestion) -> str:
    """Add what an earlier call had, if there is room for all of it: a part could be mistaken."""
    for brief in (False, True):
        whole = f"{described} {last_time(field, found, brief=brief)}".strip()
        if units(whole) <= _DESCRIPTION_CHARS:
            return whole
    return described


def _control(field: Field, value: object) -> Payload:
    match field.kind.control:
        case _ if is_typed(field):
            return _text_input(field, Control.LINE, value)
        case Control.CONSENT:
            return _select(field, _CONSENT, {"true"} if value else set[str]())
        case Control.YES_NO:
            chosen = {"true" if value else "false"} if isinstance(value, bool) else set[str]()
            return _select(field, _YES_NO, chosen)
        case Control.CHOICE:
            return _select(field, _options(field), {str(value)})
        case Control.CHOICES:
            listed = cast("list[object]", value) if isinstance(value, list) else []
            return _select(field, _options(field), set(map(str, listed)))
        case control:
            return _text_input(field, control, value)


def _is_told(field: Field) -> bool:
    """Return True unless people would agree to a text that is cut."""
    if field.kind.control is not Control.CONSENT:
        return True
    label, more = safe_line(field.label), safe_line(field.help)
    return len(label) <= _LABEL_CHARS and len(more) <= _DESCRIPTION_CHARS


def _most(field: Field) -> int:
    return min(field.max_length, LIMITS.characters)


def _known_text(field: Field, value: object) -> str:
    """Return the text that is filled in for a person; empty where there is none to fill in."""
    is_chosen = field.kind.control in _CHOSEN and not is_typed(field)
    is_text = not is_chosen and field.kind.control is not Control.HIDDEN
    return known_text(field, value) if is_text else ""


def _text_input(field: Field, control: Control, value: object) -> Payload:
    made: Payload = {
        "type": _TEXT_INPUT,
        "custom_id": field.name,
        "style": _PARAGRAPH if field.kind.has_lines else _SHORT,
        # A secret that was kept need not be typed again; the form itself knows what is missing.
        "required": field.required and control is not Control.HIDDEN,
        "max_length": _most(field),
    }
    if hint := safe_line(field.placeholder) if field.placeholder else hint_of(field):
        made["placeholder"] = short(hint, _PLACEHOLDER_CHARS)
    if value is not None and control is not Control.HIDDEN:
        made["value"] = _known_text(field, value)
    return made


def _options(field: Field) -> tuple[tuple[str, str], ...]:
    return tuple((option.value, option.label or option.value) for option in field.choices)


def _select(field: Field, options: tuple[tuple[str, str], ...], chosen: set[str]) -> Payload:
    several = field.kind.takes_several
    return {
        "type": _SELECT,
        "custom_id": f"{_SEVERAL}{field.name}" if several else field.name,
        "required": field.required,
        "min_values": 1 if field.required else 0,
        "max_values": len(options) if several else 1,
        "options": [
            {
                "value": value,
                "label": short(safe_line(label), _OPTION_CHARS),
                "default": value in chosen,
            }
            for value, label in options
        ],
    }
