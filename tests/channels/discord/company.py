"""A guild with an engine behind its bot: people talk, press and wait."""

from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from assent import Agent, Assent, Person
from assent.channels.discord import Discord
from assent.demo.discord_sandbox import Channel, DiscordSandbox, Interaction, Member, Message
from assent.domain.messages import Prompt, UserSaid
from assent.domain.people import SYSTEM
from assent.domain.requests import Request
from assent.testing import ScriptedModel
from assent.testing.channels import until
from tests.channels.discord.bots import eventually
from tests.channels.discord.faults import Faults
from tests.channels.discord.stage import buttons_of, text_of

ACCOUNTS = {"Ada": "ada", "Grace": "grace"}


@dataclass(slots=True, kw_only=True)
class Company:
    """Ada and Grace have accounts, Linus has none; the script says what the model answers."""

    sandbox: DiscordSandbox
    faults: Faults
    general: Channel
    room: Channel
    assent: Assent
    script: deque[Any]
    members: dict[str, Member]

    @property
    def ada(self) -> Member:
        return self.members["Ada"]

    @property
    def grace(self) -> Member:
        return self.members["Grace"]

    @property
    def linus(self) -> Member:
        return self.members["Linus"]

    def mention(self, text: str, *, by: Member | None = None) -> Message:
        """Say something to the bot in the channel."""
        return (by or self.ada).say(self.general, f"{self.sandbox.bot.mention} {text}")

    async def thread(self, start: Message) -> Channel:
        """Wait for the thread that answers a message."""
        world = self.sandbox.world

        def opened() -> Channel | None:
            return world.channels.get(start.thread_id) if start.thread_id else None

        return await world.until(opened)

    async def said(
        self, channel: Channel, wanted: Callable[[str], bool], *, to: Member | None = None
    ) -> Message:
        """Wait until the bot has said something."""
        member = to or self.ada
        return await member.sees(
            channel, lambda message: message.author.is_bot and wanted(text_of(message))
        )

    async def card(self, channel: Channel, verb: str = "approve") -> Message:
        """Wait for a message with a button for a verb."""
        marker = f"assent:{verb}:"
        return await self.ada.sees(
            channel, lambda message: any(b.startswith(marker) for b in buttons_of(message))
        )

    def button(self, message: Message, verb: str, number: int = 0) -> str:
        marker = f"assent:{verb}:"
        return [each for each in buttons_of(message) if each.startswith(marker)][number]

    async def press(self, member: Member, message: Message, verb: str, number: int = 0) -> str:
        """Press a button and return what its person is told."""
        pressed = member.press(message, self.button(message, verb, number))
        return await self.answer(member, pressed)

    async def answer(self, member: Member, interaction: Interaction) -> str:
        await member.settled(interaction)
        original = interaction.original
        if original is None:
            assert member.modal is not None, interaction.status
            return member.modal.title

        def final() -> str | None:
            return None if original.is_loading else text_of(original)

        return await self.sandbox.world.until(final)

    async def settled(self, message: Message) -> str:
        """Wait until a card offers nothing any more, and return its text."""

        def over() -> str | None:
            return None if buttons_of(message) else text_of(message)

        return await self.sandbox.world.until(over, within=20)

    async def pending(self, person: str = "ada") -> Sequence[Request]:
        return await self.assent.pending(person=Person(person))


def scripted(word_delay: timedelta = timedelta(0)) -> tuple[deque[Any], ScriptedModel]:
    """Return a script, and a model that says the next line of it to each new message."""
    script: deque[Any] = deque()

    def answer(prompt: Prompt) -> Any:
        is_new = isinstance(prompt.history[-1], UserSaid)
        return script.popleft() if is_new and script else "Done."

    return script, ScriptedModel(answer, word_delay=word_delay)


@asynccontextmanager
async def company(
    database: str, *tools: Any, discord: dict[str, Any] | None = None, **options: Any
) -> AsyncGenerator[Company]:
    """Open a guild and an engine that serves it."""
    faults = Faults()
    # Discord waits three seconds; a machine that runs other tests beside this one may need more.
    async with DiscordSandbox(rate_limited=False, answer_seconds=20, around=[faults]) as sandbox:
        general, room = sandbox.add_channel("general"), sandbox.add_channel("approvals")
        members = {name: sandbox.add_member(name) for name in ("Ada", "Grace", "Linus")}
        script, model = scripted(options.pop("word_delay", timedelta(0)))
        settings = {"rooms": [room.id], **(discord or {})}
        channel = Discord(sandbox.token, api_url=sandbox.api_url, **settings)
        assent = Assent(
            database,
            agents=[Agent("agent", model=model, tools=tools)],
            channels=[channel],
            review_url=options.pop("review_url", "https://assent.test"),
            decide_within=options.pop("decide_within", timedelta(hours=1)),
            **options,
        )
        async with assent:
            for name, account in ACCOUNTS.items():
                await known(assent, account, str(members[name].id), name)
            await eventually(lambda: assent.channels.is_serving("discord"))
            await eventually(lambda: sandbox.application.commands)
            yield Company(
                sandbox=sandbox,
                faults=faults,
                general=general,
                room=room,
                assent=assent,
                script=script,
                members=members,
            )


async def known(assent: Assent, account: str, chat_id: str, name: str) -> None:
    if await assent.people.find(account) is None:
        await assent.people.add(Person(account, roles={"ops"}), by=SYSTEM)
    await assent.people.chats.welcome(account, "discord", chat_id, name)


async def problem(assent: Assent) -> str:
    """Wait until an admin sees what is wrong with the channel."""

    async def told() -> str | None:
        found = await assent.channels.status()
        return found[0].error if found else None

    return await until("an error", told)
