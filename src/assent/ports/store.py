"""A database, and one transaction of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

# Only named here: what they are about is loaded by those who deal with it.
if TYPE_CHECKING:
    from assent.ports.people import Directory, Keys, Links, People, Sessions, Standing
    from assent.ports.questions import Decisions, Feed, Journal, Requests, Settings, Values
    from assent.ports.views import (
        Counts,
        Insights,
        Listings,
        Openings,
        Precedents,
        Record,
        Snapshots,
        Subjects,
    )
    from assent.ports.work import Calls, Conversations, Leases, Messages, Turns

T = TypeVar("T")


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

    def listen_for_work(self, found: Callable[[], None]) -> None:
        """Call back when another process may have left something that a worker has to look at."""
        ...
