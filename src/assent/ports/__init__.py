"""What the engine needs from outside: a store, a clock, a chat model."""

from assent.ports.changes import CallChanges, Held, TurnChanges
from assent.ports.outside import ChatModel, Clock
from assent.ports.store import Store, Tx

__all__ = ["CallChanges", "ChatModel", "Clock", "Held", "Store", "Tx", "TurnChanges"]
