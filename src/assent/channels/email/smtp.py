"""Sending a mail over SMTP, and what its answers mean for a delivery."""

import asyncio
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from email.message import EmailMessage
from enum import StrEnum
from typing import Final, NoReturn

import aiosmtplib

from assent.errors import ChannelError

CONNECT_SECONDS: Final = 15.0
SEND_SECONDS: Final = 60.0
QUIT_SECONDS: Final = 5.0
_FAULTS: Final = (aiosmtplib.SMTPException, OSError, TimeoutError)


class Tls(StrEnum):
    """How a connection is encrypted: after a greeting in the clear, from the start, or not."""

    STARTTLS = "starttls"
    IMPLICIT = "implicit"
    NONE = "none"


PORTS: Final = {Tls.STARTTLS: 587, Tls.IMPLICIT: 465, Tls.NONE: 25}


@dataclass(frozen=True, slots=True, kw_only=True)
class Relay:
    """A server that takes mails from us; its password is in no repr."""

    host: str
    port: int
    tls: Tls
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    context: ssl.SSLContext | None = field(default=None, repr=False)
    seconds: float = SEND_SECONDS

    @asynccontextmanager
    async def connected(self) -> "AsyncGenerator[SmtpConnection]":
        """Connect for one mail; raises `ChannelError`.

        A server that cannot be reached, or refuses us, concerns all mails.
        """
        smtp = aiosmtplib.SMTP(
            hostname=self.host,
            port=self.port,
            username=self.username,
            password=self.password,
            use_tls=self.tls is Tls.IMPLICIT,
            start_tls=self.tls is Tls.STARTTLS,
            tls_context=self.context,
            timeout=CONNECT_SECONDS,
        )
        try:
            await self._connect(smtp)
            yield SmtpConnection(self, smtp)
        finally:
            # Not closed, which first waits for a server that may not read any more.
            if isinstance(smtp.transport, asyncio.Transport):
                smtp.transport.abort()
            smtp.close()

    async def _connect(self, smtp: aiosmtplib.SMTP) -> None:
        try:
            async with asyncio.timeout(min(CONNECT_SECONDS, self.seconds)):
                await smtp.connect()
                if smtp.is_ehlo_or_helo_needed:
                    await smtp.ehlo()
        except aiosmtplib.SMTPAuthenticationError as error:
            reason = f"it refuses our user name or password ({error.code})"
            raise self.unusable(reason) from error
        except aiosmtplib.SMTPResponseException as error:
            raise self.unusable(f"it answered {error.code}") from error
        except _FAULTS as error:
            raise self.unusable(_cause(error)) from error

    def unusable(self, reason: str) -> ChannelError:
        """Return the error for a server that takes no mail of ours."""
        reason = f"The mail server {self.host!r} cannot be used: {reason}"
        return ChannelError(reason, whole=True, unsent=True)


@dataclass(frozen=True, slots=True)
class SmtpConnection:
    """A connection to a relay that is ready for a mail."""

    relay: Relay
    smtp: aiosmtplib.SMTP

    async def send(self, mail: EmailMessage, *, sender: str, to: str) -> None:
        """Hand the mail over; raises `ChannelError`."""
        try:
            async with asyncio.timeout(self.relay.seconds):
                await self._hand_over(mail, sender, to)
        except TimeoutError as error:
            raise ChannelError(f"The mail server {self.relay.host!r} took too long") from error
        # The mail is accepted, whatever comes now.
        with suppress(*_FAULTS):
            async with asyncio.timeout(QUIT_SECONDS):
                await self.smtp.quit()

    async def _hand_over(self, mail: EmailMessage, sender: str, to: str) -> None:
        try:
            await self.smtp.sendmail(sender, [to], mail.as_bytes())
        except aiosmtplib.SMTPSenderRefused as error:
            raise self.relay.unusable(f"it refuses the sender ({error.code})") from error
        except aiosmtplib.SMTPRecipientsRefused as error:
            self._refused("the recipient", error.recipients[0].code, error)
        except aiosmtplib.SMTPResponseException as error:
            self._refused("the mail", error.code, error)
        except _FAULTS as error:
            # It may have the mail by now: the next attempt has the same id.
            reason = f"The mail server {self.relay.host!r} gave no answer: {type(error).__name__}"
            raise ChannelError(reason) from error

    def _refused(self, what: str, code: int, error: Exception) -> NoReturn:
        """Raise for an answer of the server: 5xx is final, 4xx asks to come later (greylisting)."""
        reason = f"The mail server {self.relay.host!r} refuses {what} ({code})"
        raise ChannelError(reason, permanent=500 <= code < 600, unsent=True) from error


def _cause(error: BaseException) -> str:
    """Name a failure in our words: a library's may quote what the server said."""
    if any(isinstance(each, ssl.SSLError) for each in (error, error.__cause__, error.__context__)):
        return "TLS failed"
    # The library has no class for a server without STARTTLS.
    if isinstance(error, aiosmtplib.SMTPNotSupported) or type(error) is aiosmtplib.SMTPException:
        return "it lacks what is asked of it, as STARTTLS or the sign-in"
    return "it took too long" if isinstance(error, TimeoutError) else type(error).__name__
