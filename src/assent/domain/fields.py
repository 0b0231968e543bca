"""One field of a form: its settings, and the checks that turn an answer into a value.

People answer and models pre-fill, so a value is untrusted until a field has accepted it.
Messages never repeat a value: it may be a secret.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from types import MappingProxyType
from typing import Any, Final, cast

from assent.domain import parameters
from assent.domain.canonical import Json, check, encode
from assent.domain.field_types import FIELD_KINDS, FieldKind, FieldType, refuse
from assent.domain.parameters import Check, optional, settle
from assent.domain.patterns import Pattern
from assent.errors import InvalidAnswer, InvalidJson, InvalidPattern, InvalidTool

MAX_TEXT_CHARS: Final = 10_000
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a select: the value for the tool, and the label for people."""

    value: str
    label: str = ""

    def __post_init__(self) -> None:
        settle(self, _OPTION, called="value")


_OPTION: Final = {"value": parameters.text, "label": parameters.text}


@dataclass(frozen=True, slots=True)
class ShowIf:
    """A condition: show a field only while an earlier one has (or includes) this value."""

    field: str
    equals: Json

    def __post_init__(self) -> None:
        settle(self, _SHOW_IF, called="field")

    def holds(self, answer: Json) -> bool:
        """Return True if this answer to the other field makes the field show."""
        if isinstance(answer, list):
            return self.equals in answer
        # In Python True equals 1; in a form it must not.
        return isinstance(answer, bool) is isinstance(self.equals, bool) and answer == self.equals


def _scalar(given: object) -> object:
    try:
        fits = isinstance(given, str | int | float) and check(given) == given
    except InvalidJson:
        fits = False
    return given if fits else parameters.unfit()


