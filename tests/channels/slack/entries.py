"""What people enter in fields of a modal, as Slack's client keeps, checks and sends it."""

from collections.abc import Iterator, Sequence
from typing import Any

from tests.channels.slack.schema import units
from tests.channels.slack.workspace import View

_AS_IS: Any = object()
_SINGLE = {
    "datepicker": ("selected_date", "initial_date"),
    "timepicker": ("selected_time", "initial_time"),
    "datetimepicker": ("selected_date_time", "initial_date_time"),
    "users_select": ("selected_user", "initial_user"),
}


def entry(element: dict[str, Any], value: Any = _AS_IS) -> dict[str, Any]:
    """The state of a field after a value was entered, or as it came."""
    kind = element["type"]
    match kind:
        case "static_select" | "radio_buttons":
            chosen = element.get("initial_option") if value is _AS_IS else _option(element, value)
            return {"type": kind, "selected_option": chosen}
        case "checkboxes" | "multi_static_select":
            first = element.get("initial_options", [])
            chosen = first if value is _AS_IS else [_option(element, each) for each in value or ()]
            return {"type": kind, "selected_options": chosen}
        case "datepicker" | "timepicker" | "datetimepicker" | "users_select":
            name, initial = _SINGLE[kind]
            return {"type": kind, name: element.get(initial) if value is _AS_IS else value}
        case _:
            entered = element.get("initial_value") if value is _AS_IS else value
            # An empty field has no value: Slack makes no difference.
            return {"type": kind, "value": entered or None}


def _option(element: dict[str, Any], name: Any) -> dict[str, Any] | None:
    if name is None:
        return None
    for option in element["options"]:
        if name in (option["value"], option["text"]["text"]):
            return option
    raise AssertionError(f"no option {name!r} in {[o['value'] for o in element['options']]}")


def problems(view: View) -> Sequence[str]:
    """What Slack's client says before it submits: missing values, wrong lengths, no numbers."""
    return [
        f"{block['label']['text']}: {problem}"
        for block in view.blocks
        if block["type"] == "input"
        for problem in _problems(block, view.values[block["block_id"]])
    ]


def _problems(block: dict[str, Any], values: dict[str, Any]) -> Iterator[str]:
    element = block["element"]
    state = values[element["action_id"]]
    value = next(value for name, value in state.items() if name != "type")
    if not value:
        if not block.get("optional"):
            yield "please complete this required field"
        return
    if element["type"] == "plain_text_input":
        if units(value) > element.get("max_length", 3000):
            yield "too long"
        if units(value) < element.get("min_length", 0):
            yield "too short"
    if element["type"] == "number_input":
        yield from _number_problems(element, value)


def _number_problems(element: dict[str, Any], text: str) -> Iterator[str]:
    try:
        number = float(text)
    except ValueError:
        yield "not a number"
        return
    if not element["is_decimal_allowed"] and "." in text:
        yield "not a whole number"
    if number < float(element.get("min_value", "-inf")):
        yield "too small"
    if number > float(element.get("max_value", "inf")):
        yield "too large"
