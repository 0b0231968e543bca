"""Discord on the command line: the bot's token, its options, and the demo's sandbox."""

import os
from argparse import Namespace
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from assent.cli.screen import Ink, Screen
from assent.demo.agent import AGENT, SUGGESTIONS
from assent.engine.people.accounts import People
from assent.errors import InvalidCommand

if TYPE_CHECKING:
    from assent.channels.discord import Discord

TOKEN_VARIABLE = "DISCORD_TOKEN"  # noqa: S105 - the name of a variable
_INSTALL = "Discord needs {name!r}; install it with: pip install 'assent[discord]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordSide:
    """The part of Discord in a server: its channels, what to do once it is open, what to print."""

    channels: "tuple[Discord, ...]" = ()
    prepare: Callable[[People], Awaitable[None]] | None = None
    page_url: str = ""

    async def introduce(self, people: People) -> None:
        """Do what needs the accounts of the database."""
        if self.prepare is not None:
            await self.prepare(people)

    def show(self, screen: Screen) -> None:
        """Print where to go and what to say there."""
        if self.page_url:
            _show_sandbox(screen, self.page_url)
        elif self.channels:
            screen.line("On Discord: mention the bot in a channel, and say what it should do.")
            screen.line()


def discord_channel(options: Namespace, *, agent: str | None = None) -> "Discord":
    """Return the channel that the options describe; its token is in no option and no message."""
    discord = _imported()
    mode = "http" if options.public_key else "gateway"
    return discord(
        _token(options),
        agent=agent,
        rooms=tuple(options.room),
        strangers="welcome" if options.welcome else "refuse",
        interactions=mode,
        public_key=options.public_key,
        reads_messages=not options.without_message_content,
    )


@asynccontextmanager
async def demo_discord(options: Namespace) -> AsyncGenerator[DiscordSide]:
    """Return Discord for the demo: a real bot, the sandbox, or none."""
    if options.discord_sandbox:
        _imported()
        from assent.demo.discord_guild import demo_guild

        async with demo_guild() as guild:
            channels, page = (guild.channel,), guild.sandbox.page_url
            yield DiscordSide(channels=channels, prepare=guild.link, page_url=page)
    elif options.discord:
        discord = _imported()
        # Newcomers have no accounts here, and the demo's tools do no harm.
        channel = discord(_token(options), agent=AGENT, strangers="welcome")
        yield DiscordSide(channels=(channel,))
    else:
        yield DiscordSide()


def _imported() -> "type[Discord]":
    try:
        from assent.channels.discord import Discord
    except ModuleNotFoundError as error:
        raise InvalidCommand(_INSTALL.format(name=error.name)) from error
    return Discord


def _token(options: Namespace) -> str:
    if options.token_file:
        try:
            token = Path(options.token_file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeError) as error:
            raise InvalidCommand(f"cannot read {options.token_file!r}: {error}") from None
    else:
        token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise InvalidCommand(f"the bot's token is missing: set {TOKEN_VARIABLE}, or --token-file")
    return token


def _show_sandbox(screen: Screen, page_url: str) -> None:
    first = f"@Assent {SUGGESTIONS[0]}"
    screen.line("Discord, in a sandbox on this machine: no account, no network", Ink.STRONG)
    screen.line(f"  Open      {page_url}")
    screen.line(f"  Say       {screen.paint(first, Ink.PROMPT)}")
    screen.line("  You are   Ada. Grace decides the commands of others, Linus has no account here:")
    screen.line("            switch at the bottom left, and let him press a button.")
    screen.line()