_SHOW_IF: Final = {
    "field": parameters.name,
    "equals": Check("text, a number, True or False", _scalar),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form; raises `InvalidTool` where its settings contradict each other.

    A model's value for it only pre-fills the form, unless `model_may_fill`.
    """

    name: str
    _: KW_ONLY
    label: str = ""
    type: FieldType = FieldType.TEXT
    required: bool = True
    default: Json = None
    placeholder: str = ""
    help: str = ""
    pattern: str | None = None
    message: str | None = None
    options: Sequence[str | Option] = ()
    minimum: float | None = None
    maximum: float | None = None
    max_length: int = MAX_TEXT_CHARS
    show_if: ShowIf | None = None
    model_may_fill: bool = False

    def __post_init__(self) -> None:
        settle(self, _FIELD, called="name")
        if not _NAME.fullmatch(self.name):
            raise InvalidTool(
                self.name, "the name of a field must be an ASCII identifier of 1 to 64 characters"
            )
        label = self.label or self.name.replace("_", " ").capitalize()
        object.__setattr__(self, "label", label)
        for reason in _contradictions(self):
            raise InvalidTool(self.name, reason)
        if self.default is not None:
            object.__setattr__(self, "default", _accepted_default(self))

    @property
    def kind(self) -> FieldKind:
        """The row of its type: control, settings, and how answers are read."""
        return FIELD_KINDS[self.type]

    @property
    def choices(self) -> tuple[Option, ...]:
        """The options, all as `Option`."""
        return cast("tuple[Option, ...]", self.options)

    def is_given(self, value: object) -> bool:
        """Return True if this is an answer: 0 and False are; None, "", [] and blanks are not."""
        if isinstance(value, str):
            # A password may consist of blanks; no other text may.
            return value != "" if self.kind.is_secret else value.strip() != ""
        return value is not None and value not in ([], ())

    def accept(self, value: object) -> Json:
        """Return the value for the tool; raises `InvalidAnswer` with a message for people."""
        accepted = self.kind.read(self, value)
        try:
            check(accepted)
        except InvalidJson:
            refuse(self, "This cannot be stored.")
        if self.pattern is not None:
            text = accepted if isinstance(accepted, str) else encode(accepted)
            if not Pattern(self.pattern).is_all_of(text):
                refuse(self, self.message or "This does not have the expected form.")
        return accepted

    def to_json(self) -> dict[str, Json]:
        """Return JSON that `from_json` reads back, without the settings that have their default."""
        data: dict[str, Json] = {"name": self.name, "label": self.label, "type": self.type.value}
        for key, default in _DEFAULTS.items():
            if (value := cast("Json", getattr(self, key))) != default:
                data[key] = value
        if self.options:
            data["options"] = [{"value": o.value, "label": o.label} for o in self.choices]
        if self.show_if is not None:
            data["show_if"] = {"field": self.show_if.field, "equals": self.show_if.equals}
        return data

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Field:
        """Read a field of a document: `description` is its help, `validation` its pattern."""
        where = f"Field {parameters.shown(said.get('name'))}"
        if "name" not in said:
            raise InvalidTool("form", "one of its fields has no 'name'")
        return cls(**parameters.renamed(where, said, _WORDS, (*_FIELD, "default")))

    @classmethod
    def from_json(cls, data: Mapping[str, Json]) -> Field:
        """Read the JSON of `to_json`; raises `InvalidTool` for any other."""
        try:
            return cls(**_parts(cast("Mapping[str, Any]", data)))
        except (KeyError, TypeError, ValueError) as error:
            name = str(data.get("name"))[:64]
            raise InvalidTool(name, f"this is not a stored field: {error!r:.80}") from None


# Left out by `to_json` if unchanged; `options` and `show_if` have their own shapes there.
_DEFAULTS: Final[Mapping[str, Json]] = MappingProxyType(
    {
        "required": True,
        "default": None,
        "placeholder": "",
        "help": "",
        "pattern": None,
        "message": None,
        "minimum": None,
        "maximum": None,
        "max_length": MAX_TEXT_CHARS,
        "model_may_fill": False,
    }
)


def _option(given: object) -> object:
    return Option(given) if isinstance(given, str) else _OPTION_PARTS.read(given)


_OPTION_PARTS: Final = parameters.made(Option, needs=("value",), may=("label",))
_FIELD: Final = {
    "name": parameters.text,
    "label": parameters.text,
    "type": parameters.one_of(FieldType),
    "required": parameters.flag,
    "placeholder": parameters.text,
    "help": parameters.text,
    "pattern": optional(parameters.text),
    "message": optional(parameters.text),
    "options": parameters.several(
        Check("an option", _option), tuple, "an option (text or Option) or several"
    ),
    "minimum": optional(parameters.number()),
    "maximum": optional(parameters.number()),
    "max_length": parameters.whole(1),
    "show_if": optional(parameters.made(ShowIf, needs=("field", "equals"))),
    "model_may_fill": parameters.flag,
}
# Names in documents that differ from ours.
_WORDS: Final = MappingProxyType({"description": "help", "validation": "pattern"})


def _parts(data: Mapping[str, Any]) -> dict[str, Any]:
    parts = dict(data)
    parts["type"] = FieldType(parts["type"])
    if "options" in parts:
        parts["options"] = tuple(Option(**option) for option in parts["options"])
    return parts


def _contradictions(field: Field) -> Iterator[str]:
    yield from _option_contradictions(field)
    yield from _pattern_contradictions(field)
    yield from _number_contradictions(field)
    if field.show_if is not None and field.show_if.field == field.name:
        yield "its show_if names the field itself"
    if field.kind.is_secret and field.default is not None:
        yield "a secret cannot have a default"


def _option_contradictions(field: Field) -> Iterator[str]:
    values = [option.value for option in field.choices]
    if field.kind.takes_options is not bool(values):
        yield "a select needs options, and no other type takes them"
    if len(set(values)) < len(values):
        yield "two of its options have the same value"
    if not all(map(field.is_given, values)):
        yield "the value of one of its options is blank"


def _pattern_contradictions(field: Field) -> Iterator[str]:
    if field.pattern is None:
        return
    if not field.kind.takes_pattern:
        yield f"a {field.type} field takes no pattern"
    try:
        Pattern(field.pattern)
    except InvalidPattern as error:
        yield f"its pattern cannot be used: {error.reason}"


def _number_contradictions(field: Field) -> Iterator[str]:
    bounds = [bound for bound in (field.minimum, field.maximum) if bound is not None]
    if bounds and not field.kind.takes_bounds:
        yield "only a number field takes a minimum or maximum"
    # Not `sorted`: every comparison with nan is false, so this refuses nan too.
    if not all(low <= high for low in bounds[:1] for high in bounds[-1:]):
        yield "its minimum is above its maximum"


def _accepted_default(field: Field) -> Json:
    try:
        return field.accept(field.default)
    except InvalidAnswer as error:
        reason = f"its default is not valid: {error.errors[field.name]}"
        raise InvalidTool(field.name, reason) from None
