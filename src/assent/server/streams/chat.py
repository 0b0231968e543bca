"""Endpoints for AI SDK 5, 6 and 7: `POST /api/chat` and `GET /api/chat/{id}/stream`."""

from starlette.requests import Request
from starlette.responses import Response

from assent.server.caller import caller_of
from assent.server.frames import streamed
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.streams.chat_posts import (
    Post,
    Written,
    approvals_of,
    misshapen,
    outputs_of,
    post_of,
)
from assent.server.streams.chat_turns import Conversing, Place, live_turn
from assent.server.streams.following import follow
from assent.server.streams.ui_messages import HEADERS, UiMessages


async def chat(request: Request) -> Response:
    """Take a message, or answers to the server's questions, and stream the turn."""
    post, message = await post_of(request)
    if post.id is None:
        raise misshapen("an id of the conversation is wanted", "body", "id")
    conversing = Conversing(
        service=service_of(request), caller=caller_of(request), conversation_id=post.id
    )
    return await _streamed(request, await _place(conversing, post, message))


async def _place(conversing: Conversing, post: Post, message: Written) -> Place:
    if message.role != "user":
        return await conversing.go_on(approvals_of(message), outputs_of(message))
    if post.trigger == "regenerate-message":
        return await conversing.regenerate()
    return await conversing.say(post, message)


async def resume(request: Request) -> Response:
    """Replay the turn that runs or waits, then follow it; 204 if there is none."""
    id: str = request.path_params["id"]
    turn_id = await live_turn(service_of(request), caller_of(request).person, id)
    if turn_id is None:
        return Response(status_code=204)
    if request.method == "HEAD":
        return Response(headers=HEADERS)
    return await _streamed(request, Place(turn_id=turn_id))


async def _streamed(request: Request, place: Place) -> Response:
    service = service_of(request)
    person, base = caller_of(request).person, service.settings.base
    encoder = UiMessages(
        service.settings.ai_sdk,
        person,
        base=base,
        voted=place.voted,
        votes=await service.assent.queries.requests.votes(person, place.turn_id),
    )
    steps = follow(service.assent, place.turn_id, after=place.after)
    return streamed(request, steps, encoder)


routes = [
    GuardedRoute("/api/chat", chat, methods=["POST"]),
    GuardedRoute("/api/chat/{id}/stream", resume, methods=["GET"]),
]
