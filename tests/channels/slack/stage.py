"""The stage of the suite of channels: the loopback Slack with four people in it."""

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

from assent.channels.slack import Slack
from assent.testing.channels import Fault, Heard, Shown
from tests.channels.slack.faults import LostResponse, RateLimited, Refused, ServerError
from tests.channels.slack.member import Member
from tests.channels.slack.reading import block_words, buttons, words
from tests.channels.slack.server import LoopbackSlack
from tests.channels.slack.workspace import Channel, Ephemeral, Message, View

NAMES = ("ann", "bob", "eve", "mallory")
ALWAYS = 1_000_000


class SlackStage:
    """People in a channel, whose hands and eyes the suite uses."""

    def __init__(self, slack: LoopbackSlack, database: str) -> None:
        self.slack, self.database = slack, database
        self.members: dict[str, Member] = {name: slack.member(name) for name in NAMES}
        self.room = slack.channel("approvals", *self.members.values())
        self.place = f"room:{self.room.id}"
        # Messages as they were when the suite looked at them, by their buttons.
        self._seen_before: dict[str, Message] = {}

    def channel(self) -> Slack:
        return Slack(
            token=self.slack.bot_token,
            app_token=self.slack.app_token,
            room=self.room.id,
            base_url=self.slack.base_url,
        )

    def chat_id(self, name: str) -> str:
        return self.members[name].id

    async def shown(self, place: str) -> Sequence[Shown]:
        found = [each for each in self._at(place).messages if each.by_app and not each.deleted]
        for message in found:
            values = _values(message.blocks)
            if any(self._seen_before.get(value) != message for value in values):
                self._seen_before.update(dict.fromkeys(values, copy.deepcopy(message)))
        return [
            Shown(text=words(each), buttons=_values(each.blocks), raw=_raw(each)) for each in found
        ]

    async def press(self, name: str, button: str) -> Heard:
        member = self.members[name]
        before = self._seen(member)
        if member.modal and button in _values(member.modal.blocks):
            await member.press_in_modal(button)
        else:
            await member.press(self._holding(member, button), button)
        return await self._heard(member, before)

    async def fill(self, name: str, form: Heard, values: Mapping[str, str]) -> Heard:
        member = self.members[name]
        for field, value in values.items():
            await member.fill(f"f:{field}", value)
        before = self._seen(member)
        await member.submit()
        return await self._heard(member, before)

    async def write(self, name: str, text: str) -> None:
        await self.members[name].say(self.room, text)
        await self.members[name].mention(self.room, text)

    async def fault(self, fault: Fault) -> None:
        faults, room = self.slack.faults, self.room.id
        match fault:
            case Fault.OUTAGE:
                for method in ("chat.postMessage", "chat.update"):
                    faults.add(ServerError(status=503), method=method, times=ALWAYS)
            case Fault.RECOVERY:
                faults.clear()
            case Fault.RATE_LIMIT:
                faults.add(RateLimited(retry_after=1), method="chat.postMessage", channel=room)
            case Fault.LOST_REPLY:
                faults.add(LostResponse(), method="chat.postMessage", channel=room)
            case Fault.REFUSAL:
                refused = Refused(error="restricted_action")
                faults.add(refused, method="chat.postMessage", channel=room)
            case Fault.DELETION:
                for channel in self.slack.workspace.channels.values():
                    for message in channel.messages:
                        message.deleted = True

    def _at(self, place: str) -> Channel:
        if place.startswith("room:"):
            return self.room
        return self.slack.workspace.direct(place)

    def _holding(self, member: Member, button: str) -> Message | Ephemeral:
        """The message with a button; an altered one is put into one that was seen before."""
        for alone in reversed(self._alone(member)):
            if button in _values(alone.blocks):
                return alone
        if button in self._seen_before:
            return self._seen_before[button]
        forged = copy.deepcopy([*self._seen_before.values()][-1])
        for block in forged.blocks:
            for element in block.get("elements", []):
                if "value" in element:
                    element["value"] = button
        return forged

    def _seen(self, member: Member) -> tuple[str, str]:
        """What is on a person's screen, and what was said to them alone."""
        alone = [_raw(each) for each in self._alone(member)]
        view = member.modal
        screen = view and (view.id, view.hash, dict(view.errors))
        return json.dumps(screen), json.dumps(alone)

    def _alone(self, member: Member) -> list[Ephemeral]:
        found = [*member.ephemerals(self.room), *member.ephemerals(member.direct)]
        return sorted(found, key=lambda each: each.ts)

    async def _heard(self, member: Member, before: tuple[str, str]) -> Heard:
        """What the person sees next: a modal, or a message to them alone."""

        def answer() -> Heard | None:
            (screen, alone), view = self._seen(member), member.modal
            if view is None:
                newest = self._alone(member)[-1:] if alone != before[1] else []
                return _of_message(newest[0]) if newest else None
            is_loading = view.payload["callback_id"] == "assent:loading"
            return None if is_loading or screen == before[0] else _of_view(view)

        return await self.slack.until(answer, seconds=20, what="a reply")


def _of_message(message: Ephemeral) -> Heard:
    return Heard(text=words(message), buttons=_values(message.blocks))


def _of_view(view: View) -> Heard:
    inputs = [block for block in view.blocks if block["type"] == "input"]
    return Heard(
        text="\n".join([*block_words(view.blocks), *view.errors.values()]),
        buttons=_values(view.blocks),
        fields=tuple(block["block_id"].removeprefix("f:") for block in inputs),
        values={
            block["block_id"].removeprefix("f:"): str(block["element"].get("initial_value", ""))
            for block in inputs
        },
        reference=str(view.payload.get("private_metadata", "")),
    )


def _values(blocks: list[Any]) -> tuple[str, ...]:
    return tuple(button["value"] for button in buttons(blocks) if "value" in button)


def _raw(message: Message | Ephemeral) -> str:
    metadata = message.metadata if isinstance(message, Message) else None
    return json.dumps([message.text, message.blocks, metadata], ensure_ascii=False)
