"""Taking in a proposal: parse its arguments, remove fields that are for people, normalise."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assent.domain.calls import Frozen
from assent.domain.canonical import Json, check, parse
from assent.domain.decisions import Approve, Arguments
from assent.domain.messages import Proposal
from assent.domain.tools import EffectiveTool
from assent.engine.agents import Toolbox
from assent.engine.vault import MASKED, forged, placements, references
from assent.errors import InvalidArguments, InvalidJson

_SHOWN_NAME_CHARS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """A proposal whose arguments fit the schema that the model sees."""

    tool: EffectiveTool
    arguments: dict[str, Json]
    frozen: Frozen
    prefilled: dict[str, Json] = field(default_factory=dict[str, Json])


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A proposal that is refused before any question; the model is told why.

    `tool` is None if it is unknown.
    """

    tool: EffectiveTool | None
    reason: str
    raw: str


def take_in(proposal: Proposal, toolbox: Toolbox) -> Accepted | Refused:
    """Validate and normalise one proposal."""
    tool = toolbox.get(proposal.tool)
    if tool is None:
        name = proposal.tool[:_SHOWN_NAME_CHARS]
        known = ", ".join(toolbox.tools) or "none"
        reason = f"There is no tool {name!r}. The tools are: {known}."
        return Refused(tool=None, reason=reason, raw=proposal.arguments)
    try:
        return _accepted(tool, _object(tool, proposal.arguments))
    except (InvalidArguments, InvalidJson) as error:
        return Refused(tool=tool, reason=str(error), raw=proposal.arguments)


def _accepted(tool: EffectiveTool, raw: dict[str, Json]) -> Accepted:
    form = tool.tool.user_input
    asked = frozenset[str]() if form is None else {item.name for item in form.fields}
    secret = frozenset[str]() if form is None else form.secrets
    prefilled = {n: value for n, value in raw.items() if n in asked and n not in secret}
    rest = {name: value for name, value in raw.items() if name not in asked}
    arguments = tool.tool.arguments.normalise(rest, partial=True)
    return Accepted(
        tool=tool, arguments=arguments, frozen=Frozen.of(arguments), prefilled=prefilled
    )


def _object(tool: EffectiveTool, text: str) -> dict[str, Json]:
    # Models send nothing at all for a tool without parameters.
    value = parse(text) if text.strip() else {}
    if not isinstance(value, dict):
        raise InvalidArguments(tool.tool.name, ["arguments: a JSON object is wanted"])
    refuse_forged(tool, value)
    return value


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
