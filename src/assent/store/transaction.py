"""One transaction, as the engine sees it."""

from datetime import datetime

from assent.store.calls import StoredCalls, StoredLeases
from assent.store.conversations import StoredConversations, StoredMessages, StoredTurns
from assent.store.counts import StoredCounts
from assent.store.credentials import StoredLinks, StoredSessions
from assent.store.feed import StoredFeed
from assent.store.journal import StoredJournal
from assent.store.listing import StoredListings
from assent.store.people import StoredKeys, StoredPeople
from assent.store.requests import StoredDecisions, StoredRequests
from assent.store.rows import Driver, moment
from assent.store.snapshots import StoredSnapshots
from assent.store.standing import StoredStanding
from assent.store.values import StoredSettings, StoredValues


class Transaction:
    """Small objects by noun over one open transaction."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.conversations = StoredConversations(driver)
        self.turns = StoredTurns(driver)
        self.messages = StoredMessages(driver)
        self.calls = StoredCalls(driver)
        self.leases = StoredLeases(driver)
        self.requests = StoredRequests(driver)
        self.decisions = StoredDecisions(driver)
        self.journal = StoredJournal(driver)
        self.feed = StoredFeed(driver)
        self.values = StoredValues(driver)
        self.people = StoredPeople(driver)
        self.keys = StoredKeys(driver)
        self.sessions = StoredSessions(driver)
        self.links = StoredLinks(driver)
        self.standing = StoredStanding(driver)
        self.settings = StoredSettings(driver)
        self.snapshots = StoredSnapshots(driver)
        self.listings = StoredListings(driver)
        self.counts = StoredCounts(driver)

    def now(self) -> datetime:
        return moment(self._driver.clock())

    def finish(self) -> frozenset[str]:
        """Write the journal; returns the turns that have something new."""
        return self.journal.flush(self._driver.clock())
