"""The suite's stage over the sandbox: people with Discord accounts, and the real channel."""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from assent.channels.discord import Discord
from assent.demo.discord_sandbox import Channel, DiscordSandbox, Interaction, Member, Message
from assent.demo.discord_sandbox.components import walk
from assent.demo.discord_sandbox.interactions import AnswerType, InteractionType
from assent.demo.discord_sandbox.refusals import missing_permissions
from assent.demo.discord_sandbox.rest.exchange import refused
from assent.domain.deliveries import ChannelTerms
from assent.testing.channels import Fault, Heard, Shown
from tests.accepting import accepted
from tests.channels.discord.faults import Faults, lost, rate_limited

NAMES = ("ann", "bob", "eve", "mallory")
POST = "POST /channels/*/messages"


class Unhurried(Discord):
    """The channel without its pace of five messages in a second, which has its own tests."""

    @property
    def terms(self) -> ChannelTerms:
        return replace(super().terms, per_second=1000.0)


@dataclass(slots=True, kw_only=True)
class DiscordStage:
    """A guild with a room for `ops`; each process has its own channel to it."""

    database: str
    sandbox: DiscordSandbox
    faults: Faults
    room: Channel
    members: Mapping[str, Member]

    @property
    def place(self) -> str:
        return f"room:{self.room.id}"

    def channel(self, **options: Any) -> Discord:
        options = {"rooms": [self.room.id], **options}
        return Unhurried(self.sandbox.token, api_url=self.sandbox.api_url, **options)

    def chat_id(self, name: str) -> str:
        return str(self.members[name].id)

    def where(self, place: str) -> Channel | None:
        """Return the channel of an address, if there is one yet."""
        id = int(place.rpartition(":")[2])
        world = self.sandbox.world
        if id in world.channels:
            return world.channels[id]
        found = (each for each in world.channels.values() if each.recipient is not None)
        return next((each for each in found if each.recipient and each.recipient.id == id), None)

    def posts(self, place: str) -> list[Message]:
        """Return what the bot has posted at an address."""
        channel = self.where(place)
        messages = [] if channel is None else channel.messages.values()
        return [m for m in messages if m.author.is_bot and not m.is_ephemeral]

    async def shown(self, place: str) -> Sequence[Shown]:
        return [
            Shown(text=text_of(each), buttons=buttons_of(each), raw=json.dumps(each.json()))
            for each in self.posts(place)
        ]

    async def press(self, name: str, button: str) -> Heard:
        member = self.members[name]
        message = self._holder(member, button)
        if message is not None:
            pressed = member.press(message, button)
        else:
            # Discord's clients cannot send this; somebody who writes their own can try.
            data = {"custom_id": button, "component_type": 2, "id": 1}
            kind = InteractionType.COMPONENT
            pressed = self.sandbox.interactions.open(kind, member.user, self.room, data)
        return await self.heard(member, pressed)

    async def fill(self, name: str, form: Heard, values: Mapping[str, str]) -> Heard:
        member = self.members[name]
        return await self.heard(member, member.submit(values))

    async def write(self, name: str, text: str) -> None:
        self.members[name].say(self.room, text)

    async def fault(self, fault: Fault) -> None:
        match fault:
            case Fault.OUTAGE:
                self.faults.is_down = True
                await self.sandbox.gateway.drop()
            case Fault.RECOVERY:
                self.faults.is_down = False
            case Fault.RATE_LIMIT:
                self.faults.plan(POST, rate_limited(0.5))
            case Fault.LOST_REPLY:
                self.faults.plan(POST, lost())
            case Fault.REFUSAL:
                self.faults.plan(POST, _refusing)
            case Fault.DELETION:
                for channel in list(self.sandbox.world.channels.values()):
                    for message in list(channel.messages.values()):
                        self.sandbox.world.remove_message(message)

    async def heard(self, member: Member, interaction: Interaction) -> Heard:
        """Wait for the answer to an interaction, and return it as its person sees it."""
        await member.settled(interaction)
        if interaction.answer is AnswerType.MODAL:
            return _form(member)
        original = interaction.original
        assert original is not None, f"no answer: {interaction.status}"

        def final() -> Message | None:
            return None if original.is_loading else original

        message = await self.sandbox.world.until(final)
        return Heard(text=text_of(message), buttons=buttons_of(message))

    def _holder(self, member: Member, button: str) -> Message | None:
        for channel in self.sandbox.world.channels.values():
            for message in member.messages(channel):
                if button in buttons_of(message):
                    return message
        return None


@asynccontextmanager
async def discord_stage(database: str) -> AsyncGenerator[DiscordStage]:
    """Serve a guild for the suite."""
    faults = Faults()
    # Discord waits three seconds; a machine that runs other tests beside this one may need more.
    async with DiscordSandbox(rate_limited=False, answer_seconds=20, around=[faults]) as sandbox:
        yield DiscordStage(
            database=database,
            sandbox=sandbox,
            faults=faults,
            room=sandbox.add_channel("ops"),
            members={name: sandbox.add_member(name) for name in NAMES},
        )
        await accepted()


async def _refusing(request: web.Request, handler: Handler) -> web.StreamResponse:
    return refused(missing_permissions())


def _form(member: Member) -> Heard:
    modal = member.modal
    assert modal is not None
    controls = [each for each in walk(modal.data["components"]) if "custom_id" in each]
    return Heard(
        text=modal.title,
        fields=tuple(each["custom_id"] for each in controls),
        values={each["custom_id"]: _value(each) for each in controls},
        reference=modal.custom_id,
    )


def _value(control: Mapping[str, Any]) -> str:
    chosen = [each["value"] for each in control.get("options", ()) if each.get("default")]
    return chosen[0] if chosen else control.get("value", "")


def text_of(message: Message) -> str:
    """Return all words of a message, as people read them."""
    return "\n".join(_words(message)).replace("\\", "")


def _words(message: Message) -> Iterator[str]:
    yield message.content
    for embed in message.embeds:
        yield embed.get("author", {}).get("name", "")
        yield embed.get("title", "")
        yield embed.get("description", "")
    yield from (each["label"] for each in walk(message.components) if each.get("url"))
    yield from (each["url"] for each in walk(message.components) if each.get("url"))


def buttons_of(message: Message) -> tuple[str, ...]:
    """Return the custom ids of all buttons."""
    return tuple(each["custom_id"] for each in walk(message.components) if "custom_id" in each)
