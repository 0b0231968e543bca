"""The commands that serve the demo and the user's own agents, and what they print at the start."""

import gc
import logging.config
import re
import shlex
from argparse import Namespace
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assent.app import Assent
from assent.cli.accounts import sign_in_link
from assent.cli.discord_options import demo_discord, discord_channel
from assent.cli.listening import Listener, bind
from assent.cli.options import (
    agents_at,
    channels_at,
    home_of,
    login,
    model_of,
    open_screen,
    url_of,
    without_password,
)
from assent.cli.screen import Ink, Screen
from assent.cli.slack_options import slack_channel
from assent.demo.accounts import KEYS_FILE, ROLES, ensure_accounts
from assent.demo.agent import AGENT, PEOPLE_MAY_ALLOW, SUGGESTIONS, Home, demo_agent
from assent.domain.people import ADMIN, APPROVER, REQUESTER, SYSTEM, Person
from assent.engine.deliveries.channel import Channel
from assent.engine.people.accounts import People
from assent.engine.people.links import SIGN_IN_WITHIN
from assent.errors import InvalidCommand
from assent.presentation.text import safe_line

if TYPE_CHECKING:
    from assent.server import Settings

Ready = Callable[[], Awaitable[None]]
# A person who serves agents on their own machine for themselves has every role there.
_OWN_ROLES = frozenset({REQUESTER, APPROVER, ADMIN})
_LABEL_COLUMNS = 10
_FIRST = SUGGESTIONS[0]
# What the demo's other accounts are for.
_PARTS = {
    "approver": "decides the commands of others: let user say  run ls -l",
    "admin": "sees everything; people, keys, tools and the record",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInLinks:
    """The address of a server, and for each account a link that signs it in once."""

    origin: str
    address: str
    links: Mapping[str, str]

    @property
    def where(self) -> str:
        """The address that people use, and the socket behind it if that is a different one."""
        own = self.address in self.origin
        return self.origin if own else f"{self.origin}, listening on {self.address}"


async def demo(options: Namespace) -> None:
    """Serve the demo, with its own folder, its own agent and three accounts."""
    home, model, screen = home_of(options), model_of(options), open_screen()
    settings = _settings(options, listener := bind(options), AGENT)
    _log(options)
    async with demo_discord(options) as discord:
        with listener.socket:
            home.furnish()
            url = url_of(options.db) if options.db else home.url
            assent = Assent(
                url,
                agents=[demo_agent(home, model)],
                channels=discord.channels,
                people_may_allow=PEOPLE_MAY_ALLOW,
                review_url=listener.origin,
            )

            async def ready() -> None:
                await ensure_accounts(assent.people, home.root)
                await discord.introduce(assent.people)
                sign_in = await _sign_in_links(assent.people, listener, *ROLES)
                discord.show(screen)
                show_demo(screen, home, sign_in, model)

            await _run(assent, settings, listener, screen, ready)


async def serve(options: Namespace) -> None:
    """Serve the user's own agents."""
    await _serve(options, ())


async def serve_discord(options: Namespace) -> None:
    """Serve the user's own agents, on Discord as well."""
    await _serve(options, (discord_channel(options, agent=options.agent),))


async def serve_slack(options: Namespace) -> None:
    """Serve the user's own agents, on Slack as well."""
    await _serve(options, (slack_channel(options),))


async def _serve(options: Namespace, channels: Sequence[Channel]) -> None:
    agents, screen = agents_at(options.agents) if options.agents else (), open_screen()
    channels = (*channels, *channels_at(options.channels))
    first = agents[0].name if agents else None
    settings = _settings(options, listener := bind(options), first)
    _log(options)
    with listener.socket:
        url = url_of(options.db or "assent.db")
        assent = Assent(url, agents=agents, channels=channels, review_url=listener.origin)

        async def ready() -> None:
            own = [await own_account(assent.people)] if listener.is_local else []
            sign_in = await _sign_in_links(assent.people, listener, *own)
            names = [agent.name for agent in agents]
            also = [channel.name for channel in channels]
            show_service(screen, names, without_password(url), sign_in, also)

        await _run(assent, settings, listener, screen, ready)


def _settings(options: Namespace, listener: Listener, agent: str | None) -> "Settings":
    try:
        from assent.server import Settings
    except ModuleNotFoundError as error:
        raise InvalidCommand(
            f"serving needs {error.name!r}; install it with: pip install 'assent[server]'"
        ) from error
    return Settings(
        origin=listener.origin,
        agent=agent,
        local=listener.is_local,
        frontends=tuple(options.frontend),
        ai_sdk=options.ai_sdk,
    )


def _log(options: Namespace) -> None:
    """Log to stderr, one line per record: warnings and errors, with `--debug` everything."""
    from assent.server.logs import log_config

    logging.config.dictConfig(log_config("DEBUG" if options.debug else "WARNING"))


async def own_account(people: People, given: str | None = None) -> str:
    """Return the account of whoever uses this machine, or of the name given; it is made if new."""
    # A login name may contain characters that the id of an account cannot have.
    name = given or re.sub(r"[^A-Za-z0-9]+", "-", login()).strip("-") or "me"
    if await people.find(name) is None:
        await people.add(Person(name, roles=_OWN_ROLES), by=SYSTEM)
    return name


async def _sign_in_links(people: People, listener: Listener, *names: str) -> SignInLinks:
    """Return the addresses of the server, with a one-time sign-in link for each name."""
    links = {name: await sign_in_link(people, name, listener.origin) for name in names}
    return SignInLinks(origin=listener.origin, address=listener.address, links=links)


async def _run(
    assent: Assent, settings: "Settings", listener: Listener, screen: Screen, ready: Ready
) -> None:
    from assent.cli.server_process import run
    from assent.server import create_app

    app = create_app(assent, settings)
    # Opened here and not by uvicorn, which would turn every error into an exit code.
    async with app.router.lifespan_context(app):
        # Modules and templates stay loaded: the garbage collector need not look at them again,
        # which saves about 5 % of the work.
        gc.collect()
        gc.freeze()
        await run(app, listener, screen, ready)
    screen.line("Stopped.", Ink.FAINT)


def show_demo(screen: Screen, home: Home, sign_in: SignInLinks, model: str | None) -> None:
    """Print the demo's greeting, first of all what to open and what to say there."""
    keys = home.root / KEYS_FILE
    script = "a script: no key, no network (--model openai:gpt-5 uses a real one)"
    screen.line(f"The Assent demo runs on {sign_in.where}", Ink.STRONG)
    _steps(screen, sign_in)
    _fact(screen, "Keys", f"{_short(keys)}")
    _fact(screen, "Files", _short(home.workspace))
    _fact(screen, "Model", model or script)
    screen.line()
    screen.line("Without a browser:", Ink.STRONG)
    _curl(screen, sign_in.origin, keys)
    screen.line()
    screen.line("Ctrl-C stops it; what waits is kept.", Ink.FAINT)


def _steps(screen: Screen, sign_in: SignInLinks) -> None:
    """Print one link to begin with, one sentence to say, and the other accounts to try."""
    (first, link), *others = sign_in.links.items()
    screen.line()
    screen.line(f"1  Open this; it signs you in once, within {_minutes()} minutes:", Ink.STRONG)
    _door(screen, first, link)
    screen.line()
    screen.line(f"2  Say there:  {screen.paint(_FIRST, Ink.PROMPT)}")
    screen.line("   The agent asks before it does that. Read it, then approve or reject it.")
    if others:
        screen.line()
        screen.line("3  Be somebody else, in a private window or another browser:", Ink.STRONG)
    for name, link in others:
        _door(screen, name, link)
        if name in _PARTS:
            screen.line(f"  {'':<{_LABEL_COLUMNS}}{_PARTS[name]}", Ink.FAINT)
    screen.line()


def show_service(
    screen: Screen,
    agents: Sequence[str],
    url: str,
    sign_in: SignInLinks,
    channels: Sequence[str] = (),
) -> None:
    """Print the greeting of a server for the user's own agents."""
    screen.line(f"Assent serves on {sign_in.where}", Ink.STRONG)
    _links(screen, sign_in)
    if agents:
        _fact(screen, "Agents", ", ".join(map(safe_line, agents)))
    else:
        whose = safe_line(next(iter(sign_in.links), "PERSON"))
        key = f"assent keys create {whose} --scope chat --db {safe_line(url)}"
        _fact(screen, "Agents", f"none here; those elsewhere need a key: {key}")
    if channels:
        _fact(screen, "Channels", ", ".join(map(safe_line, channels)))
    _fact(screen, "Database", safe_line(url))
    if not sign_in.links:
        _fact(screen, "Sign in", "with an API key: assent keys create PERSON --db …")
    screen.line("Ctrl-C stops it; what waits is kept.", Ink.FAINT)


def _links(screen: Screen, sign_in: SignInLinks) -> None:
    if not sign_in.links:
        return
    screen.line()
    screen.line(f"Sign in; each link works once, for {_minutes()} minutes:", Ink.STRONG)
    for name, link in sign_in.links.items():
        _door(screen, name, link)
    screen.line()


def _door(screen: Screen, name: str, link: str) -> None:
    # Never wrapped: a terminal makes a link of one line, and people copy one line.
    screen.line(f"  {safe_line(name):<{_LABEL_COLUMNS}}{link}")


def _minutes() -> int:
    return int(SIGN_IN_WITHIN.total_seconds() // 60)


def _fact(screen: Screen, label: str, text: str) -> None:
    screen.line(f"  {screen.paint(f'{label:<{_LABEL_COLUMNS}}', Ink.FAINT)}{text}")


def _curl(screen: Screen, origin: str, keys: Path) -> None:
    message = '{"messages":[{"role":"user","content":"delete test.txt"}]}'
    screen.line(f"  KEY=$(jq -r .user {_short(keys)})")
    screen.line(f"  curl -N {origin}/api/qa/chat_streamed/first \\")
    screen.line('    -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\')
    screen.line(f"    -d '{message}'")


def _short(path: Path) -> str:
    """Return a path as a shell takes it, with `~` if it is in the home folder."""
    if shlex.quote(str(path)) != str(path):
        return shlex.quote(str(path))
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)
