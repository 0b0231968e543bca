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


class Author(StrEnum):
    """Who made a revision of the arguments."""

    MODEL = "model"
    EDIT = "edit"
    ANSWER = "answer"
    DEFINITION = "definition"


class Frozen(Struct, frozen=True, eq=False):
    """Arguments as immutable canonical text; everything shown or run derives from it.

    Reads like a mapping: `call.arguments["path"]`. `thaw` gives a dict that may be changed.
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
        """Whether the text still is what the digest was made of."""
        return digest(self.text) == self.digest

    def thaw(self) -> dict[str, Json]:
        """A fresh copy of the arguments."""
        # Ours as long as the digest fits, and read ten times as fast as what has to be checked.
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
        # No arguments are arguments too: `edited or original` must not pass over them.
        return True

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Frozen):
            return self.text == other.text and self.digest == other.digest
        return self.thaw() == other if isinstance(other, Mapping) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.text)

    def get(self, name: str, default: T | None = None) -> Json | T:
        """The argument of that name, or the default."""
        return self.thaw().get(name, default)

    def keys(self) -> KeysView[str]:
        """The names of the arguments."""
        return self.thaw().keys()

    def values(self) -> ValuesView[Json]:
        """The values of the arguments."""
        return self.thaw().values()

    def items(self) -> ItemsView[str, Json]:
        """Names and values."""
        return self.thaw().items()


# A struct cannot inherit from it, and `isinstance(arguments, Mapping)` is what people ask.
Mapping.register(Frozen)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - typeshed hides it


class Call(Struct, frozen=True, kw_only=True):
    """One row of the calls table.

    `fence` grows with every claim; who holds an older one can neither run nor record anything.
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

    @property
    def is_settled(self) -> bool:
        """Whether nothing can happen to it any more."""
        return self.status in TERMINAL

    @property
    def failed(self) -> bool:
        """Whether the model should read the output as an error."""
        return self.is_settled and self.status is not CallStatus.SUCCEEDED

    @property
    def result(self) -> Json:
        """What came of it, as the model reads it; None as long as there is nothing."""
        return None if self.output is None else json.loads(self.output)


class Revision(Struct, frozen=True, kw_only=True):
    """One version of a call's arguments, and who made it."""

    call_id: str
    revision: int
    arguments: Frozen
    author: Author
    by: str
    at: datetime
