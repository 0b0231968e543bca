"""The interfaces to a store, a clock and a chat model."""

from assent.ports.changes import CallChanges, Held, TurnChanges
from assent.ports.outside import ChatModel, Clock
from assent.ports.store import Store, Tx

__all__ = ["CallChanges", "ChatModel", "Clock", "Held", "Store", "Tx", "TurnChanges"]
