"""The demo's guild in the Discord sandbox: two channels, two people with accounts, one without."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assent.channels.discord import Discord
from assent.demo.agent import AGENT, SUGGESTIONS
from assent.demo.discord_sandbox import DiscordSandbox, Member
from assent.engine.people.accounts import People

if TYPE_CHECKING:
    from collections.abc import Mapping

GUILD = "Assent demo"
# Who is who: Discord's people and the demo's accounts.
LINKED: "Mapping[str, str]" = {"Ada": "user", "Grace": "approver"}
STRANGER = "Linus"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoGuild:
    """A sandbox with people in it, and the channel that reaches them."""

    sandbox: DiscordSandbox
    channel: Discord
    members: "Mapping[str, Member]"

    async def link(self, people: People) -> None:
        """Link the people of the guild to the demo's accounts."""
        for name, account in LINKED.items():
            chat_id = str(self.members[name].id)
            await people.chats.welcome(account, self.channel.name, chat_id, name)


@asynccontextmanager
async def demo_guild(port: int = 0) -> AsyncGenerator[DemoGuild]:
    """Serve the guild for as long as the context lasts."""
    async with DiscordSandbox(guild=GUILD, suggestions=SUGGESTIONS, port=port) as sandbox:
        sandbox.add_channel("general", topic="Mention @Assent and say what it should do")
        room = sandbox.add_channel("approvals", topic="What waits for approvers")
        members = {name: sandbox.add_member(name) for name in (*LINKED, STRANGER)}
        channel = Discord(sandbox.token, api_url=sandbox.api_url, agent=AGENT, rooms=[room.id])
        yield DemoGuild(sandbox=sandbox, channel=channel, members=members)
