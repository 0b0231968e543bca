"""Mails: the parts of a letter with the headers that threads, filters and robots go by."""

from dataclasses import dataclass
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import EmailPolicy
from typing import Final

from assent.presentation.letter import Letter

_STOP: Final = "List-Unsubscribe"


class _Policy(EmailPolicy):
    """Writes headers as usual, but an address on one line: encoded, no mail program reads it."""

    def fold(self, name: str, value: str) -> str:
        return f"{name}: {value}\r\n" if name == _STOP else super().fold(name, value)

    def fold_binary(self, name: str, value: str) -> bytes:
        folded = super().fold_binary(name, value)
        return f"{name}: {value}\r\n".encode("ascii") if name == _STOP else folded


_POLICY: Final = _Policy(linesep="\r\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """Everything about a mail besides its text; `answers` is the id of the mail before it."""

    sender: Address
    to: str
    id: str
    at: datetime
    stop_url: str = ""
    answers: str | None = None


def mail_of(letter: Letter, envelope: Envelope) -> EmailMessage:
    """Return a mail; a line break in any header raises `ValueError`."""
    mail = EmailMessage(policy=_POLICY)
    subject = letter.subject
    mail["Subject"] = f"Re: {subject}" if envelope.answers else subject
    mail["From"] = envelope.sender
    mail["To"] = Address(addr_spec=envelope.to)
    mail["Date"] = envelope.at.astimezone(UTC)
    mail["Message-ID"] = envelope.id
    if envelope.answers:
        mail["In-Reply-To"] = envelope.answers
        mail["References"] = envelope.answers
    # Robots that answer mails shall not answer these.
    mail["Auto-Submitted"] = "auto-generated"
    mail["X-Auto-Response-Suppress"] = "All"
    mail["List-Id"] = f"<assent.{envelope.sender.domain}>"
    if envelope.stop_url:
        mail[_STOP] = f"<{envelope.stop_url}>"
        mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    mail.set_content(letter.text, charset="utf-8", cte="quoted-printable")
    mail.add_alternative(letter.html, subtype="html", charset="utf-8", cte="quoted-printable")
    return mail


def message_id(key: str, version: int, sender: Address) -> str:
    """Return the id of a mail: every attempt at the same version has the same."""
    return f"<{key}.{version}@{sender.domain}>"
