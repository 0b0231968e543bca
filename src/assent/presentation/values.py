"""JSON as values of a card: exact, and without what is secret."""

import json
from collections.abc import Mapping
from typing import assert_never

from assent.domain.canonical import Json, parse
from assent.domain.cards import Entry, Items, Members, Null, Number, Secret, Text, Truth, Value
from assent.domain.errors import InvalidJson
from assent.domain.tools import Hint

NO_HINTS: Mapping[str, Hint] = {}
_PLAIN_HINT = Hint()
WHOLE = "arguments"


def entries_of(
    arguments: Mapping[str, Json] | str | None, hints: Mapping[str, Hint] = NO_HINTS
) -> tuple[Entry, ...]:
    """Arguments as entries, given as an object, as JSON text or not at all.

    A text that is no JSON object is shown as it is: hiding it would hide what the model sent.
    """
    if arguments is None or arguments == "":
        return ()
    value = _parsed(arguments) if isinstance(arguments, str) else dict(arguments)
    if not isinstance(value, dict):
        value = {WHOLE: value}
    return tuple(_entry(name, item, hints.get(name, _PLAIN_HINT)) for name, item in value.items())


def value_of(value: Json) -> Value:
    """One JSON value in the shape that surfaces match on."""
    match value:
        case None:
            return Null()
        case bool():
            return Truth(value)
        case int() | float():
            return Number(json.dumps(value))
        case str():
            return Text(value)
        case list():
            return Items(tuple(map(value_of, value)))
        case dict():
            return Members(tuple(Entry(name=n, value=value_of(item)) for n, item in value.items()))
        case _:
            assert_never(value)


def _entry(name: str, value: Json, hint: Hint) -> Entry:
    shown = Secret() if hint.secret else value_of(value)
    return Entry(name=name, value=shown, elidable=hint.elidable)


def _parsed(text: str) -> Json:
    try:
        return parse(text)
    except InvalidJson:
        return text
