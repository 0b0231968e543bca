"""Removal of secrets from the values of audit entries."""

import json
import re
from collections.abc import Mapping
from typing import Final, assert_never

from assent.domain import cards, events
from assent.domain.canonical import Json, encode, parse
from assent.domain.cards import Blob, Items, Members, Null, Number, Secret, Text, Truth, Value
from assent.domain.tools import Hint
from assent.engine.agents import Catalogue
from assent.engine.vault import MASKED
from assent.errors import InvalidJson
from assent.presentation.card import hints_of
from assent.presentation.sheet_values import MASK
from assent.presentation.values import entries_of

Hints = Mapping[str, Hint]
# The keys of an entry's data that hold arguments, as text.
_ARGUMENTS: Final = frozenset({"arguments", "before", "after"})
_STRING: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)


def secrets_of(catalogue: Catalogue) -> Hints:
    """Return the fields that any tool keeps secret: an entry does not name the tool it is about."""
    hints = (hints_of(tool) for tool in catalogue.every_tool())
    return {name: hint for each in hints for name, hint in each.items() if hint.secret}


def data_of(entry: events.Entry, secrets: Hints) -> tuple[cards.NamedValue, ...]:
    """Return the data of an entry as values for a card; texts of arguments are parsed."""
    shown = {name: each for name, each in entry.data.items() if name not in _ARGUMENTS}
    kept = {name: str(each) for name, each in entry.data.items() if name in _ARGUMENTS}
    plain = entries_of(shown, secrets)
    return (*plain, *(_arguments(name, text, secrets) for name, text in kept.items()))


def plain(value: Value) -> Json:
    """Return a value as JSON, exact but for secrets."""
    match value:
        case Text(text=text):
            return text
        case Blob(encoded=encoded):
            return encoded
        case Number(literal=literal):
            return json.loads(literal)
        case Truth(value=truth):
            return truth
        case Null():
            return None
        case Secret():
            return dict(MASKED)
        case Items(items=items):
            return [plain(item) for item in items]
        case Members(members=members):
            return {member.name: plain(member.value) for member in members}
        case _:
            assert_never(value)


def _arguments(name: str, text: str, secrets: Hints) -> cards.NamedValue:
    if _object(text) is not None:
        return cards.NamedValue(name=name, value=Members(entries_of(text, secrets)))
    value = Secret() if _names_one(text, secrets) else Text(text)
    return cards.NamedValue(name=name, value=value)


def recorded(entry: events.Entry, secrets: Hints) -> dict[str, Json]:
    """Return the data of an entry as it is stored, without the secrets in arguments."""
    return {
        name: _masked(each, secrets) if name in _ARGUMENTS and isinstance(each, str) else each
        for name, each in entry.data.items()
    }


def _masked(text: str, secrets: Hints) -> str:
    arguments = _object(text)
    if arguments is None:
        return MASK if _names_one(text, secrets) else text
    hidden = {name: dict(MASKED) for name in arguments if name in secrets}
    return encode({**arguments, **hidden}) if hidden else text


def _object(text: str) -> dict[str, Json] | None:
    try:
        found = parse(text)
    except InvalidJson:
        return None
    return found if isinstance(found, dict) else None


def _names_one(text: str, secrets: Hints) -> bool:
    """Return True if a text that is no whole object has the name of a secret among its strings.

    A long text was cut, so it cannot be told any more which value belongs to which name.
    """
    return any(_spelt_out(string) in secrets for string in _STRING.findall(text))


def _spelt_out(string: str) -> str:
    """Return the text that a JSON string stands for: one name can be escaped in many ways."""
    try:
        return json.loads(string, strict=False)
    except ValueError:
        return string[1:-1]
