"""One field of a form: its settings, and the checks that turn an answer into a value.

People answer and models pre-fill, so a value is untrusted until a field has accepted it.
Messages never repeat a value: it may be a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, Literal, cast

from assent.domain import parameters
from assent.domain.canonical import Json, check, encode
from assent.domain.field_settings import (
    BOUND,
    DEFAULT_ROWS,
    OWN_DEFAULTS,
    OWN_SETTINGS,
    elsewhere,
    is_fit_bound,
    setting_contradictions,
)
from assent.domain.field_types import FIELD_KINDS, Control, FieldKind, FieldType, refuse
from assent.domain.file_fields import MAX_FILE_BYTES
from assent.domain.parameters import Check, optional, settle
from assent.domain.patterns import Pattern
from assent.domain.suggestions import SUGGEST, Suggest
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

    A model's value for it only pre-fills the form, unless `model_may_fill`. `may_keep` says if
    people can keep its answer for all their conversations: all but secrets, unless given.
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
    minimum: float | str | Decimal | None = None
    maximum: float | str | Decimal | None = None
    max_length: int = MAX_TEXT_CHARS
    show_if: ShowIf | None = None
    model_may_fill: bool = False
    language: str = ""
    schemes: Sequence[str] = ()
    currencies: Sequence[str] = ()
    columns: Sequence[Field] = ()
    max_rows: int = DEFAULT_ROWS
    suggest: Suggest | Literal["tool", "family"] | None = None
    may_keep: bool | None = None
    # Code, which is neither stored nor compared.
    search: Callable[..., Any] | None = field(default=None, compare=False)
    # Of files: kinds by content, the size of each, how many, and whether they are sealed.
    kinds: Sequence[str] = ()
    max_bytes: int = MAX_FILE_BYTES
    max_files: int = 1
    sealed: bool = False

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
        """The options to choose from: its own, or all that its type knows."""
        own, known = self.own_choices, self.kind.known
        if not known:
            return own
        wanted = {each.value: each.label for each in own} or known
        return tuple(Option(each, wanted[each] or known[each]) for each in known if each in wanted)

    @property
    def own_choices(self) -> tuple[Option, ...]:
        """The options that were declared, all as `Option`."""
        return cast("tuple[Option, ...]", self.options)

    @property
    def consent_text(self) -> str:
        """The text that people agree to with a consent."""
        return f"{self.label}\n{self.help}" if self.help else self.label

    @property
    def suggests_from(self) -> Suggest | None:
        """Where its suggestion comes from, always as `Suggest`."""
        return cast("Suggest | None", self.suggest)

    @property
    def may_be_preferred(self) -> bool:
        """True if people can keep the answer for all their conversations."""
        may = not self.kind.is_secret if self.may_keep is None else self.may_keep
        return may and self.may_be_saved

    @property
    def may_be_saved(self) -> bool:
        """True if the answer can be kept for the conversation."""
        return self.may_keep is not False and not self.kind.is_personal

    def is_given(self, value: object) -> bool:
        """Return True for an answer: 0 and False are; None, "", [], {} and blanks are not."""
        if isinstance(value, str):
            # A password may consist of blanks; no other text may.
            return value != "" if self.kind.is_secret else value.strip() != ""
        return value is not None and value not in ([], (), {})

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

    def spelt(self, value: object) -> str:
        """Return a value as one text that `accept` takes; empty if it takes no such value."""
        try:
            return self.kind.spell(self, self.accept(value)) if self.is_given(value) else ""
        except InvalidAnswer:
            return ""

    def said(self, value: Json) -> str:
        """Return an answer as people read it: options by their labels, money and tables as text."""
        labels = {option.value: option.label for option in self.choices if option.label}
        match value:
            case bool():
                return "Yes" if value else "No"
            case list() if self.kind.takes_several:
                return ", ".join(labels.get(str(each), str(each)) for each in value)
            case str() if self.kind.control is Control.CONSENT:
                return "Agreed"
            case str():
                return labels.get(value) or self.spelt(value) or value
            case _:
                return self.spelt(value) or encode(value)

    def to_json(self) -> dict[str, Json]:
        """Return JSON that `from_json` reads back, without the settings that have their default."""
        data: dict[str, Json] = {"name": self.name, "label": self.label, "type": self.type.value}
        for key, default in _DEFAULTS.items():
            if (value := getattr(self, key)) != default:
                data[key] = _stored(value)
        if self.options:
            data["options"] = [{"value": o.value, "label": o.label} for o in self.own_choices]
        if self.columns:
            data["columns"] = [each.to_json() for each in self.columns]
        if self.show_if is not None:
            data["show_if"] = {"field": self.show_if.field, "equals": self.show_if.equals}
        if self.suggests_from is not None:
            data["suggest"] = self.suggests_from.to_json()
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


_UNLIKE: Final = ("columns", "search")
# Left out by `to_json` if unchanged; `options`, `show_if`, `suggest` have their own shapes there.
_DEFAULTS: Final[Mapping[str, object]] = MappingProxyType(
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
        **{name: default for name, default in OWN_DEFAULTS.items() if name not in _UNLIKE},
        "may_keep": None,
    }
)


def _option(given: object) -> object:
    return Option(given) if isinstance(given, str) else _OPTION_PARTS.read(given)


def _column(given: object) -> object:
    if isinstance(given, Field):
        return given
    said = dict(cast("Mapping[str, Any]", given)) if isinstance(given, Mapping) else None
    return Field.of(said) if said is not None and "name" in said else parameters.unfit()


option_check: Final = Check("an option", _option)
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
    "options": parameters.several(option_check, tuple, "an option (text or Option) or several"),
    "minimum": optional(BOUND),
    "maximum": optional(BOUND),
    "max_length": parameters.whole(1),
    "show_if": optional(parameters.made(ShowIf, needs=("field", "equals"))),
    "model_may_fill": parameters.flag,
    **OWN_SETTINGS,
    "columns": parameters.several(
        Check("a Field", _column), tuple, "Fields (or mappings that say what a Field does)"
    ),
    "suggest": optional(SUGGEST),
    "may_keep": optional(parameters.flag),
}
# Names in documents that differ from ours.
_WORDS: Final = MappingProxyType({"description": "help", "validation": "pattern"})


def _stored(value: object) -> Json:
    # What is written as one or several is kept as a tuple, which JSON does not have.
    return cast(
        "Json", list(cast("tuple[Json, ...]", value)) if isinstance(value, tuple) else value
    )


def _parts(data: Mapping[str, Any]) -> dict[str, Any]:
    parts = dict(data)
    parts["type"] = FieldType(parts["type"])
    if "search" in FIELD_KINDS[parts["type"]].settings:
        parts["search"] = elsewhere
    if "columns" in parts:
        parts["columns"] = tuple(Field.from_json(each) for each in parts["columns"])
    if "options" in parts:
        parts["options"] = tuple(Option(**option) for option in parts["options"])
    return parts


def _contradictions(field: Field) -> Iterator[str]:
    yield from _option_contradictions(field)
    yield from _pattern_contradictions(field)
    yield from _number_contradictions(field)
    yield from setting_contradictions(field)
    if field.show_if is not None and field.show_if.field == field.name:
        yield "its show_if names the field itself"
    if field.kind.is_secret and field.default is not None:
        yield "a secret cannot have a default"
    if field.kind.is_secret and field.suggest is not None:
        yield "a secret is never suggested"
    if field.kind.is_personal and field.suggest is not None:
        yield f"a {field.type} is never suggested"


def _option_contradictions(field: Field) -> Iterator[str]:
    values = [option.value for option in field.own_choices]
    if field.kind.takes_options is not bool(values) and not field.kind.known:
        yield "a select needs options, and no other type takes them"
    if len(set(values)) < len(values):
        yield "two of its options have the same value"
    if not all(map(field.is_given, values)):
        yield "the value of one of its options is blank"
    if (known := field.kind.known) and not known.keys() >= set(values):
        yield f"one of its options is no {field.type} that there is"


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
        yield "only a number or money field takes a minimum or maximum"
    if not all(is_fit_bound(field, bound) for bound in bounds):
        yield "the bounds of a number are numbers, those of money text such as '12.50'"
    exact = [Decimal(str(bound)) for bound in bounds]
    if not all(low <= high for low in exact[:1] for high in exact[-1:]):
        yield "its minimum is above its maximum"


def _accepted_default(field: Field) -> Json:
    try:
        return field.accept(field.default)
    except InvalidAnswer as error:
        reason = f"its default is not valid: {error.errors[field.name]}"
        raise InvalidTool(field.name, reason) from None
