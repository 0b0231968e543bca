"""The shape of a value by its JSON schema: a closed set, for any schema.

A shape only decides which control a person gets; the tool itself decides if a value fits.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias
from urllib.parse import unquote

from assent.domain.canonical import Json, encode

_HOPS: Final = 16
_NULL: Final = "null"
_LONG_TEXT: Final = 200
_DEFAULT_CHARS: Final = 60
_WORDS: Final[Mapping[str, str]] = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} entries",
    "maxItems": "at most {} entries",
    "pattern": "matches {}",
    "format": "format: {}",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """The texts of the schema's author about a value, and its rules in our words."""

    title: str = ""
    help: str = ""
    rules: tuple[str, ...] = ()
    nullable: bool = False
    default: Json = None
    has_default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TextShape:
    """A string; `long` if it needs more than one line."""

    about: About
    long: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberShape:
    """A number; only whole ones if `whole`."""

    about: About
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TruthShape:
    """True or false."""

    about: About


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceShape:
    """One of these values."""

    about: About
    options: tuple[Json, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A named part of an object."""

    name: str
    schema: Json
    required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupShape:
    """An object with known properties; `open` if the schema provides for others, too."""

    about: About
    inner: Mapping[str, Json]
    required: frozenset[str]
    open: bool

    @property
    def properties(self) -> Iterator[Property]:
        """Its properties, made one by one: many references to a large object cost nothing."""
        for name, schema in self.inner.items():
            yield Property(name=name, schema=schema, required=name in self.required)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsShape:
    """An array whose entries all have one schema."""

    about: About
    entry: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenShape:
    """Any value; without a control of its own it is written as JSON."""

    about: About


Shape: TypeAlias = (
    TextShape | NumberShape | TruthShape | ChoiceShape | GroupShape | RowsShape | OpenShape
)
_Schema: TypeAlias = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Schemas:
    """The schema of a tool's arguments, which references point into."""

    root: Mapping[str, Json]
    # By identity; the schema is kept alive here, so that no other can get the same id.
    _known: dict[int, tuple[Json, Shape]] = field(
        default_factory=dict[int, tuple[Json, Shape]], repr=False, compare=False
    )

    def shape(self, schema: Json) -> Shape:
        """Return the shape of the values that fit this schema."""
        if (known := self._known.get(id(schema))) is None:
            known = self._known[id(schema)] = (schema, self._shape(schema))
        return known[1]

    def _shape(self, schema: Json) -> Shape:
        found, nullable = self._resolved(schema)
        about = _about(found, nullable=nullable)
        if (options := _options(found)) is not None:
            return ChoiceShape(about=about, options=options)
        match _type(found):
            case "string":
                return TextShape(about=about, long=_is_long(found))
            case "integer" | "number" as name:
                return NumberShape(about=about, whole=name == "integer")
            case "boolean":
                return TruthShape(about=about)
            case "object":
                return _group(found, about)
            case "array" if isinstance(found.get("items"), dict) and "prefixItems" not in found:
                return RowsShape(about=about, entry=found["items"])
            case _:
                return OpenShape(about=about)

    def _resolved(self, schema: Json) -> tuple[_Schema, bool]:
        """Return a schema without references and alternatives, and True if null is allowed, too."""
        found = dict(schema) if isinstance(schema, dict) else {}
        nullable = False
        # A circle of references is given up after some steps, and the value is written as JSON.
        for _ in range(_HOPS):
            step = self._step(found)
            if step is None:
                break
            found, null = step
            nullable = nullable or null
        else:
            return {}, nullable
        kinds = found.get("type")
        if isinstance(kinds, list) and _NULL in kinds:
            rest = [kind for kind in kinds if kind != _NULL]
            return {**found, "type": rest[0] if len(rest) == 1 else rest}, True
        return found, nullable

    def _step(self, found: _Schema) -> tuple[_Schema, bool] | None:
        if "$ref" in found:
            return _merged(self._target(found["$ref"]), found, "$ref"), False
        for keyword in ("allOf", "anyOf", "oneOf"):
            branches = found.get(keyword)
            if isinstance(branches, list):
                rest = [branch for branch in branches if not _is_null(branch)]
                if len(rest) != 1:
                    return None
                return _merged(rest[0], found, keyword), len(rest) < len(branches)
        return None

    def _target(self, reference: Json) -> Json:
        """Return what a reference points to in this schema; nothing is ever fetched."""
        if not isinstance(reference, str) or not reference.startswith("#"):
            return {}
        here: Json = dict(self.root)
        for step in reference.removeprefix("#").split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if not isinstance(here, dict) or key not in here:
                return {}
            here = here[key]
        return here


def _merged(inner: Json, outer: _Schema, keyword: str) -> _Schema:
    rest = {name: value for name, value in outer.items() if name != keyword}
    return {**(inner if isinstance(inner, dict) else {}), **rest}


def _is_null(branch: Json) -> bool:
    return isinstance(branch, dict) and branch.get("type") == _NULL


def _options(schema: _Schema) -> tuple[Json, ...] | None:
    if "const" in schema:
        return (schema["const"],)
    found = schema.get("enum")
    return tuple(found) if isinstance(found, list) and found else None


def _type(schema: _Schema) -> Json:
    kind = schema.get("type", "object" if _has_properties(schema) else None)
    # If alternatives are left, no single control fits all of them. Properties that they have in
    # common still get controls; the tool checks the rest.
    is_common = kind == "object" and _has_properties(schema)
    return None if _has_alternatives(schema) and not is_common else kind


def _has_properties(schema: _Schema) -> bool:
    return isinstance(schema.get("properties"), dict)


def _has_alternatives(schema: _Schema) -> bool:
    return any(keyword in schema for keyword in ("allOf", "anyOf", "oneOf", "not", "if"))


def _group(schema: _Schema, about: About) -> Shape:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        return OpenShape(about=about)
    required = schema.get("required")
    names = required if isinstance(required, list) else []
    required = frozenset(name for name in names if isinstance(name, str))
    is_open = bool(schema.get("additionalProperties")) or "patternProperties" in schema
    is_open = is_open or _has_alternatives(schema)
    return GroupShape(about=about, inner=properties, required=required, open=is_open)


def _is_long(schema: _Schema) -> bool:
    most = schema.get("maxLength")
    return isinstance(most, int) and _LONG_TEXT < most <= 100 * _LONG_TEXT


def _about(schema: _Schema, *, nullable: bool) -> About:
    title, text = schema.get("title"), schema.get("description")
    return About(
        title=title if isinstance(title, str) else "",
        help=text if isinstance(text, str) else "",
        rules=tuple(_rules(schema)),
        nullable=nullable,
        default=schema.get("default"),
        has_default="default" in schema,
    )


def _rules(schema: _Schema) -> Iterator[str]:
    for keyword, words in _WORDS.items():
        limit = schema.get(keyword)
        if isinstance(limit, str | int | float) and not isinstance(limit, bool):
            # Not "at least 1 characters".
            text = words.format(limit)
            yield text.removesuffix("s") if _is_one(limit) and text.endswith("ers") else text
    if schema.get("uniqueItems") is True:
        yield "no duplicates"
    if "default" in schema and len(text := encode(schema["default"])) <= _DEFAULT_CHARS:
        yield f"default: {text}"


def _is_one(limit: str | float) -> bool:
    return limit == 1


def same(one: Json, other: Json) -> bool:
    """Return True if two values are the same JSON: in Python True equals 1."""
    return encode(one) == encode(other)


def position(value: Json, options: Sequence[Json]) -> int | None:
    """Return the index of a value among the options."""
    return next((n for n, option in enumerate(options) if same(value, option)), None)
