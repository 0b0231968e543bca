"""Talking to an agent: what was said, its calls as they stand, and a field for the next message."""

import asyncio
from dataclasses import dataclass
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute

from assent.domain.calls import Call
from assent.domain.conversations import Message, Role
from assent.domain.errors import AssentError, NotFound, PendingCalls
from assent.domain.lifecycle import ConversationStatus
from assent.domain.pages import Place
from assent.domain.people import Person
from assent.domain.requests import Request as Question
from assent.engine.listing import conversations
from assent.engine.snapshots import Thread, read_thread
from assent.ports import Tx
from assent.presentation.card import hints_of
from assent.presentation.html_values import block, entries
from assent.presentation.markup import Html
from assent.presentation.values import entries_of
from assent.server.caller import caller_of
from assent.server.guard import GuardedRoute
from assent.server.posted import Posted
from assent.server.problems import facts_of
from assent.server.service import Service, service_of
from assent.server.visibility import conversation_of

_PAGE: Final = 40
# A quick answer is there when the page comes; a slow one is waited for by the page itself.
_PATIENCE_SECONDS: Final = 1.5
MAX_MESSAGE_CHARS: Final = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One call of an answer, as the conversation shows it."""

    call: Call
    arguments: Html
    outcome: Html | None
    question: Question | None
    may_decide: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One message with its calls."""

    message: Message
    by_person: bool
    deeds: tuple[Deed, ...]


async def overview(request: Request) -> Response:
    """My conversations, and a field to begin one."""
    service, person = service_of(request), caller_of(request).person
    asked = request.query_params
    begin = Place.parse(asked["after"]) if asked.get("after") else None
    catalogue = service.assent.kernel.catalogue
    found = await service.assent.kernel.store.run(
        lambda tx: conversations(
            tx, catalogue, owner=person.id, agent=None, after=begin, limit=_PAGE
        )
    )
    return service.pages.render(
        request,
        "chats",
        items=found.items,
        next=found.next,
        agents=catalogue.names(),
        longest=MAX_MESSAGE_CHARS,
    )


async def show(request: Request) -> Response:
    """One conversation."""
    return await _page(request)


async def say(request: Request) -> Response:
    """Send a message, to a new conversation or into this one."""
    service, person = service_of(request), caller_of(request).person
    posted, id = Posted(await request.body()), request.path_params.get("id")
    text = posted.one("text").strip()[:MAX_MESSAGE_CHARS]
    agent = posted.one("agent") or service.assent.kernel.catalogue.names()[0]
    if id is not None:
        await _read(service, person, id)
    if not text:
        return RedirectResponse(f"/chat/{id}" if id else "/chat", 303)
    try:
        turn_id = await service.assent.start(
            agent,
            text,
            by=person,
            conversation_id=id,
            on_pending="supersede" if posted.one("supersede") == "yes" else "refuse",
            idempotency_key=posted.one("key") or None,
        )
    except PendingCalls as error:
        return await _page(request, problem=error, text=text)
    turn = await _settled(service, turn_id)
    return RedirectResponse(f"/chat/{turn}#newest", 303)


async def stop(request: Request) -> Response:
    """Stop what runs."""
    service, person = service_of(request), caller_of(request).person
    id = request.path_params["id"]
    await _read(service, person, id)
    newest = await service.assent.kernel.store.run(lambda tx: tx.turns.newest(id))
    if newest is not None:
        await service.assent.stop(newest.id, by=person)
    return RedirectResponse(f"/chat/{id}#newest", 303)


async def _settled(service: Service, turn_id: str) -> str:
    """The conversation, once its turn rests or a moment has passed."""
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            return (await service.assent.wait(turn_id)).conversation_id
    except TimeoutError:
        return (await service.assent.turn(turn_id)).conversation_id


async def _read(service: Service, person: Person, id: str) -> Thread:
    def read(tx: Tx) -> Thread:
        conversation_of(tx, person, id)
        return read_thread(tx, id, service.assent.kernel)

    return await service.assent.kernel.store.run(read)


async def _page(
    request: Request, *, problem: AssentError | None = None, text: str = ""
) -> Response:
    service, person = service_of(request), caller_of(request).person
    id = request.path_params.get("id")
    if id is None:
        raise NotFound("conversation", "")
    thread = await _read(service, person, id)
    return service.pages.render(
        request,
        "chat",
        status=200 if problem is None else facts_of(problem)[0],
        thread=thread,
        sayings=_sayings(thread, service, person),
        is_mine=thread.conversation.owner.id == person.id,
        is_running=thread.status is ConversationStatus.IN_PROGRESS,
        blocked=problem is not None,
        text=text,
        key=service.assent.kernel.ids("say"),
        longest=MAX_MESSAGE_CHARS,
    )


def _sayings(thread: Thread, service: Service, person: Person) -> list[Saying]:
    deeds: dict[str, list[Deed]] = {}
    for call in thread.calls:
        deeds.setdefault(call.message_id, []).append(_deed(call, thread, service, person))
    return [
        Saying(
            message=message,
            by_person=message.role is Role.USER,
            deeds=tuple(deeds.get(message.id, ())),
        )
        for message in thread.messages
    ]


def _deed(call: Call, thread: Thread, service: Service, person: Person) -> Deed:
    tool = service.assent.kernel.catalogue.tool(call.agent, call.tool)
    question = next((each for each in thread.pending if each.call_id == call.id), None)
    return Deed(
        call=call,
        arguments=entries(entries_of(call.arguments.text, hints_of(tool))),
        outcome=None if call.output is None else block(call.output),
        question=question,
        may_decide=question is not None and question.admits(person),
    )


routes: list[BaseRoute] = [
    GuardedRoute("/chat", overview, methods=["GET"]),
    GuardedRoute("/chat", say, methods=["POST"]),
    GuardedRoute("/chat/{id}", show, methods=["GET"]),
    GuardedRoute("/chat/{id}", say, methods=["POST"]),
    GuardedRoute("/chat/{id}/stop", stop, methods=["POST"]),
]
