"""What pages and lists read: several tables at once, never changed here."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Protocol

from assent.domain.calls import Call
from assent.domain.conversations import Scene, TurnRow
from assent.domain.events import Entry, Event
from assent.domain.insights import DecisionRow, Hourly, RecordRows, RequestCount, Survey
from assent.domain.paging import EntryFilter, Place, RequestFilter, Subject, Summary
from assent.domain.people import Person
from assent.domain.record import CallFilter, PastCall, Precedent, RecordFilter, Stretch
from assent.domain.requests import Request


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
        """Those whose audience names a role or a person; see `person_keys`."""
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


class Insights(Protocol):
    """What a survey looks at, newest first: `limit` rows at a time, from the row `upto` down."""

    def answered(
        self, survey: Survey, *, upto: str | None, limit: int
    ) -> RecordRows[DecisionRow]: ...
    def asked(
        self, survey: Survey, *, upto: str | None, limit: int
    ) -> RecordRows[RequestCount]: ...
    def refused(self, survey: Survey, *, upto: str | None, limit: int) -> RecordRows[Hourly]:
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
