"""One transaction, as the engine sees it."""

from datetime import datetime
from typing import Any

from assent.store.calls import StoredCalls, StoredLeases
from assent.store.conversations import StoredConversations, StoredMessages, StoredTurns
from assent.store.counts import StoredCounts
from assent.store.credentials import StoredLinks, StoredSessions
from assent.store.directory import StoredDirectory
from assent.store.feed import StoredFeed
from assent.store.insights import StoredInsights
from assent.store.journal import StoredJournal
from assent.store.listing import StoredListings
from assent.store.openings import StoredOpenings
from assent.store.people import StoredKeys, StoredPeople
from assent.store.precedents import StoredPrecedents
from assent.store.record import StoredRecord
from assent.store.requests import StoredDecisions, StoredRequests
from assent.store.rows import Driver, moment
from assent.store.snapshots import StoredSnapshots
from assent.store.standing import StoredStanding
from assent.store.subjects import StoredSubjects
from assent.store.values import StoredSettings, StoredValues


class Transaction:
    """Small objects by noun over one open transaction, each made when it is first asked for."""

    conversations: StoredConversations
    turns: StoredTurns
    messages: StoredMessages
    calls: StoredCalls
    leases: StoredLeases
    requests: StoredRequests
    decisions: StoredDecisions
    journal: StoredJournal
    feed: StoredFeed
    values: StoredValues
    people: StoredPeople
    keys: StoredKeys
    sessions: StoredSessions
    links: StoredLinks
    standing: StoredStanding
    settings: StoredSettings
    snapshots: StoredSnapshots
    listings: StoredListings
    counts: StoredCounts
    precedents: StoredPrecedents
    record: StoredRecord
    insights: StoredInsights
    directory: StoredDirectory
    openings: StoredOpenings
    subjects: StoredSubjects

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def __getattr__(self, name: str) -> Any:
        # Most transactions use three or four of them.
        noun = Transaction.__annotations__.get(name)
        if noun is None:
            raise AttributeError(name)
        made = noun(self._driver)
        setattr(self, name, made)
        return made

    def now(self) -> datetime:
        return moment(self._driver.clock())

    def finish(self) -> frozenset[str]:
        """Write the journal; returns the turns that have something new."""
        return self.journal.flush(self._driver.clock())
