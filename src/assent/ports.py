"""What the engine needs from outside: a store, a clock, a chat model."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Protocol, TypedDict, TypeVar, Unpack

from assent.domain.calls import Call, Revision
from assent.domain.conversations import Conversation, Message, Scene, TurnRow
from assent.domain.credentials import Key, Link, Session
from assent.domain.decisions import Decision
from assent.domain.events import Entry, Event, Fact
from assent.domain.feed import Cursor, Page
from assent.domain.insights import Asked, Batch, Hourly, Ruling, Survey
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.domain.messages import Answer, Delta, Prompt
from assent.domain.pages import EntryFilter, Place, RequestFilter, Subject, Summary
from assent.domain.people import Account, Person
from assent.domain.precedents import Precedent
from assent.domain.record import CallFilter, PastCall, RecordFilter, Stretch
from assent.domain.requests import Request
from assent.domain.values import SavedValue, SealedSecret

T = TypeVar("T")
# A claimed call and the fence it was claimed under.
Held = tuple[str, int]


class ChatModel(Protocol):
    """A model to talk to: whole answers, or deltas that end in exactly one `Answer`."""

    @property
    def name(self) -> str: ...

    async def request(self, prompt: Prompt) -> Answer:
        """Ask and wait for the whole answer; raises `ModelFailed`."""
        ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        """Ask and yield deltas, then the whole answer last; raises `ModelFailed`."""
        ...


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


class Clock(Protocol):
    """Process time: for waiting and for leases held in memory, never for deadlines."""

    def monotonic(self) -> float: ...

    def now(self) -> datetime: ...


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

    def break_others(self, worker: str) -> None:
        """End every other worker's leases: only where a lock says that there is no other."""
        ...


class Requests(Protocol):
    """The requests table."""

    def add(self, requests: Sequence[Request]) -> None: ...
    def get(self, id: str) -> Request | None:
        """Read it and, where the database can, lock it: votes are counted under this lock."""
        ...

    def look(self, id: str) -> Request | None:
        """Read it without a lock: to show, not to decide."""
        ...

    def case(self, id: str) -> tuple[Request, Call, Conversation] | None:
        """The same with the call and the conversation it is about, in one statement."""
        ...

    def of_call(self, call_id: str) -> list[Request]: ...
    def of_turn(self, turn_id: str) -> list[Request]: ...
    def close(
        self, request: Request, status: RequestStatus, *, by: str, in_time: bool = False
    ) -> bool:
        """Guarded by `open`; `in_time` also wants the database's clock before the deadline."""
        ...

    def expire(self, request: Request) -> bool:
        """Guarded by `open` and a deadline that passed by the database's clock."""
        ...

    def keep_draft(self, request: Request, draft: str) -> bool: ...
    def due(self, limit: int) -> list[str]: ...


class Decisions(Protocol):
    """The decisions table: votes."""

    def add(self, decision: Decision) -> None: ...
    def of_request(self, request_id: str) -> list[Decision]: ...
    def by_key(self, person: str, key: str) -> Decision | None: ...


class Journal(Protocol):
    """Audit entries and events; what is noted commits with the transaction."""

    def note(self, entry: Entry) -> None: ...
    def tell(self, turn_id: str, *facts: Fact) -> None: ...
    def events(self, turn_id: str, after: int, limit: int) -> list[Event]: ...
    def entries(
        self, *, conversation_id: str | None = None, call_id: str | None = None
    ) -> list[Entry]: ...


class Feed(Protocol):
    """The events of all turns in one order; a reader that goes on from a cursor misses nothing."""

    def head(self) -> Cursor:
        """The newest place that nothing can come before any more."""
        ...

    def page(self, after: Cursor) -> Page: ...


class Values(Protocol):
    """Saved answers of a conversation, and sealed secrets."""

    def save(self, values: Sequence[SavedValue]) -> None: ...
    def saved(self, conversation_id: str) -> list[SavedValue]: ...
    def clear(self, conversation_id: str, scope: str | None) -> int: ...
    def seal(self, secrets: Sequence[SealedSecret]) -> None: ...
    def sealed(self, ids: Sequence[str]) -> list[SealedSecret]: ...
    def purge(self, call_id: str) -> int: ...


class People(Protocol):
    """The people table."""

    def add(self, account: Account) -> None: ...
    def get(self, id: str) -> Account | None: ...
    def all(self) -> list[Account]: ...
    def behind(self, human: str) -> list[str]:
        """The accounts that stand for this human."""
        ...

    def change(self, account: Account) -> None: ...
    def link(self, id: str, human: str | None) -> None:
        """Say in conversations and open requests who is behind their owner."""
        ...


