"""Routes by which a bot answers interactions; the token in the path is all they ask for."""

from aiohttp import web

from assent.demo.discord_sandbox import refusals
from assent.demo.discord_sandbox.interactions import Interaction, Interactions
from assent.demo.discord_sandbox.message_body import message_body
from assent.demo.discord_sandbox.places import Message
from assent.demo.discord_sandbox.refusals import Payload
from assent.demo.discord_sandbox.rest.exchange import BASE, body_of, id_in, nothing, reply
from assent.demo.discord_sandbox.rest.messages import check_remainder
from assent.demo.discord_sandbox.world import World

ORIGINAL = "@original"


class AnswerRoutes:
    """The first answer to an interaction, and everything after it."""

    def __init__(self, world: World, interactions: Interactions) -> None:
        self._world, self._interactions = world, interactions

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        webhook = f"{BASE}/webhooks/{{application}}/{{token}}"
        message = f"{webhook}/messages/{{message}}"
        return [
            web.post(f"{BASE}/interactions/{{interaction}}/{{token}}/callback", self.answer),
            web.post(webhook, self.follow_up),
            web.get(message, self.get),
            web.patch(message, self.edit),
            web.delete(message, self.delete),
        ]

    async def answer(self, request: web.Request) -> web.Response:
        """POST /interactions/{interaction}/{token}/callback"""
        id, token = id_in(request, "interaction"), request.match_info["token"]
        self._interactions.waiting(id, token)
        given = await body_of(request)
        interaction = self._interactions.waiting(id, token)
        message = self._interactions.take(interaction, given)
        if request.query.get("with_response", "").lower() not in ("1", "true"):
            return nothing()
        return reply(_callback(interaction, message, given))

    async def follow_up(self, request: web.Request) -> web.Response:
        """POST /webhooks/{application}/{token}"""
        interaction = self._answered(request)
        body = message_body(await body_of(request))
        if body.is_empty:
            raise refusals.empty_message()
        original = interaction.original
        if original is not None and original.is_loading:
            # Documented, though deprecated: the first follow-up fills in the deferred answer.
            self._world.edit(original, body)
            return reply(original.json())
        return reply(self._interactions.reply(interaction, body).json())

    async def get(self, request: web.Request) -> web.Response:
        """GET /webhooks/{application}/{token}/messages/{message}"""
        return reply(self._message(request).json())

    async def edit(self, request: web.Request) -> web.Response:
        """PATCH /webhooks/{application}/{token}/messages/{message}"""
        given = await body_of(request)
        message = self._message(request)
        body = message_body(given, old_flags=message.flags)
        check_remainder(body, message.content, message.embeds, message.components)
        self._world.edit(message, body)
        return reply(message.json())

    async def delete(self, request: web.Request) -> web.Response:
        """DELETE /webhooks/{application}/{token}/messages/{message}"""
        self._world.remove_message(self._message(request))
        return nothing()

    def _answered(self, request: web.Request) -> Interaction:
        if id_in(request, "application") != self._world.bot.id:
            raise refusals.unknown_webhook()
        return self._interactions.answered(request.match_info["token"])

    def _message(self, request: web.Request) -> Message:
        """Return the original answer, or a message that this interaction's token made."""
        interaction = self._answered(request)
        messages = interaction.channel.messages
        if request.match_info["message"] == ORIGINAL:
            found = interaction.original
        else:
            found = messages.get(id_in(request, "message"))
            made = found.interaction if found else None
            is_own = made is not None and made["id"] == str(interaction.id)
            found = found if is_own or found is interaction.original else None
        if found is None or found.id not in messages:
            raise refusals.unknown_message()
        return found


def _callback(interaction: Interaction, message: Message | None, given: Payload) -> Payload:
    described: Payload = {"id": str(interaction.id), "type": int(interaction.type)}
    if message is None:
        return {"interaction": described}
    described |= {
        "response_message_id": str(message.id),
        "response_message_loading": message.is_loading,
        "response_message_ephemeral": message.is_ephemeral,
    }
    resource = {"type": given["type"], "message": message.json()}
    return {"interaction": described, "resource": resource}
