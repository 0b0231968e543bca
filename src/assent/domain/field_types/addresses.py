"""Addresses: of e-mail, of pages, and of telephones.

What is refused here could lead elsewhere than it looks: characters that nobody sees, a name before
the host, another scheme. Foreign letters are allowed, and cards show how such a host is spelt.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from typing import TYPE_CHECKING, Final
from urllib.parse import SplitResult, urlsplit

from assent.domain.canonical import Json
from assent.domain.field_types.kinds import refuse
from assent.domain.field_types.texts import read_line, text_schema

if TYPE_CHECKING:
    from assent.domain.fields import Field

SCHEMES: Final = ("https", "http")
# Schemes whose addresses have a host; those that run or embed something are not among them.
HOSTED_SCHEMES: Final = frozenset({"http", "https", "ftp", "ftps", "sftp", "ssh", "ws", "wss"})
_EMAIL_CHARS: Final = 254
_URL_CHARS: Final = 2_048
_HOST_CHARS: Final = 253
_MAILBOX: Final = re.compile(r'[^\s@<>()\[\]\\,;:"]{1,64}')
_LABEL: Final = re.compile(r"(?!-)[\w-]{1,63}(?<!-)")
# Characters that people put between digits.
_BETWEEN: Final = re.compile(r"[ \u00a0\u202f./()-]")
_TRUNK: Final = re.compile(r"\([ \u00a0\u202f]*0[ \u00a0\u202f]*\)")
_PHONE: Final = re.compile(r"\+[1-9][0-9]{6,14}")


def read_email(field: Field, value: object) -> str:
    """Read an address of e-mail, without a name or brackets around it."""
    text = read_line(field, value).strip()
    mailbox, _, host = text.rpartition("@")
    fits = len(text) <= _EMAIL_CHARS and _is_seen(text) and _is_mailbox(mailbox)
    if not fits or "." not in host or not _is_host(host):
        refuse(field, "Enter an e-mail address, such as name@example.com.")
    return text


def read_url(field: Field, value: object) -> str:
    """Read the address of a page, with one of the field's schemes and without credentials."""
    text = read_line(field, value).strip()
    schemes = field.schemes or SCHEMES
    if not _is_seen(text):
        refuse(field, "Enter the address without blanks or characters that nobody sees.")
    parts = _parts(text) if len(text) <= _URL_CHARS else None
    if parts is None or parts.scheme not in schemes:
        allowed = " or ".join(f"{each}://" for each in schemes)
        refuse(field, f"Enter a whole address that begins with {allowed}.")
    if "@" in parts.netloc:
        refuse(field, "Enter the address without a user name or password in it.")
    if not parts.hostname or not (_is_host(parts.hostname) or _is_number(parts.hostname)):
        refuse(field, "Enter an address with a host, such as https://example.com/page.")
    return text


def read_phone(field: Field, value: object) -> str:
    """Read a telephone number as E.164 writes it: a plus sign and digits."""
    text = read_line(field, value).strip()
    digits = _BETWEEN.sub("", text)
    # Abroad the zero in brackets is not dialled: nobody can tell which number is meant.
    if _TRUNK.search(text) or not _PHONE.fullmatch(digits):
        refuse(field, "Enter a number with + and its country code, such as +49 30 1234567.")
    return digits


def _is_seen(text: str) -> bool:
    """Return True without blanks and characters that are not drawn, such as direction marks."""
    return not any(unicodedata.category(char)[0] in "CZ" for char in text)


def _is_mailbox(text: str) -> bool:
    dots = text.startswith(".") or text.endswith(".") or ".." in text
    return _MAILBOX.fullmatch(text) is not None and not dots


def _is_host(name: str) -> bool:
    labels = name.removesuffix(".").split(".")
    if len(name) > _HOST_CHARS or not all(_LABEL.fullmatch(each) for each in labels):
        return False
    try:
        name.encode("idna")
    except UnicodeError:
        return False
    return not labels[-1].isdecimal()


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _parts(text: str) -> SplitResult | None:
    # Browsers read a backslash as a slash, so the host would not be where it seems to be.
    if "\\" in text:
        return None
    try:
        parts = urlsplit(text)
        _ = parts.port
    except ValueError:
        return None
    return parts


def email_schema(field: Field) -> dict[str, Json]:
    """Describe an address of e-mail."""
    return {**text_schema(field), "format": "email"}


def url_schema(field: Field) -> dict[str, Json]:
    """Describe the address of a page."""
    # The format "uri" would refuse letters that are not ASCII.
    return {**text_schema(field), "format": "iri"}


def phone_schema(field: Field) -> dict[str, Json]:
    """Describe a telephone number."""
    return {"pattern": r"^\+[1-9][0-9]{6,14}$", **text_schema(field)}
