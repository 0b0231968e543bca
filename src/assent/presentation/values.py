"""JSON as values of a card: exact, with secrets masked."""

import json
from collections.abc import Iterator, Mapping
from typing import assert_never

from assent.domain.canonical import Json, parse
from assent.domain.cards import (
    Blob,
    Items,
    Members,
    NamedValue,
    Null,
    Number,
    Secret,
    Text,
    Truth,
    Value,
)
from assent.domain.tools import EffectiveTool, Hint
from assent.errors import InvalidJson
from assent.presentation.blobs import blob_of, pieces_of

NO_HINTS: Mapping[str, Hint] = {}
WHOLE = "arguments"


def hints_of(tool: EffectiveTool | None) -> Mapping[str, Hint]:
    """Return the display hints of a tool; secret fields of its form are secret here, too."""
    if tool is None:
        return {}
    form = tool.tool.user_input
    secrets = form.secrets if form else ()
    return {**tool.tool.hints, **dict.fromkeys(secrets, Hint(secret=True))}


def entries_of(
    arguments: Mapping[str, Json] | str | None, hints: Mapping[str, Hint] = NO_HINTS
) -> tuple[NamedValue, ...]:
    """Return arguments as entries, from an object, JSON text or None.

    Text that is not a JSON object is shown as it is: hiding it would hide what the model sent.
    """
    if arguments is None or arguments == "":
        return ()
    value = _parsed(arguments) if isinstance(arguments, str) else dict(arguments)
    if not isinstance(value, dict):
        value = {WHOLE: value}
    return tuple(_entry(name, item, hints.get(name)) for name, item in value.items())


def value_of(value: Json) -> Value:
    """Return one JSON value as a value of a card."""
    match value:
        case None:
            return Null()
        case bool():
            return Truth(value)
        case int() | float():
            return Number(json.dumps(value))
        case str():
            return blob_of(value) or Text(value)
        case list():
            return Items(tuple(_items(value)))
        case dict():
            return Members(tuple(_entry(name, item, None) for name, item in value.items()))
        case _:
            assert_never(value)


def _items(values: list[Json]) -> Iterator[Value]:
    pieces = pieces_of(value for value in values if isinstance(value, str))
    for value in values:
        piece = pieces.get(value) if isinstance(value, str) else None
        yield piece or value_of(value)


def holds_blob(value: Value) -> bool:
    """Return True if a value holds bytes that people cannot read."""
    match value:
        case Blob():
            return True
        case Items(items=items):
            return any(map(holds_blob, items))
        case Members(members=members):
            return any(holds_blob(member.value) for member in members)
        case Text() | Number() | Truth() | Null() | Secret():
            return False
        case _:
            assert_never(value)


def _entry(name: str, value: Json, hint: Hint | None) -> NamedValue:
    # Only declared secrets and secret fields of a form are masked: all else is shown as it runs.
    if hint is None:
        return NamedValue(name=name, value=value_of(value))
    shown = Secret() if hint.secret else value_of(value)
    return NamedValue(name=name, value=shown, elidable=hint.elidable)


def _parsed(text: str) -> Json:
    try:
        return parse(text)
    except InvalidJson:
        return text
