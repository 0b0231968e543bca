"""The channel that reaches people by mail."""

import asyncio
import os
import ssl
from datetime import UTC, datetime, timedelta
from email.headerregistry import Address
from typing import Final

from assent.channels.email.addresses import address_of, mailbox_of
from assent.channels.email.message import Envelope, mail_of, message_id
from assent.channels.email.smtp import PORTS, SEND_SECONDS, Relay, SmtpConnection, Tls
from assent.domain import parameters
from assent.domain.deliveries import ChannelTerms, Post, PostItem
from assent.domain.parameters import Check, optional, taken, unfit
from assent.domain.people import SYSTEM, Person
from assent.engine.assent import Assent
from assent.engine.people.chat_accounts import CODE_WITHIN
from assent.errors import (
    ChannelError,
    InvalidParameter,
    LinkRefused,
    NotAllowed,
    NotFound,
)
from assent.presentation.letter import Letter, letter
from assent.presentation.notices import Listed, code_letter, digest_letter
from assent.presentation.settled import settled_words

# The environment variable with the password, if the constructor gets none.
PASSWORD_VARIABLE: Final = "ASSENT_EMAIL_PASSWORD"  # noqa: S105 - its name, not a password
# Longer than a weekend; never longer than the request itself.
LINK_WITHIN: Final = timedelta(days=7)
PER_SECOND: Final = 5.0
# A header's line has at most 998 characters.
_STOP_URL_CHARS: Final = 900
_WHERE: Final = "Email"
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})


def _mailbox(given: object) -> object:
    found = mailbox_of(given) if isinstance(given, str) else None
    return unfit() if found is None else found


_GIVEN: Final[dict[str, Check]] = {
    "host": parameters.name,
    "port": optional(parameters.whole(1, 65_535)),
    "username": optional(parameters.name),
    "password": parameters.hidden(optional(parameters.name)),
    "sender": Check("an address like 'Assent <assent@example.com>'", _mailbox),
    "tls": parameters.one_of(Tls),
    "name": parameters.name,
    "per_second": parameters.number(above=0),
    "send_seconds": parameters.number(above=0),
    "tls_context": optional(parameters.instance(ssl.SSLContext, "an SSLContext")),
}


