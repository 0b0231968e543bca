"""Taking in arguments that a model proposed or a person edited: parsed, checked, normalised."""

from collections.abc import Mapping

from assent.domain.calls import Frozen
from assent.domain.canonical import Json, check, parse
from assent.domain.decisions import Approve, Arguments
from assent.domain.tools import EffectiveTool
from assent.engine.vault import MASKED, forged, placements, references
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
    """Refuse a reference to a secret not made for this call: it is an attempt to read one."""
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
