"""A tool call on record: frozen arguments, their digest, and where it stands."""

import json
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from datetime import datetime
from enum import StrEnum
from typing import Literal, TypeVar, cast

from msgspec import Struct

from assent.domain.canonical import Json, digest, encode, parse
from assent.domain.lifecycle import TERMINAL, CallStatus

T = TypeVar("T")
# In `cleared_by` of a call that failed because a quota was used up.
CROWDED = "quota"


class Author(StrEnum):
    """The origin of a revision of the arguments."""

    MODEL = "model"
    EDIT = "edit"
    ANSWER = "answer"
    DEFINITION = "definition"


class Frozen(Struct, frozen=True, eq=False):
    """Arguments as immutable canonical text; all that is shown or run is derived from it.

    It reads like a mapping: `call.arguments["path"]`. `thaw` returns a dict that may be changed.
    """

    text: str
    digest: str

    @classmethod
    def of(cls, value: Json) -> "Frozen":
        """Freeze a normalised value."""
        text = encode(value)
        return cls(text, digest(text))

    @property
    def is_intact(self) -> bool:
        """True if the digest is that of the text."""
        return digest(self.text) == self.digest

    def thaw(self) -> dict[str, Json]:
        """Return a copy of the arguments."""
        # A text that fits its digest was checked when it was frozen; this reads ten times as fast.
        value = cast("Json", json.loads(self.text)) if self.is_intact else parse(self.text)
        return value if isinstance(value, dict) else {"arguments": value}

    def __getitem__(self, name: str) -> Json:
        return self.thaw()[name]

    def __contains__(self, name: object) -> bool:
        return name in self.thaw()

    def __iter__(self) -> Iterator[str]:
        return iter(self.thaw())

    def __len__(self) -> int:
        return len(self.thaw())

    def __bool__(self) -> Literal[True]:
        # Empty arguments are still arguments: `edited or original` must not skip them.
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Frozen):
            return self.text == other.text and self.digest == other.digest
        return self.thaw() == other if isinstance(other, Mapping) else NotImplemented

    def __ne__(self, other: object) -> bool:
        # A struct has one of its own, which knows nothing of ours.
        return not self == other

    def __hash__(self) -> int:
        return hash(self.text)

    def get(self, name: str, default: T | None = None) -> Json | T:
        """Return the argument of that name, or the default."""
        return self.thaw().get(name, default)

    def keys(self) -> KeysView[str]:
        """Return the names of the arguments."""
        return self.thaw().keys()

    def values(self) -> ValuesView[Json]:
        """Return the values of the arguments."""
        return self.thaw().values()

    def items(self) -> ItemsView[str, Json]:
        """Return the names and values of the arguments."""
        return self.thaw().items()


# A struct cannot inherit from Mapping, and callers test `isinstance(arguments, Mapping)`.
Mapping.register(Frozen)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - typeshed hides it


class Call(Struct, frozen=True, kw_only=True):
    """One row of the calls table.

    `fence` grows with every claim; a worker with an older one can neither run nor record anything.
    """

    id: str
    conversation_id: str
    turn_id: str
    message_id: str
    position: int
    provider_id: str
    agent: str
    tool: str
    source: str
    risk: str
    definition_hash: str
    status: CallStatus
    revision: int
    arguments: Frozen
    proposed: str
    created_at: datetime
    cleared_by: str | None = None
    approved: bool = False
    policy_version: str = ""
    turn_number: int = 1
    step: int = 1
    run_by: datetime | None = None
    fence: int = 0
    attempts: int = 0
    worker: str | None = None
    lease_until: datetime | None = None
    task_id: str | None = None
    metadata: str | None = None
    supplied: str | None = None
    output: str | None = None
    settled_at: datetime | None = None
    note: str | None = None
    # True if an agent outside made it; with `by_caller`, that agent also runs it.
    outside: bool = False
    by_caller: bool = False

    @property
    def is_settled(self) -> bool:
        """True if the call has ended; its status never changes again."""
        return self.status in TERMINAL

    @property
    def failed(self) -> bool:
        """True if the call has ended and its output is an error."""
        return self.is_settled and self.status is not CallStatus.SUCCEEDED

    @property
    def result(self) -> Json:
        """The output as the model reads it; None as long as there is none."""
        return None if self.output is None else json.loads(self.output)


class Revision(Struct, frozen=True, kw_only=True):
    """One version of a call's arguments, with its author."""

    call_id: str
    revision: int
    arguments: Frozen
    author: Author
    by: str
    at: datetime
