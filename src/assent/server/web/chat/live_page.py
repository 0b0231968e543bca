"""`GET /chat/{id}/events`: follows a turn for its page, and resumes where the browser stopped."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from assent.domain.canonical import Json
from assent.domain.events import EventKind
from assent.engine.following import Look
from assent.errors import BadCursor, NotFound
from assent.server.caller import caller_of
from assent.server.frames import EVENT_STREAM, SSE_BEAT, compact, streamed, utf8
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.web.chat.hosts import hosts_of
from assent.server.web.chat.live_answer import Draft

_RETRY_MILLISECONDS: Final = 1_000
_LONGEST: Final = 18
# Events that are sent to the page as they are; after any other it reads the conversation again.
_TOLD: Final = frozenset({EventKind.TEXT, EventKind.REASONING, EventKind.PROGRESS, EventKind.STEP})


class Watch:
    """Tells a page what is new in a turn: blocks of the answer, progress, and that rows changed.

    It replays the whole turn to know the draft, but does not resend what the page has seen.
    """

    headers: Mapping[str, str] = {"content-type": EVENT_STREAM}
    beat = SSE_BEAT

    def __init__(self, after: int, ours: frozenset[str]) -> None:
        self._after, self._draft = after, Draft(ours)
        self._greeted = False

    def encode(self, step: Look) -> Iterator[bytes]:
        """Yield the frames for one look at the turn; the last look has no events."""
        if not self._greeted:
            self._greeted = True
            yield utf8(f"retry: {_RETRY_MILLISECONDS}\n\n")
        if not step.events:
            yield self._frame("rest", {"status": step.turn.status})
            return
        seen = [event for event in step.events if event.seq <= self._after]
        self._draft.hear(seen)
        self._draft.changed, self._draft.progress = set(), {}
        news = step.events[len(seen) :]
        if not news:
            return
        self._draft.hear(news)
        yield from self._told()
        if any(event.kind not in _TOLD for event in news):
            yield self._frame("changed", {})

    def _told(self) -> Iterator[bytes]:
        draft = self._draft
        if draft.changed:
            pieces: list[Json] = [[n, str(draft.text.block(n))] for n in sorted(draft.changed)]
            yield self._frame("text", {"draft": draft.id, "blocks": pieces})
        for call_id, far in draft.progress.items():
            data: dict[str, Json] = {"call": call_id, "words": far.words, "fraction": far.fraction}
            yield self._frame("progress", data)
        draft.changed, draft.progress = set(), {}

    def broken(self, message: str) -> Iterable[bytes]:
        """Return the frame that ends the stream early; a browser that reconnects resumes there."""
        return [self._frame("broken", {"message": message})]

    def close(self) -> Iterable[bytes]:
        """Return no frames: the end of the stream needs none."""
        return []

    def _frame(self, event: str, data: Json) -> bytes:
        place = max(self._draft.seq, self._after)
        return utf8(f"id: {place}\nevent: {event}\ndata: {compact(data)}\n\n")


async def watch(request: Request) -> Response:
    """Stream a turn of this conversation until it rests."""
    service, person = service_of(request), caller_of(request).person
    id, turn_id = request.path_params["id"], request.query_params.get("turn", "")
    after = _place(request)
    if (await service.assent.queries.conversations.of_turn(person, turn_id)).id != id:
        raise NotFound("turn", turn_id)
    if request.method == "HEAD":
        return Response(headers=Watch.headers)
    return streamed(
        request, service.assent.following.looks(turn_id), Watch(after, hosts_of(request))
    )


def _place(request: Request) -> int:
    # The header first: a browser that reconnects sends both, and the place in its address is older.
    text = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (text.isascii() and text.isdigit()) or len(text) > _LONGEST:
        raise BadCursor(text)
    return int(text)


routes: list[BaseRoute] = [GuardedRoute("/chat/{id}/events", watch, methods=["GET"])]
