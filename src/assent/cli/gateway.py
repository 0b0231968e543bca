"""`assent gateway`: stands between MCP clients and servers, and asks people about calls."""

import argparse
import asyncio
import hashlib
import logging
import math
import os
import sys
from argparse import Namespace
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from assent.errors import InvalidCommand, WorkerRunning

if TYPE_CHECKING:
    from assent.adapters.mcp.gateway import Gateway
    from assent.app import Assent
    from assent.cli.listening import Listener
    from assent.domain.mcp_servers import McpServer
    from assent.guard import Guard

_WAIT_SECONDS: Final = 50.0
_LONGEST_SECONDS: Final = 24 * 3600
_AGENT: Final = "gateway"
_HTTP_KEY: Final = "ASSENT_GATEWAY_KEY"
_KEY_CHARACTERS: Final = 24
_NEEDED: Final = "the gateway needs {name!r}; install it with: pip install 'assent[mcp,server]'"


def add_gateway_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the gateway."""
    command.description = (
        "An MCP server that lists the tools of the servers in a file and asks people before it "
        "calls them. Clients start it (stdio), or reach it over HTTP."
    )
    command.add_argument(
        "--config", metavar="FILE", required=True, help="the servers, as a file with `mcpServers`"
    )
    command.add_argument(
        "--http",
        metavar="HOST:PORT",
        type=_address,
        help="serve over HTTP, at /mcp, instead of stdio",
    )
    command.add_argument(
        "--http-key-file",
        metavar="FILE",
        help=f"the file with the key that clients over HTTP send (or set {_HTTP_KEY})",
    )
    command.add_argument(
        "--origin",
        metavar="URL",
        help="the https address of --http, if other machines can reach it; wants a key",
    )
    command.add_argument(
        "--wait",
        metavar="SECONDS",
        type=_seconds,
        default=_WAIT_SECONDS,
        help="how long a client waits for people before it gets a ticket (default: %(default)g)",
    )
    command.add_argument(
        "--tools-only",
        action="store_true",
        help="pass on no prompts and resources, which nobody is asked about",
    )
    command.add_argument("--agent", metavar="NAME", default=_AGENT, help="default: %(default)s")
    here = command.add_argument_group("on a database of this machine")
    here.add_argument("--db", metavar="URL", help="its database (default: in your data folder)")
    here.add_argument("--data-dir", metavar="DIR", help="another data folder")
    here.add_argument("--by", metavar="PERSON", help="for whom it acts (default: your login name)")
    here.add_argument(
        "--port", metavar="NUMBER", type=_port, default=0, help="of the inbox (default: a free one)"
    )
    here.add_argument("--no-web", action="store_true", help="serve no inbox")
    here.add_argument("--review-url", metavar="URL", help="where another process serves the inbox")
    there = command.add_argument_group("with a server elsewhere")
    there.add_argument("--server", metavar="URL", help="for example https://assent.example.com")
    there.add_argument(
        "--key-file", metavar="FILE", help="the file with your API key (or set ASSENT_API_KEY)"
    )
    command.add_argument("--debug", action="store_true", help="show logs and tracebacks")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds <= _LONGEST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to 86400")
    return seconds


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 65_536):
        raise argparse.ArgumentTypeError(f"{text!r} is no port: give a number below 65536")
    return int(text)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not (colon and host):
        raise argparse.ArgumentTypeError(f"{text!r} is not an address: write it as 127.0.0.1:8765")
    return host.strip("[]"), _port(port)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """A guard, the person it acts for, and a secret that only their gateways know."""

    guard: "Guard"
    owner: str
    secret: bytes


async def gateway(options: Namespace) -> None:
    """Serve a client until it leaves; over HTTP until Ctrl-C."""
    _log(debug=options.debug)
    try:
        from assent.adapters.mcp.config import servers_of
        from assent.adapters.mcp.gateway import Gateway
    except ModuleNotFoundError as error:
        raise InvalidCommand(_NEEDED.format(name=error.name)) from error
    _want_http(options)
    servers = servers_of(options.config)
    if not servers:
        raise InvalidCommand(f"{options.config!r} names no server")
    async with _side(options) as side:
        opened = Gateway(
            side.guard,
            servers,
            owner=side.owner,
            secret=side.secret,
            agent=options.agent,
            wait=options.wait,
            tools_only=options.tools_only,
        )
        async with opened:
            _say(f"Assent gateway: {_names(servers)}, for {side.owner}")
            await (_serve_http(opened, options) if options.http else opened.serve_stdio())


def _names(servers: "tuple[McpServer, ...]") -> str:
    return ", ".join(server.name for server in servers)


def _say(text: str) -> None:
    # Never to stdout: on stdio that is the protocol's.
    print(text, file=sys.stderr, flush=True)


def _log(*, debug: bool) -> None:
    """Log to stderr: warnings and errors, with `--debug` everything."""
    logging.basicConfig(level=logging.DEBUG if debug else logging.WARNING, stream=sys.stderr)


@asynccontextmanager
async def _side(options: Namespace) -> AsyncGenerator[_Side]:
    elsewhere = options.server is not None
    for name in ("db", "data_dir", "by", "review_url", "port", "no_web") if elsewhere else ():
        if getattr(options, name):
            said = f"--{name.replace('_', '-')}"
            raise InvalidCommand(f"{said} is for a database; with --server the server knows that")
    async with _remote(options) if elsewhere else _local(options) as side:
        yield side


@asynccontextmanager
async def _remote(options: Namespace) -> AsyncGenerator[_Side]:
    from assent.cli.inbox_app.opening import key_of, server_of
    from assent.client import AsyncClient

    server, key = server_of(Namespace(server=options.server)), key_of(options)
    secret = hashlib.sha256(f"assent-gateway:{key}".encode()).digest()
    # Only its holder can ask for calls made with the key, so the key stands for the person.
    owner = f"key:{hashlib.sha256(key.encode()).hexdigest()[:16]}"
    async with AsyncClient(server, key=key, agent=options.agent) as client:
        yield _Side(guard=client, owner=owner, secret=secret)


@asynccontextmanager
async def _local(options: Namespace) -> AsyncGenerator[_Side]:
    from assent.cli.listening import bind

    if options.key_file:
        raise InvalidCommand("--key-file is for a server: name it with --server")
    async with AsyncExitStack() as stack:
        listener = None
        if not options.no_web:
            listener = bind(Namespace(host="127.0.0.1", port=options.port, origin=None))
            stack.callback(listener.socket.close)
        assent = await _opened(stack, options, listener)
        from assent.cli.serving import own_account

        owner = await own_account(assent.people, options.by)
        if listener is not None:
            await _show_pages(assent, listener, owner)
        mac = assent.vault.mac(["mcp-gateway", options.agent], kid=assent.vault.kid)
        guard = assent.guard_for(agent=options.agent, by=owner)
        yield _Side(guard=guard, owner=owner, secret=cast("str", mac).encode())


async def _opened(
    stack: AsyncExitStack, options: Namespace, listener: "Listener | None"
) -> "Assent":
    """Open the engine, and its pages if there is a listener for them."""
    from assent.app import Assent
    from assent.cli.options import url_of

    url = url_of(options.db) if options.db else _own_url(options)
    review = options.review_url or ("" if listener is None else listener.origin)
    try:
        assent = Assent(url, agents=(), review_url=review)
        await _enter(stack, assent, listener)
    except WorkerRunning:
        # A second gateway on the same file: the first one looks after what is overdue.
        assent = Assent(url, agents=(), review_url=review, worker=False)
        await _enter(stack, assent, listener)
    return assent


async def _enter(stack: AsyncExitStack, assent: "Assent", listener: "Listener | None") -> None:
    if listener is None:
        await stack.enter_async_context(assent)
        return
    try:
        from assent.server import Settings, create_app
    except ModuleNotFoundError as error:
        raise InvalidCommand(f"{_NEEDED.format(name=error.name)}, or give --no-web") from error
    app = create_app(assent, Settings(origin=listener.origin, local=True))
    await stack.enter_async_context(app.router.lifespan_context(app))
    await stack.enter_async_context(serving(app, listener))
    stack.callback(app.state.service.live.close)


async def _show_pages(assent: "Assent", listener: "Listener", owner: str) -> None:
    from assent.cli.accounts import sign_in_link

    link = await sign_in_link(assent.people, owner, listener.origin)
    _say(f"People decide at {listener.origin} ; this link signs you in once: {link}")


def _own_url(options: Namespace) -> str:
    from assent.demo.agent import default_home

    given = options.data_dir
    folder = Path(given) if given else default_home().root.parent / "assent"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return f"sqlite:///{folder.resolve() / 'gateway.db'}"


async def _serve_http(opened: "Gateway", options: Namespace) -> None:
    from assent.cli.listening import bind

    host, port = options.http
    listener = bind(Namespace(host=host, port=port, origin=options.origin))
    with listener.socket:
        app = opened.http_app(origins=[listener.origin], key=_http_key(options))
        async with app.router.lifespan_context(app), serving(app, listener):
            _say(f"MCP clients connect to {listener.origin}/mcp ; Ctrl-C stops it")
            await asyncio.Event().wait()


def _http_key(options: Namespace) -> str | None:
    """Return the key that clients have to send; raises `InvalidCommand` if there must be one."""
    path = options.http_key_file
    text = Path(path).read_text("utf-8", "replace") if path else os.environ.get(_HTTP_KEY)
    if text is None:
        if options.origin is not None:
            raise InvalidCommand(
                "with --origin others can connect, and would act for you: put a key of at least "
                f"{_KEY_CHARACTERS} characters into --http-key-file, or set {_HTTP_KEY}"
            )
        return None
    key = text.strip()
    if len(key) < _KEY_CHARACTERS or not key.isascii() or not key.isprintable() or " " in key:
        wanted = f"one line of at least {_KEY_CHARACTERS} plain characters is wanted"
        raise InvalidCommand(f"that is no key for clients: {wanted}")
    return key


def _want_http(options: Namespace) -> None:
    for name in ("origin", "http_key_file"):
        if getattr(options, name) and not options.http:
            said = f"--{name.replace('_', '-')}"
            raise InvalidCommand(f"{said} is for clients over HTTP: give --http HOST:PORT")
    if options.http:
        # Before any server is started.
        _http_key(options)


@asynccontextmanager
async def serving(app: Any, listener: "Listener") -> AsyncGenerator[None]:
    """Answer requests on a socket while the block runs."""
    import uvicorn

    from assent.cli.server_process import GRACE_SECONDS, ReadyServer

    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    started = asyncio.Event()

    async def ready() -> None:
        started.set()

    server = ReadyServer(config, ready)
    serving = asyncio.create_task(server.serve([listener.socket]), name="assent-gateway-pages")
    try:
        await started.wait()
        yield
    finally:
        server.should_exit = True
        await serving
