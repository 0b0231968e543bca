"""Targets of outgoing requests: public addresses, and those that the operator names."""

import re
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import Final

import httpx

from assent.errors import TargetRefused

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

URL_CHARS: Final = 2000
PORTS: Final = frozenset({443, 8443})
PLAIN_PORTS: Final = frozenset({80, 8080})
# From the registries of special addresses (RFC 6890 and later): `is_global` differs by Python.
_CLOSED_V4: Final = tuple(
    map(
        IPv4Network,
        (
            *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
            *("172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24"),
            *("192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("224.0.0.0/4", "240.0.0.0/4"),
            # Azure answers its machines here, although the address is a public one.
            "168.63.129.16/32",
        ),
    )
)
_OPEN_V6: Final = IPv6Network("2000::/3")
# Teredo is in the first of these, 6to4 is the third: both lead to an IPv4 address of their choice.
_CLOSED_V6: Final = tuple(
    map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
)
_NAT64: Final = IPv6Network("64:ff9b::/96")
_NAME: Final = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)+")
# Names that belong to one network or one machine. Their addresses are checked as well.
_CLOSED_NAMES: Final = ("local", "localhost", "localdomain", "internal", "home.arpa", "lan")


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRules:
    """The targets that requests may go to; the operator opens others by host or network.

    A named host or network is open on every port, and a named host at every address: whoever
    answers for that name chooses it.
    """

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()
    ports: frozenset[int] = PORTS
    plain_http: bool = False

    @classmethod
    def allowing(cls, *named: str, plain_http: bool = False) -> "TargetRules":
        """Return rules that also open these: `10.20.0.0/16`, `127.0.0.1`, `hooks.example.lan`."""
        networks = [(text, _network(text)) for text in named]
        return cls(
            hosts=frozenset(_plain(text) for text, network in networks if network is None),
            networks=tuple(network for _, network in networks if network is not None),
            plain_http=plain_http,
        )

    def checked(self, url: str) -> httpx.URL:
        """Return the address of a target, parsed; raises `TargetRefused`."""
        try:
            parsed = httpx.URL(url) if len(url) <= URL_CHARS else None
        except (httpx.InvalidURL, ValueError):
            parsed = None
        if parsed is None or not parsed.host:
            raise TargetRefused("", "it is not a complete URL")
        host = host_of(parsed)
        if parsed.scheme != "https" and not (parsed.scheme == "http" and self.plain_http):
            raise TargetRefused(host, f"only https is allowed, not {parsed.scheme}")
        if parsed.userinfo:
            raise TargetRefused(host, "it holds a user name or a password")
        self._check_port(host, port_of(parsed))
        self._check_name(host)
        return parsed

    def check_address(self, host: str, address: Address) -> None:
        """Raise `TargetRefused` if a connection for this host may not go to this address."""
        if _plain(host) in self.hosts or self._names(address) or is_public(address):
            return
        raise TargetRefused(host, "it has an address that is not public")

    def _names(self, address: Address) -> bool:
        """Return True if the operator has named a network of this address."""
        return any(each in network for each in _meanings(address) for network in self.networks)

    def _check_port(self, host: str, port: int) -> None:
        if self._is_named(host):
            return
        if port not in (self.ports | PLAIN_PORTS if self.plain_http else self.ports):
            raise TargetRefused(host, f"port {port} is not allowed")

    def _check_name(self, host: str) -> None:
        address = _literal(host)
        if address is not None:
            self.check_address(host, address)
        elif not self._is_named(host) and not _is_public_name(_plain(host)):
            raise TargetRefused(host, "it is not a public host name")

    def _is_named(self, host: str) -> bool:
        address = _literal(host)
        return _plain(host) in self.hosts or (address is not None and self._names(address))


def host_of(url: httpx.URL) -> str:
    """Return the host as it is looked up: in ASCII, without brackets."""
    return url.raw_host.decode("ascii").strip("[]")


def port_of(url: httpx.URL) -> int:
    """Return the port, also if the URL leaves it to its scheme."""
    if url.port is not None:
        return url.port
    return 443 if url.scheme == "https" else 80


def is_public(address: Address) -> bool:
    """Return True for an address of the public internet, also one written inside another."""
    match _meanings(address)[-1]:
        case IPv4Address() as found:
            return not any(found in network for network in _CLOSED_V4)
        case IPv6Address() as found:
            closed = any(found in network for network in _CLOSED_V6)
            return found in _OPEN_V6 and not closed and found.scope_id is None


def _meanings(address: Address) -> tuple[Address, ...]:
    """Return the address, and the IPv4 address that it stands for."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return address, address.ipv4_mapped
        if address in _NAT64:
            return address, IPv4Address(int(address) & 0xFFFFFFFF)
    return (address,)


def _is_public_name(name: str) -> bool:
    # Resolvers read `127.1`, `0177.0.0.1`, `0x7f000001` and `2130706433` as addresses.
    if _NAME.fullmatch(name) is None or name.rpartition(".")[2][0].isdigit():
        return False
    return not any(name == closed or name.endswith(f".{closed}") for closed in _CLOSED_NAMES)


def _plain(host: str) -> str:
    return host.lower().removesuffix(".")


def _literal(host: str) -> Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _network(text: str) -> Network | None:
    try:
        return ip_network(text)
    except ValueError:
        if "/" in text:
            raise
        return None
