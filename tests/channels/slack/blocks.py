"""Slack's documented limits of Block Kit: messages and modals that break one are refused."""

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from tests.channels.slack.schema import (
    Check,
    Fields,
    Need,
    anything,
    complaint,
    fields,
    flag,
    length,
    many,
    one_of,
    raw,
    typed,
    units,
    whole,
)

MESSAGE_BLOCKS = 50
VIEW_BLOCKS = 100
VIEW_BYTES = 250_000
# Slack documents no limit for all blocks of a message. Its users measured one: 13,297 characters
# pass in one block, and each further block takes about 125 of them.
ALL_BLOCKS = 13_297
BLOCK_COST = 125


def _element(*types: str) -> Check:
    return typed(lambda: ELEMENTS, *types)


def _plain(most: int) -> Check:
    words: Fields = {
        "type": Need(one_of("plain_text")),
        "text": Need(raw(most, least=1)),
        "emoji": flag,
    }
    return fields(words)


def _words(most: int) -> Check:
    """A text object of either kind."""
    mrkdwn: Fields = {
        "type": Need(one_of("mrkdwn")),
        "text": Need(raw(most, least=1)),
        "verbatim": flag,
    }
    kinds = {"plain_text": _plain(most), "mrkdwn": fields(mrkdwn)}
    return typed(lambda: kinds, "plain_text", "mrkdwn")


_CONFIRM = fields(
    {
        "title": Need(_plain(100)),
        "text": Need(_plain(300)),
        "confirm": Need(_plain(30)),
        "deny": Need(_plain(30)),
        "style": one_of("primary", "danger"),
    }
)
_OPTION = fields(
    {
        "text": Need(_words(75)),
        "value": Need(raw(150, least=1)),
        "description": _words(75),
        "url": raw(3000),
    }
)
_ACTION: Fields = {
    "type": Need(anything),
    "action_id": raw(255, least=1),
    "confirm": _CONFIRM,
    "focus_on_load": flag,
}
_ENTRY: Fields = {**_ACTION, "placeholder": _plain(150), "dispatch_action_config": anything}
_SELECT: Fields = {**_ENTRY, "options": Need(many(_OPTION, most=100)), "initial_option": _OPTION}
_PEOPLE: Fields = {**_ENTRY, "initial_user": raw(255)}
_TICKS: Fields = {**_ACTION, "options": Need(many(_OPTION, most=10))}

ELEMENTS: Mapping[str, Check] = MappingProxyType(
    {
        "button": fields(
            {
                **_ACTION,
                "text": Need(_plain(75)),
                "value": raw(2000),
                "url": raw(3000),
                "style": one_of("primary", "danger"),
                "accessibility_label": raw(75),
            }
        ),
        "plain_text_input": fields(
            {
                **_ENTRY,
                "multiline": flag,
                "initial_value": raw(3000),
                "min_length": whole(0, 3000),
                "max_length": whole(1, 3000),
            }
        ),
        "number_input": fields(
            {
                **_ENTRY,
                "is_decimal_allowed": Need(flag),
                "initial_value": raw(255, least=1),
                "min_value": raw(255),
                "max_value": raw(255),
            }
        ),
        "email_text_input": fields({**_ENTRY, "initial_value": raw(3000)}),
        "url_text_input": fields({**_ENTRY, "initial_value": raw(3000)}),
        "datepicker": fields({**_ENTRY, "initial_date": raw(10, least=10)}),
        "timepicker": fields({**_ENTRY, "initial_time": raw(5, least=5), "timezone": raw(60)}),
        "datetimepicker": fields({**_ENTRY, "initial_date_time": whole(10**9, 10**10 - 1)}),
        "static_select": fields(_SELECT),
        "multi_static_select": fields(
            {**_SELECT, "initial_options": many(_OPTION, most=100), "max_selected_items": anything}
        ),
        "users_select": fields(_PEOPLE),
        "radio_buttons": fields({**_TICKS, "initial_option": _OPTION}),
        "checkboxes": fields({**_TICKS, "initial_options": many(_OPTION, most=10)}),
        "overflow": fields({**_ACTION, "options": Need(many(_OPTION, most=5))}),
        "image": fields(
            {
                "type": Need(anything),
                "image_url": Need(raw(3000)),
                "alt_text": Need(raw(2000, least=1)),
            }
        ),
    }
)
_CHOSEN = (
    *("static_select", "users_select", "datepicker", "timepicker", "datetimepicker"),
    *("radio_buttons", "checkboxes"),
)
_PRESSED = ("button", "overflow", *_CHOSEN)
_ENTERED = ("plain_text_input", "number_input", "email_text_input", "url_text_input")
_INPUTS = (*_ENTERED, *_CHOSEN, "multi_static_select")

