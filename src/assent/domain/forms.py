"""Forms that people fill in before a tool runs, their checked answers, and those kept for later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.fields import Field, FieldType, Option, ShowIf
from assent.domain.parameters import Check, optional, taken
from assent.errors import InvalidAnswer, InvalidTool

__all__ = ["Field", "FieldType", "Option", "SavedValue", "SealedSecret", "ShowIf", "UserInput"]

_FAMILY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_NOTHING: Final[Mapping[str, Json]] = MappingProxyType({})
_SHOWN_STRANGERS: Final = 10


@dataclass(frozen=True, slots=True, init=False)
class UserInput:
    """The form of a tool: the reason for asking, and the fields.

    With `save`, answers are kept for the conversation: for this tool, or for all of the `family`.
    """

    reason: str
    fields: tuple[Field, ...]
    save: bool
    family: str | None

    def __init__(
        self, reason: str, fields: Iterable[Field], *, save: bool = False, family: str | None = None
    ) -> None:
        said = {"reason": reason, "fields": fields, "save": save, "family": family}
        for name, value in taken("UserInput", said, _FORM).items():
            object.__setattr__(self, name, value)
        if not self.fields:
            raise InvalidTool(reason, "a form needs at least one field")
        if family is not None and not _FAMILY.fullmatch(family):
            raise InvalidTool(reason, f"{family!r} is not a valid name for a family of tools")
        _refuse_contradictions(self.fields)

    @classmethod
    def of(cls, where: str, said: Mapping[str, Any]) -> UserInput:
        """Read a form from a document with `reason`, `fields` and `save_for_session`."""
        ours = parameters.renamed(where, said, _WORDS, _FORM)
        for needed in ("reason", "fields"):
            if needed not in ours:
                raise InvalidTool(where, f"a form needs {needed!r}")
        return cls(**ours)

    @property
    def secrets(self) -> frozenset[str]:
        """The names of the fields whose values only the tool may see."""
        return frozenset(item.name for item in self.fields if item.kind.is_secret)

    def scope(self, tool: str) -> str:
        """Return the name under which answers to this tool are saved."""
        return f"tool:{tool}" if self.family is None else f"family:{self.family}"

    def visible(self, values: Mapping[str, object]) -> tuple[Field, ...]:
        """Return the fields to show, given these values and the defaults of the others."""
        return tuple(self._fill(values, _NOTHING).visible)

    def missing(self, known: Mapping[str, Json]) -> tuple[Field, ...]:
        """Return the visible required fields without an acceptable answer."""
        shown = self._fill(_NOTHING, known).visible
        return tuple(item for item in shown if item.required and _usable(item, known) is None)

    def validate(
        self, values: Mapping[str, object], known: Mapping[str, Json] = _NOTHING
    ) -> dict[str, Json]:
        """Return all answers, normalised, without fields that are not shown.

        `values` come before `known`, and both before defaults; a None in `known` is a field that a
        person emptied. Raises `InvalidAnswer` with the messages of all fields at once.
        """
        filled = self._fill(values, known)
        if errors := filled.errors | self._strangers(values):
            raise InvalidAnswer(errors)
        return filled.answers

    def validate_part(
        self, values: Mapping[str, object], known: Mapping[str, Json] = _NOTHING
    ) -> dict[str, Json]:
        """Return the given values, normalised, and None for what was emptied.

        `known` are the answers given before.
        """
        answers: dict[str, Json] = {}
        errors = self._strangers(values)
        for item in self.fields:
            value = values.get(item.name)
            if _is_ruled_out(item, {**known, **answers}):
                continue
            if not item.is_given(value):
                # No page shows a stored secret again, so an empty field means to keep it.
                if item.name in values and not item.kind.is_secret:
                    answers[item.name] = None
                continue
            try:
                answers[item.name] = item.accept(value)
            except InvalidAnswer as error:
                errors |= error.errors
        if errors:
            raise InvalidAnswer(errors)
        return answers

    def to_json(self) -> dict[str, Json]:
        """Return JSON that `from_json` reads back, to be stored with a request."""
        fields: list[Json] = [item.to_json() for item in self.fields]
        return {"reason": self.reason, "fields": fields, "save": self.save, "family": self.family}

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> UserInput:
        """Read the JSON of `to_json`; raises `InvalidTool` for any other."""
        match data:
            case {
                "reason": str(reason),
                "fields": list(stored),
                "save": bool(save),
                "family": str() | None as family,
            }:
                return cls(reason, map(_stored_field, stored), save=save, family=family)
            case _:
                raise InvalidTool("form", "this is not a stored form")

    def _fill(self, values: Mapping[str, object], known: Mapping[str, Json]) -> _Filled:
        # One pass is enough: a field depends on earlier ones only.
        filled = _Filled()
        for item in self.fields:
            if item.show_if is not None and not item.show_if.holds(
                filled.answers.get(item.show_if.field)
            ):
                continue
            filled.visible.append(item)
            try:
                answer = _answer(item, values, known)
            except InvalidAnswer as error:
                filled.errors |= error.errors
            else:
                if answer is not None:
                    filled.answers[item.name] = answer
        return filled

    def _strangers(self, values: Mapping[str, object]) -> dict[str, str]:
        names = {item.name for item in self.fields}
        unknown = [str(name)[:64] for name in values if name not in names]
        return dict.fromkeys(unknown[:_SHOWN_STRANGERS], "There is no such field.")


def _one_field(given: object) -> object:
    if isinstance(given, Field):
        return given
    return Field.of(given) if isinstance(given, Mapping) else parameters.unfit()  # pyright: ignore[reportUnknownArgumentType]


_FORM: Final = {
    "reason": parameters.text,
    "fields": parameters.several(
        Check("a Field", _one_field), tuple, "Fields (or mappings that say what a Field does)"
    ),
    "save": parameters.flag,
    "family": optional(parameters.text),
}
# Names in documents that differ from ours.
_WORDS: Final = MappingProxyType({"save_for_session": "save"})


@dataclass(slots=True)
class _Filled:
    visible: list[Field] = field(default_factory=list[Field])
    answers: dict[str, Json] = field(default_factory=dict[str, Json])
    errors: dict[str, str] = field(default_factory=dict[str, str])


def _answer(item: Field, values: Mapping[str, object], known: Mapping[str, Json]) -> Json:
    value = values.get(item.name)
    if item.is_given(value):
        return item.accept(value)
    is_emptied = item.name in values or (item.name in known and known[item.name] is None)
    if item.kind.is_secret or not is_emptied:
        kept = _usable(item, known)
        if (kept := item.default if kept is None else kept) is not None:
            return kept
    if item.required:
        raise InvalidAnswer({item.name: "This is required."})
    return None


def _usable(item: Field, known: Mapping[str, Json]) -> Json:
    """Return the value from a model or an earlier answer, if the field accepts it."""
    value = known.get(item.name)
    if not item.is_given(value):
        return None
    if item.kind.is_secret:
        return value  # a reference to the secret: its value was accepted when it was entered
    try:
        return item.accept(value)
    except InvalidAnswer:
        return None


def without_nulls(prefilled: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a model filled in; its null says nothing, unlike a field that people empty."""
    return {name: value for name, value in prefilled.items() if value is not None}


