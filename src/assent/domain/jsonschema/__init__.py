"""Validation of values by foreign JSON schemas, with bounded cost and without network access.

Schemas come from tool authors and MCP servers, values from models: neither is trusted. Size, shape
and references are checked first (`intake`), every step of an evaluation is counted (`keywords`),
patterns run on RE2, and nothing is ever fetched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from assent.domain.canonical import Json, Path
from assent.domain.jsonschema.evaluation import CURRENT, Evaluation, TooCostly
from assent.domain.jsonschema.intake import DEFAULT_LIMITS, SchemaLimits, check_schema

__all__ = ["MAX_PROBLEMS", "Schema", "SchemaLimits", "SchemaProblem"]

MAX_PROBLEMS: Final = 20
_MESSAGE_CHARS: Final = 300
_STEP_CHARS: Final = 60
_TOO_COSTLY: Final = "too costly to validate"


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaProblem:
    """One error in a value: its place and a message that does not repeat the value."""

    path: Path
    message: str

    def __str__(self) -> str:
        where = ".".join(str(step)[:_STEP_CHARS] for step in self.path)
        return f"{where}: {self.message}" if where else self.message


class Schema:
    """A compiled JSON schema; raises `InvalidSchema` for one that cannot be used."""

    def __init__(self, source: object, limits: SchemaLimits = DEFAULT_LIMITS) -> None:
        self._source = check_schema(source, limits)
        # Here and not above: the library takes 0.2 s to import, and typed tools never need it.
        from assent.domain.jsonschema.keywords import compiled

        self._validator, self._validators = compiled(self._source)

    def problems(self, value: Json, *, hidden: Sequence[Json] = ()) -> tuple[SchemaProblem, ...]:
        """Return the errors in a value, at most `MAX_PROBLEMS`; none if it is valid.

        `hidden` are objects in it that stand for values not known here: they fit every schema.
        """
        source = self._source
        run = Evaluation(self._validators, source.targets, source.patterns, hidden)
        token = CURRENT.set(run)
        found: list[SchemaProblem] = []
        try:
            for error in islice(self._validator.iter_errors(value), MAX_PROBLEMS):
                path = tuple(error.absolute_path)
                found.append(SchemaProblem(path=path, message=error.message[:_MESSAGE_CHARS]))
        except (TooCostly, RecursionError):
            found.append(SchemaProblem(path=(), message=_TOO_COSTLY))
        finally:
            CURRENT.reset(token)
        return tuple(found)
