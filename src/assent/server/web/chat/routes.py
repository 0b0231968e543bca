"""Pages for talking to an agent: the conversations, one of them, and the events of its turn."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.canonical import Json, digest
from assent.domain.events import EventKind
from assent.domain.files import FileReference
from assent.domain.paging import Place
from assent.engine.following import TurnLook
from assent.engine.ids import new_id
from assent.engine.queries.conversations import ConversationRows
from assent.errors import BadCursor, FileRefused, NotFound, PendingCalls
from assent.server.access import CHAT_PAGE
from assent.server.caller import caller_of
from assent.server.form_data import Posted, posted_of
from assent.server.frames import EVENT_STREAM, SSE_BEAT, compact, streamed, utf8
from assent.server.guard import GuardedRoute
from assent.server.problems import facts_of
from assent.server.service import Service, service_of
from assent.server.web.chat.conversation_view import (
    PAGE,
    ConversationView,
    conversation_list,
    conversation_view,
)
from assent.server.web.chat.files import ComposerFile, FileLimits, composed
from assent.server.web.chat.inline_form import InlineState, inline_form
from assent.server.web.chat.live_answer import LiveAnswer

# A quick answer is on the page when it loads; for a slow one the page waits itself.
_PATIENCE_SECONDS: Final = 1.5
_SHOWN: Final = 40
_MOST_SHOWN: Final = 1_000
MAX_MESSAGE_CHARS: Final = 50_000
_KEY_CHARS: Final = 64


async def overview(request: Request) -> Response:
    """List the caller's conversations, with a field to start one."""
    return await _overview(request)


async def _overview(
    request: Request, *, trouble: str = "", text: str = "", kept: Sequence[ComposerFile] = ()
) -> Response:
    service, person = service_of(request), caller_of(request).person
    catalogue = service.assent.catalogue
    own = await service.assent.queries.conversations.own_page(
        person, after=_after(request), limit=PAGE
    )
    agents = [catalogue.agent(name) for name in catalogue.names()]
    wanted = request.query_params.get("agent", "")
    return service.pages.render(
        request,
        "chats",
        status=_status(trouble),
        chats=conversation_list(own, service.assent.catalogue.names()),
        current="",
        agents=agents,
        may_talk=not CHAT_PAGE.roles.isdisjoint(person.roles),
        agent=next((each for each in agents if each.name == wanted), agents[0] if agents else None),
        key=new_id("say"),
        trouble=trouble,
        text=text,
        kept=kept,
        takes=FileLimits(),
    )


async def show(request: Request) -> Response:
    """Show one conversation; with `part=talk` only its messages, for a page that updates itself."""
    if request.query_params.get("part") != "talk":
        return await page(request)
    service, person = service_of(request), caller_of(request).person
    found = await service.assent.queries.conversations.rows(person, request.path_params["id"])
    talk = await _laid_out(request, found)
    return service.pages.render(request, "chat_thread", talk=talk, shown=_shown(request))


async def say(request: Request) -> Response:
    """Send a message, to a new conversation or to this one."""
    service, person = service_of(request), caller_of(request).person
    posted, id = await posted_of(request), request.path_params.get("id")
    text = posted.one("text").strip()
    agent = posted.one("agent") or next(iter(service.assent.catalogue.names()), "")
    if id is not None:
        await service.assent.queries.conversations.get(person, id)
    given = await composed(request, posted)
    if not (text or given.files or given.trouble):
        return RedirectResponse(f"/chat/{id}" if id else "/chat", 303)
    trouble, again = given.trouble, _overview if id is None else page
    if len(text) > MAX_MESSAGE_CHARS:
        trouble = f"your message has {len(text):,} characters; {MAX_MESSAGE_CHARS:,} are the most."
    if trouble:
        trouble = f"Not sent: {trouble}"
        return await again(request, trouble=trouble, text=text, kept=given.kept)
    try:
        turn_id = await service.assent.start(
            agent,
            text,
            by=person,
            conversation_id=id,
            on_pending="supersede" if posted.one("supersede") == "yes" else "refuse",
            idempotency_key=_key(posted, text, given.files),
            files=given.files,
        )
    except PendingCalls as error:
        return await page(request, pending=error, text=text, kept=given.kept)
    except FileRefused as error:
        return await again(request, trouble=f"Not sent: {error.reason}", text=text)
    conversation = await _settled(service, turn_id, wait=posted.one("wait") != "no")
    return RedirectResponse(f"/chat/{conversation}#newest", 303)


async def stop(request: Request) -> Response:
    """Stop the newest turn."""
    service, person = service_of(request), caller_of(request).person
    newest = await _newest(request)
    if newest is not None:
        await service.assent.stop(newest, by=person)
    return RedirectResponse(f"/chat/{request.path_params['id']}#newest", 303)


async def retry(request: Request) -> Response:
    """Continue an answer that failed; calls that are settled are not repeated."""
    service, person = service_of(request), caller_of(request).person
    newest = await _newest(request)
    if newest is not None:
        await service.assent.restart(newest, by=person)
        wait = (await posted_of(request)).one("wait") != "no"
        await _settled(service, newest, wait=wait)
    return RedirectResponse(f"/chat/{request.path_params['id']}#newest", 303)


async def _newest(request: Request) -> str | None:
    """Return the id of the newest turn of a conversation that the caller may read."""
    service, person = service_of(request), caller_of(request).person
    newest = await service.assent.queries.conversations.newest_turn(
        person, request.path_params["id"]
    )
    return None if newest is None else newest.id


