"""Elicitation: what a server asks of people, as one form, and their answers as it wants them.

Only flat forms of simple values are asked. A field that looks like a secret is masked: a server
that must not ask for one in a form shall not make it show up anywhere either.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, zip_longest
from typing import Any, Final, cast

import mcp_types as types

from assent.domain.canonical import Json
from assent.domain.fields import MAX_TEXT_CHARS, Field, FieldType, Option
from assent.domain.forms import UserInput
from assent.errors import AssentError, McpToolFailed

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_SECRET: Final = re.compile(
    r"passw|secret|token|api[_-]?key|credential|private[_-]?key|(^|_)(pin|cvv|otp)(_|$)",
    re.IGNORECASE,
)
_MOST_FIELDS: Final = 50
_MOST_CHARS: Final = 4_000
# Of all that is asked at once.
_MOST_REASON: Final = 20_000
_MOST_OPTIONS: Final = 500
_MOST_OPTION_CHARS: Final = 1_000
_TOO_MUCH: Final = "It asks people for more than a simple form holds."
_WHOLE: Final = r"-?[0-9]+"


@dataclass(slots=True)
class Asked:
    """A form for people, and where each of its answers goes."""

    reason: list[str] = field(default_factory=list[str])
    fields: list[Field] = field(default_factory=list[Field])
    # Of each field: the question that it belongs to, and its name there; None for a confirmation.
    places: dict[str, tuple[str, str | None]] = field(
        default_factory=dict[str, tuple[str, str | None]]
    )
    whole: set[str] = field(default_factory=set[str])
    # The questions that have no content to answer with: visits of an address.
    visits: set[str] = field(default_factory=set[str])

    def form(self) -> UserInput:
        """Return what people are asked."""
        return UserInput("\n\n".join(self.reason), self.fields)

    def to_json(self) -> Json:
        """Return what has to be known to read the answers."""
        places = {name: list(place) for name, place in self.places.items()}
        told = {"places": places, "whole": sorted(self.whole), "visits": sorted(self.visits)}
        return cast("Json", told)

    def add(self, key: str, params: types.ElicitRequestParams, server: str) -> None:
        """Add one question of a server; raises `McpToolFailed` if it cannot be asked."""
        said = f"{server} asks: {params.message[:_MOST_CHARS]}"
        if isinstance(params, types.ElicitRequestURLParams):
            # As text: nobody is sent anywhere by a server's word alone.
            self.reason.append(f"{said}\nIt wants you to visit: {_address(params.url)}")
            self._confirm(key, "I have done what it asks for at that address")
            self.visits.add(key)
        else:
            self.reason.append(said)
            try:
                self._form(key, params.requested_schema)
            except (TypeError, ValueError, AttributeError):
                # Any part of a stranger's schema may be of any type.
                wrong = "a form that does not follow the protocol"
                raise McpToolFailed(f"It asks people for {wrong}.") from None
        if len(self.fields) > _MOST_FIELDS or sum(map(len, self.reason)) > _MOST_REASON:
            raise McpToolFailed(_TOO_MUCH)

    def _form(self, key: str, schema: Mapping[str, Any]) -> None:
        properties: Any = schema.get("properties") or {}
        required: Any = schema.get("required") or []
        if not isinstance(properties, Mapping) or len(properties) > _MOST_FIELDS:  # pyright: ignore[reportUnknownArgumentType]
            raise McpToolFailed(_TOO_MUCH)
        for name, said in cast("Mapping[str, Any]", properties).items():
            self._field(key, name, said, is_required=name in required)
        if not properties:
            self._confirm(key, "Yes")

    def _confirm(self, key: str, label: str) -> None:
        name = self._fresh("confirm")
        self.places[name] = (key, None)
        self.fields.append(Field(name, label=label, type=FieldType.BOOLEAN))

    def _field(self, key: str, name: str, schema: Any, *, is_required: bool) -> None:
        if not isinstance(schema, Mapping):
            raise McpToolFailed(f"It asks people for {name[:64]!r} and does not say what that is.")
        ours = self._fresh(name if _NAME.fullmatch(name) else "field")
        said = cast("Mapping[str, Any]", schema)
        self.places[ours] = (key, name)
        if said.get("type") == "integer":
            self.whole.add(ours)
        try:
            self.fields.append(_field(ours, name, said, is_required))
        except AssentError as error:
            raise McpToolFailed(f"It asks people for what cannot be asked: {error}") from None

    def _fresh(self, name: str) -> str:
        number, made = 1, name
        while made in self.places:
            number += 1
            made = f"{name[:60]}_{number}"
        return made


def is_web_address(url: str) -> bool:
    """Return True if people may be told to visit it; others could run something."""
    scheme, _, rest = url.partition("://")
    return scheme in ("https", "http") and rest != "" and url.isprintable() and " " not in url


def _address(url: str) -> str:
    if not is_web_address(url):
        raise McpToolFailed("It wants a person to visit what is no web address.")
    return url[:_MOST_CHARS]


def _field(ours: str, name: str, schema: Mapping[str, Any], is_required: bool) -> Field:
    kind, more = _kind(name, schema)
    default = None if kind is FieldType.SECRET else schema.get("default")
    return Field(
        ours,
        label=str(schema.get("title") or name)[:200],
        type=kind,
        required=is_required,
        default=default,
        help=str(schema.get("description") or "")[:_MOST_CHARS],
        **more,
    )


def _kind(name: str, schema: Mapping[str, Any]) -> tuple[FieldType, dict[str, Any]]:
    """Return the type of a field and the settings that go with it."""
    options = tuple(_options(schema))
    match schema.get("type"):
        case "string" if options:
            return FieldType.SELECT, {"options": options}
        case "string" if schema.get("format") == "date":
            return FieldType.DATE, {}
        case "string":
            secret = schema.get("format") == "password" or _SECRET.search(name)
            longest = schema.get("maxLength", MAX_TEXT_CHARS)
            length = {"max_length": min(longest, MAX_TEXT_CHARS)}
            return FieldType.SECRET if secret else FieldType.TEXT, length
        case "number" | "integer" as number:
            bounds = {"minimum": schema.get("minimum"), "maximum": schema.get("maximum")}
            whole = {"pattern": _WHOLE, "message": "Enter a whole number."}
            return FieldType.NUMBER, bounds | (whole if number == "integer" else {})
        case "boolean":
            return FieldType.BOOLEAN, {}
        case "array" if isinstance(schema.get("items"), Mapping):
            several = tuple(_options(schema["items"]))
            return FieldType.MULTI_SELECT, {"options": several}
        case other:
            raise McpToolFailed(f"It asks people for a value of type {str(other)[:40]!r}.")


def _options(schema: Mapping[str, Any]) -> Iterator[Option]:
    titled: Any = schema.get("oneOf") or schema.get("anyOf")
    if isinstance(titled, list):
        several = cast("list[Mapping[str, Any]]", titled)
        pairs = [(str(each.get("const", "")), str(each.get("title", ""))) for each in several]
    else:
        values: Any = schema.get("enum") or []
        labels: Any = schema.get("enumNames") or []
        if isinstance(values, str):
            raise McpToolFailed("It asks people for one of several values, and names none.")
        pairs = list(zip_longest(map(str, values), map(str, labels[: len(values)]), fillvalue=""))
    if len(pairs) > _MOST_OPTIONS or any(len(text) > _MOST_OPTION_CHARS for text in chain(*pairs)):
        raise McpToolFailed(_TOO_MUCH)
    for value, label in pairs:
        yield Option(value, label)


def asked_by(server: str, requests: Mapping[str, types.InputRequest]) -> Asked:
    """Return all that a server asks for at once; sampling and roots are refused."""
    asked = Asked()
    for key, request in requests.items():
        if not isinstance(request, types.ElicitRequest):
            raise McpToolFailed(f"It asks for {request.method}, which is refused here.")
        asked.add(key, request.params, server)
    return asked


def responses_to(said: Mapping[str, Any], answers: Mapping[str, Json]) -> dict[str, Any]:
    """Return the answers as a server wants them, by its own names; `said` is `Asked.to_json`."""
    contents: dict[str, dict[str, Any]] = {}
    declined: set[str] = set()
    # A question that an earlier release stored does not say it; then an empty content does no harm.
    visits = frozenset(said.get("visits", ()))
    for name, (key, place) in said["places"].items():
        content, value = contents.setdefault(key, {}), answers.get(name)
        if place is None:
            declined |= set() if value is True else {key}
        elif value is not None:
            content[place] = int(cast("float", value)) if name in said["whole"] else value
    return {
        key: types.ElicitResult(action="decline")
        if key in declined
        # Nothing that was entered is content, too: a server takes no accepted form without any.
        else types.ElicitResult(action="accept", content=None if key in visits else content)
        for key, content in contents.items()
    }
