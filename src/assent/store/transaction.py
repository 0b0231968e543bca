"""One transaction, as the engine sees it."""

from datetime import datetime

from assent.store.calls import StoredCalls, StoredLeases
from assent.store.conversations import StoredConversations, StoredMessages, StoredTurns
from assent.store.journal import StoredJournal
from assent.store.requests import StoredDecisions, StoredRequests
from assent.store.rows import Driver, moment
from assent.store.snapshots import StoredSnapshots
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
        self.values = StoredValues(driver)
        self.settings = StoredSettings(driver)
        self.snapshots = StoredSnapshots(driver)

    def now(self) -> datetime:
        return moment(self._driver.clock())

    def finish(self) -> frozenset[str]:
        """Write the journal; returns the turns that have something new."""
        return self.journal.flush(self._driver.clock())