async def _settled(service: Service, turn_id: str, *, wait: bool) -> str:
    """Return the conversation's id once the turn rests or a moment has passed."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS if wait else 0):
            return (await service.assent.wait(turn_id)).conversation_id
    except TimeoutError:
        return (await service.assent.turn(turn_id)).conversation_id


async def page(
    request: Request,
    *,
    pending: PendingCalls | None = None,
    trouble: str = "",
    text: str = "",
    kept: Sequence[ComposerFile] = (),
    form: InlineState | None = None,
    status: int | None = None,
) -> Response:
    """Show a conversation; `form` is a form in it that was posted and does not count."""
    service, person = service_of(request), caller_of(request).person
    id = request.path_params["id"]
    found, own = await service.assent.queries.conversations.rows_with_list(
        person, id, after=_after(request), limit=PAGE
    )
    return service.pages.render(
        request,
        "chat",
        status=status or (_status(trouble) if pending is None else facts_of(pending)[0]),
        talk=await _laid_out(request, found, form),
        shown=_shown(request),
        chats=conversation_list(own, service.assent.catalogue.names()),
        current=id,
        blocked=pending is not None,
        trouble=trouble,
        text=text,
        kept=kept,
        takes=FileLimits(),
        key=new_id("say"),
    )


def _status(trouble: str) -> int:
    return 422 if trouble else 200


async def _laid_out(
    request: Request, found: ConversationRows, form: InlineState | None = None
) -> ConversationView:
    """Lay the conversation out in a thread: a model's text can take long and would block others."""
    service, person = service_of(request), caller_of(request).person
    pending = found.thread.pending
    return await asyncio.to_thread(
        conversation_view,
        found,
        service,
        person,
        form=await inline_form(service, person, pending, form or _asked_form(request)),
        shown=_shown(request),
        ours=hosts_of(request),
    )


def _asked_form(request: Request) -> InlineState:
    asked = request.query_params
    return InlineState(
        request_id=asked.get("form", ""), place=asked.get("step", ""), left=asked.getlist("left")
    )


def _key(posted: Posted, text: str, files: Sequence[FileReference]) -> str | None:
    """Return an idempotency key: a form sent twice is one message, with other words it is two."""
    key = posted.one("key")
    said = "\n".join([text, *(each.key for each in files)])
    return f"{key[:_KEY_CHARS]}:{digest(said)}" if key else None


def _after(request: Request) -> Place | None:
    given = request.query_params.get("after")
    return Place.parse(given) if given else None


def _shown(request: Request) -> int:
    """Return how many of the newest messages to show."""
    given = request.query_params.get("shown", "")
    wanted = int(given) if given.isascii() and given.isdigit() and len(given) < 6 else _SHOWN
    return min(max(wanted, _SHOWN), _MOST_SHOWN)


def hosts_of(request: Request) -> frozenset[str]:
    """Return the configured host and the one that the browser asked for."""
    configured = urlsplit(service_of(request).settings.origin).hostname
    return frozenset(filter(None, (configured, request.url.hostname)))


_RETRY_MILLISECONDS: Final = 1_000
_LONGEST: Final = 18
# Events that are sent to the page as they are; after any other it reads the conversation again.
_TOLD: Final = frozenset({EventKind.TEXT, EventKind.REASONING, EventKind.PROGRESS, EventKind.STEP})


class TurnEvents:
    """Tells a page what is new in a turn: blocks of the answer, progress, and that rows changed.

    It replays the whole turn to know the answer so far, but does not resend what the page has seen.
    """

    headers: Mapping[str, str] = {"content-type": EVENT_STREAM}
    beat = SSE_BEAT

    def __init__(self, after: int, ours: frozenset[str]) -> None:
        self._after, self._draft = after, LiveAnswer(ours)
        self._greeted = False

    def encode(self, step: TurnLook) -> Iterator[bytes]:
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


async def follow(request: Request) -> Response:
    """Stream what is new in a turn until it rests; a browser that reconnects misses nothing."""
    service, person = service_of(request), caller_of(request).person
    id, turn_id = request.path_params["id"], request.query_params.get("turn", "")
    after = _last_seen(request)
    if (await service.assent.queries.conversations.of_turn(person, turn_id)).id != id:
        raise NotFound("turn", turn_id)
    if request.method == "HEAD":
        return Response(headers=TurnEvents.headers)
    return streamed(
        request, service.assent.following.looks(turn_id), TurnEvents(after, hosts_of(request))
    )


def _last_seen(request: Request) -> int:
    # The header first: a browser that reconnects sends both, and the place in its address is older.
    text = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
    if not (text.isascii() and text.isdigit()) or len(text) > _LONGEST:
        raise BadCursor(text)
    return int(text)


routes: list[BaseRoute] = [
    GuardedRoute("/chat", overview, methods=["GET"]),
    GuardedRoute("/chat", say, methods=["POST"]),
    GuardedRoute("/chat/{id}", show, methods=["GET"]),
    GuardedRoute("/chat/{id}", say, methods=["POST"]),
    GuardedRoute("/chat/{id}/stop", stop, methods=["POST"]),
    GuardedRoute("/chat/{id}/retry", retry, methods=["POST"]),
    GuardedRoute("/chat/{id}/events", follow, methods=["GET"]),
]
