"""The sandbox itself: Discord on a loopback port, for demonstrations and tests."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from types import TracebackType

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from assent.demo.discord_sandbox import refusals
from assent.demo.discord_sandbox.application import Application
from assent.demo.discord_sandbox.endpoint import Endpoint, Signer
from assent.demo.discord_sandbox.gateway import PATH as GATEWAY_PATH
from assent.demo.discord_sandbox.gateway import Close, Gateway
from assent.demo.discord_sandbox.interactions import ANSWER_SECONDS, Interaction, Interactions
from assent.demo.discord_sandbox.members import Member
from assent.demo.discord_sandbox.page import Page
from assent.demo.discord_sandbox.places import Channel, User
from assent.demo.discord_sandbox.rate_limits import RateLimits
from assent.demo.discord_sandbox.refusals import Payload, Refusal
from assent.demo.discord_sandbox.rest.accounts import AccountRoutes
from assent.demo.discord_sandbox.rest.answers import AnswerRoutes
from assent.demo.discord_sandbox.rest.channels import ChannelRoutes
from assent.demo.discord_sandbox.rest.exchange import BASE, refused
from assent.demo.discord_sandbox.rest.messages import MessageRoutes
from assent.demo.discord_sandbox.snowflakes import utc_now
from assent.demo.discord_sandbox.world import Event, World

Around = Callable[[web.Request, Handler], Awaitable[web.StreamResponse]]
_STOP_SECONDS = 1.0
_BODY_BYTES = 25 * 1024 * 1024


class DiscordSandbox:
    """A guild with one bot, served on loopback for as long as its context lasts.

    `suggestions` are sentences that the page offers to say. `around` are functions that see every
    request first: tests use them to break things.
    """

    def __init__(
        self,
        *,
        guild: str = "Assent",
        bot: str = "Assent",
        port: int = 0,
        reads_messages: bool = True,
        rate_limited: bool = True,
        answer_seconds: float = ANSWER_SECONDS,
        suggestions: Sequence[str] = (),
        now: Callable[[], datetime] = utc_now,
        around: Sequence[Around] = (),
    ) -> None:
        self.world = World(guild=guild, bot=bot, now=now)
        self.application = Application(bot=self.world.bot, reads_messages=reads_messages)
        self.interactions = Interactions(self.world, answer_seconds=answer_seconds)
        self.interactions.deliver = self._deliver
        self.gateway = Gateway(self.world, self.application)
        self.signer = Signer(now)
        self.application.verify_key = self.signer.verify_key
        self.endpoint = Endpoint(self.application, self.interactions, self.signer)
        self._members: dict[int, Member] = {}
        self._page = Page(
            world=self.world,
            application=self.application,
            interactions=self.interactions,
            member=self.member,
            gateway=self.gateway,
            suggestions=suggestions,
        )
        self._port = port
        app = self._app(around, rate_limited=rate_limited)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=_STOP_SECONDS)

    # Addresses

    @property
    def origin(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def api_url(self) -> str:
        """The address of the REST interface."""
        return f"{self.origin}{BASE}"

    @property
    def gateway_url(self) -> str:
        """The address of the gateway."""
        return f"ws://127.0.0.1:{self._port}{GATEWAY_PATH}"

    @property
    def page_url(self) -> str:
        """The address to open in a browser; whoever has it acts as any member."""
        return f"{self.origin}/?key={self._page.key}"

    @property
    def token(self) -> str:
        """The bot's token."""
        return self.application.token

    # The guild

    @property
    def bot(self) -> User:
        """The bot's account."""
        return self.world.bot

    def add_member(self, name: str) -> Member:
        """Add a person to the guild."""
        return self.member(self.world.add_user(name))

    def add_channel(self, name: str, *, topic: str = "") -> Channel:
        """Add a text channel to the guild."""
        return self.world.add_channel(name, topic=topic)

    def member(self, user: User) -> Member:
        """Return the person at the client of an account."""
        known = self._members.get(user.id)
        if known is None:
            known = Member(user, self.world, self.application, self.interactions)
            self._members[user.id] = known
        return known

    async def revoke_token(self) -> None:
        """Make the token worthless, as a developer can in Discord's portal."""
        self.application.is_revoked = True
        await self.gateway.drop(resumable=False, code=Close.AUTHENTICATION_FAILED)

    # Life

    async def __aenter__(self) -> "DiscordSandbox":
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port)
        await site.start()
        self._port = self._runner.addresses[0][1]
        self.gateway.url = self.gateway_url
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.interactions.close()
        await self.endpoint.close()
        await self.gateway.drop(code=None)
        self._page.close()
        await self._runner.cleanup()

    def _app(self, around: Sequence[Around], *, rate_limited: bool) -> web.Application:
        layers = [*around, self._guard, *([RateLimits()] if rate_limited else [])]
        app = web.Application(
            middlewares=[_middleware(each) for each in layers], client_max_size=_BODY_BYTES
        )
        accounts = AccountRoutes(self.world, self.application, self.gateway, self.endpoint)
        app.add_routes(accounts.routes())
        app.add_routes(ChannelRoutes(self.world).routes())
        app.add_routes(MessageRoutes(self.world).routes())
        app.add_routes(AnswerRoutes(self.world, self.interactions).routes())
        app.add_routes([web.get(GATEWAY_PATH, self.gateway.handle)])
        app.add_routes(self._page.routes())
        return app

    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Ask for the bot's token, and answer refusals as Discord does."""
        if not request.path.startswith(f"{BASE}/"):
            return await handler(request)
        try:
            header = request.headers.get("Authorization", "")
            # Paths with a token of an interaction ask for nothing else.
            if "token" not in request.match_info and not (
                header.startswith("Bot ") and self.application.knows(header)
            ):
                raise refusals.unauthorized()
            return await handler(request)
        except Refusal as refusal:
            return refused(refusal)
        except web.HTTPNotFound:
            return refused(refusals.not_found())
        except web.HTTPMethodNotAllowed:
            return refused(Refusal(405, 0, "405: Method Not Allowed"))

    def _deliver(self, interaction: Interaction, payload: Payload) -> None:
        if self.application.endpoint_url is not None:
            self.endpoint.deliver(interaction, payload)
        else:
            self.gateway.dispatch(Event(name="INTERACTION_CREATE", data=payload))


def _middleware(around: Around) -> Middleware:
    @web.middleware
    async def layer(request: web.Request, handler: Handler) -> web.StreamResponse:
        return await around(request, handler)

    return layer
