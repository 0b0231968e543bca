"""Regular expressions from outside, run by RE2 in linear time, without backtracking.

RE2 has neither look-around nor back-references, and repeats at most 1,000 times.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Protocol, cast

import re2  # pyright: ignore[reportMissingTypeStubs]

from assent.errors import InvalidPattern

MAX_PATTERN_CHARS: Final = 2_000
# RE2 steps through its program once per byte when the automaton outgrows its memory.
MAX_PROGRAM_SIZE: Final = 20_000
_COMPILE_BYTES: Final = 2 * 1024 * 1024


_RE2: Final = cast("Any", re2)  # ships no types; `_Compiled` declares the part used here


class _Compiled(Protocol):
    @property
    def programsize(self) -> int: ...
    def search(self, text: str) -> object: ...
    def fullmatch(self, text: str) -> object: ...


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled RE2 expression; raises `InvalidPattern` if RE2 refuses it."""

    text: str
    _compiled: _Compiled = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_compiled", _compile(self.text))

    @property
    def size(self) -> int:
        """The number of instructions in the compiled program."""
        return self._compiled.programsize

    def is_in(self, value: str) -> bool:
        """Return True if any part of the value matches, as JSON Schema means `pattern`."""
        return self._compiled.search(value) is not None

    def is_all_of(self, value: str) -> bool:
        """Return True if the value matches from its first to its last character."""
        return self._compiled.fullmatch(value) is not None

    def cost(self, value: str) -> int:
        """Return the most steps that matching can take, of about ten nanoseconds each."""
        return self.size * (len(value.encode()) + 1)


def _compile(text: str) -> _Compiled:
    if len(text) > MAX_PATTERN_CHARS:
        raise InvalidPattern(text, f"it is longer than {MAX_PATTERN_CHARS} characters")
    try:
        compiled = cast("_Compiled", _RE2.compile(text, _options()))
    except UnicodeEncodeError:
        raise InvalidPattern(text, "it holds half a surrogate pair") from None
    except _RE2.error as error:
        raise InvalidPattern(text, f"RE2 says {error.args[0]!r}") from None
    if compiled.programsize > MAX_PROGRAM_SIZE:
        raise InvalidPattern(text, "it is too large once its repetitions are expanded")
    return compiled


def _options() -> Any:
    options = _RE2.Options()
    options.log_errors = False  # a bad pattern is the caller's error, not a line on stderr
    options.never_capture = True
    options.max_mem = _COMPILE_BYTES
    return options