_STYLE = anything
_RICH: Mapping[str, Check] = MappingProxyType(
    {
        "text": fields(
            {"type": Need(anything), "text": Need(raw(100_000, least=1)), "style": _STYLE}
        ),
        "link": fields(
            {
                "type": Need(anything),
                "url": Need(raw(3000)),
                "text": raw(3000),
                "unsafe": flag,
                "style": _STYLE,
            }
        ),
        "user": fields({"type": Need(anything), "user_id": Need(raw(255)), "style": _STYLE}),
        "channel": fields({"type": Need(anything), "channel_id": Need(raw(255)), "style": _STYLE}),
        "broadcast": fields({"type": Need(anything), "range": Need(raw(30)), "style": _STYLE}),
        "emoji": fields({"type": Need(anything), "name": Need(raw(255)), "unicode": raw(255)}),
    }
)
_SPANS = many(typed(lambda: _RICH, *_RICH), most=100_000, least=0)
_RICH_SECTION: Fields = {"type": Need(anything), "elements": Need(_SPANS)}
_RICH_PARTS: Mapping[str, Check] = MappingProxyType(
    {
        "rich_text_section": fields(_RICH_SECTION),
        "rich_text_preformatted": fields(
            {**_RICH_SECTION, "border": anything, "language": raw(50)}
        ),
        "rich_text_quote": fields({**_RICH_SECTION, "border": anything}),
        "rich_text_list": fields(
            {
                "type": Need(anything),
                "style": Need(one_of("bullet", "ordered")),
                "elements": Need(many(typed(lambda: _RICH_PARTS, "rich_text_section"), most=1000)),
                "indent": anything,
                "offset": anything,
                "border": anything,
            }
        ),
    }
)


def _context(value: Any, pointer: str) -> Iterator[str]:
    kind = value.get("type") if isinstance(value, dict) else None
    check = _element("image") if kind == "image" else _words(3000)
    yield from check(value, pointer)


_BLOCK: Fields = {"type": Need(anything), "block_id": raw(255, least=1)}
BLOCKS: Mapping[str, Check] = MappingProxyType(
    {
        "section": fields(
            {
                **_BLOCK,
                "text": _words(3000),
                "fields": many(_words(2000), most=10),
                "accessory": _element(*_PRESSED, "multi_static_select", "image"),
                "expand": flag,
            }
        ),
        "header": fields({**_BLOCK, "text": Need(_plain(150))}),
        "divider": fields(_BLOCK),
        "context": fields({**_BLOCK, "elements": Need(many(_context, most=10))}),
        "actions": fields({**_BLOCK, "elements": Need(many(_element(*_PRESSED), most=25))}),
        "input": fields(
            {
                **_BLOCK,
                "label": Need(_plain(2000)),
                "element": Need(_element(*_INPUTS)),
                "hint": _plain(2000),
                "optional": flag,
                "dispatch_action": flag,
            }
        ),
        "image": fields(
            {
                **_BLOCK,
                "image_url": Need(raw(3000)),
                "alt_text": Need(raw(2000, least=1)),
                "title": _plain(2000),
            }
        ),
        "rich_text": fields(
            {
                **_BLOCK,
                "elements": Need(many(typed(lambda: _RICH_PARTS, *_RICH_PARTS), most=1000)),
            }
        ),
    }
)


