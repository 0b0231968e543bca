"""A mail server on loopback: aiosmtpd, with answers that a test scripts for each stage."""

import asyncio
import contextlib
import email
import ssl
import warnings
from collections import defaultdict, deque
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP as POLICY
from enum import StrEnum
from functools import cached_property
from types import TracebackType
from typing import Any, Self, cast

from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword

from tests.accepting import accepted


class At(StrEnum):
    """A stage of a mail's way at which the server says something else than yes."""

    EHLO = "EHLO"
    MAIL = "MAIL"
    RCPT = "RCPT"
    DATA = "DATA"


# The connection is dropped: for DATA before the mail is kept, or after.
DROP, DROP_KEPT = "drop", "drop, but keep the mail"
HANG = "hang"


@dataclass(frozen=True)
class Received:
    """A mail as it arrived."""

    sender: str
    to: str
    raw: bytes
    is_encrypted: bool

    @cached_property
    def message(self) -> EmailMessage:
        """The mail, parsed."""
        return cast("EmailMessage", email.message_from_bytes(self.raw, policy=POLICY))

    def part(self, subtype: str) -> str:
        """The text of a part: `plain` or `html`."""
        body = self.message.get_body((subtype,))
        assert body is not None
        return body.get_content()


class Mailhost:
    """`async with Mailhost() as host: …`; mails that it took are in `received`."""

    def __init__(
        self,
        *,
        tls: ssl.SSLContext | None = None,
        implicit: bool = False,
        password: str = "",
        starttls: bool = True,
    ) -> None:
        self._tls, self._implicit, self._password = tls, implicit, password
        self._starttls = starttls
        self.received: list[Received] = []
        self.sessions = self.port = 0
        self._script: dict[At, deque[str]] = defaultdict(deque)
        self._transports: set[asyncio.Transport] = set()
        self._server: asyncio.Server | None = None

    def script(self, at: At, *answers: str) -> None:
        """Say these at a stage, one after the other, and yes again after that."""
        self._script[at].extend(answers)

    async def __aenter__(self) -> Self:
        await self.listen()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.go_down()

    async def listen(self) -> None:
        """Take connections, after an outage on the same port as before."""
        loop = asyncio.get_running_loop()
        tls = self._tls if self._implicit else None
        self._server = await loop.create_server(self._session, "127.0.0.1", self.port, ssl=tls)
        self.port = self._server.sockets[0].getsockname()[1]

    async def go_down(self) -> None:
        """Refuse connections, and drop those that there are."""
        assert self._server is not None
        await accepted()
        self._server.close()
        for transport in self._transports:
            transport.abort()
        self._transports.clear()
        # The sessions notice it in their next turn.
        await asyncio.sleep(0)

    def _session(self) -> SMTP:
        self.sessions += 1
        needs = bool(self._password)
        with warnings.catch_warnings():
            # It warns of passwords in the clear, for it does not know of TLS from the start.
            warnings.simplefilter("ignore")
            return self._protocol(needs=needs)

    def _protocol(self, *, needs: bool) -> SMTP:
        return _Session(
            self,
            hostname="mail.test",
            loop=asyncio.get_running_loop(),
            tls_context=None if self._implicit or not self._starttls else self._tls,
            auth_required=needs,
            auth_require_tls=not self._implicit and self._tls is not None,
            authenticator=self._authenticated if needs else None,
        )

    def _authenticated(self, server: Any, session: Any, envelope: Any, how: str, given: Any) -> Any:
        is_right = (
            isinstance(given, LoginPassword)
            and given.login == b"assent"
            and given.password == self._password.encode()
        )
        return AuthResult(success=is_right, handled=False)

    # What aiosmtpd calls

    async def handle_EHLO(  # noqa: N802 - the name that aiosmtpd calls
        self, server: Any, session: Any, envelope: Any, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        said = await self._say(At.EHLO, server)
        return [said] if said else responses

    async def handle_MAIL(  # noqa: N802 - the name that aiosmtpd calls
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        said = await self._say(At.MAIL, server)
        if not said:
            envelope.mail_from = address
        return said or "250 OK"

    async def handle_RCPT(  # noqa: N802 - the name that aiosmtpd calls
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        said = await self._say(At.RCPT, server)
        if not said:
            envelope.rcpt_tos.append(address)
        return said or "250 OK"

    async def handle_DATA(  # noqa: N802 - the name that aiosmtpd calls
        self, server: Any, session: Any, envelope: Any
    ) -> str:
        script = self._script[At.DATA]
        keeps = not script or script[0] == DROP_KEPT
        if keeps:
            [to] = envelope.rcpt_tos
            is_encrypted = session.ssl is not None or self._implicit
            self.received.append(
                Received(envelope.mail_from, to, bytes(envelope.content), is_encrypted)
            )
        return await self._say(At.DATA, server) or "250 taken"

    async def _say(self, at: At, server: "_Session") -> str:
        script = self._script[at]
        answer = script.popleft() if script else ""
        if answer == HANG:
            await asyncio.Event().wait()
        if answer in (DROP, DROP_KEPT):
            cast("asyncio.Transport", server.transport).abort()
            # Nobody hears it any more.
            return "421 gone"
        return answer

    def opened(self, transport: asyncio.Transport) -> None:
        """Remember a connection, to drop it at the end."""
        self._transports.add(transport)


class _Session(SMTP):
    """A connection that is dropped with its host."""

    def __init__(self, host: Mailhost, **options: Any) -> None:
        super().__init__(host, **options)
        self._host = host

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._host.opened(cast("asyncio.Transport", transport))

    async def _handle_client(self) -> None:
        with contextlib.suppress(ConnectionError):
            await super()._handle_client()
