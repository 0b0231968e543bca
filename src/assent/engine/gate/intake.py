"""Taking in arguments: as proposed by a model, edited by a person, or completed by a form."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from assent.domain.calls import Frozen
from assent.domain.canonical import Json, check, parse
from assent.domain.decisions import Approve, Arguments
from assent.domain.forms import SavedValue, SealedSecret, UserInput, without_nulls
from assent.domain.tools import EffectiveTool
from assent.engine.ids import Ids
from assent.engine.vault import (
    MASKED,
    Vault,
    forged,
    is_reference,
    placements,
    reference,
    references,
)
from assent.errors import InvalidArguments


def proposed_arguments(tool: EffectiveTool, text: str) -> tuple[dict[str, Json], dict[str, Json]]:
    """Return a proposal's arguments, and its values for fields that people are asked for.

    Raises `InvalidArguments` or `InvalidJson` if they do not fit the schema that the model sees.
    """
    # Models send nothing at all for a tool without parameters.
    given = parse(text) if text.strip() else {}
    if not isinstance(given, dict):
        raise InvalidArguments(tool.tool.name, ["arguments: a JSON object is wanted"])
    refuse_forged(tool, given)
    form = tool.tool.user_input
    asked = frozenset[str]() if form is None else {item.name for item in form.fields}
    secret = frozenset[str]() if form is None else form.secrets
    prefilled = {n: value for n, value in given.items() if n in asked and n not in secret}
    rest = {name: value for name, value in given.items() if name not in asked}
    return tool.tool.arguments.normalise(rest, partial=True), prefilled


def refuse_forged(
    tool: EffectiveTool, value: Mapping[str, Json], allowed: frozenset[str] = frozenset()
) -> None:
    """Refuse references to secrets that are not `allowed`: they are attempts to read a secret."""
    if forged(dict(value), allowed):
        raise InvalidArguments(
            tool.tool.name, ["arguments: a reference to a secret is not allowed"]
        )


def revised(tool: EffectiveTool, approval: Approve, before: Frozen) -> Frozen | None:
    """Return the arguments after an approval's edit, whole or in part; None if nothing changes."""
    if approval.edit is not None:
        return edited(tool, {**before.thaw(), **_given(tool, approval.edit)}, before)
    return None if approval.arguments is None else edited(tool, approval.arguments, before)


def edited(tool: EffectiveTool, said: Arguments, before: Frozen) -> Frozen | None:
    """Return arguments written by a person, held to the same rules; None if nothing changes."""
    given = _given(tool, said)
    original = before.thaw()
    refuse_forged(tool, given, frozenset(references(original)))
    _refuse_masks(tool, original, given)
    _refuse_moved_secrets(tool, original, given)
    frozen = Frozen.of(tool.tool.arguments.normalise(given, partial=False))
    return None if frozen.digest == before.digest else frozen


def _given(tool: EffectiveTool, said: Arguments) -> dict[str, Json]:
    given = parse(said) if isinstance(said, str) else check(dict(said))
    if not isinstance(given, dict):
        raise InvalidArguments(tool.tool.name, ["arguments: a JSON object is wanted"])
    return given


def _refuse_masks(
    tool: EffectiveTool, before: Mapping[str, Json], after: Mapping[str, Json]
) -> None:
    # A client that sends back what it was shown would run the mask in place of the value.
    posing = (n for n, value in after.items() if value == MASKED and value != before.get(n))
    if masks := sorted(posing):
        problems = [f"{name}: it is masked here; send its real value" for name in masks]
        raise InvalidArguments(tool.tool.name, problems)


def _refuse_moved_secrets(
    tool: EffectiveTool, before: Mapping[str, Json], after: Mapping[str, Json]
) -> None:
    # A secret answered for one field must not reach another one that is shown or sent elsewhere.
    if placements(dict(after)) != placements(dict(before)):
        raise InvalidArguments(tool.tool.name, ["arguments: a secret's place cannot be edited"])


def known_answers(
    tool: EffectiveTool,
    form: UserInput,
    prefilled: Mapping[str, Json],
    saved: Sequence[SavedValue],
) -> dict[str, Json]:
    """Return the answers that are known without asking.

    These are saved answers of this tool or family, with secrets by reference, and values that the
    model is allowed to fill in.
    """
    secrets = form.secrets
    scope = form.scope(tool.tool.name)
    fillable = {item.name for item in form.fields if item.model_may_fill} - secrets
    given = without_nulls(prefilled)
    allowed = {name: value for name, value in given.items() if name in fillable}
    kept = {
        value.name: value.value
        for value in saved
        # Another tool of the family may have a plain field where this one has a secret.
        if form.save and value.scope == scope and value.secret is (value.name in secrets)
    }
    return {**allowed, **kept}


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Arguments with answers merged in, and the rows to store with them."""

    arguments: dict[str, Json]
    frozen: Frozen
    sealed: tuple[SealedSecret, ...] = ()
    saved: tuple[SavedValue, ...] = ()


def merge(
    tool: EffectiveTool,
    arguments: Mapping[str, Json],
    answers: Mapping[str, Json],
    *,
    conversation_id: str,
    call_id: str,
    vault: Vault,
    ids: Ids,
    at: datetime,
) -> Merged:
    """Put validated answers into the arguments; secrets are sealed and replaced by references."""
    form = tool.tool.user_input
    hidden = frozenset[str]() if form is None else form.secrets
    keep = form is not None and form.save
    fresh = {n for n, value in answers.items() if n in hidden and not is_reference(value)}
    refs = {name: ids("sec") for name in fresh}
    sealed = tuple(
        SealedSecret(
            id=id,
            conversation_id=conversation_id,
            # A saved secret outlives its call; any other is purged with it.
            call_id=None if keep else call_id,
            field=name,
            sealed=vault.seal(str(answers[name]), row=id, field=name),
            at=at,
        )
        for name, id in refs.items()
    )
    values = {n: reference(refs[n]) if n in refs else value for n, value in answers.items()}
    full = tool.tool.arguments.normalise({**arguments, **values}, partial=False)
    saved = tuple(
        SavedValue(
            conversation_id=conversation_id,
            scope=form.scope(tool.tool.name),
            name=name,
            value=value,
            secret=name in hidden,
            at=at,
        )
        for name, value in (values.items() if keep else ())
        if form is not None
    )
    return Merged(arguments=full, frozen=Frozen.of(full), sealed=sealed, saved=saved)
