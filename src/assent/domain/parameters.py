"""Checks of the parameters of public constructors and functions.

Each class or function has one table: parameter → `Check`. A check returns the value to keep (for
the text of an enum, its member), so checked values may be compared with `is`.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import timedelta
from difflib import get_close_matches
from enum import Enum
from reprlib import Repr
from typing import Any, Final, Literal, cast

from assent.errors import InvalidParameter

# Longer than any useful wait, and within the calendar of every database.
LONGEST: Final = timedelta(days=36_500)
_UNFIT: Final = object()
_SHORT: Final = Repr()
_SHORT.maxstring = _SHORT.maxother = _SHORT.maxlong = 60


@dataclass(frozen=True, slots=True)
class Check:
    """The check of one parameter: `allowed` describes it, `read` returns the value to keep.

    `read` returns `unfit()` for a value that is refused. A `hidden` value is never repeated.
    """

    allowed: str
    read: Callable[[Any], object]
    hidden: bool = False

    def taken(self, where: str, parameter: str, given: object) -> Any:
        """Return the value to keep; raises `InvalidParameter`."""
        value = self.read(given)
        if value is _UNFIT:
            what = f"a value of type {type(given).__name__}" if self.hidden else shown(given)
            raise InvalidParameter(where, parameter, self.allowed, what)
        return value


def unfit() -> object:
    """Return the mark of a value that a check refuses."""
    return _UNFIT


def shown(given: object) -> str:
    """Return a short repr of a value, also if its own repr fails."""
    try:
        return _SHORT.repr(given)
    except Exception:  # noqa: BLE001 - a broken repr must not hide what is wrong
        return f"a value of type {type(given).__name__}"


def settle(
    made: object, checks: Mapping[str, Check], called: str = "", **given_now: object
) -> None:
    """Check the fields of a frozen dataclass that is being made, and keep the read values.

    `called` is the field that names it in messages. `given_now` are the values that the `__init__`
    of a class was given, if it has its own.
    """
    for parameter, value in given_now.items():
        object.__setattr__(made, parameter, value)
    for parameter, check in checks.items():
        given = getattr(made, parameter)
        value = check.read(given)
        if value is _UNFIT:
            check.taken(_label(made, called, parameter), parameter, given)
        if value is not given:
            object.__setattr__(made, parameter, value)


def _label(made: object, called: str, parameter: str) -> str:
    noun = type(made).__name__
    own = "" if called in ("", parameter) else getattr(made, called)
    return noun if own == "" else f"{noun} {shown(own)}"


def taken(where: str, given: Mapping[str, object], checks: Mapping[str, Check]) -> dict[str, Any]:
    """Check keyword arguments and return the values to keep; raises for an unknown name, too."""
    for name in given:
        if name not in checks:
            raise InvalidParameter(where, "a parameter", _known(checks), _stranger(name, checks))
    return {each: checks[each].taken(where, each, value) for each, value in given.items()}


def renamed(
    where: str, given: Mapping[str, Any], words: Mapping[str, str], known: Iterable[str]
) -> dict[str, Any]:
    """Return a mapping with its keys renamed to ours; raises for unknown and repeated keys."""
    names = tuple(known)
    said: dict[str, Any] = {}
    for word_, value in given.items():
        ours = words.get(word_, word_)
        if ours not in names:
            allowed = _known((*names, *words))
            raise InvalidParameter(where, "a key", allowed, _stranger(word_, (*names, *words)))
        if ours in said:
            raise InvalidParameter(where, ours, "given once", "given under two names")
        said[ours] = value
    return said


def _known(checks: Iterable[str]) -> str:
    return f"one of {', '.join(checks)}"


def _stranger(given: object, known: Iterable[str]) -> str:
    close = get_close_matches(str(given), tuple(known), n=1)
    return f"{shown(given)} (did you mean {close[0]!r}?)" if close else shown(given)


def _alternatives(texts: Iterable[str]) -> str:
    *most, last = map(repr, texts)
    return f"{', '.join(most)} or {last}" if most else last


def optional(check: Check) -> Check:
    """Return a check that also takes None."""

    def read(given: object) -> object:
        return None if given is None else check.read(given)

    return Check(f"{check.allowed}, or None", read, check.hidden)


def either(*checks: Check) -> Check:
    """Return a check that takes what any of these checks takes."""

    def read(given: object) -> object:
        values = (check.read(given) for check in checks)
        return next((value for value in values if value is not _UNFIT), _UNFIT)

    return Check(", or ".join(check.allowed for check in checks), read)


def one_of(kind: type[Enum]) -> Check:
    """Return a check for a member of an enum, or its text."""
    members = {str(member.value): member for member in kind}

    def read(given: object) -> object:
        if isinstance(given, kind):
            return given
        # A member of another enum may have the same text and mean something else.
        if not isinstance(given, str) or isinstance(given, Enum):
            return _UNFIT
        return members.get(given, _UNFIT)

    return Check(f"{_alternatives(members)} (or a member of {kind.__name__})", read)


def word(*words: str) -> Check:
    """Return a check for one of a few texts, exactly as written."""

    def read(given: object) -> object:
        return given if isinstance(given, str) and given in words else _UNFIT

    return Check(_alternatives(words), read)


def items(given: object) -> list[object] | None:
    """Return a list of several things; None for text and mappings, which are one thing."""
    if isinstance(given, str | bytes | bytearray | Mapping):
        return None
    if isinstance(given, AbstractSet):
        # Sorted: the order of a set differs between processes, and so would digests made from it.
        return sorted(cast("AbstractSet[object]", given), key=_whole_text)
    return list(cast("Iterable[object]", given)) if isinstance(given, Iterable) else None


def _whole_text(given: object) -> str:
    return given if isinstance(given, str) else shown(given)


def several(
    one: Check, kept: type[tuple[Any, ...] | frozenset[Any]], what: str, *, some: bool = False
) -> Check:
    """Return a check for one or several things; `some` refuses an empty list or set.

    An empty value of the type `kept` always passes: it is the default for nothing given.
    """

    def read(given: object) -> object:
        # Values of the right type first: those read from rows need no more than this.
        if type(given) is kept:
            if all(one.read(item) is item for item in cast("Iterable[object]", given)):
                return cast("object", given)
        elif (alone := one.read(given)) is not _UNFIT:
            return kept((alone,))
        listed = items(given)
        if listed is None or (some and not listed):
            return _UNFIT
        values = [one.read(item) for item in listed]
        return _UNFIT if any(value is _UNFIT for value in values) else kept(values)

    return Check(f"{what}{' (at least one)' if some else ''}", read)


def _text(given: object) -> object:
    return given if isinstance(given, str) else _UNFIT


def _name(given: object) -> object:
    return given if isinstance(given, str) and given.strip() else _UNFIT


def _flag(given: object) -> object:
    return given if isinstance(given, bool) else _UNFIT


def _function(given: object) -> object:
    return given if callable(given) and not isinstance(given, type) else _UNFIT


def _mapping(given: object) -> object:
    is_named = isinstance(given, Mapping) and all(isinstance(key, str) for key in given)  # pyright: ignore[reportUnknownVariableType]
    return cast("object", given) if is_named else _UNFIT


text: Final = Check("text", _text)
name: Final = Check("text that is not blank", _name)
flag: Final = Check("True or False", _flag)
function: Final = Check("a function", _function)
mapping: Final = Check("a mapping with text as keys", _mapping)
names: Final = several(name, frozenset, "a name or several names")
ordered_names: Final = several(name, tuple, "a name or several names")


def members(kind: type[Enum], *, some: bool = False) -> Check:
    """Return a check for one or several members of an enum, or their texts."""
    one = one_of(kind)
    return several(one, frozenset, f"{one.allowed}, or several of them", some=some)


def whole(least: int, most: int | None = None) -> Check:
    """Return a check for a whole number within bounds; True is not a number."""

    def read(given: object) -> object:
        if isinstance(given, bool) or not isinstance(given, int) or given < least:
            return _UNFIT
        return given if most is None or given <= most else _UNFIT

    return Check(f"a whole number {_bounds(least, most)}", read)


def number(least: float | None = None, *, above: float | None = None) -> Check:
    """Return a check for a finite number within bounds; True is not a number."""

    def read(given: object) -> object:
        if isinstance(given, bool) or not isinstance(given, int | float):
            return _UNFIT
        if isinstance(given, float) and not math.isfinite(given):
            return _UNFIT
        fits = (least is None or given >= least) and (above is None or given > above)
        return given if fits else _UNFIT

    if above is not None:
        return Check(f"a number above {above}", read)
    return Check("a number" if least is None else f"a number, {least} or more", read)


def _bounds(least: int, most: int | None) -> str:
    return f"of {least} or more" if most is None else f"from {least} to {most}"


def duration(*, zero: bool = False) -> Check:
    """Return a check for seconds or a timedelta above zero; `zero` also allows zero."""

    def read(given: object) -> object:
        length = _length(given)
        if length is None or length > LONGEST:
            return _UNFIT
        return length if length > timedelta(0) or (zero and not length) else _UNFIT

    least = "0 or more" if zero else "above 0"
    return Check(f"seconds or a timedelta, {least} and at most {LONGEST.days} days", read)


def _length(given: object) -> timedelta | None:
    if isinstance(given, timedelta):
        return given
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    # Not `>`: every comparison with nan is false.
    return timedelta(seconds=given) if abs(given) <= LONGEST.total_seconds() else None


def instance(kind: type[Any], what: str = "") -> Check:
    """Return a check for an instance of a class."""

    def read(given: object) -> object:
        return given if isinstance(given, kind) else _UNFIT

    return Check(what or f"a {kind.__name__}", read)


def made(kind: type[Any], *, needs: tuple[str, ...], may: tuple[str, ...] = ()) -> Check:
    """Return a check for an instance of a class, or a mapping of its parameters."""

    def read(given: object) -> object:
        if isinstance(given, kind):
            return given
        if _mapping(given) is _UNFIT:
            return _UNFIT
        parts = dict(cast("Mapping[str, Any]", given))
        fits = set(needs) <= parts.keys() <= {*needs, *may}
        return kind(**parts) if fits else _UNFIT

    return Check(f"a {kind.__name__}", read)


def hidden(check: Check) -> Check:
    """Return the same check for a value that messages must not repeat."""
    return Check(check.allowed, check.read, hidden=True)


def positionals(given: Callable[..., object]) -> int | Literal["any", "unknown"]:
    """Return the number of positional arguments that a function takes."""
    try:
        parameters = inspect.signature(given).parameters.values()
    except (TypeError, ValueError):
        return "unknown"
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return "any"
    return sum(
        each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in parameters
    )


def of_two(what: str, *, alone: bool = True) -> Check:
    """Return a check for a function of two arguments; `alone` also takes one of the first alone."""

    def read(given: object) -> object:
        if _function(given) is _UNFIT:
            return _UNFIT
        judge = cast("Callable[..., Any]", given)
        count = positionals(judge)
        if count == 1 and alone:
            return _with_context(judge)
        return judge if count in ("any", "unknown") or _can_take(judge, 2) else _UNFIT

    return Check(what, read)


def function_of(count: int, what: str, *, least: int | None = None) -> Check:
    """Return a check for a function of `count` arguments, or of as few as `least`."""
    counts = range(count if least is None else least, count + 1)

    def read(given: object) -> object:
        called = cast("Callable[..., Any]", given)
        fits = _function(given) is given and any(_can_take(called, each) for each in counts)
        return given if fits else _UNFIT

    return Check(what, read)


def _can_take(judge: Callable[..., object], count: int) -> bool:
    try:
        inspect.signature(judge).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True  # a built-in function without a signature
    return True


def _with_context(judge: Callable[..., Any]) -> Callable[..., Any]:
    # People write `lambda args: …` and name the context only if they need it.
    if inspect.iscoroutinefunction(judge):

        async def asynchronous(arguments: Mapping[str, object], _: object) -> object:
            return await judge(arguments)

        return _named_after(judge, asynchronous)

    def synchronous(arguments: Mapping[str, object], _: object) -> object:
        return judge(arguments)

    return _named_after(judge, synchronous)


def _named_after(judge: Callable[..., Any], wrapper: Callable[..., Any]) -> Callable[..., Any]:
    # Not functools.wraps: with the old signature it would be wrapped again.
    wrapper.__qualname__ = getattr(judge, "__qualname__", type(judge).__qualname__)
    return wrapper
