"""The tables of work: conversations, turns, messages, calls and their leases."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol, TypedDict, Unpack

from assent.domain.calls import Call, Revision
from assent.domain.conversations import Conversation, Message, TurnRow
from assent.domain.lifecycle import CallStatus, TurnStatus

# A claimed call and the fence it was claimed under.
Held = tuple[str, int]


class CallChanges(TypedDict, total=False):
    """Columns of a call that a transition may set; lengths of time count from that moment."""

    revision: int
    arguments: str
    arguments_digest: str
    definition_hash: str
    policy_version: str
    cleared_by: str | None
    approved: bool
    run_by: timedelta | None
    fence: int
    attempts: int
    worker: str
    lease_until: timedelta
    task_id: str
    metadata: str
    supplied: str
    output: str
    note: str
    settled_at: datetime


class TurnChanges(TypedDict, total=False):
    """Columns of a turn that a change of status may set; `fence` is added to what is there."""

    step: int
    fence: int
    worker: str
    lease_until: timedelta
    error: str | None
    ended_at: datetime | None


class Conversations(Protocol):
    """The conversations table."""

    def add(self, conversation: Conversation) -> None: ...
    def get(self, id: str) -> Conversation | None: ...
    def of_owner(self, owner: str, *, limit: int) -> list[Conversation]: ...


class Turns(Protocol):
    """The turns table: at most one active turn per conversation."""

    def add(
        self, turn: TurnRow, *, owner: str, key: str | None, body: str | None, lease: timedelta
    ) -> None: ...
    def get(self, id: str) -> TurnRow | None: ...
    def lock(self, id: str) -> TurnRow | None:
        """Read it and keep others from changing it until the transaction ends."""
        ...

    def newest(self, conversation_id: str) -> TurnRow | None: ...
    def by_key(self, owner: str, key: str) -> tuple[TurnRow, str | None] | None: ...
    def claim(self, id: str, worker: str, lease: timedelta) -> TurnRow | None:
        """Take a turn that is ready, or whose worker's lease ran out."""
        ...

    def wake(
        self, id: str, worker: str, lease: timedelta, *, seen: TurnRow | None = None
    ) -> TurnRow | None:
        """Take a turn that waited and has no open call any more; cheaper for one that was read."""
        ...

    def rouse(self, id: str) -> None:
        """Leave such a turn to whichever worker looks next."""
        ...

    def move(
        self,
        turn: TurnRow,
        target: TurnStatus,
        *,
        sources: frozenset[TurnStatus],
        fenced: bool = True,
        **changes: Unpack[TurnChanges],
    ) -> bool:
        """One guarded change of status; `fenced` also wants the fence we hold."""
        ...

    def hold(self, turn: TurnRow, target: TurnStatus, **changes: Unpack[TurnChanges]) -> None:
        """Change a turn we hold; `LeaseLost`, at the transaction's end at the latest, if not."""
        ...

    def claimable(self, limit: int) -> list[str]: ...


class Messages(Protocol):
    """The messages table: append only, but for the count of open calls."""

    def append(self, message: Message) -> None: ...
    def get(self, id: str) -> Message | None: ...
    def of_conversation(self, conversation_id: str) -> list[Message]: ...
    def settle(self, message_id: str, *, seen: int | None = None) -> int:
        """One call less keeps the turn waiting; returns how many still do.

        It is cheaper where the count was read before.
        """
        ...


class Calls(Protocol):
    """The calls and revisions tables."""

    def add(self, calls: Sequence[Call]) -> None: ...
    def get(self, id: str) -> Call | None: ...
    def of_conversation(self, conversation_id: str) -> list[Call]: ...
    def of_turn(self, turn_id: str) -> list[Call]: ...
    def by_task(self, task_id: str) -> Call | None: ...
    def move(
        self,
        call: Call,
        target: CallStatus,
        *,
        lost: bool = False,
        in_time: bool = False,
        via: CallStatus | None = None,
        **changes: Unpack[CallChanges],
    ) -> bool:
        """One guarded change: status, revision and fence must be what `call` says.

        By the database's clock: `lost` wants the lease over, `in_time` wants `run_by` ahead. Two
        transitions in one change pass `via` the status between them.
        """
        ...

    def revise(self, revision: Revision) -> None: ...
    def revisions(self, call_id: str) -> list[Revision]: ...
    def claimable(self, limit: int) -> list[str]:
        """Cleared calls that nobody has claimed, oldest first."""
        ...

    def lost(self, limit: int) -> list[Call]:
        """Running calls whose lease ran out."""
        ...


class Leases(Protocol):
    """What a living worker holds."""

    def renew(
        self,
        worker: str,
        lease: timedelta,
        *,
        calls: frozenset[Held],
        turns: frozenset[str],
    ) -> frozenset[Held]:
        """Extend what this worker says it works on; returns the calls it still holds.

        Never by its name alone: a row whose task died would be kept alive for ever.
        """
        ...

    def run_on(self, worker: str, lease: timedelta, *, calls: frozenset[Held]) -> None:
        """Say of calls in doubt that their bodies still run here, for the length of a lease."""
        ...

    def break_others(self, worker: str) -> None:
        """End every other worker's leases: only where a lock says that there is no other."""
        ...