class Keys(Protocol):
    """The API keys table: hashes of keys, never keys."""

    def add(self, key: Key, hashed: str) -> None: ...
    def get(self, id: str) -> Key | None: ...
    def all(self, person: str | None) -> list[Key]: ...
    def by_prefix(self, prefix: str) -> tuple[Key, str, Account] | None:
        """A key with its hash and whose it is."""
        ...

    def revoke(self, id: str) -> bool:
        """Guarded: False where it was revoked before."""
        ...

    def used(self, id: str) -> None: ...


class Sessions(Protocol):
    """The sessions table: hashes of tokens, never tokens."""

    def add(self, session: Session, hashed: str) -> None: ...
    def by_hash(self, hashed: str) -> tuple[Session, Account, Key | None] | None:
        """A session, whose it is, and the API key it began with."""
        ...

    def get(self, id: str) -> tuple[Session, Account, Key | None] | None: ...
    def of_person(self, person: str) -> list[Session]: ...
    def seen(self, id: str) -> None: ...
    def end(self, id: str) -> bool:
        """Guarded: False where it had ended before."""
        ...

    def purge(self, before: datetime) -> None: ...


class Links(Protocol):
    """The links table: what authenticates a link, never its secret."""

    def add(self, link: Link, mac: str) -> None: ...
    def get(self, id: str) -> tuple[Link, str] | None: ...
    def redeem(self, id: str) -> bool:
        """Guarded: True for one caller only, and only before it expires."""
        ...

    def purge(self, before: datetime) -> None: ...


class Standing(Protocol):
    """Whom credentials stand for now, many at once; what does not hold is left out."""

    def keys(self, ids: Iterable[str]) -> dict[str, Person]: ...
    def sessions(self, ids: Iterable[str], idle: timedelta) -> dict[str, Person]: ...
    def accounts(self, ids: Iterable[str]) -> list[Account]: ...


class Settings(Protocol):
    """A deployment's own settings: overrides of tools, and facts about the database."""

    def overrides(self) -> dict[str, str]: ...
    def override(self, tool: str, settings: str | None, by: str) -> None: ...
    def fact(self, name: str) -> str | None: ...
    def set_fact(self, name: str, value: str) -> None: ...
    def add_fact(self, name: str, value: str) -> None:
        """Only where there is none: of two that add at once, the second looks again."""
        ...


class Snapshots(Protocol):
    """Several tables read at once."""

    def turn(self, id: str) -> tuple[TurnRow, str, list[Call], list[Request]] | None:
        """A turn, the text of its newest answer, its calls and its open requests."""
        ...

    def scene(
        self, conversation_id: str, turn_id: str, *, last_of: str | None = None
    ) -> Scene | None:
        """A turn with its conversation's messages and calls, in one statement.

        Of the messages only `last_of` as long as several of its calls are open: whoever settles
        the last one needs the rest.
        """
        ...


class Listings(Protocol):
    """Pages, newest first; `after` is the last row of the page before."""

    def requests(
        self, wanted: RequestFilter, *, after: Place | None, limit: int
    ) -> list[Request]: ...
    def requests_of(
        self, owner: str, wanted: RequestFilter, *, after: Place | None, limit: int
    ) -> list[Request]: ...
    def requests_put_to(
        self, principal: str, wanted: RequestFilter, *, after: Place | None, limit: int
    ) -> list[Request]:
        """Those whose audience names a role or a person; see `names_of`."""
        ...

    def conversations(
        self, owner: str | None, *, agent: str | None, after: Place | None, limit: int
    ) -> list[Summary]: ...
    def entries(self, wanted: EntryFilter, *, after: Place | None, limit: int) -> list[Entry]: ...


class Counts(Protocol):
    """How much there is of something, counted no further than `limit`."""

    def open_of_owner(self, owner: str, *, limit: int) -> int: ...
    def open_of_agent(self, agent: str, *, limit: int) -> int: ...
    def open_for(self, person: Person, *, limit: int) -> int:
        """Open requests that this person may decide."""
        ...

    def turns_within(self, owner: str, length: timedelta, *, limit: int) -> int: ...
    def conversations_within(self, owner: str, length: timedelta, *, limit: int) -> int: ...
    def stored(self, conversation_id: str) -> tuple[int, int]:
        """How many messages a conversation has, and characters with its calls."""
        ...


