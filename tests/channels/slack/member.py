"""The hands and eyes of one person in the loopback Slack."""

import copy
from typing import TYPE_CHECKING, Any

from tests.channels.slack import answers, modals
from tests.channels.slack.api import Arguments
from tests.channels.slack.deliveries import Delivery, DeliveryKind
from tests.channels.slack.entries import entry, problems
from tests.channels.slack.payloads import (
    closed_json,
    command_json,
    message_action_json,
    said_json,
    submission_json,
    view_action_json,
)
from tests.channels.slack.reading import block_words, buttons, words
from tests.channels.slack.tickets import ResponseUrl
from tests.channels.slack.workspace import (
    BOT_USER,
    Channel,
    ChannelKind,
    Ephemeral,
    Message,
    User,
    View,
)

if TYPE_CHECKING:
    from tests.channels.slack.server import LoopbackSlack


class Member:
    """A person who reads, writes, presses buttons and fills in modals.

    What they see are copies: a message pressed later is the one that was seen, even if it changed.
    """

    def __init__(self, slack: "LoopbackSlack", user: User) -> None:
        self._slack, self.user = slack, user

    @property
    def id(self) -> str:
        return self.user.id

    @property
    def direct(self) -> Channel:
        """The conversation with the app."""
        return self._slack.workspace.direct(self.user.id)

    @property
    def modal(self) -> View | None:
        """The modal on top of the screen."""
        stack = self._slack.workspace.views.get(self.user.id)
        return stack[-1] if stack else None

    def messages(self, channel: Channel, *, thread: str | None = None) -> list[Message]:
        """What is in the channel, or in a thread of it without its first message, oldest first."""
        if self.user.id not in channel.members:
            return []
        return [
            copy.deepcopy(message)
            for message in channel.messages
            if message.thread == thread and not message.deleted
        ]

    def ephemerals(self, channel: Channel) -> list[Ephemeral]:
        """What only this person sees in the channel."""
        return [
            copy.deepcopy(each)
            for each in channel.ephemerals
            if each.user == self.user.id and not each.deleted
        ]

    async def sees(
        self, channel: Channel, text: str, *, thread: str | None = None, seconds: float = 10
    ) -> Message:
        """Wait for a message with this text in it, and return the newest."""

        def found() -> Message | None:
            shown = self.messages(channel, thread=thread)
            return next((each for each in reversed(shown) if text in words(each)), None)

        return await self._slack.until(found, seconds=seconds, what=f"a message with {text!r}")

    async def sees_ephemeral(
        self, channel: Channel, text: str, *, seconds: float = 10
    ) -> Ephemeral:
        """Wait for a message to this person alone with this text in it."""

        def found() -> Ephemeral | None:
            shown = self.ephemerals(channel)
            return next((each for each in reversed(shown) if text in words(each)), None)

        return await self._slack.until(found, seconds=seconds, what=f"only for you: {text!r}")

    async def sees_modal(self, text: str = "", *, seconds: float = 10) -> View:
        """Wait for a modal with this text in its title or content."""

        def found() -> View | None:
            view = self.modal
            shown = "\n".join([view.title, *block_words(view.blocks)]) if view else ""
            return view if view and text in shown else None

        return await self._slack.until(found, seconds=seconds, what=f"a modal with {text!r}")

    async def say(
        self, channel: Channel, text: str, *, thread: str | None = None, copies: int = 1
    ) -> Message:
        """Write a message; the app hears of it if it is mentioned or subscribed."""
        message = self._slack.workspace.post(channel, self.user.id, text=text, thread=thread)
        is_mention = f"<@{BOT_USER}>" in text and channel.kind is not ChannelKind.DIRECT
        if is_mention and "app_mention" in self._slack.subscriptions:
            mention = said_json(message, channel, self.user, mention=True)
            await self._slack.publish(mention, copies=copies)
        if self._slack.wants(channel):
            await self._slack.publish(said_json(message, channel, self.user), copies=copies)
        return message

    async def mention(
        self, channel: Channel, text: str, *, thread: str | None = None, copies: int = 1
    ) -> Message:
        """Write a message to the app in a channel."""
        words = f"<@{BOT_USER}> {text}"
        return await self.say(channel, words, thread=thread, copies=copies)

    async def press(self, message: Message | Ephemeral, label: str, *, copies: int = 1) -> Delivery:
        """Press the button of a message that has this label, action id or value."""
        channel = self._slack.workspace.channels[message.channel]
        is_ephemeral = isinstance(message, Ephemeral)
        answer = self._answer(channel, ts=message.ts, ephemeral=is_ephemeral)
        payload = message_action_json(
            self.user,
            channel,
            message,
            self._action(_button(message.blocks, label)),
            trigger=self._slack.api.tickets.trigger(self.user.id),
            response_url=self._url(answer),
        )
        return await self._slack.deliver(DeliveryKind.INTERACTION, payload, copies=copies)

    async def press_in_modal(self, label: str, *, copies: int = 1) -> Delivery:
        """Press a button in the modal on top."""
        view = self._open()
        return await self._act(view, self._action(_button(view.blocks, label)), copies=copies)

    async def fill(self, name: str, value: Any) -> Delivery | None:
        """Enter a value in the field with this label or block id; None empties it.

        Where the app wants to hear of each change, it does.
        """
        view = self._open()
        block = _field(view, name)
        element = block["element"]
        state = entry(element, value)
        view.values.setdefault(block["block_id"], {})[element["action_id"]] = state
        if not block.get("dispatch_action"):
            return None
        ids = {"block_id": block["block_id"], "action_id": element["action_id"]}
        return await self._act(view, {**ids, **state, "action_ts": self._now()})

    async def submit(self, *, copies: int = 1) -> Delivery:
        """Submit the modal on top; the client itself refuses what its fields do not allow."""
        view = self._open()
        self._complete(view)
        if refused := problems(view):
            raise AssertionError(f"Slack's client does not submit this: {refused}")
        trigger = self._slack.api.tickets.trigger(self.user.id, view=view.id)
        payload = submission_json(self.user, view, trigger=trigger)
        delivery = await self._slack.deliver(
            DeliveryKind.INTERACTION, copy.deepcopy(payload), copies=copies
        )
        if delivery.acknowledged:
            modals.answer_submission(self._slack.api, view, delivery.answer)
        return delivery

    async def close(self) -> Delivery | None:
        """Close the modal on top; the app hears of it if it wanted to."""
        view = self._open()
        cleared = bool(view.payload.get("clear_on_close"))
        if cleared:
            self._slack.workspace.views.pop(self.user.id)
        modals.close(self._slack.api, view)
        if not view.payload.get("notify_on_close"):
            return None
        payload = closed_json(self.user, view, cleared=cleared)
        return await self._slack.deliver(DeliveryKind.INTERACTION, payload)

    async def command(
        self, command: str, text: str = "", *, channel: Channel | None = None, copies: int = 1
    ) -> Delivery:
        """Use a slash command; the words of its acknowledgement are shown."""
        place = channel or self.direct
        answer = self._answer(place)
        trigger = self._slack.api.tickets.trigger(self.user.id)
        payload = command_json(
            self.user, place, command, text, trigger=trigger, response_url=self._url(answer)
        )
        delivery = await self._slack.deliver(DeliveryKind.COMMAND, payload, copies=copies)
        if delivery.answer:
            answers.apply_answer(self._slack.api, answer, Arguments(delivery.answer))
        return delivery

    async def _act(self, view: View, action: dict[str, Any], *, copies: int = 1) -> Delivery:
        trigger = self._slack.api.tickets.trigger(self.user.id, view=view.id)
        payload = copy.deepcopy(view_action_json(self.user, view, action, trigger=trigger))
        return await self._slack.deliver(DeliveryKind.INTERACTION, payload, copies=copies)

    def _open(self) -> View:
        assert self.modal, f"{self.user.name} has no modal open"
        return self.modal

    def _complete(self, view: View) -> None:
        """Give fields that nobody touched the values with which they came."""
        for block in view.blocks:
            if block["type"] == "input":
                element = block["element"]
                values = view.values.setdefault(block["block_id"], {})
                values.setdefault(element["action_id"], entry(element))

    def _action(self, button: dict[str, Any]) -> dict[str, Any]:
        kept = ("action_id", "block_id", "text", "value", "type", "style")
        return {
            **{name: button[name] for name in kept if name in button},
            "action_ts": self._now(),
        }

    def _answer(
        self, channel: Channel, *, ts: str | None = None, ephemeral: bool = False
    ) -> ResponseUrl:
        now = self._slack.workspace.now()
        return ResponseUrl(
            user=self.user.id, channel=channel.id, issued=now, ts=ts, ephemeral=ephemeral
        )

    def _url(self, answer: ResponseUrl) -> str:
        return f"{self._slack.url}/response/{self._slack.api.tickets.response(answer)}"

    def _now(self) -> str:
        return f"{self._slack.workspace.now():.6f}"


def _button(blocks: list[Any], name: str) -> dict[str, Any]:
    shown = buttons(blocks)
    for button in shown:
        if name in (button["text"]["text"], button["action_id"], button.get("value")):
            return button
    raise AssertionError(f"no button {name!r} among {[b['text']['text'] for b in shown]}")


def _field(view: View, name: str) -> dict[str, Any]:
    fields = [block for block in view.blocks if block["type"] == "input"]
    for block in fields:
        if name in (block["label"]["text"], block["block_id"]):
            return block
    raise AssertionError(f"no field {name!r} among {[b['label']['text'] for b in fields]}")
