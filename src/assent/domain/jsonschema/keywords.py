"""The keywords of a foreign JSON schema, implemented with every step counted.

`jsonschema` calls them. Its own keywords use Python's regexes, compare in quadratic time, resolve
references elsewhere or repeat the whole value in a message, so these replace them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, TypeAlias, cast

from jsonschema import Draft7Validator, Draft202012Validator, ValidationError, validators
from referencing import Registry

from assent.domain.canonical import Json, encode
from assent.domain.jsonschema import unevaluated
from assent.domain.jsonschema.evaluation import CHARS_PER_STEP, CURRENT, Evaluation, Validator
from assent.domain.jsonschema.formats import FORMATS
from assent.domain.jsonschema.intake import CheckedSchema, Dialect

# The evaluation, the keyword's value, the instance, and the schema that the keyword is in.
Keyword: TypeAlias = Callable[[Evaluation, Any, Json, Any], Iterator[ValidationError]]

_SHOWN_CHARS: Final = 60
_KEPT_FAILURES: Final = 5


def compiled(source: CheckedSchema) -> tuple[Validator, Mapping[int, Validator]]:
    """Return the validator of a schema, and those of all its subschemas by identity."""
    # References are resolved already; without this registry the library would fetch others.
    root: Any = _VALIDATORS[source.dialect](source.root, registry=Registry[Any]())
    return root, {id(schema): root.evolve(schema=schema) for schema in source.subschemas}


def _ref(run: Evaluation, reference: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    yield from run.descend(instance, run.target(reference))


def _properties(run: Evaluation, named: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, subschema in named.items():
            if name in instance:
                run.spend(1)
                yield from run.descend(instance[name], subschema, name)


def _pattern_properties(
    run: Evaluation, patterns: Any, instance: Json, _: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, subschema in patterns.items():
            for name, value in instance.items():
                if run.matches(pattern, name):
                    yield from run.descend(value, subschema, name)


def _additional_properties(
    run: Evaluation, subschema: Any, instance: Json, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, value in instance.items():
            if not unevaluated.is_declared(run, name, schema):
                yield from run.descend(value, subschema, name)


def _property_names(
    run: Evaluation, subschema: Any, instance: Json, _: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name in instance:
            yield from run.descend(name, subschema, name)


def _dependent_schemas(
    run: Evaluation, named: Any, instance: Json, _: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, subschema in named.items():
            if name in instance:
                yield from run.descend(instance, subschema)


def _dependent_required(
    _: Evaluation, named: Any, instance: Json, __: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, others in named.items():
            for other in others if name in instance else ():
                if other not in instance:
                    yield ValidationError(f"{_shown(other)} is required with {_shown(name)}")


def _dependencies(run: Evaluation, named: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    """Check draft-07's keyword for both `dependentRequired` and `dependentSchemas`."""
    for name, value in named.items():
        dependent = _dependent_required if isinstance(value, list) else _dependent_schemas
        yield from dependent(run, {name: value}, instance, None)


