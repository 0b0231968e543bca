"""Forms that people fill in before a tool runs, their checked answers, and those kept for later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final, Literal

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.fields import Field, FieldType, Option, ShowIf
from assent.domain.parameters import Check, optional, taken
from assent.domain.preferences import Keep
from assent.domain.steps import (
    FIELDS,
    ShownStep,
    Step,
    one_step,
    shown_steps,
    steps_by_name,
    stored_steps,
)
from assent.domain.suggestions import CallsOf
from assent.errors import InvalidAnswer, InvalidTool

__all__ = [
    "Field",
    "FieldType",
    "Option",
    "SavedValue",
    "SealedSecret",
    "ShowIf",
    "Step",
    "UserInput",
]

_FAMILY: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_NOTHING: Final[Mapping[str, Json]] = MappingProxyType({})
_SHOWN_STRANGERS: Final = 10
# The title of the only step of a form that declares none.
ONLY_STEP: Final = "Fill in"
# Stands for a secret that is in a draft: its value was accepted when it was entered.
_KEPT: Final = "kept"


@dataclass(frozen=True, slots=True, init=False)
class UserInput:
    """The form of a tool: the reason for asking, and the fields, at once or in `steps`.

    With `save`, answers are kept for the conversation: for this tool, or for all of the `family`.
    With `save="person"` the one who answers may keep them for all their conversations instead.
    """

    reason: str
    # All fields in order, whatever step they are in.
    fields: tuple[Field, ...]
    save: bool
    family: str | None
    steps: tuple[Step, ...]
    # True if people may keep their answers for all their conversations.
    for_person: bool

    def __init__(
        self,
        reason: str,
        fields: Iterable[Field] = (),
        *,
        steps: Iterable[Step] = (),
        save: bool | Literal["conversation", "person"] | Keep = False,
        family: str | None = None,
    ) -> None:
        said = {"reason": reason, "fields": fields, "save": save, "family": family, "steps": steps}
        for name, value in taken("UserInput", said, _FORM).items():
            object.__setattr__(self, name, value)
        if self.steps and self.fields:
            raise InvalidTool(reason, "give a form either fields or steps: its steps have fields")
        if self.steps:
            fields = (item for step in self.steps for item in step.fields)
            object.__setattr__(self, "fields", tuple(fields))
        # A text is no bool, so `is`: what was read is True, False or "person".
        object.__setattr__(self, "for_person", self.save is not True and self.save is not False)
        object.__setattr__(self, "save", self.save is not False)
        if not self.fields:
            raise InvalidTool(reason, "a form needs at least one field")
        if family is not None and not _FAMILY.fullmatch(family):
            raise InvalidTool(reason, f"{family!r} is not a valid name for a family of tools")
        _refuse_contradictions(self.fields)
        if family is None and any(_is_of_family(item) for item in self.fields):
            raise InvalidTool(reason, "a field suggests from its family, but the form has none")

    @classmethod
    def of(cls, where: str, said: Mapping[str, Any]) -> UserInput:
        """Read a form from a document with `reason`, `fields` and `save_for_session`."""
        ours = parameters.renamed(where, said, _WORDS, _FORM)
        for needed in ("reason", "fields"):
            if needed not in ours and not (needed == "fields" and "steps" in ours):
                raise InvalidTool(where, f"a form needs {needed!r}")
        # As `to_json` and the API show a form.
        if named := steps_by_name(where, ours.get("steps"), ours.get("fields")):
            ours |= {"steps": named, "fields": ()}
        return cls(**ours)

    @property
    def secrets(self) -> frozenset[str]:
        """The names of the fields whose values only the tool may see."""
        return frozenset(item.name for item in self.fields if item.kind.is_secret)

    @property
    def withheld(self) -> frozenset[str]:
        """The names of the fields for which a model may not even suggest a value."""
        return self.secrets | {item.name for item in self.fields if item.kind.is_personal}

    @property
    def files(self) -> Mapping[str, Field]:
        """The fields that take files, by name."""
        return {item.name: item for item in self.fields if item.kind.takes_files}

    def field(self, name: str) -> Field | None:
        """Return the field of this name; None if there is none."""
        return next((item for item in self.fields if item.name == name), None)

    def for_conversation(self) -> UserInput:
        """Return the form without the choice to keep answers for all conversations."""
        made = copy(self)
        object.__setattr__(made, "for_person", False)
        return made

    def scope(self, tool: str) -> str:
        """Return the name under which answers to this tool are saved."""
        return f"tool:{tool}" if self.family is None else f"family:{self.family}"

    def visible(self, values: Mapping[str, object]) -> tuple[Field, ...]:
        """Return the fields to show, given these values and the defaults of the others."""
        return tuple(self._fill(values, _NOTHING).visible)

    def shown_steps(self, values: Mapping[str, object]) -> tuple[ShownStep, ...]:
        """Return the steps with a field to show; a form that declares none is one step."""
        return shown_steps(self.steps or (Step(ONLY_STEP, self.fields),), self.visible(values))

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

    def step_errors(
        self,
        step: ShownStep,
        values: Mapping[str, object],
        known: Mapping[str, Json],
        kept: frozenset[str] = frozenset(),
    ) -> dict[str, str]:
        """Return what is wrong or missing in one step; the others are not looked at.

        `known` are answers given before, `kept` the secrets among them, which nobody sees again.
        """
        entered = self._fill(values, {**known, **dict.fromkeys(kept, _KEPT)})
        wrong = {name: said for name, said in entered.errors.items() if name in step.names}
        return wrong | self._strangers(values)

    def to_json(self) -> dict[str, Json]:
        """Return JSON that `from_json` reads back, to be stored with a request."""
        fields: list[Json] = [item.to_json() for item in self.fields]
        told: dict[str, Json] = {
            "reason": self.reason,
            "fields": fields,
            "save": self.save,
            "family": self.family,
        }
        # Beside the fields: readers that know no steps have the whole form without them.
        if self.steps:
            told["steps"] = [step.to_json() for step in self.steps]
        # Left out otherwise: releases before this setting read the rest.
        return {**told, "for_person": True} if self.for_person else told

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
                keep = Keep.PERSON if save and data.get("for_person") is True else save
                fields = tuple(map(_stored_field, stored))
                if steps := stored_steps(data.get("steps"), fields):
                    return cls(reason, steps=steps, save=keep, family=family)
                return cls(reason, fields, save=keep, family=family)
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


def _save(given: object) -> object:
    if isinstance(given, bool):
        return given
    # Compared as text: Keep.ONCE is no setting of a form.
    return _SAVES.get(given, parameters.unfit()) if isinstance(given, str) else parameters.unfit()


_SAVES: Final[Mapping[str, object]] = MappingProxyType(
    {Keep.CONVERSATION: True, Keep.PERSON: Keep.PERSON}
)
_FORM: Final = {
    "reason": parameters.text,
    "fields": FIELDS,
    "steps": parameters.several(
        Check("a Step", one_step), tuple, "Steps (or mappings that say what a Step does)"
    ),
    "save": Check("True, False, 'conversation' or 'person'", _save),
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


def _is_of_family(item: Field) -> bool:
    return item.suggests_from is not None and item.suggests_from.calls == CallsOf.FAMILY


def _can_hold(rule: ShowIf, earlier: Mapping[str, Field]) -> bool:
    other = earlier.get(rule.field)
    if other is None or not other.kind.may_be_condition:
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
