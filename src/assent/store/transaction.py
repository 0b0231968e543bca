"""One transaction, as the engine sees it."""

from datetime import datetime
from functools import cached_property

from assent.store.calls import StoredCalls, StoredLeases
from assent.store.conversations import StoredConversations, StoredMessages, StoredTurns
from assent.store.journal import StoredJournal
from assent.store.requests import StoredDecisions, StoredRequests
from assent.store.rows import Driver, moment
from assent.store.values import StoredSettings, StoredValues


class Transaction:
    """Small objects by noun over one open transaction."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.journal = StoredJournal(driver)

    @cached_property
    def conversations(self) -> StoredConversations:
        return StoredConversations(self._driver)

    @cached_property
    def turns(self) -> StoredTurns:
        return StoredTurns(self._driver)

    @cached_property
    def messages(self) -> StoredMessages:
        return StoredMessages(self._driver)

    @cached_property
    def calls(self) -> StoredCalls:
        return StoredCalls(self._driver)

    @cached_property
    def leases(self) -> StoredLeases:
        return StoredLeases(self._driver)

    @cached_property
    def requests(self) -> StoredRequests:
        return StoredRequests(self._driver)

    @cached_property
    def decisions(self) -> StoredDecisions:
        return StoredDecisions(self._driver)

    @cached_property
    def values(self) -> StoredValues:
        return StoredValues(self._driver)

    @cached_property
    def settings(self) -> StoredSettings:
        return StoredSettings(self._driver)

    def now(self) -> datetime:
        return moment(self._driver.clock())

    def finish(self) -> frozenset[str]:
        """Write the journal; returns the turns that have something new."""
        return self.journal.flush(self._driver.clock())
