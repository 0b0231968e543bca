"""The caller's own chat accounts, and what they want to hear of."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from fastapi import APIRouter, Path
from pydantic import Field

from assent.domain import chats, notifications
from assent.domain.deliveries import CODE
from assent.domain.notifications import LONGEST_DIGEST
from assent.domain.tools import Risk
from assent.engine.people.chat_accounts import CODE_WITHIN
from assent.errors import NotFound
from assent.server.api.routing import NativeApi
from assent.server.api.schemas import Given, Shape
from assent.server.linking import want_linking
from assent.server.service import CallerDep, ServiceDep

router = APIRouter(route_class=NativeApi, tags=["notifications"])

_CHANNEL = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
_TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"
ChannelName = Annotated[str, Field(pattern=_CHANNEL, examples=["slack"])]
ChannelPath = Annotated[str, Path(pattern=_CHANNEL, description="The channel's name.")]
ChatId = Annotated[str, Path(pattern=r"^[!-~]{1,320}$", description="The account's id there.")]
Least = Literal["safe", "moderate", "dangerous", "never"]


class ChatAccount(Shape):
    """An account of a chat that belongs to you: what is done there is done by you."""

    channel: str
    chat_id: str
    name: str = Field(description="What the chat calls it.")
    linked_at: datetime

    @classmethod
    def of(cls, account: chats.ChatAccount) -> "ChatAccount":
        """Return an account as the API shows it."""
        return cls(
            channel=account.channel,
            chat_id=account.chat_id,
            name=account.name,
            linked_at=account.linked_at,
        )


class LinkingChannel(Shape):
    """A channel in which you can link an account."""

    name: str
    words: str | None = Field(description="What to type there, with {code}; null: use an address.")
    takes_addresses: bool = Field(description="Whether it sends a code to an address.")


class ChatAccounts(Shape):
    """Your chat accounts, and the channels in which you can link one."""

    items: list[ChatAccount]
    channels: list[LinkingChannel]


class NewCode(Given):
    """A channel in which you want to type a code."""

    channel: ChannelName


class Code(Shape):
    """A code to type in a chat, shown this once; it works once."""

    channel: str
    code: str
    words: str = Field(description="Exactly what to type.")
    valid_seconds: int


class Redeemed(Given):
    """A code that a chat or a message gave you."""

    code: Annotated[str, Field(pattern=r"^[ -~]{1,40}$")]


class NewInvitation(Given):
    """An address that you say is yours."""

    channel: ChannelName
    address: Annotated[str, Field(pattern=r"^[!-~]{1,320}$")]


class Invitation(Shape):
    """A code was sent to this address; enter it to link."""

    channel: str
    address: str
    valid_seconds: int


class QuietHours(Given):
    """The hours of each day in which only what is urgent comes through."""

    start: Annotated[str, Field(pattern=_TIME, examples=["22:00"])]
    end: Annotated[str, Field(pattern=_TIME, examples=["07:00"])]
    zone: Annotated[str, Field(pattern=r"^[A-Za-z0-9_+/-]{1,100}$", examples=["Europe/Berlin"])]


class Notifications(Given):
    """Your wishes: of which requests you hear, where and when; they count from now on."""

    least: dict[ChannelName, Least] = Field(
        default_factory=dict[str, Least],
        max_length=100,
        description="By channel, the lowest risk that it tells of. Others tell of everything.",
    )
    quiet: QuietHours | None = None
    digest_seconds: float | None = Field(
        default=None,
        gt=0,
        le=LONGEST_DIGEST.total_seconds(),
        description="How long what is not urgent is gathered to one message; null: not at all.",
    )
    urgent: Risk = Field(
        default=Risk.DANGEROUS, description="The lowest risk that always comes at once."
    )

    @classmethod
    def of(cls, settings: notifications.NotificationSettings) -> "Notifications":
        """Return settings as the API shows them."""
        return cls.model_validate(settings.to_json())


@router.get("/api/me/chat-accounts", operation_id="list_chat_accounts")
async def accounts(service: ServiceDep, caller: CallerDep) -> ChatAccounts:
    """List your chat accounts, and where you can link one."""
    found = await service.assent.people.chats.of(caller.person.id)
    known = await service.assent.channels.status()
    return ChatAccounts(
        items=[ChatAccount.of(each) for each in found],
        channels=[
            LinkingChannel(
                name=each.name, words=each.link_words, takes_addresses=each.takes_addresses
            )
            for each in known
            if each.links
        ],
    )


@router.post("/api/me/chat-accounts/codes", operation_id="make_chat_account_code", status_code=201)
async def make_code(body: NewCode, service: ServiceDep, caller: CallerDep) -> Code:
    """Make a code to type in a chat: the account that sends it is linked to you."""
    want_linking(caller)
    known = {each.name: each for each in await service.assent.channels.status()}
    words = known[body.channel].link_words if body.channel in known else None
    if words is None:
        raise NotFound("channel", body.channel)
    code = await service.assent.people.chats.code_for_person(caller.person, body.channel)
    return Code(
        channel=body.channel, code=code, words=words.replace(CODE, code), valid_seconds=_VALID
    )


_VALID = int(CODE_WITHIN.total_seconds())


@router.post(
    "/api/me/chat-accounts/invitations", operation_id="invite_chat_account", status_code=201
)
async def invite(body: NewInvitation, service: ServiceDep, caller: CallerDep) -> Invitation:
    """Have a code sent to an address; enter it to link the address to you."""
    want_linking(caller)
    await service.assent.channels.invite(body.channel, body.address, by=caller.person)
    return Invitation(channel=body.channel, address=body.address, valid_seconds=_VALID)


@router.post("/api/me/chat-accounts", operation_id="link_chat_account", status_code=201)
async def link(body: Redeemed, service: ServiceDep, caller: CallerDep) -> ChatAccount:
    """Link the chat account or address that the code came from."""
    want_linking(caller)
    return ChatAccount.of(await service.assent.people.chats.link_person(body.code, caller.person))


@router.delete("/api/me/chat-accounts/{channel}/{chat_id:path}", operation_id="unlink_chat_account")
async def unlink(
    channel: ChannelPath, chat_id: ChatId, service: ServiceDep, caller: CallerDep
) -> ChatAccount:
    """Unlink one of your chat accounts: nothing can be decided from there any more."""
    want_linking(caller)
    mine, me = service.assent.people.chats, caller.person
    for account in await mine.of(me.id):
        if (account.channel, account.chat_id) == (channel, chat_id):
            await mine.unlink(channel, chat_id, by=me)
            return ChatAccount.of(account)
    raise NotFound("chat account", chat_id)


@router.get("/api/me/notifications", operation_id="read_notifications")
async def show(service: ServiceDep, caller: CallerDep) -> Notifications:
    """Return your notification settings."""
    return Notifications.of(await service.assent.people.chats.settings(caller.person))


@router.put("/api/me/notifications", operation_id="set_notifications")
async def change(body: Notifications, service: ServiceDep, caller: CallerDep) -> Notifications:
    """Replace your notification settings."""
    want_linking(caller)
    quiet, seconds = body.quiet, body.digest_seconds
    wishes = notifications.NotificationSettings(
        least=body.least,
        quiet=None if quiet is None else notifications.QuietHours(**quiet.model_dump()),
        digest=None if seconds is None else timedelta(seconds=seconds),
        urgent=body.urgent,
    )
    await service.assent.people.chats.change_settings(wishes, by=caller.person)
    return Notifications.of(wishes)