def _is_ruled_out(item: Field, answers: Mapping[str, Json]) -> bool:
    rule = item.show_if
    return rule is not None and rule.field in answers and not rule.holds(answers[rule.field])


def _stored_field(data: Json) -> Field:
    if not isinstance(data, dict):
        raise InvalidTool("form", "this is not a stored field")
    return Field.from_json(data)


def _refuse_contradictions(fields: tuple[Field, ...]) -> None:
    earlier: dict[str, Field] = {}
    for item in fields:
        if item.name in earlier:
            raise InvalidTool(item.name, "two fields of the form have this name")
        if item.show_if is not None and not _can_hold(item.show_if, earlier):
            raise InvalidTool(
                item.name, f"it would never show: no earlier field can satisfy {item.show_if}"
            )
        earlier[item.name] = item


def _can_hold(rule: ShowIf, earlier: Mapping[str, Field]) -> bool:
    other = earlier.get(rule.field)
    if other is None or other.kind.is_secret:
        return False
    answer = [rule.equals] if other.kind.takes_several else rule.equals
    try:
        return rule.holds(other.accept(answer))
    except InvalidAnswer:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedValue:
    """One answer kept for a conversation, for one tool or a family of tools.

    A secret's value is a reference to its sealed row, never the secret.
    """

    conversation_id: str
    scope: str
    name: str
    value: Json
    secret: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedSecret:
    """A stored secret: AES-GCM ciphertext, bound to its own id and field."""

    id: str
    conversation_id: str
    call_id: str | None
    field: str
    sealed: str
    at: datetime
