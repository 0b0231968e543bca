"""Routes about the bot itself, its application, its guild and the people in it."""

from aiohttp import web

from assent.demo.discord_sandbox import refusals
from assent.demo.discord_sandbox.application import Application, check_commands
from assent.demo.discord_sandbox.endpoint import Endpoint
from assent.demo.discord_sandbox.gateway import Gateway
from assent.demo.discord_sandbox.places import User
from assent.demo.discord_sandbox.refusals import Payload
from assent.demo.discord_sandbox.rest.exchange import BASE, body_of, id_in, json_of, nothing, reply
from assent.demo.discord_sandbox.world import World


class AccountRoutes:
    """The bot's own account, where it connects, and its commands."""

    def __init__(
        self, world: World, application: Application, gateway: Gateway, endpoint: Endpoint
    ) -> None:
        self._world, self._application = world, application
        self._gateway, self._endpoint = gateway, endpoint

    def routes(self) -> list[web.RouteDef]:
        """Return all routes."""
        commands = f"{BASE}/applications/{{application}}/commands"
        in_guild = f"{BASE}/applications/{{application}}/guilds/{{guild}}/commands"
        return [
            web.get(f"{BASE}/users/@me", self.me),
            web.get(f"{BASE}/users/@me/guilds", self.guilds),
            web.post(f"{BASE}/users/@me/channels", self.direct),
            web.get(f"{BASE}/users/{{user}}", self.user),
            web.get(f"{BASE}/applications/@me", self.application),
            web.get(f"{BASE}/oauth2/applications/@me", self.application),
            web.patch(f"{BASE}/applications/@me", self.change_application),
            web.get(f"{BASE}/gateway", self.gateway),
            web.get(f"{BASE}/gateway/bot", self.gateway_bot),
            web.get(f"{BASE}/guilds/{{guild}}", self.guild),
            web.get(f"{BASE}/guilds/{{guild}}/channels", self.channels),
            web.get(f"{BASE}/guilds/{{guild}}/threads/active", self.threads),
            web.get(f"{BASE}/guilds/{{guild}}/members/{{user}}", self.member),
            *(
                route
                for path in (commands, in_guild)
                for route in (web.get(path, self.commands), web.put(path, self.put_commands))
            ),
            web.delete(f"{commands}/{{command}}", self.delete_command),
            web.post(commands, self.add_command),
        ]

    async def me(self, _: web.Request) -> web.Response:
        """GET /users/@me"""
        return reply({**self._world.bot.json(), "verified": True, "mfa_enabled": False})

    async def guilds(self, _: web.Request) -> web.Response:
        """GET /users/@me/guilds"""
        stub: Payload = {
            **self._world.guild_stub(),
            "owner": False,
            "permissions": "0",
            "features": [],
        }
        return reply([stub])

    async def direct(self, request: web.Request) -> web.Response:
        """POST /users/@me/channels"""
        wanted = str((await body_of(request)).get("recipient_id"))
        user = self._world.users.get(int(wanted)) if wanted.isdecimal() else None
        if user is None or user.is_bot:
            raise refusals.unknown_user()
        return reply(self._world.direct_channel(user).json())

    async def user(self, request: web.Request) -> web.Response:
        """GET /users/{user}"""
        return reply(self._user(request).json())

    async def application(self, _: web.Request) -> web.Response:
        """GET /applications/@me"""
        people = [user for user in self._world.users.values() if not user.is_bot]
        return reply(self._application.json(people[0] if people else self._world.bot))

    async def change_application(self, request: web.Request) -> web.Response:
        """PATCH /applications/@me"""
        body = await body_of(request)
        if "interactions_endpoint_url" in body:
            await self._endpoint.use(body["interactions_endpoint_url"] or None)
        return await self.application(request)

    async def gateway(self, _: web.Request) -> web.Response:
        """GET /gateway"""
        return reply({"url": self._gateway.url})

    async def gateway_bot(self, _: web.Request) -> web.Response:
        """GET /gateway/bot"""
        limit = {"total": 1000, "remaining": 999, "reset_after": 0, "max_concurrency": 1}
        return reply({"url": self._gateway.url, "shards": 1, "session_start_limit": limit})

    async def guild(self, request: web.Request) -> web.Response:
        """GET /guilds/{guild}"""
        self._check_guild(request)
        return reply(self._world.guild_json())

    async def channels(self, request: web.Request) -> web.Response:
        """GET /guilds/{guild}/channels"""
        self._check_guild(request)
        return reply(self._world.guild_json()["channels"])

    async def threads(self, request: web.Request) -> web.Response:
        """GET /guilds/{guild}/threads/active"""
        self._check_guild(request)
        return reply({"threads": self._world.guild_json()["threads"], "members": []})

    async def member(self, request: web.Request) -> web.Response:
        """GET /guilds/{guild}/members/{user}"""
        self._check_guild(request)
        user = self._world.users.get(id_in(request, "user"))
        if user is None:
            raise refusals.unknown_member()
        return reply({"user": user.json(), **user.member_json()})

    async def commands(self, _: web.Request) -> web.Response:
        """GET …/commands"""
        return reply(self._application.commands)

    async def put_commands(self, request: web.Request) -> web.Response:
        """PUT …/commands: these commands and no others"""
        given = await json_of(request)
        check_commands(given)
        self._application.commands = [self._registered(each) for each in given]
        self._world.touch()
        return reply(self._application.commands)

    async def add_command(self, request: web.Request) -> web.Response:
        """POST …/commands: a command more, or another version of one"""
        given = await body_of(request)
        check_commands([given])
        added = self._registered(given)
        others = [each for each in self._application.commands if each["name"] != added["name"]]
        self._application.commands = [*others, added]
        self._world.touch()
        return reply(added, 201)

    async def delete_command(self, request: web.Request) -> web.Response:
        """DELETE …/commands/{command}"""
        wanted = str(id_in(request, "command"))
        kept = [each for each in self._application.commands if each["id"] != wanted]
        if len(kept) == len(self._application.commands):
            raise refusals.Refusal(404, 10063, "Unknown application command")
        self._application.commands = kept
        self._world.touch()
        return nothing()

    def _registered(self, command: Payload) -> Payload:
        known = (each for each in self._application.commands if each["name"] == command["name"])
        earlier = next(known, None)
        return {
            "type": 1,
            "description": "",
            "default_member_permissions": None,
            "nsfw": False,
            "dm_permission": True,
            **command,
            "id": earlier["id"] if earlier else str(self._world.new_id()),
            "application_id": str(self._world.bot.id),
            "version": str(self._world.new_id()),
        }

    def _user(self, request: web.Request) -> User:
        if (user := self._world.users.get(id_in(request, "user"))) is None:
            raise refusals.unknown_user()
        return user

    def _check_guild(self, request: web.Request) -> None:
        if id_in(request, "guild") != self._world.guild_id:
            raise refusals.unknown_guild()
