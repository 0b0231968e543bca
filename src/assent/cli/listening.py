"""The socket that a server listens on, and the address at which people reach it."""

import errno
import ipaddress
import socket
from argparse import Namespace
from dataclasses import dataclass
from urllib.parse import urlsplit

from assent.errors import InvalidCommand


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """A bound socket, and the address at which people reach it."""

    socket: socket.socket
    origin: str
    is_local: bool

    @property
    def address(self) -> str:
        """The address that the socket is bound to, as text."""
        host, port, *_ = self.socket.getsockname()
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def bind(options: Namespace) -> Listener:
    """Bind the address of the options, or raise an error that says what is wrong with it."""
    origin = _origin(options.origin)
    family, address = _resolved(options.host, options.port)
    is_local = origin is None
    if is_local and not ipaddress.ip_address(address).is_loopback:
        raise InvalidCommand(
            f"{options.host!r} can be reached from other machines; without --origin only this one "
            "may: use --host 127.0.0.1, or give --origin https://… and put TLS in front"
        )
    bound = _bound(family, address, options)
    return Listener(
        socket=bound,
        origin=origin or _own_origin(options.host, bound.getsockname()[1]),
        is_local=is_local,
    )


def _origin(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        parts = urlsplit(text)
        is_address = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        is_address = False
        parts = urlsplit("")
    more = parts.path.strip("/") or parts.query or parts.fragment or parts.username
    if more or not is_address:
        raise InvalidCommand(f"{text!r} is no origin: write https://host, without a path")
    return f"{parts.scheme}://{parts.netloc}"


def _own_origin(host: str, port: int) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, str]:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise InvalidCommand(f"{host!r} is no address of this machine: {error.strerror}") from None
    return family, str(address[0])


def _bound(family: socket.AddressFamily, address: str, options: Namespace) -> socket.socket:
    bound = socket.socket(family, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((address, options.port))
        # Listen at once: if two processes bind the same port, the second would only fail later.
        bound.listen()
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            taken = f"port {options.port} of {options.host} is taken"
            raise InvalidCommand(f"{taken}; choose another with --port, or --port 0") from None
        where = f"{options.host} port {options.port}"
        raise InvalidCommand(f"cannot listen on {where}: {error.strerror}") from None
    return bound
