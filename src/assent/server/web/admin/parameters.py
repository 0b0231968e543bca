"""A tool's arguments as table rows, read from its JSON schema; nested ones are named by path."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, cast

from assent.domain.tools import Hint, Tool

# Limits, because the tool's author writes the schema; below the rows all of it is shown as JSON.
MAX_DEPTH: Final = 5
MAX_ROWS: Final = 200
MAX_CHOICES: Final = 12
TYPE_DEPTH: Final = 2
_TYPES: Final = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "yes or no",
    "object": "object",
    "array": "list",
    "null": "nothing",
}
_LIMITS: Final = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matches {}",
    "format": "format {}",
}
Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One argument; its description and other texts are the tool's own."""

    path: str
    type: str
    required: bool
    about: str
    default: str | None
    limits: tuple[str, ...]
    hint: Hint
    # A person fills it in, not the model.
    by_person: bool

    @property
    def depth(self) -> int:
        """The number of objects that it is nested in."""
        return self.path.count(".")


def parameters_of(tool: Tool) -> tuple[Parameter, ...]:
    """Return the arguments in the order of the schema, at most `MAX_ROWS`."""
    whole: Node = tool.arguments.full
    asked_of_model: Node = tool.arguments.visible.get("properties") or {}  # pyright: ignore[reportAssignmentType]
    found: list[Parameter] = []
    for path, node, required in _walk(whole, whole, ()):
        if len(found) == MAX_ROWS:
            break
        found.append(
            Parameter(
                path=".".join(path),
                type=_type(whole, node),
                required=required,
                about=str(node.get("description") or ""),
                default=_json(node["default"]) if "default" in node else None,
                limits=tuple(w.format(node[n]) for n, w in _LIMITS.items() if n in node),
                hint=tool.hints.get(path[0], Hint()),
                by_person=path[0] not in asked_of_model,
            )
        )
    return tuple(found)


def schema_text(tool: Tool) -> str:
    """Return the whole schema as JSON, as it was given."""
    return json.dumps(tool.arguments.full, indent=2, ensure_ascii=False)


def _walk(
    whole: Node, node: Node, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], Node, bool]]:
    required = node.get("required")
    for name, given in _members(node.get("properties")).items():
        below = _resolved(whole, given)
        here = (*path, name)
        yield here, below, isinstance(required, list) and name in required
        if len(here) < MAX_DEPTH:
            yield from _walk(whole, _inside(whole, below), here)


def _inside(whole: Node, node: Node) -> Node:
    """Return the schema of a list's items; any other schema is returned as it is."""
    return _resolved(whole, node["items"]) if _members(node.get("items")) else node


def _resolved(whole: Node, node: object) -> Node:
    """Follow references inside the schema, a few at most; nothing is ever fetched."""
    found = _members(node)
    for _ in range(MAX_DEPTH):
        target = found.get("$ref")
        if not (isinstance(target, str) and target.startswith("#/")):
            break
        step: Any = whole
        for part in target[2:].split("/"):
            step = _members(step).get(part.replace("~1", "/").replace("~0", "~"))
        beside = {name: value for name, value in found.items() if name != "$ref"}
        found = {**_members(step), **beside}
    return found


def _members(node: object) -> Node:
    return cast("Node", node) if isinstance(node, Mapping) else {}


def _type(whole: Node, node: Node, deep: int = 0) -> str:
    if deep > TYPE_DEPTH:
        return "anything"
    if "const" in node:
        return f"always {_json(node['const'])}"
    if isinstance(node.get("enum"), list):
        return f"one of {_some(map(_json, node['enum']), ', ')}"
    choices: Any = node.get("anyOf") or node.get("oneOf")
    if isinstance(choices, list):
        some = cast("list[object]", choices)
        return _some((_type(whole, _resolved(whole, each), deep + 1) for each in some), " or ")
    names: Any = node.get("type")
    if names == "array" and _members(node.get("items")):
        return f"list of {_type(whole, _resolved(whole, node['items']), deep + 1)}"
    listed = cast("list[object]", names if isinstance(names, list) else [names])
    return _some((_TYPES.get(str(each), "anything") for each in listed), " or ")


def _some(words: Iterator[str], between: str) -> str:
    """Join the first few words: a schema may nest choices in choices in choices."""
    found = list(dict.fromkeys(islice(words, MAX_CHOICES + 1)))
    more = [*found[:MAX_CHOICES], "…"] if len(found) > MAX_CHOICES else found
    return between.join(more)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