def message_complaints(blocks: Any) -> list[str]:
    """Everything that Slack would say against the blocks of a message."""
    check = many(typed(lambda: BLOCKS, *BLOCKS), most=MESSAGE_BLOCKS, least=0)
    return [*check(blocks, "/blocks"), *_across(blocks, "/blocks")]


def too_long(blocks: list[Any]) -> bool:
    """True if all blocks of a message together are more than Slack takes."""
    return sum(map(units, _texts(blocks))) + BLOCK_COST * (len(blocks) - 1) > ALL_BLOCKS


_VIEW = fields(
    {
        "type": Need(one_of("modal")),
        "title": Need(_plain(24)),
        "blocks": Need(many(typed(lambda: BLOCKS, *BLOCKS), most=VIEW_BLOCKS, least=0)),
        "submit": _plain(24),
        "close": _plain(24),
        "private_metadata": raw(3000),
        "callback_id": raw(255),
        "external_id": raw(255),
        "clear_on_close": flag,
        "notify_on_close": flag,
        "submit_disabled": flag,
    }
)


def view_complaints(view: Any) -> list[str]:
    """Everything that Slack would say against a modal."""
    found = list(_VIEW(view, "/view"))
    if found or len(json.dumps(view)) > VIEW_BYTES:
        return found
    if "submit" not in view and any(block["type"] == "input" for block in view["blocks"]):
        found.append(complaint("missing required field: submit", "/view"))
    return [*found, *_across(view["blocks"], "/view/blocks")]


def _across(blocks: Any, pointer: str) -> Iterator[str]:
    """Complain about what no single field shows: repeated ids, contradictions within a block."""
    seen = set[str]()
    for number, block in enumerate(blocks if isinstance(blocks, list) else []):
        if not isinstance(block, dict):
            continue
        at, id = f"{pointer}/{number}", block.get("block_id")
        if id is not None and id in seen:
            yield complaint(f"`block_id` {json.dumps(id)} already exists", f"{at}/block_id")
        seen.add(str(id))
        if block.get("type") == "section" and not {"text", "fields"} & block.keys():
            yield complaint("missing required field: text", at)
        yield from _within(block, at)


def elements_of(block: dict[str, Any]) -> list[dict[str, Any]]:
    """The interactive elements of a block."""
    listed = block.get("elements", []) if block.get("type") == "actions" else []
    single = [block[name] for name in ("element", "accessory") if name in block]
    return [each for each in (*listed, *single) if isinstance(each, dict)]


def _within(block: dict[str, Any], at: str) -> Iterator[str]:
    seen = set[str]()
    for number, element in enumerate(elements_of(block)):
        place = f"{at}/elements/{number}" if block["type"] == "actions" else f"{at}/element"
        id = element.get("action_id")
        if id is not None and id in seen:
            words = f"`action_id` {json.dumps(id)} already exists for a different element"
            yield complaint(words, f"{place}/action_id")
        seen.add(str(id))
        yield from _initial(element, place)


def _initial(element: dict[str, Any], place: str) -> Iterator[str]:
    """Complain about a first value that the element itself does not allow."""
    options = element.get("options", [])
    chosen = [element["initial_option"]] if "initial_option" in element else []
    for option in (*chosen, *element.get("initial_options", [])):
        if option not in options:
            yield complaint("initial_option must match an option", f"{place}/initial_option")
    value, most = element.get("initial_value"), element.get("max_length")
    if isinstance(value, str) and isinstance(most, int):
        yield from length(value, f"{place}/initial_value", most=most)


def _texts(node: Any) -> Iterator[str]:
    """All texts below a node that a reader would see."""
    if isinstance(node, list):
        for each in node:
            yield from _texts(each)
    elif isinstance(node, dict):
        for name, value in node.items():
            if name == "text" and isinstance(value, str):
                yield value
            else:
                yield from _texts(value)
