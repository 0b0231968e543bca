"""Metadata of tools, and the defaults for what an author does not declare."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Self, cast

from assent.domain import parameters, people
from assent.domain.confirmations import Confirmation
from assent.domain.forms import UserInput
from assent.domain.origins import Origin
from assent.domain.parameters import Check, optional, taken
from assent.domain.people import Audience
from assent.domain.tools import (
    LOCAL,
    SAID,
    ArgumentsCodec,
    Hint,
    Kind,
    OutputCodec,
    Predicate,
    PredicateGiven,
    Previewer,
    Risk,
    Tool,
    risk_by_name,
)
from assent.errors import InvalidTool

Wish = bool | PredicateGiven


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """The metadata that an author may declare for a tool; the defaults are the careful ones.

    None means not declared; for `timeout` and `decide_within` it means no limit.
    """

    risk: Risk | None = None
    requires_approval: Wish | None = None
    confirmation: Confirmation | None = None
    impact: str = ""
    category: str = ""
    source: str = LOCAL
    version: str = ""
    timeout: timedelta | None = timedelta(minutes=5)
    decide_within: timedelta | None = timedelta(hours=24)
    idempotent: bool | None = None
    caller_roles: frozenset[str] = frozenset()
    approvers: Audience | None = None
    question: str = ""
    hints: Mapping[str, Hint] | None = None
    preview: Previewer | None = None
    user_input: UserInput | None = None


def _form(given: object) -> object:
    fits = isinstance(given, UserInput | Mapping)
    return cast("object", given) if fits else parameters.unfit()


_OTHER_NAMES: Final = {
    "requires_confirmation": "requires_approval",
    "hil": "requires_approval",
    "requires_user_input": "user_input",
}
_UNLIMITED: Final = ("timeout", "decide_within")
_OWN: Final[Mapping[str, Check]] = {
    **{name: check if name in _UNLIMITED else optional(check) for name, check in SAID.items()},
    "approvers": optional(people.audience),
    "user_input": optional(
        Check("a UserInput, or a mapping of reason, fields and save_for_session", _form)
    ),
}
# All parameters, under all their names.
METADATA: Final[Mapping[str, Check]] = _OWN | {
    other: _OWN[name] for other, name in _OTHER_NAMES.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredMetadata:
    """Checked metadata, and the names of the parameters that the author declared."""

    values: Metadata
    names: frozenset[str]

    @classmethod
    def of(cls, tool: str, given: Mapping[str, Any]) -> Self:
        """Check the parameters of a tool; an error names the tool and the parameter."""
        where = f"Tool {parameters.shown(tool)}"
        values = taken(where, given, METADATA)
        _refuse_disagreement(tool, given)
        said: dict[str, Any] = {
            _OTHER_NAMES.get(name, name): value
            for name, value in values.items()
            if value is not None or name in _UNLIMITED
        }
        if isinstance(said.get("user_input"), Mapping):
            said["user_input"] = UserInput.of(f"{where}: its form", said["user_input"])
        return cls(values=Metadata(**said), names=frozenset(said))

    def origins(self) -> dict[str, Origin]:
        """Return the origin of each value: declared, or the default."""
        said = {"audience" if name == "approvers" else name for name in self.names}
        return {
            name: Origin.DECLARED if name in said else Origin.DEFAULT
            for name in (*SAID, "audience", "run_within")
        }


def _refuse_disagreement(tool: str, given: Mapping[str, Any]) -> None:
    for name in set(_OTHER_NAMES.values()):
        names = [name, *(other for other, own in _OTHER_NAMES.items() if own == name)]
        said = [given[each] for each in names if given.get(each) is not None]
        if any(each != said[0] for each in said):
            *most, last = names
            raise InvalidTool(
                tool, f"{', '.join(most)} and {last} mean the same and have different values"
            )


def assemble(
    name: str,
    description: str,
    kind: Kind,
    *,
    arguments: ArgumentsCodec,
    output: OutputCodec | None,
    metadata: DeclaredMetadata,
) -> Tool:
    """Build a tool, with defaults for what its author did not declare."""
    said, origins = metadata.values, metadata.origins()
    risk, origins["risk"] = _risk(name, said)
    wish, origins["requires_approval"] = _wish(name, risk, said)
    for by_risk in ("idempotent", "confirmation"):
        if getattr(said, by_risk) is None:
            origins[by_risk] = Origin.RISK
    _want_known(name, said.hints or {}, arguments)
    return Tool(
        name=name,
        description=description,
        kind=kind,
        arguments=arguments,
        output=output,
        risk=risk,
        requires_approval=cast("bool | Predicate", wish),
        confirmation=said.confirmation,
        impact=said.impact,
        category=said.category,
        source=said.source,
        version=said.version,
        timeout=said.timeout,
        decide_within=said.decide_within,
        idempotent=risk is Risk.SAFE if said.idempotent is None else said.idempotent,
        caller_roles=said.caller_roles,
        audience=Audience() if said.approvers is None else said.approvers,
        question=said.question,
        hints={} if said.hints is None else said.hints,
        preview=said.preview,
        user_input=said.user_input,
        origins=origins,
    )


def _risk(name: str, said: Metadata) -> tuple[Risk, Origin]:
    if said.risk is not None:
        return said.risk, Origin.DECLARED
    by_name = risk_by_name(name)
    if said.source != LOCAL and by_name is not Risk.DANGEROUS:
        # Its author is a stranger: a harmless name says nothing.
        return Risk.MODERATE, Origin.SOURCE
    return (Risk.MODERATE, Origin.DEFAULT) if by_name is None else (by_name, Origin.NAME)


def _wish(name: str, risk: Risk, said: Metadata) -> tuple[Wish, Origin]:
    """Return the rule for asking; a declared risk alone does not waive what the name implies."""
    if said.requires_approval is not None:
        return said.requires_approval, Origin.DECLARED
    if said.source != LOCAL:
        return True, Origin.SOURCE
    by_name = risk_by_name(name)
    if by_name in (Risk.MODERATE, Risk.DANGEROUS):
        return True, Origin.NAME
    if risk is Risk.DANGEROUS:
        return True, Origin.RISK
    return False, Origin.DEFAULT if by_name is None else Origin.NAME


def _want_known(tool: str, hints: Mapping[str, Hint], arguments: ArgumentsCodec) -> None:
    """Raise for a hint about an unknown argument: a secret spelt wrongly would be shown."""
    schema = arguments.full
    properties = schema.get("properties")
    if schema.get("additionalProperties") is not False or not isinstance(properties, dict):
        return
    for name in hints:
        if name not in properties:
            raise InvalidTool(tool, f"hints name {name!r}, which is not one of its parameters")
