"""Interactions: a person presses, chooses, submits or commands; the bot answers once, in time."""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from typing import Any, cast

from assent.demo.discord_sandbox import refusals
from assent.demo.discord_sandbox.components import check_modal, numbered
from assent.demo.discord_sandbox.form_body import FormBody, one_error
from assent.demo.discord_sandbox.message_body import MessageBody, MessageFlag, message_body
from assent.demo.discord_sandbox.places import Channel, Message, MessageType, User
from assent.demo.discord_sandbox.refusals import Payload
from assent.demo.discord_sandbox.world import Draft, World

ANSWER_SECONDS = 3.0
TOKEN_LIFE = timedelta(minutes=15)
ATTACHMENT_BYTES = 10_485_760
FAILED = "This interaction failed"
_SHOWN_FAILURES = 20


class InteractionType(IntEnum):
    """Discord's numbers."""

    PING = 1
    COMMAND = 2
    COMPONENT = 3
    MODAL_SUBMIT = 5


class AnswerType(IntEnum):
    """Discord's numbers of the first answers to an interaction."""

    PONG = 1
    MESSAGE = 4
    DEFERRED_MESSAGE = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    MODAL = 9


class InteractionStatus(StrEnum):
    """How far an interaction got."""

    WAITING = "waiting"
    ANSWERED = "answered"
    FAILED = "failed"


_ON_MESSAGES = frozenset({AnswerType.DEFERRED_UPDATE, AnswerType.UPDATE})


@dataclass(slots=True, kw_only=True)
class Interaction:
    """One action of a person, and what became of it."""

    id: int
    token: str
    type: InteractionType
    user: User
    channel: Channel
    data: Payload
    created_at: datetime
    message: Message | None = None
    status: InteractionStatus = InteractionStatus.WAITING
    answer: AnswerType | None = None
    # The first answer: a message of its own, or the one that the component is on.
    original: Message | None = None
    timer: asyncio.TimerHandle | None = None

    def metadata(self) -> Payload:
        """Return how a message that answers this interaction describes it."""
        return {
            "id": str(self.id),
            "type": int(self.type),
            "user": self.user.json(),
            "authorizing_integration_owners": {},
        }


