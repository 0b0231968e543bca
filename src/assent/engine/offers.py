"""Options that were offered for a field, each with a proof of it.

Only an option with its proof counts as an answer: nobody can send a value that was not offered.
"""

import base64
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from assent.domain.canonical import Json, encode, parse
from assent.domain.field_types import Control
from assent.domain.field_types.searches import NOT_OFFERED, PROOF
from assent.domain.fields import Field, Option
from assent.domain.forms import UserInput
from assent.domain.requests import Request
from assent.engine.vault import Vault
from assent.errors import InvalidAnswer, InvalidJson


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedOption:
    """An option with the proof that it was offered for one field of one request."""

    value: str
    label: str
    proof: str


def offered(vault: Vault, request: Request, name: str, option: Option) -> OfferedOption:
    """Return an option with its proof."""
    content = encode([option.value, option.label]).encode()
    text, kid = base64.urlsafe_b64encode(content).decode(), vault.kid
    mac = vault.mac(["option", request.id, name, text], kid=kid)
    return OfferedOption(value=option.value, label=option.label, proof=f"{kid}.{text}.{mac}")


def option_in(vault: Vault, request: Request, name: str, proof: object) -> Option | None:
    """Return the option that a proof is of; None if this field of this request never offered it."""
    parts = PROOF.fullmatch(proof) if isinstance(proof, str) else None
    if parts is None:
        return None
    kid, text, given = parts.groups()
    made = vault.mac(["option", request.id, name, text], kid=kid)
    if made is None or not hmac.compare_digest(made, given):
        return None
    try:
        value, label = cast("list[str]", parse(base64.urlsafe_b64decode(text).decode()))
    except (InvalidJson, ValueError):
        return None
    return Option(value, label)


def proven(
    vault: Vault, request: Request, form: UserInput, values: Mapping[str, object]
) -> dict[str, object]:
    """Return the answers with the options that proofs are of; raises `InvalidAnswer` for others."""
    searched = [each for each in form.fields if each.kind.control is Control.SEARCH]
    found, errors = dict(values), dict[str, str]()
    for field in searched:
        if not field.is_given(values.get(field.name)):
            continue
        option = option_in(vault, request, field.name, values[field.name])
        if option is None:
            errors[field.name] = NOT_OFFERED
        else:
            found[field.name] = _value(option)
    if errors:
        raise InvalidAnswer(errors)
    return found


def _value(option: Option) -> dict[str, Json]:
    return {"value": option.value, "label": option.label}


def drafted(vault: Vault, request: Request, field: Field, value: Json) -> OfferedOption | None:
    """Return the option of a saved draft, offered anew."""
    if not field.is_given(value):
        return None
    option = cast("dict[str, str]", field.accept(value))
    return offered(vault, request, field.name, Option(option["value"], option["label"]))
