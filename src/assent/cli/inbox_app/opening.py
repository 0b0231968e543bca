"""Opening the full-screen inbox: over a database, or a server with an API key."""

import importlib.util
import ipaddress
import os
import sys
from argparse import Namespace
from pathlib import Path
from urllib.parse import urlsplit

from assent.cli.options import beside, existing_url, person_of, without_password
from assent.errors import InvalidCommand

_NEEDED = ("textual", "httpx")
_ENOUGH_CHARACTERS = 1_000
_LOCAL_NAMES = ("localhost",)


async def open_inbox(options: Namespace) -> None:
    """Show the inbox until the person leaves it."""
    if missing := [name for name in _NEEDED if importlib.util.find_spec(name) is None]:
        raise InvalidCommand(
            f"the inbox needs {' and '.join(missing)}: pip install 'assent[terminal]'"
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InvalidCommand(
            "the inbox needs a terminal; for scripts there are `assent pending` and `assent decide`"
        )
    await (_open_remote(options) if options.server else _open_local(options))


async def _open_local(options: Namespace) -> None:
    if options.key_file:
        raise InvalidCommand("--key-file is for a server: name it with --server")
    from assent.cli.inbox_app.app import InboxApp
    from assent.cli.inbox_app.local_backend import LocalBackend

    url = existing_url(options)
    async with beside(options) as assent:
        person = await person_of(assent, options)
        backend = LocalBackend(assent=assent, by=person, place=without_password(url))
        await InboxApp(backend).run_async()


async def _open_remote(options: Namespace) -> None:
    server, key = server_of(options), key_of(options)
    from assent.cli.inbox_app.app import InboxApp
    from assent.cli.inbox_app.remote_backend import RemoteBackend
    from assent.cli.inbox_app.server_client import ServerClient

    async with ServerClient(server, key) as client:
        await InboxApp(await RemoteBackend.of(client, server)).run_async()


def server_of(options: Namespace) -> str:
    """Return the address of the server; raises `InvalidCommand` if a key must not be sent there."""
    for name in ("agents", "db", "data_dir", "user"):
        if getattr(options, name, None):
            said = "MODULE:NAME" if name == "agents" else f"--{name.replace('_', '-')}"
            raise InvalidCommand(f"{said} is for a database; with --server the server knows that")
    server: str = options.server
    parts = urlsplit(server)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise InvalidCommand("--server is an address such as https://assent.example.com")
    if parts.username is not None or parts.password is not None:
        raise InvalidCommand("--server takes no password: put your API key into --key-file")
    if parts.scheme == "http" and not _is_here(parts.hostname):
        raise InvalidCommand("over http anybody on the way could read your API key: use https")
    return server.rstrip("/")


def _is_here(host: str) -> bool:
    if host in _LOCAL_NAMES:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def key_of(options: Namespace) -> str:
    """Return the API key, from a file or the environment: a command line is seen by all users."""
    path = options.key_file or os.environ.get("ASSENT_API_KEY_FILE")
    text = Path(path).read_text("utf-8", "replace") if path else os.environ.get("ASSENT_API_KEY")
    if text is None:
        raise InvalidCommand(
            "a server wants your API key: name its file with --key-file, or set ASSENT_API_KEY; "
            "`assent keys create` makes one"
        )
    key = text.strip()
    if not key or len(key) > _ENOUGH_CHARACTERS or not key.isascii() or not key.isprintable():
        raise InvalidCommand("that is no API key: one line of plain characters is wanted")
    return key