class Directory(Protocol):
    """People and keys by pages; a page begins after the last id of the one before."""

    def people(self, piece: str, *, after: str, limit: int) -> list[Account]: ...
    def keys(self, person: str | None, *, after: str, limit: int) -> list[Key]:
        """Newest first; revoked ones as well."""
        ...

    def last_seen(self, ids: Iterable[str]) -> dict[str, datetime]:
        """When each of them last used a session or a key, as far as that is known."""
        ...

    def changes(self, actions: Iterable[str], about: tuple[str, str], *, limit: int) -> list[Entry]:
        """Entries of no conversation, newest first, whose data has this name and value."""
        ...


class Insights(Protocol):
    """What a survey looks at, newest first: `limit` rows at a time, from the row `upto` down."""

    def answered(self, survey: Survey, *, upto: str | None, limit: int) -> Batch[Ruling]: ...
    def asked(self, survey: Survey, *, upto: str | None, limit: int) -> Batch[Asked]: ...
    def refused(self, survey: Survey, *, upto: str | None, limit: int) -> Batch[Hourly]:
        """Calls that a quota ended before anybody was asked."""
        ...


class Record(Protocol):
    """What happened, newest first; of rows that no index finds only so many are looked at."""

    def calls(
        self, wanted: CallFilter, *, after: Place | None, limit: int
    ) -> Stretch[PastCall]: ...
    def calls_of(
        self, owner: str, wanted: CallFilter, *, after: Place | None, limit: int
    ) -> Stretch[PastCall]:
        """Those of one person's conversations, newest turn first."""
        ...

    def entries(
        self, wanted: RecordFilter, *, after: Place | None, limit: int
    ) -> Stretch[Entry]: ...
    def progress(self, turn_id: str, *, limit: int) -> list[Event]:
        """What running calls of a turn reported last, oldest first."""
        ...


class Openings(Protocol):
    """What conversations began with."""

    def of_owner(self, owner: str, *, after: Place | None, limit: int) -> dict[str, str]:
        """The first words said in each conversation of a page, by its id; newest first."""
        ...


class Subjects(Protocol):
    """What requests are about."""

    def arguments(self, calls: Iterable[str], *, longest: int) -> dict[str, Subject]:
        """The arguments of calls as they are now; those of more characters only by their size."""
        ...


class Precedents(Protocol):
    """Earlier decisions about calls of the same tool by the same agent, newest first.

    Of the requests before this one only the newest are looked at. With `viewer`, only what was
    asked on their behalf or decided by them.
    """

    def of_owner(self, request: Request, *, viewer: str | None, limit: int) -> list[Precedent]: ...
    def of_everybody(
        self, request: Request, *, viewer: str | None, limit: int
    ) -> list[Precedent]: ...
    def rejections(self, request: Request, digest: str) -> int:
        """How often a call with these arguments was rejected in its conversation before."""
        ...


class Tx(Protocol):
    """One transaction: small objects by noun. It commits when the function returns."""

    @property
    def conversations(self) -> Conversations: ...
    @property
    def turns(self) -> Turns: ...
    @property
    def messages(self) -> Messages: ...
    @property
    def calls(self) -> Calls: ...
    @property
    def leases(self) -> Leases: ...
    @property
    def requests(self) -> Requests: ...
    @property
    def decisions(self) -> Decisions: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def feed(self) -> Feed: ...
    @property
    def values(self) -> Values: ...
    @property
    def people(self) -> People: ...
    @property
    def keys(self) -> Keys: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def links(self) -> Links: ...
    @property
    def standing(self) -> Standing: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def snapshots(self) -> Snapshots: ...
    @property
    def listings(self) -> Listings: ...
    @property
    def counts(self) -> Counts: ...
    @property
    def precedents(self) -> Precedents: ...
    @property
    def record(self) -> Record: ...
    @property
    def directory(self) -> Directory: ...
    @property
    def insights(self) -> Insights: ...
    @property
    def openings(self) -> Openings: ...
    @property
    def subjects(self) -> Subjects: ...
    def now(self) -> datetime:
        """The database's clock, at this moment."""
        ...


class Store(Protocol):
    """A database: `run` is all the engine does with it."""

    async def open(self, *, worker: bool) -> None:
        """Connect and bring the schema up to date; a second SQLite worker is refused."""
        ...

    async def close(self) -> None: ...

    async def run(self, fn: Callable[[Tx], T]) -> T:
        """Run a plain function in one transaction; what it raises rolls everything back."""
        ...

    def listen(self, heard: Callable[[frozenset[str]], None]) -> None:
        """Call back after commits: turns that changed here, or nothing for a change elsewhere."""
        ...
