"""One validation by a foreign schema in progress, with its budget of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, Protocol

from assent.domain.canonical import Json, encode
from assent.domain.patterns import Pattern

if TYPE_CHECKING:
    from jsonschema import ValidationError

# A step takes about two microseconds: all of them together stay below a tenth of a second.
MAX_STEPS: Final = 30_000
# A level takes four of Python's thousand stack frames; a value of 32 levels needs about 100.
MAX_LEVELS: Final = 150
CHARS_PER_STEP: Final = 10
_PATTERN_COST_PER_STEP: Final = 150
# Creating an error, or passing it one level up, takes longer than finding nothing wrong.
_STEPS_PER_ERROR: Final = 3


class TooCostly(Exception):
    """The budget for one validation is spent; never leaves `Schema.problems`."""


class Validator(Protocol):
    """The part of the library's validators that is used here: one per subschema, made once."""

    def iter_errors(self, instance: Json) -> Iterator[ValidationError]: ...


class Evaluation:
    """The remaining budget of one validation, and the compiled parts of its schema."""

    def __init__(
        self,
        validators: Mapping[int, Validator],
        targets: Mapping[str, Any],
        patterns: Mapping[str, Pattern],
        hidden: Sequence[Json] = (),
    ) -> None:
        self._validators = validators
        self._targets = targets
        self._patterns = patterns
        # By identity: an equal object elsewhere in the value is validated.
        self._hidden = frozenset(map(id, hidden))
        self._steps = MAX_STEPS
        self._levels = MAX_LEVELS

    def spend(self, steps: int) -> None:
        """Count steps; raises `TooCostly` when there are none left."""
        self._steps -= steps
        if self._steps < 0:
            raise TooCostly

    def enter(self) -> None:
        """Go one level down; raises `TooCostly` long before Python's stack is full."""
        self._levels -= 1
        if self._levels < 0:
            raise TooCostly

    def leave(self) -> None:
        """Go back up one level."""
        self._levels += 1

    def target(self, reference: str) -> Any:
        """Return the subschema that a reference means."""
        return self._targets[reference]

    def descend(
        self, instance: Json, schema: Any, step: str | int | None = None
    ) -> Iterator[ValidationError]:
        """Yield the errors of an instance under a subschema; `step` leads to it from here."""
        if id(instance) in self._hidden:
            return
        for error in self._validators[id(schema)].iter_errors(instance):
            self.spend(_STEPS_PER_ERROR)
            if step is not None:
                error.path.appendleft(step)
            yield error

    def is_valid(self, instance: Json, schema: Any) -> bool:
        """Return True if an instance is valid under a subschema; stops at the first error."""
        return next(self.descend(instance, schema), None) is None

    def matches(self, pattern: str, text: str) -> bool:
        """Return True if a part of the text matches; spends the most that RE2 can cost."""
        compiled = self._patterns[pattern]
        self.spend(2 + compiled.cost(text) // _PATTERN_COST_PER_STEP)
        return compiled.is_in(text)

    def text(self, value: Json) -> str:
        """Return the canonical text, equal for two values if and only if JSON Schema says so."""
        text = encode(value)
        self.spend(1 + len(text) // CHARS_PER_STEP)
        return text


# Threads share the validators, and the library passes keywords no context of its own: the budget
# of one validation reaches them through this variable.
CURRENT: ContextVar[Evaluation] = ContextVar("assent_schema_evaluation")
