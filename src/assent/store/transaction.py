"""One transaction, as the engine sees it."""

from collections.abc import Callable
from datetime import datetime

from assent.store.calls import StoredCalls, StoredLeases, StoredSubjects
from assent.store.chats import StoredChats
from assent.store.conversations import StoredConversations, StoredMessages, StoredTurns
from assent.store.counts import StoredCounts
from assent.store.credentials import StoredLinks, StoredSessions, StoredStanding
from assent.store.definitions import StoredDefinitions
from assent.store.deliveries import StoredDeliveries
from assent.store.directory import StoredDirectory
from assent.store.feed import StoredFeed
from assent.store.insights import StoredInsights
from assent.store.journal import StoredJournal
from assent.store.listing import StoredListings, StoredOpenings
from assent.store.own_rules import StoredOwnRules
from assent.store.people import StoredKeys, StoredPeople
from assent.store.pins import StoredPins
from assent.store.precedents import StoredPrecedents
from assent.store.preferences import StoredPreferences
from assent.store.record import StoredRecord
from assent.store.requests import StoredDecisions, StoredRequests
from assent.store.rows import Driver, moment
from assent.store.snapshots import StoredSnapshots
from assent.store.suggestions import StoredSuggestions
from assent.store.uploads import StoredFiles
from assent.store.values import StoredSettings, StoredValues


class Transaction:
    """One transaction (`Tx`): one small object per noun, each made on first use."""

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
    deliveries: StoredDeliveries
    chats: StoredChats
    definitions: StoredDefinitions
    pins: StoredPins
    preferences: StoredPreferences
    suggestions: StoredSuggestions
    own_rules: StoredOwnRules
    files: StoredFiles

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def now(self) -> datetime:
        """Return the time of the database's clock."""
        return moment(self.driver.clock())

    def finish(self) -> frozenset[str]:
        """Write the journal; returns the turns that have something new."""
        return self.journal.flush(self.driver.clock())


class _Noun:
    """Makes an object on first use, and stores it in the instance, where Python looks first."""

    def __init__(self, name: str, kind: Callable[[Driver], object]) -> None:
        self._name, self._kind = name, kind

    def __get__(self, transaction: Transaction, _: type) -> object:
        made = transaction.__dict__[self._name] = self._kind(transaction.driver)
        return made


# Most transactions use three or four of them.
for _name, _kind in Transaction.__annotations__.items():
    setattr(Transaction, _name, _Noun(_name, _kind))
