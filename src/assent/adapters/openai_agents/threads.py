"""Threads: what tells the tool calls of one run from those of all others."""

import secrets
from contextvars import ContextVar, Token
from typing import Any, Final, Self

from assent.adapters.replies import ticket
from assent.domain import parameters
from assent.domain.canonical import Json, digest
from assent.domain.outputs import json_text
from assent.domain.parameters import optional
from assent.errors import ThreadNotNamed
from assent.guard import GuardedCall

_HERE: Final[ContextVar["Thread | None"]] = ContextVar("assent_thread", default=None)

_ID: Final = optional(parameters.name)


class Thread:
    """A run and its resumptions, as a context manager: `with Thread("order-42"): Runner.run(…)`.

    The SDK names no run durably, and providers repeat the ids of tool calls: only in a thread does
    one stand for one call. `tickets` has the calls that people had to be asked about.
    """

    def __init__(self, id: str | None = None) -> None:
        given = _ID.taken("Thread", "id", id)
        self.id: str = f"thread_{secrets.token_hex(12)}" if given is None else given
        self.tickets: dict[str, dict[str, Json]] = {}
        self._tokens: list[Token[Thread | None]] = []

    def __enter__(self) -> Self:
        self._tokens.append(_HERE.set(self))
        return self

    def __exit__(self, *_: object) -> None:
        _HERE.reset(self._tokens.pop())

    @classmethod
    def here(cls, tool: str) -> "Thread":
        """Return the thread that this code runs in; raises `ThreadNotNamed`."""
        found = _HERE.get()
        if found is None:
            raise ThreadNotNamed(tool)
        return found

    def key(self, agent: str, tool_call_id: str) -> str:
        """Return what stands for a tool call in all runs of this thread."""
        return digest(json_text(["openai_agents", self.id, agent, tool_call_id]))

    def note(self, tool_call_id: str, call: GuardedCall) -> None:
        """Remember a call that waits, so that it is found again without its tool."""
        if call.is_waiting:
            self.tickets[tool_call_id] = ticket(call)

    def call_id(self, tool_call_id: str) -> str | None:
        """Return the id of Assent's call for a tool call that had to wait."""
        found: Any = self.tickets.get(tool_call_id, {}).get("call_id")
        return found if isinstance(found, str) else None
