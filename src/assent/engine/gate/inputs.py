"""Answers to forms: saved answers, merging, and secrets that leave only a reference behind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from assent.domain.calls import Frozen
from assent.domain.canonical import Json
from assent.domain.forms import SavedValue, SealedSecret, UserInput
from assent.domain.tools import EffectiveTool
from assent.engine.ids import Ids
from assent.engine.vault import Vault, is_reference, reference


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
    allowed = {name: value for name, value in prefilled.items() if name in fillable}
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
