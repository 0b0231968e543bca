"""Endpoints of the AI SDK 4 data stream, at `/api/qa/chat_streamed`."""

import re

from starlette.requests import Request
from starlette.responses import Response

from assent.server.caller import caller_of
from assent.server.frames import streamed
from assent.server.guard import GuardedRoute
from assent.server.service import service_of
from assent.server.streams.chat_posts import CHAT_ID, misshapen, outputs_of, post_of
from assent.server.streams.chat_turns import Conversing, Place, live_turn
from assent.server.streams.data_stream import HEADERS, DataStream
from assent.server.streams.following import follow


async def chat_streamed(request: Request) -> Response:
    """Take a message and stream its turn; without a new message, continue the last turn."""
    post, message = await post_of(request)
    id: str | None = request.path_params.get("thread_id") or post.id
    if id is None or re.fullmatch(CHAT_ID, id) is None:
        msg = (
            "an id of the conversation is wanted, in the path or as 'id': "
            "1 to 128 letters, digits, '_', '.', ':' and '-', but not '.' or '..' alone"
        )
        raise misshapen(msg, "thread_id")
    conversing = Conversing(
        service=service_of(request), caller=caller_of(request), conversation_id=id
    )
    if message.role == "user":
        return _streamed(request, await conversing.say(post, message))
    # This major version has no approvals: they are decided at their own endpoint.
    return _streamed(request, await conversing.go_on((), outputs_of(message)))


async def resume(request: Request) -> Response:
    """Replay the turn that runs or waits, then follow it; an empty stream if there is none.

    Not 204, because this major version treats a response without a body as an error.
    """
    id = request.query_params.get("chatId") or request.path_params.get("thread_id") or ""
    turn_id = await live_turn(service_of(request), caller_of(request).person, id)
    if turn_id is None or request.method == "HEAD":
        return Response(headers=HEADERS)
    return _streamed(request, Place(turn_id=turn_id))


def _streamed(request: Request, place: Place) -> Response:
    service = service_of(request)
    steps = follow(service.assent, place.turn_id, after=place.after)
    return streamed(request, steps, DataStream())


_PATHS = ("/api/qa/chat_streamed", "/api/qa/chat_streamed/{thread_id}")
routes = [
    *(GuardedRoute(path, chat_streamed, methods=["POST"]) for path in _PATHS),
    *(GuardedRoute(path, resume, methods=["GET"]) for path in _PATHS),
]