def _required(_: Evaluation, names: Any, instance: Json, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name in names:
            if name not in instance:
                yield ValidationError(f"{_shown(name)} is required")


def _prefix_items(
    run: Evaluation, subschemas: Any, instance: Json, _: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, list):
        for index, (item, subschema) in enumerate(zip(instance, subschemas, strict=False)):
            yield from run.descend(item, subschema, index)


def _items(
    run: Evaluation, subschema: Any, instance: Json, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(subschema, list):  # draft-07
        yield from _prefix_items(run, subschema, instance, schema)
    else:
        yield from _rest_items(run, subschema, instance, len(schema.get("prefixItems", ())))


def _additional_items(
    run: Evaluation, subschema: Any, instance: Json, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(listed := schema.get("items"), list):
        yield from _rest_items(run, subschema, instance, len(cast("list[Json]", listed)))


def _rest_items(
    run: Evaluation, subschema: Any, instance: Json, start: int
) -> Iterator[ValidationError]:
    if isinstance(instance, list):
        for index in range(start, len(instance)):
            yield from run.descend(instance[index], subschema, index)


def _contains(
    run: Evaluation, subschema: Any, instance: Json, schema: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, list):
        found = sum(run.is_valid(item, subschema) for item in instance)
        if found < (least := schema.get("minContains", 1)):
            yield ValidationError(f"must contain at least {least} items of the expected form")
        if found > (most := schema.get("maxContains", found)):
            yield ValidationError(f"must contain at most {most} items of the expected form")


def _unique_items(
    run: Evaluation, wanted: Any, instance: Json, _: Any
) -> Iterator[ValidationError]:
    if wanted and isinstance(instance, list):
        texts = set(map(run.text, instance))
        if len(texts) < len(instance):
            yield ValidationError("must not contain an item twice")


def _all_of(run: Evaluation, subschemas: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    for subschema in subschemas:
        yield from run.descend(instance, subschema)


def _any_of(run: Evaluation, options: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    failures: list[list[ValidationError]] = []
    for option in options:
        failures.append(_failures(run, option, instance))
        if not failures[-1]:
            return
    yield from _near_miss(run, options, instance, failures)


def _one_of(run: Evaluation, options: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    failures = [_failures(run, option, instance) for option in options]
    valid = sum(not errors for errors in failures)
    if valid > 1:
        yield ValidationError("matches several of the allowed forms, must match exactly one")
    elif not valid:
        yield from _near_miss(run, options, instance, failures)


def _failures(run: Evaluation, option: Any, instance: Json) -> list[ValidationError]:
    # Kept, not computed again: validating twice at each level is exponential in the depth.
    return list(islice(run.descend(instance, option), _KEPT_FAILURES))


def _near_miss(
    run: Evaluation, options: Any, instance: Json, failures: list[list[ValidationError]]
) -> Iterator[ValidationError]:
    """Yield the errors of the only form of the right type; else one error: no form fits."""
    types = [_types_of(run, option) for option in options]
    fitting = [e for e, t in zip(failures, types, strict=True) if not t or _is_one_of(instance, t)]
    if len(fitting) == 1:
        yield from fitting[0]
    elif fitting:
        yield ValidationError("must match one of the allowed forms")
    else:
        wanted = dict.fromkeys(name for names in types for name in names)
        yield ValidationError(f"must be {' or '.join(wanted)}")


def _types_of(run: Evaluation, option: Any) -> list[str]:
    if "$ref" in option and "type" not in option:
        option = run.target(option["$ref"])
    return _as_list(option.get("type", []))


def _not(run: Evaluation, excluded: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    if run.is_valid(instance, excluded):
        yield ValidationError("must not have an excluded form" if excluded else "is not allowed")


def _if(run: Evaluation, condition: Any, instance: Json, schema: Any) -> Iterator[ValidationError]:
    branch = "then" if run.is_valid(instance, condition) else "else"
    if branch in schema:
        yield from run.descend(instance, schema[branch])


def _pattern(run: Evaluation, pattern: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not run.matches(pattern, instance):
        yield ValidationError(f"must match the pattern {_shown(pattern)}")


def _format(run: Evaluation, name: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and name in FORMATS:
        run.spend(1 + len(instance) // CHARS_PER_STEP)
        if not FORMATS[name](instance):
            yield ValidationError(f"must be a valid {name}")


def _enum(run: Evaluation, values: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    # Only strings compare in Python as they do in JSON: there, 1 is not true but it is 1.0.
    if isinstance(instance, str):
        found = instance in values
    else:
        text = run.text(instance)
        found = any(run.text(value) == text for value in values)
    if not found:
        yield ValidationError(f"must be one of {_listed(values)}")


def _const(run: Evaluation, value: Any, instance: Json, _: Any) -> Iterator[ValidationError]:
    if run.text(value) != run.text(instance):
        yield ValidationError(f"must be {_listed([value])}")


def _listed(values: list[Any]) -> str:
    shown = [encode(value) for value in values[:10] if not isinstance(value, list | dict)]
    rest = ", …" if len(shown) < len(values) else ""
    return ", ".join(shown)[:200] + rest


def _shown(text: str) -> str:
    return repr(text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…")


def _type(_: Evaluation, types: Any, instance: Json, __: Any) -> Iterator[ValidationError]:
    if not _is_one_of(instance, _as_list(types)):
        yield ValidationError(f"must be {' or '.join(_as_list(types))}")


def _as_list(types: str | list[str]) -> list[str]:
    return [types] if isinstance(types, str) else types


def _is_one_of(instance: Json, types: list[str]) -> bool:
    return any(_IS_TYPE[name](instance) for name in types)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: Any) -> bool:
    return _is_number(value) and (isinstance(value, int) or value.is_integer())


_IS_TYPE: Final[Mapping[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        "array": lambda value: isinstance(value, list),
        "boolean": lambda value: isinstance(value, bool),
        "integer": _is_integer,
        "null": lambda value: value is None,
        "number": _is_number,
        "object": lambda value: isinstance(value, dict),
        "string": lambda value: isinstance(value, str),
    }
)


def _bound(kind: str, holds: Callable[[Any, Any], bool], message: str) -> Keyword:
    def keyword(_: Evaluation, bound: Any, instance: Json, __: Any) -> Iterator[ValidationError]:
        if _IS_TYPE[kind](instance) and not holds(instance, bound):
            yield ValidationError(message.format(bound))

    return keyword


def _has_at_least(value: Any, bound: Any) -> bool:
    return len(value) >= bound


def _has_at_most(value: Any, bound: Any) -> bool:
    return len(value) <= bound


def _is_multiple(value: Any, divisor: Any) -> bool:
    """Return True for an exact multiple by decimal digits: 0.3 is a multiple of 0.1."""
    return Fraction(str(value)) % Fraction(str(divisor)) == 0


_KEYWORDS: Final[Mapping[str, Keyword]] = MappingProxyType(
    {
        "$ref": _ref,
        "additionalItems": _additional_items,
        "additionalProperties": _additional_properties,
        "allOf": _all_of,
        "anyOf": _any_of,
        "const": _const,
        "contains": _contains,
        "dependencies": _dependencies,
        "dependentRequired": _dependent_required,
        "dependentSchemas": _dependent_schemas,
        "enum": _enum,
        "exclusiveMaximum": _bound("number", operator.lt, "must be less than {}"),
        "exclusiveMinimum": _bound("number", operator.gt, "must be more than {}"),
        "format": _format,
        "if": _if,
        "items": _items,
        "maxItems": _bound("array", _has_at_most, "must have at most {} items"),
        "maxLength": _bound("string", _has_at_most, "must have at most {} characters"),
        "maxProperties": _bound("object", _has_at_most, "must have at most {} properties"),
        "maximum": _bound("number", operator.le, "must be at most {}"),
        "minItems": _bound("array", _has_at_least, "must have at least {} items"),
        "minLength": _bound("string", _has_at_least, "must have at least {} characters"),
        "minProperties": _bound("object", _has_at_least, "must have at least {} properties"),
        "minimum": _bound("number", operator.ge, "must be at least {}"),
        "multipleOf": _bound("number", _is_multiple, "must be a multiple of {}"),
        "not": _not,
        "oneOf": _one_of,
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "prefixItems": _prefix_items,
        "properties": _properties,
        "propertyNames": _property_names,
        "required": _required,
        "type": _type,
        "unevaluatedItems": unevaluated.items,
        "unevaluatedProperties": unevaluated.properties,
        "uniqueItems": _unique_items,
    }
)
# These keywords only look names up: sixteen names count as one step.
_CHEAP: Final = frozenset({"enum", "properties", "required"})
_EACH_ITEM: Final = frozenset(
    {"additionalItems", "additionalProperties", "contains", "items", "propertyNames"}
)


def _size(value: Any) -> int:
    return len(cast("list[Any]", value)) if isinstance(value, list | dict) else 0


def _counted(name: str, keyword: Keyword) -> Callable[..., Iterator[ValidationError]]:
    """Wrap a keyword so that it first spends the steps that it may take."""
    share = 16 if name in _CHEAP else 1
    loops = name in _EACH_ITEM

    def counted(_: Any, value: Any, instance: Json, schema: Any) -> Iterator[ValidationError]:
        run = CURRENT.get()
        run.spend(1 + _size(value) // share + (_size(instance) if loops else 0))
        run.enter()
        try:
            yield from keyword(run, value, instance, schema)
        finally:
            run.leave()

    return counted


def _counting(base: Any) -> Any:
    """Return a validator class of the library with our keywords in place of its own."""
    known = cast("Mapping[str, object]", base.VALIDATORS)
    ours = {name: _counted(name, _KEYWORDS[name]) for name in known if name in _KEYWORDS}
    extend = cast("Callable[..., Any]", validators.extend)  # pyright: ignore[reportUnknownMemberType]
    return extend(base, ours)


_VALIDATORS: Final[Mapping[Dialect, Any]] = MappingProxyType(
    {
        Dialect.DRAFT_2020_12: _counting(Draft202012Validator),
        Dialect.DRAFT_07: _counting(Draft7Validator),
    }
)
