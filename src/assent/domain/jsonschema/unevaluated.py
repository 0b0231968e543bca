"""The keywords `unevaluatedProperties` and `unevaluatedItems`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from assent.domain.canonical import Json
from assent.domain.jsonschema.evaluation import Evaluation

if TYPE_CHECKING:
    from jsonschema import ValidationError

Container = TypeVar("Container", dict[str, Json], list[Json])
Location = TypeVar("Location", str, int)


def properties(
    run: Evaluation, subschema: Any, instance: Json, schema: Any
) -> Iterator[ValidationError]:
    """Check by the subschema each property that no other keyword evaluates."""
    if isinstance(instance, dict):
        others = {k: v for k, v in schema.items() if k != "unevaluatedProperties"}
        seen = _evaluated(run, instance, others, _names)
        for name in (name for name in instance if name not in seen):
            yield from run.descend(instance[name], subschema, name)


def items(
    run: Evaluation, subschema: Any, instance: Json, schema: Any
) -> Iterator[ValidationError]:
    """Check by the subschema each item that no other keyword evaluates."""
    if isinstance(instance, list):
        others = {k: v for k, v in schema.items() if k != "unevaluatedItems"}
        seen = _evaluated(run, instance, others, _indexes)
        for index in (index for index in range(len(instance)) if index not in seen):
            yield from run.descend(instance[index], subschema, index)


def is_declared(run: Evaluation, name: str, schema: Any) -> bool:
    """Return True if `properties` or `patternProperties` of this schema cover a name."""
    return name in schema.get("properties", ()) or any(
        run.matches(pattern, name) for pattern in schema.get("patternProperties", ())
    )


def _evaluated(
    run: Evaluation,
    instance: Container,
    schema: Any,
    directly: Callable[[Evaluation, Container, Any], set[Location]],
) -> set[Location]:
    """Return the places that a schema evaluates, itself or by subschemas for the same instance."""
    run.spend(1 + len(instance))
    run.enter()
    found = directly(run, instance, schema)
    for subschema in _applied(run, instance, schema):
        found |= _evaluated(run, instance, subschema, directly)
    run.leave()
    return found


def _names(run: Evaluation, instance: dict[str, Json], schema: Any) -> set[str]:
    if "additionalProperties" in schema or "unevaluatedProperties" in schema:
        return set(instance)
    return {name for name in instance if is_declared(run, name, schema)}


def _indexes(run: Evaluation, instance: list[Json], schema: Any) -> set[int]:
    if "items" in schema or "unevaluatedItems" in schema:
        return set(range(len(instance)))
    found = set(range(min(len(instance), len(schema.get("prefixItems", ())))))
    if "contains" in schema:
        contains = schema["contains"]
        found |= {i for i, item in enumerate(instance) if run.is_valid(item, contains)}
    return found


def _applied(run: Evaluation, instance: Json, schema: Any) -> Iterator[Any]:
    """Yield the subschemas for the same instance under which it is valid."""
    for subschema in _applicable(run, instance, schema):
        if isinstance(subschema, dict) and run.is_valid(instance, subschema):
            yield subschema


def _applicable(run: Evaluation, instance: Json, schema: Any) -> Iterator[Any]:
    if "$ref" in schema:
        yield run.target(schema["$ref"])
    for keyword in ("allOf", "anyOf", "oneOf"):
        yield from schema.get(keyword, ())
    if "if" in schema:
        yield schema["if"]
        yield schema.get("then" if run.is_valid(instance, schema["if"]) else "else")
    for name, subschema in schema.get("dependentSchemas", {}).items():
        if isinstance(instance, dict) and name in instance:
            yield subschema
