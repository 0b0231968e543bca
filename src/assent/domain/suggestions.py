"""Suggestions for a field: where its author wants them from, and what was found there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Literal, cast

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.parameters import Check, settle


class CallsOf(StrEnum):
    """The calls that a suggestion is taken from: of the same tool, or of its family."""

    TOOL = "tool"
    FAMILY = "family"


class Within(StrEnum):
    """How far back a suggestion is looked for: always in conversations of the same person."""

    CONVERSATION = "conversation"
    PERSON = "person"


@dataclass(frozen=True, slots=True)
class Suggest:
    """Suggest what the newest successful call had: of this tool, or of its family.

    `within` is this conversation, or all conversations of the person who is asked.
    """

    calls: CallsOf | Literal["tool", "family"] = CallsOf.TOOL
    _: KW_ONLY
    within: Within | Literal["conversation", "person"] = Within.PERSON

    def __post_init__(self) -> None:
        settle(self, _SUGGEST)

    def to_json(self) -> dict[str, Json]:
        """Return the JSON that a field takes as its `suggest`."""
        return {"calls": str(self.calls), "within": str(self.within)}


_SUGGEST: Final = {
    "calls": parameters.one_of(CallsOf),
    "within": parameters.one_of(Within),
}
_PARTS: Final = parameters.made(Suggest, needs=("calls",), may=("within",))


def _read(given: object) -> object:
    if isinstance(given, str):
        calls = _SUGGEST["calls"].read(given)
        return calls if calls is parameters.unfit() else Suggest(cast("CallsOf", calls))
    return _PARTS.read(given)


SUGGEST: Final = Check("'tool', 'family' or a Suggest", _read)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A value that an earlier call of the same person ran with; it is never taken unasked."""

    field: str
    value: Json
    call_id: str
    tool: str
    conversation_id: str
    # The first words of that conversation; empty if it has none.
    title: str
    at: datetime

    def to_json(self) -> dict[str, Json]:
        """Return JSON that `from_json` reads back, to be stored with a request."""
        return {
            "value": self.value,
            "call_id": self.call_id,
            "tool": self.tool,
            "conversation_id": self.conversation_id,
            "title": self.title,
            "at": self.at.isoformat(),
        }

    @classmethod
    def from_json(cls, field: str, data: Json) -> Suggestion:
        """Read the JSON of `to_json`."""
        said = cast("Mapping[str, Any]", data)
        parts: dict[str, Any] = {**said, "at": datetime.fromisoformat(said["at"])}
        return cls(field=field, **parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class LastCall:
    """A call that succeeded last, for one person, scope and conversation.

    `arguments` is the text of what ran; None if it is too long to suggest from.
    """

    call_id: str
    tool: str
    conversation_id: str
    names: frozenset[str]
    arguments: str | None
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsuggested:
    """A field that a person wants no more suggestions for."""

    id: str
    person: str
    scope: str
    name: str
    at: datetime
