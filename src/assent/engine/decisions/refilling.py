"""Values a form was filled in with before anybody answered it, kept where they still hold."""

from collections.abc import Mapping
from typing import Any, cast

from assent.domain.canonical import Json
from assent.domain.copies import changed
from assent.domain.fields import Field
from assent.domain.forms import UserInput
from assent.domain.preferences import ValueSource
from assent.domain.requests import Question, Request
from assent.domain.tools import EffectiveTool
from assent.engine.gate.suggesting import may_suggest
from assent.engine.vault import is_reference, references
from assent.errors import InvalidAnswer
from assent.ports import Tx


def refilled(asked: Question, before: UserInput, now: UserInput, tool: EffectiveTool) -> Question:
    """Return the question with what fits its changed form; a kept value that does not is told."""
    old, items = ({item.name: item for item in form.fields} for form in (before, now))
    kept = {
        name: value
        for name, value in asked.prefilled.items()
        if name in items and _fits(old.get(name), items[name], value, asked.origins.get(name))
    }
    origins = {n: _told(said, fits=n in kept) for n, said in asked.origins.items() if n in items}
    suggestions: dict[str, Json] = {
        name: said
        for name, said in asked.suggestions.items()
        if name in items and may_suggest(tool, items[name], cast("Any", said)["value"])
    }
    form = now.to_json()
    return changed(asked, form=form, prefilled=kept, origins=origins, suggestions=suggestions)


def _told(origin: Json, *, fits: bool) -> Json:
    return origin if fits else {**cast("Mapping[str, Json]", origin), "fits": False}


def _fits(before: Field | None, now: Field, value: Json, origin: Json) -> bool:
    if now == before:
        return True
    if now.kind.is_personal or now.kind.is_secret or is_reference(value):
        # What a secret is cannot be said here, and no other field may show it.
        return False
    source = cast("Mapping[str, Json]", origin or {}).get("source")
    if source is not None:
        is_preference = source == ValueSource.PREFERENCE
        if not (now.may_be_preferred if is_preference else now.may_be_saved):
            return False
    try:
        now.accept(value)
    except InvalidAnswer:
        return False
    return True


def as_it_stands(tx: Tx, request: Request) -> Request:
    """Return a request as its form is shown: without deleted secrets and unwanted suggestions."""
    request = without_deleted(tx, request)
    found, form = request.question.suggestions, request.question.form
    if not (found and form and request.is_open):
        return request
    # Stopped in another form that asked for the same, or on another device.
    scope = UserInput.from_json(form).scope(request.tool)
    unwanted = found.keys() & tx.suggestions.unwanted(request.owner, scope)
    if not unwanted:
        return request
    left = {name: said for name, said in found.items() if name not in unwanted}
    return changed(request, question=changed(request.question, suggestions=left))


def without_deleted(tx: Tx, request: Request) -> Request:
    """Return a request as if its form had not been filled in with secrets deleted since."""
    filled = request.question.prefilled
    ids = references(dict(filled))
    if not ids:
        return request
    there = {each.id for each in tx.values.sealed(ids)}
    gone = {name for name, value in filled.items() if not there.issuperset(references(value))}
    if not gone:
        return request
    kept = {name: value for name, value in filled.items() if name not in gone}
    origins = {n: said for n, said in request.question.origins.items() if n not in gone}
    return changed(request, question=changed(request.question, prefilled=kept, origins=origins))