@dataclass(slots=True, kw_only=True)
class Modal:
    """A modal that one person has open; only they see what they type."""

    opener: Interaction
    data: Payload
    # Set if the bot did not answer when it was submitted.
    problem: str = ""

    @property
    def custom_id(self) -> str:
        """The bot's own id of the modal."""
        return self.data["custom_id"]

    @property
    def title(self) -> str:
        """The heading."""
        return self.data["title"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A note under a message that a press got no answer."""

    version: int
    user_id: int
    channel_id: int
    message_id: int | None
    text: str = FAILED


Deliver = Callable[[Interaction, Payload], None]


@dataclass(slots=True)
class _Ledger:
    """Interactions whose tokens still live."""

    by_id: dict[int, Interaction] = field(default_factory=dict[int, Interaction])
    by_token: dict[str, Interaction] = field(default_factory=dict[str, Interaction])

    def add(self, interaction: Interaction) -> None:
        self.by_id[interaction.id] = interaction
        self.by_token[interaction.token] = interaction

    def forget_before(self, moment: datetime) -> None:
        while self.by_id:
            oldest = next(iter(self.by_id.values()))
            if oldest.created_at >= moment:
                return
            del self.by_id[oldest.id], self.by_token[oldest.token]


class Interactions:
    """All interactions of the sandbox. `deliver` brings them to the bot."""

    def __init__(self, world: World, *, answer_seconds: float = ANSWER_SECONDS) -> None:
        self.world = world
        self.answer_seconds = answer_seconds
        self.deliver: Deliver = _to_nobody
        self.modals: dict[int, Modal] = {}
        self.failures: list[Failure] = []
        self.pending: dict[int, Interaction] = {}
        self._ledger = _Ledger()

    def open(
        self,
        kind: InteractionType,
        user: User,
        channel: Channel,
        data: Payload,
        message: Message | None = None,
    ) -> Interaction:
        """Begin an interaction and bring it to the bot, which has three seconds to answer."""
        now = self.world.now()
        # Kept twice as long, so that a late request is told that its token is dead.
        self._ledger.forget_before(now - 2 * TOKEN_LIFE)
        interaction = Interaction(
            id=self.world.new_id(),
            token=secrets.token_urlsafe(48),
            type=kind,
            user=user,
            channel=channel,
            data=data,
            created_at=now,
            message=message,
        )
        self._ledger.add(interaction)
        self.pending[interaction.id] = interaction
        self.world.touch()
        loop = asyncio.get_running_loop()
        interaction.timer = loop.call_later(self.answer_seconds, self.fail, interaction)
        self.deliver(interaction, self.payload(interaction))
        return interaction

    def repeat(self, interaction: Interaction) -> None:
        """Bring an interaction to the bot a second time, as Discord may do."""
        self.deliver(interaction, self.payload(interaction))

    def payload(self, interaction: Interaction) -> Payload:
        """Return the interaction as the bot receives it."""
        channel, user, bot = interaction.channel, interaction.user, self.world.bot
        body: Payload = {
            "id": str(interaction.id),
            "application_id": str(bot.id),
            "type": int(interaction.type),
            "token": interaction.token,
            "version": 1,
            "data": interaction.data,
            "channel_id": str(channel.id),
            "channel": channel.json(),
            "locale": "en-US",
            "app_permissions": str(int(channel.permissions())),
            "entitlements": [],
            "authorizing_integration_owners": {"0": str(channel.guild_id or 0)},
            "attachment_size_limit": ATTACHMENT_BYTES,
            "context": 1 if channel.guild_id is None else 0,
        }
        if interaction.message is not None:
            body["message"] = interaction.message.json()
        if channel.guild_id is None:
            return {**body, "user": user.json()}
        guild: Payload = {"id": str(channel.guild_id), "locale": "en-US", "features": []}
        member = {"user": user.json(), **user.member_json()}
        return {
            **body,
            "guild_id": str(channel.guild_id),
            "guild": guild,
            "guild_locale": "en-US",
            "member": member,
        }

    # Answers

    def waiting(self, id: int, token: str) -> Interaction:
        """Return an interaction that may still be answered; raises the refusal otherwise."""
        interaction = self._ledger.by_id.get(id)
        if interaction is None or not secrets.compare_digest(interaction.token, token):
            raise refusals.unknown_interaction()
        if interaction.status is InteractionStatus.ANSWERED:
            raise refusals.already_acknowledged()
        if interaction.status is InteractionStatus.FAILED:
            raise refusals.unknown_interaction()
        return interaction

    def answered(self, token: str) -> Interaction:
        """Return an answered interaction whose token lives; raises the refusal otherwise."""
        interaction = self._ledger.by_token.get(token)
        if interaction is None or interaction.status is not InteractionStatus.ANSWERED:
            raise refusals.unknown_webhook()
        if self.world.now() - interaction.created_at > TOKEN_LIFE:
            raise refusals.invalid_webhook_token()
        return interaction

    def take(self, interaction: Interaction, answer: Payload) -> Message | None:
        """Carry out the first answer; return the message that it made or changed."""
        kind, data = self._answer_type(interaction, answer), _data_of(answer)
        match kind:
            case AnswerType.MODAL:
                self._open_modal(interaction, data)
            case AnswerType.MESSAGE:
                body = message_body(data)
                if body.is_empty:
                    raise refusals.empty_message()
                interaction.original = self.reply(interaction, body)
            case AnswerType.DEFERRED_MESSAGE:
                flags = MessageFlag.LOADING | MessageFlag(data.get("flags") or 0)
                interaction.original = self.reply(interaction, MessageBody(flags=flags))
            case AnswerType.UPDATE if interaction.message is not None:
                if interaction.message.id not in interaction.channel.messages:
                    raise refusals.unknown_message()
                old = interaction.message.flags
                self.world.edit(interaction.message, message_body(data, old_flags=old))
                interaction.original = interaction.message
            case _:
                interaction.original = interaction.message
        self._settle(interaction, InteractionStatus.ANSWERED, kind)
        return interaction.original

    def reply(self, interaction: Interaction, body: MessageBody) -> Message:
        """Post a message that answers an interaction, for its user alone if it is ephemeral."""
        is_ephemeral = bool(body.flags & MessageFlag.EPHEMERAL)
        is_command = interaction.type is InteractionType.COMMAND
        draft = Draft(
            author=self.world.bot,
            body=body,
            type=MessageType.CHAT_INPUT_COMMAND if is_command else MessageType.DEFAULT,
            seen_by=interaction.user.id if is_ephemeral else None,
            interaction=interaction.metadata(),
        )
        return self.world.post(interaction.channel, draft)

    def fail(self, interaction: Interaction) -> None:
        """Give up on an answer and tell the person, as their client would."""
        if interaction.status is not InteractionStatus.WAITING:
            return
        self._settle(interaction, InteractionStatus.FAILED, None)
        modal = self.modals.get(interaction.user.id)
        if interaction.type is InteractionType.MODAL_SUBMIT and modal is not None:
            modal.problem = "Something went wrong. Try again."
            return
        failure = Failure(
            version=self.world.touch(),
            user_id=interaction.user.id,
            channel_id=interaction.channel.id,
            message_id=interaction.message.id if interaction.message else None,
        )
        self.failures = [*self.failures[-_SHOWN_FAILURES:], failure]

    def close(self) -> None:
        """Stop all timers."""
        for interaction in self._ledger.by_id.values():
            if interaction.timer is not None:
                interaction.timer.cancel()

    def _answer_type(self, interaction: Interaction, answer: Payload) -> AnswerType:
        try:
            kind = AnswerType(answer.get("type"))
        except ValueError:
            raise one_error("type", "BASE_TYPE_CHOICES", "Value must be a callback type") from None
        is_submit = interaction.type is InteractionType.MODAL_SUBMIT
        needs_message = kind in _ON_MESSAGES and interaction.message is None
        if kind is AnswerType.PONG or (kind is AnswerType.MODAL and is_submit) or needs_message:
            words = f"Value must not be {int(kind)} for this interaction."
            raise one_error("type", "BASE_TYPE_CHOICES", words)
        return kind

    def _open_modal(self, interaction: Interaction, data: Payload) -> None:
        body = FormBody()
        checked = check_modal(body.root().at("data"), data)
        body.check()
        filled: dict[str, Any] = {**checked, "components": numbered(checked["components"])}
        self.modals[interaction.user.id] = Modal(opener=interaction, data=filled)

    def _settle(
        self, interaction: Interaction, status: InteractionStatus, answer: AnswerType | None
    ) -> None:
        interaction.status, interaction.answer = status, answer
        self.pending.pop(interaction.id, None)
        if interaction.timer is not None:
            interaction.timer.cancel()
        if interaction.type is InteractionType.MODAL_SUBMIT and answer is not None:
            self.modals.pop(interaction.user.id, None)
        self.world.touch()


def _to_nobody(interaction: Interaction, payload: Payload) -> None:
    """Deliver to no bot at all; the interaction fails by itself."""


def _data_of(answer: Payload) -> Payload:
    data: Any = answer.get("data")
    return cast("Payload", data) if isinstance(data, dict) else {}
