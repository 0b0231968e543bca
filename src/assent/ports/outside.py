"""The interfaces of a chat model and a clock."""

from collections.abc import AsyncGenerator
from datetime import datetime
from typing import Protocol

from assent.domain.messages import Answer, Delta, Prompt


class ChatModel(Protocol):
    """A chat model: gives whole answers, or deltas that end in exactly one `Answer`."""

    @property
    def name(self) -> str: ...

    async def request(self, prompt: Prompt) -> Answer:
        """Ask and wait for the whole answer; raises `ModelFailed`."""
        ...

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        """Ask and yield deltas, then the whole answer last; raises `ModelFailed`."""
        ...


class Clock(Protocol):
    """Process time: for waiting and for leases held in memory, never for deadlines."""

    def monotonic(self) -> float: ...

    def now(self) -> datetime: ...
