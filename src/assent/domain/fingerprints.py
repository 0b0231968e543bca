"""Digests of functions: equal in every process, different once the code changes.

Only code and the plain values that it names are read, which all processes of a deployment share. A
digest that differed between processes would void every approval given in another one.
"""

from collections.abc import Iterator
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, Final, cast

from assent.domain.canonical import digest

# The repr of these types is their value, without memory addresses or file names.
_PLAIN: Final = (type(None), bool, int, float, str, bytes, Decimal, date, time, timedelta)


def fingerprint(function: object) -> str:
    """Return a digest of a function's code and of the plain values and functions that it names.

    A callable object counts by the code of its call alone: its state may differ between processes.
    """
    return digest(repr(_said(function, [])))


def _said(thing: Any, known: list[object]) -> object:
    match thing:
        case FunctionType():
            # Functions may name each other, so each is read once.
            is_known = any(thing is each for each in known)
            known.append(thing)
            return thing.__name__ if is_known else list(_function(thing, known))
        case MethodType(__func__=function):
            return _said(function, known)
        case partial(func=function, args=args, keywords=keywords):
            return ["partial", *(_said(each, known) for each in (function, args, keywords))]
        case CodeType():
            return list(_code(thing, known))
        case Enum() | type():
            return _name(thing)
        case _ if isinstance(thing, _PLAIN):
            return [type(thing).__name__, repr(thing)]
        case tuple() | list():
            return [_said(each, known) for each in cast("tuple[object, ...]", thing)]
        case dict() | set() | frozenset():
            given = cast("dict[object, object] | set[object] | frozenset[object]", thing)
            items = given.items() if isinstance(given, dict) else given
            # Sorted: in another process a set has another order.
            return sorted(repr(_said(each, known)) for each in items)
        case _:
            return _object(thing, known)


def _function(function: FunctionType, known: list[object]) -> Iterator[object]:
    yield _said(function.__code__, known)
    yield _said(function.__defaults__, known)
    yield _said(function.__kwdefaults__, known)
    for cell in function.__closure__ or ():
        yield _said(_held(cell), known)
    module = function.__globals__
    for name in sorted(set(_names(function.__code__)) & module.keys()):
        value = module[name]
        is_foreign = isinstance(value, FunctionType) and value.__globals__ is not module
        yield name
        yield _name(value) if is_foreign else _said(value, known)


def _code(code: CodeType, known: list[object]) -> Iterator[object]:
    # Without its file, lines and name, which may change while the behaviour stays.
    yield from (code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
    yield from (code.co_code.hex(), code.co_exceptiontable.hex(), code.co_names, code.co_freevars)
    yield _said(code.co_consts, known)


def _object(thing: object, known: list[object]) -> object:
    wrapped = getattr(thing, "__wrapped__", None)
    if wrapped is not None:
        return _said(wrapped, known)
    call: object = getattr(type(thing), "__call__", None)  # noqa: B004 - its code is wanted
    code = _said(call, known) if isinstance(call, FunctionType) else None
    return [_name(type(thing)), code]


def _names(code: CodeType) -> Iterator[str]:
    """Yield every name that a function looks up, also those in its inner functions."""
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _held(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return "not there yet"


def _name(thing: Any) -> str:
    return str(thing) if isinstance(thing, Enum) else f"{thing.__module__}.{thing.__qualname__}"
