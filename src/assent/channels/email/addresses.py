"""Addresses of mail: those that cannot carry anything but themselves into a header or command."""

import re
from email.headerregistry import Address
from email.utils import parseaddr
from typing import Final

CHARS_MAX: Final = 254
_LOCAL_MAX: Final = 64
_ATOM: Final = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_ADDRESS: Final = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@({_LABEL}(?:\.{_LABEL})*)")


def address_of(text: str) -> str | None:
    """Return a bare address in lower case, with its domain in ASCII; None if it is none."""
    local, at, domain = text.strip().rpartition("@")
    try:
        plain = f"{local}{at}{domain.encode('idna').decode('ascii')}".lower()
    except UnicodeError:
        return None
    found = _ADDRESS.fullmatch(plain) if len(plain) <= CHARS_MAX else None
    return plain if found is not None and len(found[1]) <= _LOCAL_MAX else None


def mailbox_of(text: str) -> Address | None:
    """Return an address with or without a name, as in `Assent <assent@example.com>`."""
    name, given = parseaddr(text)
    address = address_of(given)
    if address is None or not name.isprintable() or text.count("@") != 1:
        return None
    return Address(display_name=name, addr_spec=address)
