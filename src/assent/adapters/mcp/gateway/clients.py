"""The client of one request: what it speaks, and how it is told of progress and asked."""

import asyncio
import logging
import math
from dataclasses import dataclass, field
from typing import Any, Final, cast

from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp_types import (
    INVALID_PARAMS,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from assent.adapters.mcp.elicitation import is_web_address
from assent.guard import GuardedCall, new_token

# A client that can name its calls does it here: the same key means the same call.
KEY: Final = "assent/key"
log = logging.getLogger(__name__)
_LONGEST_NAME: Final = 64
_LONGEST_TEXT: Final = 4_000
# A server may report as often as it likes: its client hears no more often than this.
_PAUSE_SECONDS: Final = 0.05
TASKS_FROM: Final = "2025-11-25"
Request = ServerRequestContext[Any, Any]


@dataclass(slots=True)
class Progress:
    """The numbers that one client was told of its request: each is greater than the last."""

    last: float = 0.0
    told_at: float = -math.inf
    # What the gateway had counted itself before the server began to report.
    base: float | None = None

    def beat(self) -> float:
        """Return the next number of the gateway's own."""
        # Between two of a server's it has to be more than the one and less than the other.
        is_own = self.base is None
        self.last = self.last + 1 if is_own else math.nextafter(self.last, math.inf)
        return self.last

    def passed(self, progress: float, now: float) -> float | None:
        """Return the number for one of the server's; None if it is not to be passed on."""
        if self.base is None:
            self.base = self.last
        number = self.base + progress
        is_due = now - self.told_at >= _PAUSE_SECONDS
        if not (is_due and math.isfinite(number) and number > self.last):
            return None
        self.last, self.told_at = number, now
        return number


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClientSide:
    """One request's client: its name, its version of the protocol and what it can show."""

    request: Request
    name: str
    # True if it repeats its request when asked to, which no client before 2026-07-28 does.
    repeats: bool
    opens_urls: bool
    shows_forms: bool
    wants_progress: bool
    key: str | None
    progress: Progress = field(default_factory=Progress)

    @classmethod
    def of(cls, request: Request) -> "ClientSide":
        """Read what a client says of itself; nothing of it is believed further than it reaches."""
        session = request.session
        given = session.client_params
        name = given.client_info.name if given is not None else ""
        can = session.client_capabilities
        elicits = None if can is None else can.elicitation
        return cls(
            request=request,
            name=name[:_LONGEST_NAME],
            repeats=request.protocol_version in MODERN_PROTOCOL_VERSIONS,
            opens_urls=elicits is not None and elicits.url is not None,
            # One that says no more than that it can be asked shows forms.
            shows_forms=elicits is not None and (elicits.form is not None or elicits.url is None),
            wants_progress=_wants_progress(request),
            key=_key(request),
        )

    @property
    def asked_to_stop(self) -> bool:
        """True if the client cancelled this request; False if it is only gone."""
        # The SDK keeps it from handlers. Where it is missing, a call waits on and nothing is lost.
        channel = getattr(self.request.session, "_request_outbound", None)
        inner = getattr(channel, "_inner", channel)
        asked = getattr(inner, "cancel_requested", None)
        return asked is not None and bool(asked.is_set())

    async def beat(self, text: str) -> None:
        """Tell a client that asked for progress that its call is not forgotten."""
        await self.request.session.report_progress(self.progress.beat(), None, text)

    async def pass_on(self, progress: float, total: float | None, text: str | None) -> None:
        """Tell a client that asked for progress what the server behind reports."""
        now = asyncio.get_running_loop().time()
        if (number := self.progress.passed(progress, now)) is None:
            return
        whole = None if total is None else number - progress + total
        said = None if text is None else text[:_LONGEST_TEXT]
        await self.request.session.report_progress(number, whole, said)

    def can_show(self, asked: ElicitRequestParams) -> bool:
        """Return True if a server behind may ask this client's user while the call runs."""
        if isinstance(asked, ElicitRequestURLParams):
            return self.opens_urls and is_web_address(asked.url)
        return self.shows_forms

    async def ask(self, asked: ElicitRequestParams) -> ElicitResult:
        """Ask the client's user, while the request is open: clients of 2026-07-28 cannot be."""
        session, own = self.request.session, self.request.request_id
        try:
            if isinstance(asked, ElicitRequestURLParams):
                id = asked.elicitation_id or new_token()
                return await session.elicit_url(asked.message, asked.url, id, own)
            return await session.elicit_form(asked.message, asked.requested_schema, own)
        except MCPError as error:
            log.warning("the client did not show a question of a server: %s", error)
            return ElicitResult(action="cancel")

    async def open_url(self, call: GuardedCall, message: str) -> ElicitResult:
        """Ask the client to show the review page, and return what its user said to that."""
        return await self.request.session.elicit_url(
            message=message,
            url=cast("str", call.review_url),
            elicitation_id=cast("str", call.request_id),
            related_request_id=self.request.request_id,
        )

    async def url_done(self, call: GuardedCall) -> None:
        """Tell the client that the page it showed has served its purpose."""
        await self.request.session.send_elicit_complete(
            cast("str", call.request_id), related_request_id=self.request.request_id
        )


def under_name(server: str, asked: ElicitRequestParams) -> ElicitRequestParams:
    """Return a server's question in its words, under its name."""
    message = f"{server} asks: {asked.message}"[:_LONGEST_TEXT]
    return asked.model_copy(update={"message": message})


def _wants_progress(request: Request) -> bool:
    # With 2026-07-28 only the SDK knows; it passes nothing on to a client that did not ask.
    if request.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return True
    match request.params:
        case {"_meta": {"progressToken": str() | int()}}:
            return True
        case _:
            return False


def _key(request: Request) -> str | None:
    match request.params:
        case {"_meta": {"assent/key": str(key)}} if key.strip():
            return key
        case {"_meta": {"assent/key": _}}:
            # Left unread, a call that is meant to run once could run twice.
            raise MCPError(INVALID_PARAMS, f"{KEY} wants a text that is not empty")
        case _:
            return None
