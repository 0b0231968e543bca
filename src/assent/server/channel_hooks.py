"""Requests that platforms of channels send over HTTP; each channel verifies its own signatures."""

from starlette.requests import Request
from starlette.responses import Response

from assent.engine.deliveries.channel import HttpReceiver
from assent.errors import NotFound
from assent.server.guard import GuardedRoute
from assent.server.service import service_of


async def receive(request: Request) -> Response:
    """Hand a request to its channel; a channel that is not here, or takes none, is not found."""
    name = request.path_params["name"]
    channel = service_of(request).assent.channels.named(name)
    if not isinstance(channel, HttpReceiver):
        raise NotFound("channel", name)
    headers = {key.lower(): value for key, value in request.headers.items()}
    reply = await channel.receive(headers, await request.body())
    return Response(reply.body, reply.status, media_type=reply.media)


routes = [GuardedRoute("/channels/{name}", receive, methods=["POST"])]
