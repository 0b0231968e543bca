"""Edits in a chat: a small form of a call's arguments, and the change that comes back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from assent.domain.arguments import is_secret_reference
from assent.domain.calls import Call
from assent.domain.canonical import Json, encode, parse
from assent.domain.decisions import Approve
from assent.domain.field_types import FieldType
from assent.domain.fields import Field
from assent.domain.tools import EffectiveTool
from assent.errors import InvalidAnswer, InvalidJson
from assent.presentation.values import hints_of

# One field for all arguments, if they do not fit into fields of their own.
WHOLE: Final = "arguments"
_PLAIN: Final = (str, int, float, bool, type(None))


@dataclass(frozen=True, slots=True, kw_only=True)
class EditForm:
    """The arguments of a call as fields: one for each, or one with the JSON of all of them."""

    fields: tuple[Field, ...]
    values: Mapping[str, str]
    # The argument of each field, in order; empty if one field holds all of them.
    names: tuple[str, ...] = ()


def edit_form(call: Call, tool: EffectiveTool, *, fields: int, characters: int) -> EditForm | None:
    """Return the form that fits so many fields of so many characters; None if none does."""
    arguments = call.arguments.thaw()
    declared = {name for name, hint in hints_of(tool).items() if hint.secret}
    secret = {n for n, v in arguments.items() if n in declared or is_secret_reference(v)}
    shown = {name: value for name, value in arguments.items() if name not in secret}
    texts = {name: _text(value) for name, value in shown.items()}
    is_plain = all(isinstance(value, _PLAIN) for value in shown.values())
    if shown and is_plain and len(shown) <= fields and _fits(texts.values(), characters):
        return _by_argument(texts)
    whole = json.dumps(arguments, ensure_ascii=False, indent=1)
    if secret or not _fits([whole], characters):
        return None
    field = Field(WHOLE, label="Arguments as JSON", type=FieldType.MULTILINE, required=True)
    return EditForm(fields=(field,), values={WHOLE: whole})


def _by_argument(texts: Mapping[str, str]) -> EditForm:
    # Arguments may have any name, fields may not: they are numbered.
    numbered = {f"a{number}": name for number, name in enumerate(texts)}
    fields = tuple(
        Field(id, label=name, type=FieldType.MULTILINE, required=False)
        for id, name in numbered.items()
    )
    values = {id: texts[name] for id, name in numbered.items()}
    return EditForm(fields=fields, values=values, names=tuple(texts))


def approval_of(call: Call, form: EditForm, submitted: Mapping[str, object]) -> Approve | None:
    """Return the approval with a person's changes; None if nothing was changed.

    Platforms strip blanks and change line ends: a field that differs only so is unchanged. Raises
    `InvalidAnswer`, by field, for text that is no JSON where JSON is wanted.
    """
    if not form.names:
        return _whole(call, form, str(submitted.get(WHOLE, "")))
    arguments, edit, errors = call.arguments.thaw(), dict[str, Json](), dict[str, str]()
    for field, name in zip(form.fields, form.names, strict=True):
        said = str(submitted.get(field.name, ""))
        if _alike(said, form.values[field.name]):
            continue
        try:
            value = _value(said, arguments[name])
        except InvalidJson:
            errors[field.name] = (
                "This is no JSON: write text in quotes, or a number, true, false, null."
            )
            continue
        if not _is_same(value, arguments[name]):
            edit[name] = value
    if errors:
        raise InvalidAnswer(errors)
    return Approve(edit=edit) if edit else None


def _whole(call: Call, form: EditForm, said: str) -> Approve | None:
    if _alike(said, form.values[WHOLE]):
        return None
    try:
        found = parse(said)
    except InvalidJson as error:
        raise InvalidAnswer({WHOLE: f"{error}."}) from None
    if not isinstance(found, dict):
        raise InvalidAnswer({WHOLE: "The arguments have to be a JSON object: {…}"})
    return None if _is_same(found, call.arguments.thaw()) else Approve(arguments=said)


def _value(said: str, before: Json) -> Json:
    """Return what was typed: text stays text, everything else is JSON."""
    return said if isinstance(before, str) else parse(said)


def _is_same(one: Json, other: Json) -> bool:
    """Compare as the record does: 0 and false are equal in Python, and not the same to a tool."""
    if isinstance(one, str) or isinstance(other, str):
        # Typed text may hold what no JSON does, which is refused later, with the reason.
        return one == other
    return encode(one) == encode(other)


def _text(value: Json) -> str:
    return value if isinstance(value, str) else encode(value)


def _fits(texts: object, characters: int) -> bool:
    """Return True if every text can be put into a field and come back unchanged."""
    return all(
        len(text.encode("utf-16-le", "surrogatepass")) // 2 <= characters and _is_typable(text)
        for text in cast("list[str]", texts)
    )


def _is_typable(text: str) -> bool:
    return all(character.isprintable() or character == "\n" for character in text)


def _alike(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").strip() == other.strip()