class Email:
    """Mails people whose address is linked to their account; they decide on the review page.

    Each mail has a link for its recipient alone. The password comes from the environment if none
    is given.
    """

    def __init__(
        self,
        *,
        host: str,
        sender: str,
        port: int | None = None,
        username: str | None = None,
        password: str | None = None,
        tls: str = Tls.STARTTLS,
        name: str = "email",
        per_second: float = PER_SECOND,
        send_seconds: float = SEND_SECONDS,
        tls_context: ssl.SSLContext | None = None,
    ) -> None:
        given = taken(
            _WHERE,
            {
                "host": host,
                "port": port,
                "username": username,
                "password": os.environ.get(PASSWORD_VARIABLE) if password is None else password,
                "sender": sender,
                "tls": tls,
                "name": name,
                "per_second": per_second,
                "send_seconds": send_seconds,
                "tls_context": tls_context,
            },
            _GIVEN,
        )
        kind: Tls = given["tls"]
        if given["username"] is None:
            given["password"] = None
        elif kind is Tls.NONE and host not in _LOOPBACK:
            raise InvalidParameter(
                _WHERE, "tls", "'starttls' or 'implicit' with a user name", "none"
            )
        self._relay = Relay(
            host=given["host"],
            port=PORTS[kind] if given["port"] is None else given["port"],
            tls=kind,
            username=given["username"],
            password=given["password"],
            context=tls_context,
            seconds=given["send_seconds"],
        )
        self._sender: Address = given["sender"]
        self._name: str = given["name"]
        self._terms = ChannelTerms(
            groups=False, appends=True, per_second=given["per_second"], link_words=None
        )
        self._assent: Assent | None = None

    def __repr__(self) -> str:
        return f"Email(host={self._relay.host!r}, name={self._name!r})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def terms(self) -> ChannelTerms:
        return self._terms

    async def open(self, assent: Assent) -> None:
        if not assent.channels.page("/"):
            raise InvalidParameter("Assent", "review_url", "given for mails to lead to", "empty")
        self._assent = assent

    async def close(self) -> None:
        self._assent = None

    async def connect(self) -> None: ...

    async def disconnect(self) -> None: ...

    async def announce(self, post: Post) -> str:
        # The same for every attempt, whatever changed between them; updates begin at 2.
        id = message_id(post.key, 1, self._sender)
        if not post.is_open:
            # An earlier attempt may have arrived: then that mail gets its answer, and no other.
            await self.update(post, id)
            return id
        # Links are made only once there is a server to take them.
        async with self._relay.connected() as connection:
            stop_url = self._stop_url(post)
            made = await self._asked(post, stop_url)
            await self._send(connection, made, to=post.address, id=id, stop_url=stop_url)
        return id

    async def _asked(self, post: Post, stop_url: str) -> Letter:
        """Return the letter that asks for decisions, with a link for each."""
        if post.is_digest:
            listed = [
                Listed(card=item.card, url=await self._link(item, post) or item.url)
                for item in post.items
            ]
            return await asyncio.to_thread(digest_letter, listed, stop_url=stop_url)
        [item] = post.items
        url = await self._link(item, post)
        if url is None:
            # Decided meanwhile, or no longer theirs to decide: looked at again, it is dropped.
            raise ChannelError("The recipient cannot decide it any more", unsent=True)
        return await asyncio.to_thread(letter, item.card, url=url, stop_url=stop_url)

    async def update(self, post: Post, message: str) -> None:
        # A mail cannot be changed; a further one comes only when there is nothing left to decide.
        if post.is_digest or post.is_open:
            return
        [item] = post.items
        if item.request.closed_by == post.recipient:
            return
        stop_url = self._stop_url(post)
        notice = settled_words(item.card, item.request)
        made = await asyncio.to_thread(
            letter, item.card, url=item.url, notice=notice, stop_url=stop_url
        )
        id = message_id(post.key, post.version, self._sender)
        async with self._relay.connected() as connection:
            await self._send(
                connection, made, to=post.address, id=id, stop_url=stop_url, answers=message
            )

    async def invite(self, person: Person, address: str) -> None:
        """Mail a code to an address, which the person enters on their settings page."""
        to = address_of(address)
        if to is None:
            raise LinkRefused("This is not an address of mail that can be used here")
        assent = self._opened()
        id = message_id(f"code-{datetime.now(UTC):%Y%m%d%H%M%S%f}", 1, self._sender)
        async with self._relay.connected() as connection:
            code = await assent.people.chats.code_for_chat(self._name, to, to)
            made = code_letter(
                code,
                person.id,
                url=assent.channels.page("/settings/notifications"),
                minutes=int(CODE_WITHIN.total_seconds() // 60),
            )
            await self._send(connection, made, to=to, id=id)

    async def _link(self, item: PostItem, post: Post) -> str | None:
        """Return the address of a one-time link; None if the recipient may not decide now."""
        assent = self._opened()
        try:
            _, token = await assent.people.links.to_decide(
                post.recipient or "", item.request.id, by=SYSTEM, within=LINK_WITHIN
            )
        except (NotFound, NotAllowed):
            return None
        return assent.channels.page(f"/r/{token}")

    def _stop_url(self, post: Post) -> str:
        if post.recipient is None:
            return ""
        assent = self._opened()
        token = assent.people.stop_links.token(self._name, post.recipient)
        url = assent.channels.page(f"/stop/{token}")
        return url if len(url) <= _STOP_URL_CHARS else ""

    async def _send(
        self,
        connection: SmtpConnection,
        made: Letter,
        *,
        to: str,
        id: str,
        stop_url: str = "",
        answers: str | None = None,
    ) -> None:
        envelope = Envelope(
            sender=self._sender,
            to=to,
            id=id,
            at=datetime.now(UTC),
            stop_url=stop_url,
            answers=answers,
        )
        try:
            mail = await asyncio.to_thread(mail_of, made, envelope)
        except ValueError as error:
            raise ChannelError(
                "The address cannot be written into a mail", permanent=True
            ) from error
        await connection.send(mail, sender=self._sender.addr_spec, to=to)

    def _opened(self) -> Assent:
        if self._assent is None:
            raise ChannelError("This process has not opened the channel")
        return self._assent
