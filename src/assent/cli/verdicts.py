"""Verdicts given as options on the command line, for scripts and for experienced people."""

import json
import sys
from argparse import Namespace
from typing import cast

from assent.domain.canonical import Json
from assent.domain.decisions import (
    Approve,
    Cancel,
    DidNotRun,
    Fail,
    Give,
    Ran,
    Reject,
    RunAgain,
    Supply,
    Verdict,
)
from assent.domain.outputs import parsed
from assent.errors import InvalidCommand

STDIN = "-"


def verdict_of(options: Namespace) -> Verdict:
    """Return the verdict that the options of a command line stand for."""
    text: str = options.text or ""
    match cast("str", options.verdict):
        case "approve":
            whole, patch = _said(options.arguments), _said(options.edit)
            return Approve(arguments=whole, edit=patch, typed=options.typed)
        case "reject":
            return Reject(reason=text)
        case "answer":
            return Give(values=_values(options.values))
        case "supply":
            return Supply(output=_result(options.text))
        case "fail":
            return Fail(reason=text or "It failed.")
        case "cancel":
            return Cancel(reason=text)
        case "ran":
            said = _said(options.text)
            return Ran(output=None if said is None else parsed(said))
        case "did_not_run":
            return DidNotRun(reason=text)
        case "run_again":
            return RunAgain(typed=options.typed)
        case other:
            raise InvalidCommand(f"{other!r} is no verdict")


def _read(text: str) -> str:
    # Secrets do not belong in a shell's history: they can come from a file or a pipe.
    return sys.stdin.read() if text == STDIN else text


def _result(text: str | None) -> str:
    if text is None:
        raise InvalidCommand("a result needs its text, or - to read it; '' is an empty one")
    return _read(text)


def _said(text: str | None) -> str | None:
    return None if text is None else _read(text)


def _values(text: str | None) -> dict[str, Json]:
    if text is None:
        raise InvalidCommand("an answer needs --values '{…}', or --values - to read them")
    try:
        values = json.loads(_read(text))
    except ValueError as error:
        raise InvalidCommand(f"--values is no JSON: {error}") from None
    if not isinstance(values, dict):
        raise InvalidCommand("--values has to be a JSON object")
    return cast("dict[str, Json]", values)
