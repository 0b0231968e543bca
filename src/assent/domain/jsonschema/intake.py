"""Intake of a foreign JSON schema: limits, shapes and references, checked before it is compiled.

Accepted are 2020-12 (the default; 2019-09 is read as 2020-12) and draft-07 (draft-06 likewise).
References are pointers into the schema itself, `#` or `#/…`; nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Final, TypeAlias, cast
from urllib.parse import unquote

from assent.domain.canonical import Json, JsonLimits, Path, check, encode, parse
from assent.domain.patterns import Pattern
from assent.errors import InvalidJson, InvalidPattern, InvalidSchema, JsonFault, SchemaFault

SchemaObject: TypeAlias = dict[str, Json]

# Booleans are rewritten to objects: the library's message for `false` repeats the whole value.
NEVER: Final[Mapping[str, Json]] = MappingProxyType({"not": {}})


class Dialect(Enum):
    """The version of JSON Schema that a schema is read by."""

    DRAFT_2020_12 = "2020-12"
    DRAFT_07 = "draft-07"


_DIALECTS: Final = MappingProxyType(
    {
        "https://json-schema.org/draft/2020-12/schema": Dialect.DRAFT_2020_12,
        "https://json-schema.org/draft/2019-09/schema": Dialect.DRAFT_2020_12,
        "http://json-schema.org/draft-07/schema": Dialect.DRAFT_07,
        "http://json-schema.org/draft-06/schema": Dialect.DRAFT_07,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaLimits:
    """Limits for a foreign schema; `program` is the compiled size of all its patterns."""

    bytes: int = 65_536
    depth: int = 64
    subschemas: int = 2_000
    references: int = 500
    patterns: int = 200
    program: int = 40_000


DEFAULT_LIMITS: Final = SchemaLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSchema:
    """An accepted schema: a copy of it, with its references resolved and its patterns compiled."""

    root: SchemaObject
    dialect: Dialect
    subschemas: tuple[SchemaObject, ...]
    targets: Mapping[str, SchemaObject]
    patterns: Mapping[str, Pattern]


def check_schema(source: object, limits: SchemaLimits = DEFAULT_LIMITS) -> CheckedSchema:
    """Check a foreign schema; raises `InvalidSchema` before anything costly happens."""
    root = _own_copy(source, limits)
    dialect = _dialect(root)
    # With either of these in place the library would switch to its own, unguarded validator.
    root.pop("$schema", None)
    root.pop("$id", None)
    walk = _Walk(root=root, dialect=dialect, limits=limits)
    walk.all()
    return CheckedSchema(
        root=root,
        dialect=dialect,
        subschemas=tuple(walk.seen.values()),
        targets=walk.targets,
        patterns=_compiled(walk.patterns, limits),
    )


def _own_copy(source: object, limits: SchemaLimits) -> SchemaObject:
    bounds = JsonLimits(bytes=limits.bytes, depth=limits.depth)
    try:
        copy = parse(encode(check(source, bounds)), bounds)
    except InvalidJson as error:
        raise InvalidSchema(_fault(error.reason), error.detail, error.path) from None
    root = _as_object(copy)
    if not isinstance(root, dict):
        raise InvalidSchema(SchemaFault.SHAPE, "a schema must be an object or a boolean")
    return root


def _fault(reason: JsonFault) -> SchemaFault:
    match reason:
        case JsonFault.SIZE:
            return SchemaFault.SIZE
        case JsonFault.DEPTH:
            return SchemaFault.DEPTH
        case _:
            return SchemaFault.SHAPE


def _dialect(root: SchemaObject) -> Dialect:
    name = root.get("$schema")
    if name is None:
        return Dialect.DRAFT_2020_12
    known = _DIALECTS.get(name.removesuffix("#")) if isinstance(name, str) else None
    if known is None:
        detail = "only 2020-12 and draft-07 are supported"
        raise InvalidSchema(SchemaFault.DIALECT, detail, ("$schema",))
    return known


@dataclass(slots=True, kw_only=True)
class _Walk:
    """A walk that visits every subschema once, by keywords and references."""

    root: SchemaObject
    dialect: Dialect
    limits: SchemaLimits
    targets: dict[str, SchemaObject] = field(default_factory=dict[str, SchemaObject])
    patterns: dict[str, Path] = field(default_factory=dict[str, Path])
    seen: dict[int, SchemaObject] = field(default_factory=dict[int, SchemaObject])
    _pending: list[tuple[SchemaObject, Path]] = field(
        default_factory=list[tuple[SchemaObject, Path]]
    )

    def all(self) -> None:
        self._push(self.root, ())
        while self._pending:
            schema, path = self._pending.pop()
            for keyword, value in list(schema.items()):
                self._visit(schema, keyword, value, (*path, keyword))

    def _push(self, schema: Json, path: Path) -> None:
        if id(schema) in self.seen:
            return
        if not isinstance(schema, dict):
            raise InvalidSchema(SchemaFault.SHAPE, "a schema must be an object or a boolean", path)
        self.seen[id(schema)] = schema
        if len(self.seen) > self.limits.subschemas:
            detail = f"more than {self.limits.subschemas} subschemas"
            raise InvalidSchema(SchemaFault.SUBSCHEMAS, detail, path)
        self._pending.append((schema, path))

    def _visit(self, schema: SchemaObject, keyword: str, value: Json, path: Path) -> None:
        if keyword in _REFUSED:
            raise InvalidSchema(_REFUSED[keyword], f"{keyword!r} is not supported here", path)
        if (shape := _SHAPES.get(keyword)) is not None and not shape(value):
            raise InvalidSchema(SchemaFault.SHAPE, f"{keyword!r} has the wrong shape", path)
        if keyword == "$ref":
            self._refer(cast("str", value), path)
        elif keyword == "pattern":
            self.patterns.setdefault(cast("str", value), path)
        elif keyword == "patternProperties":
            self.patterns |= dict.fromkeys(cast("SchemaObject", value), path)
        self._descend(schema, keyword, value, path)

    def _descend(self, schema: SchemaObject, keyword: str, value: Json, path: Path) -> None:
        if keyword in _SINGLE and not isinstance(value, list):
            schema[keyword] = child = _as_object(value)
            self._push(child, path)
        elif keyword in _LISTED or (keyword == "items" and self.dialect is Dialect.DRAFT_07):
            self._push_items(cast("list[Json]", value), path)
        elif keyword in _NAMED:
            self._push_values(cast("SchemaObject", value), path)
        elif keyword in _SINGLE:
            detail = "use 'prefixItems' for a list of schemas"
            raise InvalidSchema(SchemaFault.SHAPE, detail, path)
        elif keyword == "dependencies" and self.dialect is Dialect.DRAFT_07:
            self._push_values(cast("SchemaObject", value), path)

    def _push_items(self, items: list[Json], path: Path) -> None:
        for index, item in enumerate(items):
            items[index] = child = _as_object(item)
            self._push(child, (*path, index))

    def _push_values(self, named: SchemaObject, path: Path) -> None:
        for name, item in list(named.items()):
            if path[-1] == "dependencies" and _is_names(item):
                continue
            named[name] = child = _as_object(item)
            self._push(child, (*path, name))

    def _refer(self, reference: str, path: Path) -> None:
        if not reference.startswith("#"):
            detail = "only references to '#/…' are supported"
            raise InvalidSchema(SchemaFault.REMOTE_REFERENCE, detail, path)
        if reference not in self.targets:
            target = _as_object(_resolve(self.root, reference, path))
            self._push(target, path)
            self.targets[reference] = cast("SchemaObject", target)
        if len(self.targets) > self.limits.references:
            detail = f"more than {self.limits.references} references"
            raise InvalidSchema(SchemaFault.REFERENCES, detail, path)


def _as_object(schema: Json) -> Json:
    if isinstance(schema, bool):
        return {} if schema else dict(NEVER)
    return schema


# As RFC 6901 writes them: without leading zeros. No list in a schema has a million entries.
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,5}")


def _resolve(root: SchemaObject, reference: str, path: Path) -> Json:
    value: Json = root
    start, *steps = reference.split("/")
    if start != "#":
        detail = "only references to '#/…' are supported"
        raise InvalidSchema(SchemaFault.UNRESOLVED_REFERENCE, detail, path)
    for step in steps:
        key = unquote(step).replace("~1", "/").replace("~0", "~")
        match value:
            case dict() if key in value:
                value = value[key]
            case list() if _INDEX.fullmatch(key) and int(key) < len(value):
                value = value[int(key)]
            case _:
                detail = "the reference leads nowhere"
                raise InvalidSchema(SchemaFault.UNRESOLVED_REFERENCE, detail, path)
    return value


def _compiled(texts: Mapping[str, Path], limits: SchemaLimits) -> dict[str, Pattern]:
    if len(texts) > limits.patterns:
        raise InvalidSchema(SchemaFault.PATTERN, f"more than {limits.patterns} patterns")
    patterns: dict[str, Pattern] = {}
    size = 0
    for text, path in texts.items():
        try:
            patterns[text] = pattern = Pattern(text)
        except InvalidPattern as error:
            raise InvalidSchema(SchemaFault.PATTERN, error.reason, path) from None
        size += pattern.size
        if size > limits.program:
            raise InvalidSchema(SchemaFault.PATTERN, "the patterns are too large together", path)
    return patterns


_TYPES: Final = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def _is_count(value: Json) -> bool:
    return not isinstance(value, bool) and isinstance(value, int) and value >= 0


def _is_number(value: Json) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float)


def _is_positive(value: Json) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float) and value > 0


def _is_names(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_type(value: Json) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(v, str) and v in _TYPES for v in value)
    return isinstance(value, str) and value in _TYPES


def _is_map_of_names(value: Json) -> bool:
    return isinstance(value, dict) and all(map(_is_names, value.values()))


def _is_string(value: Json) -> bool:
    return isinstance(value, str)


def _is_boolean(value: Json) -> bool:
    return isinstance(value, bool)


def _is_list(value: Json) -> bool:
    return isinstance(value, list)


def _is_filled_list(value: Json) -> bool:
    return isinstance(value, list) and bool(value)


def _is_object(value: Json) -> bool:
    return isinstance(value, dict)


def _shaped(
    shape: Callable[[Json], bool], *keywords: str
) -> Iterator[tuple[str, Callable[[Json], bool]]]:
    return ((keyword, shape) for keyword in keywords)


_LISTED: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_NAMED: Final = frozenset(
    {"$defs", "definitions", "dependentSchemas", "patternProperties", "properties"}
)
_SINGLE: Final = frozenset(
    {
        "additionalItems",
        "additionalProperties",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "propertyNames",
        "then",
        "unevaluatedItems",
        "unevaluatedProperties",
    }
)
# Below the root, $id changes what `#` means and $schema the dialect: neither is needed there.
_REFUSED: Final = MappingProxyType(
    {
        "$schema": SchemaFault.DIALECT,
        "$id": SchemaFault.REMOTE_REFERENCE,
        "$dynamicRef": SchemaFault.REMOTE_REFERENCE,
        "$recursiveRef": SchemaFault.REMOTE_REFERENCE,
    }
)
_SHAPES: Final = MappingProxyType(
    dict(
        [
            *_shaped(_is_type, "type"),
            *_shaped(_is_list, "enum"),
            *_shaped(_is_string, "$ref", "pattern", "format"),
            *_shaped(_is_boolean, "uniqueItems"),
            *_shaped(_is_names, "required"),
            *_shaped(_is_map_of_names, "dependentRequired"),
            *_shaped(_is_positive, "multipleOf"),
            *_shaped(_is_number, "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
            *_shaped(_is_count, "minLength", "maxLength", "minItems", "maxItems"),
            *_shaped(_is_count, "minProperties", "maxProperties", "minContains", "maxContains"),
            *_shaped(_is_filled_list, *_LISTED),
            *_shaped(_is_object, *_NAMED, "dependencies"),
        ]
    )
)
