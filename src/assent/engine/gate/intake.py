"""Taking in arguments: as proposed by a model, or edited by a person."""

from collections.abc import Mapping

from assent.domain.calls import Frozen
from assent.domain.canonical import Json, check, parse
from assent.domain.decisions import Approve, Arguments
from assent.domain.tools import EffectiveTool
from assent.engine.vault import MASKED, forged, placements, references
from assent.errors import InvalidAnswer, InvalidArguments

_ANSWERED = "only who was asked can answer this; reject the call and say why"


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
    withheld = frozenset[str]() if form is None else form.withheld
    prefilled = {n: value for n, value in given.items() if n in asked and n not in withheld}
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
    _refuse_changed_files(tool, original, given)
    taken = _as_the_form_takes_it(tool, original, given)
    frozen = Frozen.of(tool.tool.arguments.normalise(taken, partial=False))
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


def _refuse_changed_files(
    tool: EffectiveTool, before: Mapping[str, Json], after: Mapping[str, Json]
) -> None:
    # A reference is proof that somebody uploaded the file for this call: nobody can write one.
    taken = () if tool.tool.user_input is None else tool.tool.user_input.files
    if changed := sorted(name for name in taken if before.get(name) != after.get(name)):
        reason = "a file cannot be edited; reject the call and say why"
        raise InvalidArguments(tool.tool.name, [f"{name}: {reason}" for name in changed])


def _as_the_form_takes_it(
    tool: EffectiveTool, before: Mapping[str, Json], after: Mapping[str, Json]
) -> dict[str, Json]:
    """Return edited arguments with the values of form fields as their fields read them.

    Raises `InvalidArguments` for what nobody could have answered: a body relies on its form.
    """
    form, taken, problems = tool.tool.user_input, dict(after), list[str]()
    for item in () if form is None else form.fields:
        value, was = after.get(item.name), before.get(item.name)
        # Secrets and files are held to more than this above.
        if value == was or item.kind.is_secret or item.kind.takes_files:
            continue
        if item.kind.is_personal:
            problems.append(f"{item.name}: {_ANSWERED}")
        elif item.is_given(value):
            try:
                taken[item.name] = item.accept(value)
            except InvalidAnswer as error:
                problems.append(f"{item.name}: {error.errors[item.name]}")
        elif item.required and item.is_given(was):
            problems.append(f"{item.name}: This is required.")
    if problems:
        raise InvalidArguments(tool.tool.name, problems)
    return taken
