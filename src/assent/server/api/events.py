"""`GET /api/events`: a live stream of the events that the caller may see."""

import asyncio
import logging
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assent.domain.canonical import Json
from assent.domain.events import Cursor, News
from assent.engine.feed import FeedReader
from assent.engine.queries.visibility import sees_everything
from assent.errors import AssentError
from assent.server.caller import caller_of
from assent.server.frames import EVENT_STREAM, compact, utf8
from assent.server.guard import GuardedRoute
from assent.server.open_streams import OpenStreams, Stream
from assent.server.service import service_of

log = logging.getLogger(__name__)
# A browser that lost the stream reconnects after this time and sends the id of its last event.
RETRY_MILLISECONDS: Final = 1_000
HEADERS: Final = {
    "content-type": EVENT_STREAM,
    "cache-control": "no-cache, no-transform",
    # A proxy that buffers the response would hold back the questions to people.
    "x-accel-buffering": "no",
}
_RAW_HEADERS: Final = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
# The cache of encoded events holds all that the feed remembers, so that readers who follow closely
# share one encoding.
_WRITTEN: Final = 4_096


async def events(request: Request) -> ASGIApp:
    """Stream all events that concern the caller, from a known position or from now on."""
    after = _place(request)
    if request.method == "HEAD":
        return Response(headers=HEADERS)
    service, caller = service_of(request), caller_of(request)
    follower = await service.assent.feed.follow(after)
    try:
        stream = service.live.open(caller, follower.nudge)
    except AssentError:
        follower.leave()
        raise
    return EventStream(follower, stream, service.live)


def _place(request: Request) -> Cursor | None:
    # The header first: a browser that reconnects sends both, and the one in its URL is older.
    text = request.headers.get("last-event-id") or request.query_params.get("after")
    return Cursor.parse(text) if text else None


class EventStream:
    """The response; each listener takes one task besides the one that waits for it to leave."""

    __slots__ = ("_everything", "_follower", "_live", "_only", "_stream")

    def __init__(self, follower: FeedReader, stream: Stream, live: OpenStreams) -> None:
        self._follower, self._stream, self._live = follower, stream, live
        self._everything = sees_everything(stream.caller.person)
        self._only = stream.caller.request_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope
        leaving = asyncio.create_task(_left(receive), name="assent-listener")
        leaving.add_done_callback(lambda _: self._follower.nudge())
        try:
            await send({"type": "http.response.start", "status": 200, "headers": _RAW_HEADERS})
            await send(_more(self._greeting()))
            while self._stream.ending is None and not leaving.done():
                if lines := self._lines(await self._follower.news()):
                    await send(_more(lines))
            await send({"type": "http.response.body", "body": self._farewell()})
        except AssentError as error:
            # The client reconnects and goes on where it was.
            log.warning("a stream of events ended with an error: %s", error)
            await send({"type": "http.response.body", "body": b": interrupted\n\n"})
        finally:
            leaving.cancel()
            self._follower.leave()
            self._live.leave(self._stream)

    def _greeting(self) -> bytes:
        """Return the retry time and the position, for clients that reconnect before any event."""
        lost = _frame("reset", {"reason": "unknown_place"}) if self._follower.lost else b""
        return utf8(f"retry: {RETRY_MILLISECONDS}\nid: {self._follower.cursor}\n\n") + lost

    def _lines(self, news: Sequence[News]) -> bytes:
        """Return the events that the caller may see, or a keep-alive if there is no news.

        Of other people's events the caller learns nothing, not even the time. The keep-alive
        carries the position that the stream has reached.
        """
        if not news:
            return utf8(f"id: {self._follower.cursor}\n\n")
        person = self._stream.caller.person
        seen = (each for each in news if self._everything or each.concerns(person))
        return b"".join(written(each) for each in seen if self._is_about(each))

    def _is_about(self, news: News) -> bool:
        """Return True unless the caller's link is for one request and this is about another."""
        return self._only is None or news.data.get("request_id") == self._only

    def _farewell(self) -> bytes:
        ending = self._stream.ending
        return b"" if ending is None else _frame("closing", {"reason": ending.value})


@lru_cache(_WRITTEN)
def written(news: News) -> bytes:
    """Return one event in wire format, with LF and one line of data."""
    data: dict[str, Json] = {
        "event": news.kind,
        "conversation_id": news.conversation_id,
        "turn_id": news.turn_id,
        "seq": news.seq,
        "at": news.at.isoformat(),
        **news.data,
    }
    return utf8(f"id: {news.cursor}\n") + _frame(news.kind, data)


def _frame(event: str, data: dict[str, Json]) -> bytes:
    return utf8(f"event: {event}\ndata: {compact(data)}\n\n")


def _more(body: bytes) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": True}


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


routes = [GuardedRoute("/api/events", events, methods=["GET"])]
