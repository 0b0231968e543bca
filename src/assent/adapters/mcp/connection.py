"""One connection to one MCP server: opened, watched, and opened again when it is lost.

Whatever the server does stays in here: other servers have connections of their own.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

import mcp_types as types
from mcp import Client, MCPError
from mcp.client import ClientRequestContext
from mcp.client.session import ClientSession
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from assent.adapters.mcp.faults import Fault, fault_of, first_flaw, in_words, urls_wanted
from assent.adapters.mcp.http import http_streams
from assent.adapters.mcp.limits import McpLimits
from assent.adapters.mcp.listing import Listing, read_listing
from assent.adapters.mcp.oauth import sign_in_of
from assent.adapters.mcp.remote_tasks import called_as_task, has_tasks
from assent.adapters.mcp.stdio import StdioServer
from assent.domain.canonical import Json
from assent.domain.mcp_servers import McpServer
from assent.engine.runs.outcomes import OutcomeUnknown
from assent.errors import AssentError, InvalidOutput, McpRefused, McpUnavailable

log = logging.getLogger(__name__)
Answer = types.CallToolResult | types.InputRequiredResult
# Given the question and the token of the call it came with; None if that is unknown.
Elicit = Callable[[types.ElicitRequestParams, object], Awaitable[types.ElicitResult]]
OnProgress = Callable[[float, float | None, str | None], Awaitable[None]]
_ANSWER: Final[TypeAdapter[Answer]] = TypeAdapter(Answer)
_CLIENT: Final = types.Implementation(name="assent", version="1")
# Codes with which the SDK says that no answer came; a server's own use of them says no more.
_UNCLEAR: Final = frozenset({types.CONNECTION_CLOSED, types.REQUEST_TIMEOUT, types.PARSE_ERROR})
_URL_NEEDED: Final = -32042
# A connection that lasted this long was a good one: its next loss is not the same failure again.
_GOOD_SECONDS: Final = 10.0
# A call may ask for another attempt to connect no more often than this.
_POKE_SECONDS: Final = 1.0
_T = TypeVar("_T")
_current: ContextVar[object] = ContextVar("assent_mcp_call", default=None)


@dataclass(slots=True)
class _Attempt:
    """One attempt to connect: its session once it is open, or the reason why there is none."""

    opened: asyncio.Event
    gone: asyncio.Event
    began: float
    session: ClientSession | None = None
    reason: str = ""

    def lose(self, reason: str) -> None:
        """Note that the connection is lost; the first reason is the one that counts."""
        self.reason = self.reason or reason
        self.session = None
        self.gone.set()


class McpConnection:
    """Keeps one server connected while it is entered, and calls its tools.

    `on_changed` hears that the tools may have changed, also after a connection was lost;
    `on_reading`, that prompts or resources may have.
    """

    def __init__(
        self,
        server: McpServer,
        *,
        limits: McpLimits | None = None,
        on_changed: Callable[[], None] | None = None,
        on_elicit: Elicit | None = None,
        on_reading: Callable[[], None] | None = None,
    ) -> None:
        self.server, self.limits = server, limits or McpLimits()
        self._on_changed, self._on_elicit = on_changed or _nobody, on_elicit
        self._on_reading = on_reading or _nobody
        self._calls: list[object] = []
        self._questions = Counter[object]()
        self._owner: asyncio.Task[None] | None = None
        self._attempt = self._new_attempt()
        self._poke = asyncio.Event()

    async def __aenter__(self) -> "McpConnection":
        self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def start(self) -> None:
        """Begin to connect; `wait` or any call waits for it."""
        if self._owner is None:
            name = f"assent-mcp-{self.server.name}"
            self._owner = asyncio.create_task(self._live(), name=name)

    async def close(self) -> None:
        """End the connection, and the process behind it."""
        owner, self._owner = self._owner, None
        if owner is not None:
            owner.cancel()
            await asyncio.wait({owner})

    @property
    def is_open(self) -> bool:
        """True while the server is connected."""
        return self._attempt.session is not None

    def is_able_to(self, what: str) -> bool:
        """Return True if the server is connected, and says that it can do this."""
        session = self._attempt.session
        abilities = None if session is None else session.server_capabilities
        return getattr(abilities, what, None) is not None

    @property
    def reason(self) -> str:
        """Why it is not connected, as far as is known."""
        return self._attempt.reason

    @property
    def version(self) -> str | None:
        """The version of the protocol that both sides speak."""
        session = self._attempt.session
        return None if session is None else session.protocol_version

    @property
    def instructions(self) -> str:
        """The server's description of itself, in a stranger's words."""
        session = self._attempt.session
        return "" if session is None else session.instructions or ""

    async def wait(self) -> bool:
        """Wait until the present attempt to connect has ended; return True if it is open."""
        attempt = self._attempt
        async with _timeout(self.server.connect_seconds + 1):
            await attempt.opened.wait()
        return attempt.session is not None

    # What a server offers, and calls of it.

    async def tools(self) -> Listing:
        """Return the server's tools, within the limits; raises `McpUnavailable` or `McpRefused`."""
        return await self.ask(lambda session: read_listing(session, self.server, self.limits))

    async def ask(self, question: Callable[[ClientSession], Awaitable[_T]]) -> _T:
        """Ask the server what runs nothing; raises `McpUnavailable` or `McpRefused`."""
        session = await self._ready()
        try:
            async with asyncio.timeout(self.limits.list_seconds):
                return await question(session)
        except TimeoutError:
            seconds = self.limits.list_seconds
            raise self._unavailable(f"it did not answer within {seconds:g} s") from None
        except MCPError as error:
            if fault_of(error.error) is not None or error.code in _UNCLEAR:
                raise self._unavailable(f"it cannot be asked: {error.message}") from None
            raise McpRefused(self.server.name, error.code, error.message) from None
        except ValidationError as error:
            said = f"its answer does not follow the protocol: {first_flaw(error)}"
            raise self._unavailable(said) from None

    async def call(
        self,
        tool: str,
        arguments: Mapping[str, Json],
        *,
        within: float | None = None,
        responses: Mapping[str, types.InputResponse] | None = None,
        state: str | None = None,
        token: object = None,
        on_progress: OnProgress | None = None,
        as_task: bool = False,
    ) -> Answer:
        """Call a tool; return the server's answer, which may be that people have to answer first.

        Raises `McpUnavailable` if nothing was sent, `McpRefused` if the server refused it,
        `InvalidOutput` if it ran and its answer cannot be used, and else `OutcomeUnknown`.
        Cancelling it cancels the remote call.
        """
        session = await self._ready()
        params = types.CallToolRequestParams(
            name=tool,
            arguments=dict(arguments),
            input_responses=None if responses is None else dict(responses),
            request_state=state,
        )
        with self._calling(object() if token is None else token):
            try:
                if as_task and has_tasks(session):
                    return await called_as_task(session, params, within)
                # Not `call_tool`: it validates with a stranger's regular expressions.
                return await session.send_request(
                    types.CallToolRequest(params=params),
                    cast("Any", _ANSWER),
                    request_read_timeout_seconds=within,
                    progress_callback=cast("Any", on_progress),
                )
            except MCPError as error:
                return self._answered(tool, error)
            except ValidationError as error:
                said = f"its answer does not follow the protocol: {first_flaw(error)}"
                raise InvalidOutput(tool, said) from None
            except (OSError, RuntimeError) as error:
                raise self._unknown(f"the connection failed: {error}") from None

    def _answered(self, tool: str, error: MCPError) -> Answer:
        """Raise what an error of the session means for the call."""
        fault = fault_of(error.error)
        if fault is Fault.NEVER_SENT:
            raise self._unavailable(error.message)
        if fault is Fault.UNKEPT:
            raise InvalidOutput(tool, error.message)
        if fault is Fault.UNANSWERED or error.code in _UNCLEAR:
            raise self._unknown(error.message)
        if error.code == _URL_NEEDED and (wanted := urls_wanted(error)) is not None:
            return wanted
        raise McpRefused(self.server.name, error.code, error.message)

    def _unavailable(self, reason: str) -> McpUnavailable:
        return McpUnavailable(self.server.name, reason)

    def _unknown(self, reason: str) -> AssentError:
        said = f"MCP server {self.server.name!r} was sent the call, and its answer is missing"
        return OutcomeUnknown(f"{said}: {reason}")

    @contextmanager
    def _calling(self, token: object) -> Generator[None]:
        self._calls.append(token)
        before = _current.set(token)
        try:
            yield
        finally:
            _current.reset(before)
            self._calls.remove(token)
            del self._questions[token]

    # The connection itself.

    async def _ready(self) -> ClientSession:
        """Return the open session, waiting for an attempt that is under way."""
        attempt = self._attempt
        if self._owner is None:
            raise self._unavailable("this process does not connect to it")
        if attempt.gone.is_set() and time.monotonic() - attempt.began >= _POKE_SECONDS:
            attempt = self._attempt = self._new_attempt()
            self._poke.set()
        async with _timeout(self.server.connect_seconds + 1):
            await attempt.opened.wait()
        if attempt.session is None:
            raise self._unavailable(attempt.reason or "it did not answer in time")
        return attempt.session

    def _new_attempt(self) -> _Attempt:
        return _Attempt(asyncio.Event(), asyncio.Event(), time.monotonic())

    async def _live(self) -> None:
        """Connect, and connect again whenever the connection is lost, with longer pauses."""
        pause, was_open = self.limits.first_pause_seconds, False
        while True:
            attempt = self._attempt
            await self._hold(attempt, again=was_open)
            lasted = time.monotonic() - attempt.began
            was_open = True
            log.warning("MCP server %r: %s", self.server.name, attempt.reason)
            if lasted >= _GOOD_SECONDS:
                pause = self.limits.first_pause_seconds
            with suppress(TimeoutError):
                await asyncio.wait_for(self._poke.wait(), pause)
            self._poke.clear()
            pause = min(2 * pause, self.limits.longest_pause_seconds)
            if self._attempt is attempt:
                self._attempt = self._new_attempt()

    async def _hold(self, attempt: _Attempt, *, again: bool) -> None:
        """Hold one connection until it is lost; the attempt says why."""
        try:
            async with self._session(attempt) as client:
                attempt.session = client.session
                attempt.opened.set()
                self._on_reading()
                if again:
                    self._on_changed()
                listening = asyncio.create_task(
                    self._listen(client), name=f"assent-mcp-{self.server.name}-listen"
                )
                try:
                    await attempt.gone.wait()
                finally:
                    listening.cancel()
                    await asyncio.wait({listening})
        except Exception as error:  # noqa: BLE001 - a stranger's server, behind a stranger's library
            attempt.lose(in_words(error))
        except asyncio.CancelledError:
            attempt.lose("it was closed")
            raise
        finally:
            attempt.lose("the connection was lost")
            attempt.opened.set()

    @asynccontextmanager
    async def _session(self, attempt: _Attempt) -> AsyncGenerator[Client]:
        if self.server.url is None:
            stdio = StdioServer(server=self.server, limits=self.limits, gone=attempt.lose)
            streams = stdio.streams()
        else:
            streams = http_streams(
                self.server, self.limits, gone=attempt.lose, auth=sign_in_of(self.server)
            )
        client = Client(
            streams,
            client_info=_CLIENT,
            message_handler=self._heard,
            elicitation_callback=self._elicited,
            cache=None,
        )
        async with asyncio.timeout(self.server.connect_seconds) as limit:
            async with client:
                limit.reschedule(None)
                yield client

    async def _heard(self, message: object) -> None:
        match message:
            case types.ToolListChangedNotification():
                self._on_changed()
            case types.PromptListChangedNotification() | types.ResourceListChangedNotification():
                self._on_reading()
            case _:
                pass

    async def _listen(self, client: Client) -> None:
        """Hear of changes from servers that only tell those who ask."""
        tools = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not (
            tools and tools.list_changed
        ):
            return
        pause = self.limits.first_pause_seconds
        while True:
            try:
                async with client.listen(tools_list_changed=True) as changes:
                    async for _ in changes:
                        self._on_changed()
            except Exception as error:  # noqa: BLE001 - a stranger's server
                log.debug("MCP server %r ended its events: %s", self.server.name, in_words(error))
            await asyncio.sleep(pause)
            pause = min(2 * pause, self.limits.longest_pause_seconds)
            # What changed meanwhile was told to nobody.
            self._on_changed()

    async def _elicited(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        del context
        # On standard streams a question does not say which call it belongs to.
        alone = self._calls[0] if len(self._calls) == 1 else None
        token = _current.get() or alone
        if self._on_elicit is None or token is None:
            log.warning("MCP server %r asks without a call; declined", self.server.name)
            return types.ElicitResult(action="decline")
        self._questions[token] += 1
        if self._questions[token] > self.limits.rounds:
            # Once: one that floods people with questions would flood the log, too.
            if self._questions[token] == self.limits.rounds + 1:
                most = self.limits.rounds
                log.warning(
                    "MCP server %r asks more than %d times; declined", self.server.name, most
                )
            return types.ElicitResult(action="decline")
        return await self._on_elicit(params, token)


@asynccontextmanager
async def _timeout(seconds: float) -> AsyncGenerator[None]:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            yield


def _nobody() -> None:
    """Hear nothing."""
