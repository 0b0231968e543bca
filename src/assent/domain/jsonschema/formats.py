"""The `format`s that schemas assert here; the table at the end is the whole list.

Every other format is an annotation and ignored, which is the default of JSON Schema 2020-12.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from types import MappingProxyType
from typing import Final

# RFC 3339; the sixtieth second is a leap second.
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME: Final = re.compile(
    r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\.[0-9]{1,9})?"
    r"(?:[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])"
)
_UUID: Final = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
_LABEL: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
_LOCAL_PART: Final = re.compile(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*+"
)
_URI: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]*+:(?:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+"
)


def _is_date(text: str) -> bool:
    # fromisoformat() alone also takes weeks and 20250131.
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _is_time(text: str) -> bool:
    return _TIME.fullmatch(text) is not None


def _is_date_time(text: str) -> bool:
    return text[10:11] in ("T", "t") and _is_date(text[:10]) and _is_time(text[11:])


def _is_uuid(text: str) -> bool:
    return _UUID.fullmatch(text) is not None


def _is_hostname(text: str) -> bool:
    return 0 < len(text) <= 253 and all(map(_LABEL.fullmatch, text.split(".")))


def _is_email(text: str) -> bool:
    local, at, domain = text.rpartition("@")
    if not at or len(local) > 64 or not _LOCAL_PART.fullmatch(local):
        return False
    return _is_hostname(domain)


def _is_uri(text: str) -> bool:
    return len(text) <= 8_192 and _URI.fullmatch(text) is not None


def _is_ipv4(text: str) -> bool:
    try:
        IPv4Address(text)
    except AddressValueError:
        return False
    return True


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except AddressValueError:
        return False
    return "%" not in text  # a zone means something on one machine only


FORMATS: Final[Mapping[str, Callable[[str], bool]]] = MappingProxyType(
    {
        "date": _is_date,
        "time": _is_time,
        "date-time": _is_date_time,
        "email": _is_email,
        "uri": _is_uri,
        "uuid": _is_uuid,
        "ipv4": _is_ipv4,
        "ipv6": _is_ipv6,
        "hostname": _is_hostname,
    }
)
