"""Limits on connections: idle ones are closed, and health checks always find room.

uvicorn has no time limit for a request's head and no connection limit that spares health checks,
and without file handles it accepts no client. See docs/decisions/0008-uvicorn-with-a-lobby.md.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Protocol, cast

import h11
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from assent.domain import parameters
from assent.domain.parameters import settle
from assent.errors import Crowded
from assent.server.problems import problem_of

log = logging.getLogger(__name__)
# Connections accepted above the limit, to tell them so; their health checks are answered.
ROOM: Final = 64
LOOK_SECONDS: Final = 1.0
HEALTH: Final = frozenset({"/healthz", "/readyz"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Limits: the number of connections, and the seconds that a client may take."""

    connections: int = 8_192
    # From the start of the connection, or the last response, to the end of a request's head.
    head: float = 10.0
    # For the client to make room in a full send buffer, and to read the rest of a response after
    # which the connection closes.
    reading: float = 60.0

    def __post_init__(self) -> None:
        settle(self, _PATIENCE)


_PATIENCE: Final = {
    "connections": parameters.whole(1),
    "head": parameters.number(above=0),
    "reading": parameters.number(above=0),
}


class Guest(Protocol):
    """A connection as the lobby sees it."""

    def leave(self) -> None:
        """Close the connection now, even if data is still to be sent."""
        ...

    @property
    def is_leaving(self) -> bool:
        """True if it is closing and only waits until all data is sent."""
        ...


class _Waiting:
    """Connections that the server waits for, longest wait first."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._since: dict[Guest, float] = {}

    def add(self, guest: Guest) -> None:
        """Start the wait for a connection, unless it has started already."""
        self._since.setdefault(guest, self._now())

    def discard(self, guest: Guest) -> None:
        self._since.pop(guest, None)

    def first(self) -> Guest | None:
        return next(iter(self._since), None)

    def overdue(self, seconds: float) -> Iterable[Guest]:
        """Yield the connections that have been waited for longer than this, and drop them."""
        until = self._now() - seconds
        while (guest := self.first()) is not None and self._since[guest] <= until:
            self.discard(guest)
            yield guest


class Lobby:
    """All connections of one server."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._loop = asyncio.get_running_loop()
        self._guests: set[Guest] = set()
        # Connections with an incomplete head, with an incomplete body, and with a response not read
        # yet.
        self.heads, self.bodies, self._readers = (_Waiting(self._loop.time) for _ in range(3))
        self._look: asyncio.TimerHandle | None = None
        self._turned_away: Counter[str] = Counter()

    def __call__(self, **given: Any) -> "LobbyProtocol":
        """Return a new connection in this lobby; uvicorn calls this."""
        return LobbyProtocol(self, **given)

    def enter(self, guest: Guest) -> bool:
        """Take in a connection; return False if only its health checks are answered."""
        has_place = len(self._guests) < self._patience.connections or self._makes_way()
        if not has_place and len(self._guests) >= self._patience.connections + ROOM:
            self._turned_away["over the limit, closed at once"] += 1
            guest.leave()
        self._guests.add(guest)
        self.heads.add(guest)
        self._look = self._look or self._loop.call_later(LOOK_SECONDS, self._look_around)
        return has_place

    def exit(self, guest: Guest) -> None:
        """Remove a connection that is gone."""
        self._guests.discard(guest)
        for waiting in (self.heads, self.bodies, self._readers):
            waiting.discard(guest)

    def reads(self, guest: Guest, *, all_of_it: bool) -> None:
        """Record whether a connection reads what it is sent, or leaves a full buffer unread."""
        if all_of_it:
            self._readers.discard(guest)
        else:
            self._readers.add(guest)

    def _makes_way(self) -> bool:
        """Close the unfinished connection with the longest wait; return False if there is none.

        Real clients send a request at once.
        """
        guest = self.heads.first() or self.bodies.first()
        if guest is None:
            return False
        self._turned_away["unfinished, made way for others"] += 1
        self._end(guest)
        return True

    def _end(self, guest: Guest) -> None:
        self.exit(guest)
        guest.leave()

    def _look_around(self) -> None:
        self._look = None
        for guest in self._guests:
            if guest.is_leaving:
                self._readers.add(guest)
        for guest in tuple(self.heads.overdue(self._patience.head)):
            self._end(guest)
        for guest in tuple(self._readers.overdue(self._patience.reading)):
            self._turned_away["did not read their response"] += 1
            self._end(guest)
        if self._turned_away:
            # One log line, however many connections they were.
            told = "; ".join(f"{count:,} {how}" for how, count in self._turned_away.items())
            log.warning("connections closed (%s are open): %s", f"{len(self._guests):,}", told)
            self._turned_away.clear()
        if self._guests:
            self._look = self._loop.call_later(LOOK_SECONDS, self._look_around)


class LobbyProtocol(H11Protocol):
    """A connection of uvicorn's that reports to a lobby."""

    def __init__(self, lobby: Lobby, **given: Any) -> None:
        super().__init__(**given)
        self._lobby = lobby

    def leave(self) -> None:
        self.transport.abort()

    @property
    def is_leaving(self) -> bool:
        return self.transport.is_closing()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if not self._lobby.enter(self):
            self.app: Any = health_only(self.app)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lobby.exit(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._tell()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._tell()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._lobby.reads(self, all_of_it=False)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._lobby.reads(self, all_of_it=True)

    def _tell(self) -> None:
        """Tell the lobby what is awaited: a request, the rest of its body, or nothing."""
        # None until the first request, although uvicorn's type does not say so.
        cycle = cast("RequestResponseCycle | None", self.cycle)
        is_answering = cycle is not None and not cycle.response_complete
        if not is_answering:
            self._lobby.heads.add(self)
        else:
            self._lobby.heads.discard(self)
        if is_answering and self.conn.their_state is h11.SEND_BODY:
            self._lobby.bodies.add(self)
        else:
            self._lobby.bodies.discard(self)


def health_only(app: ASGIApp) -> ASGIApp:
    """Wrap the app for a connection above the limit: all but health checks must come back later."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in HEALTH:
            await app(scope, receive, send)
            return
        response = problem_of(Crowded())
        response.headers["Connection"] = "close"
        await response(scope, receive, send)

    return answer
