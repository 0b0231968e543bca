"""Answers that are files: a person names what they uploaded, and the stored facts are taken."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.decisions import Give, Verdict
from assent.domain.files import FileReference, FileUse, references_in
from assent.domain.forms import UserInput
from assent.domain.requests import Request
from assent.errors import InvalidAnswer

_UNKNOWN = "Upload this file first."


def with_files(
    form: UserInput, uses: Sequence[FileUse], values: Mapping[str, object]
) -> dict[str, object]:
    """Return the values with the stored reference of each file; raises `InvalidAnswer`.

    A file is named by its reference, its digest or its id. Only uploads for the same field of the
    same call are found, and their name, kind and size come from the row.
    """
    filled, errors = dict(values), dict[str, str]()
    for name, field in form.files.items():
        given = filled.get(name)
        if not field.is_given(given):
            continue
        known = {each.reference.key: each.reference for each in uses if each.field == name}
        several = cast("Sequence[object]", given) if isinstance(given, list | tuple) else [given]
        found = [known.get(_key(each)) for each in several]
        if None in found:
            errors[name] = _UNKNOWN
        else:
            filled[name] = [each.to_json() for each in found if each is not None]
    if errors:
        raise InvalidAnswer(errors)
    return filled


def still_there(
    form: UserInput, uses: Sequence[FileUse], draft: Mapping[str, object]
) -> dict[str, object]:
    """Return a draft without files that were removed since."""
    kept = dict(draft)
    for name in form.files.keys() & kept.keys():
        try:
            kept |= with_files(form, uses, {name: kept[name]})
        except InvalidAnswer:
            del kept[name]
    return kept


def about(request: Request, call: Call, uses: Sequence[FileUse]) -> list[FileUse]:
    """Return the files that a request shows: for its own form, and those in the call's arguments.

    Another question of the same call may be to other people.
    """
    if not uses:
        return []
    form, arguments = request.question.form, call.arguments.thaw()
    asked = frozenset[str]() if form is None else UserInput.from_json(form).files.keys()
    held = {(name, each.key) for name, v in arguments.items() for each in references_in(v)}
    return [use for use in uses if use.field in asked or (use.field, use.reference.key) in held]


def has_files(form: UserInput | None, answers: Mapping[str, Json] | None) -> bool:
    """Return True if a body is given files: with its form, or as answers to its own question."""
    if form is not None and form.files:
        return True
    return answers is not None and any(any(references_in(value)) for value in answers.values())


def names_paths(verdict: Verdict) -> bool:
    """Return True if an answer names files of this machine, which have to be uploaded first."""
    if not isinstance(verdict, Give):
        return False
    return any(isinstance(each, Path) for value in verdict.values.values() for each in items(value))


def items(value: object) -> list[object]:
    """Return the files that an answer names: one, or several in a list."""
    several = isinstance(value, list | tuple)
    return list(cast("Sequence[object]", value)) if several else [value]


def _key(given: object) -> str:
    match given:
        case str():
            return given.strip()
        case FileReference():
            return given.key
        case {"sha256": str(key)} | {"sealed": str(key)}:
            return key
        case _:
            return ""
