"""The origin of a connection, and what a trusted proxy says about it."""

from ipaddress import ip_address

from starlette.requests import HTTPConnection

from assent.domain.people import SYSTEM_ROLE
from assent.server.auth.modes import TrustedProxy


def peer_of(connection: HTTPConnection) -> str:
    """Return the address at the other end of the connection; empty if it comes from a header.

    uvicorn's own proxy support puts an address from a header here, and 0 for its port.
    """
    client = connection.client
    return client.host if client and client.port else ""


def address_of(connection: HTTPConnection, proxy: TrustedProxy | None) -> str:
    """Return the client's address; behind a trusted proxy, the last one that is not a proxy's."""
    peer = connection.client.host if connection.client else ""
    if proxy is None or not proxy.trusts(peer_of(connection)):
        return peer
    listed = ",".join(connection.headers.getlist("x-forwarded-for")).split(",")
    for address in reversed([item.strip() for item in listed if item.strip()]):
        if not proxy.trusts(address):
            return address
    return peer


def is_loopback(address: str) -> bool:
    """Return True if an address or host name is this machine's own."""
    name = address.strip("[]")
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def host_of(connection: HTTPConnection) -> str:
    """Return the host that the client asked for, without port; empty unless there is just one."""
    hosts = connection.headers.getlist("host")
    if len(hosts) != 1:
        return ""
    host = hosts[0].strip().lower()
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0]


def vouched(connection: HTTPConnection, proxy: TrustedProxy) -> tuple[str, frozenset[str]] | None:
    """Return the name and roles that the proxy gives; None unless the proxy itself sent them."""
    if not proxy.trusts(peer_of(connection)):
        return None
    # If the header comes twice, one of them is not the proxy's.
    users = connection.headers.getlist(proxy.user_header)
    if len(users) != 1 or not users[0].strip():
        return None
    given = ",".join(connection.headers.getlist(proxy.roles_header)) if proxy.roles_header else ""
    named = {
        proxy.roles[name] for item in given.split(",") if (name := item.strip()) in proxy.roles
    }
    return users[0].strip(), frozenset(named | proxy.everybody) - {SYSTEM_ROLE}
