"""What the client of one request speaks, and how it is told of progress."""

from dataclasses import dataclass
from typing import Any, Final, cast

from mcp.server.context import ServerRequestContext
from mcp_types import ElicitResult
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from assent.guard import GuardedCall

# A client that can name its calls does it here: the same key means the same call.
KEY: Final = "assent/key"
_LONGEST_NAME: Final = 64
TASKS_FROM: Final = "2025-11-25"
Request = ServerRequestContext[Any, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientSide:
    """One request's client: its name, its version of the protocol and what it can show."""

    request: Request
    name: str
    # True if it repeats its request when asked to, which no client before 2026-07-28 does.
    repeats: bool
    opens_urls: bool
    key: str | None

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

    async def beat(self, count: int, text: str) -> None:
        """Tell a client that asked for progress that its call is not forgotten."""
        await self.request.session.report_progress(float(count), None, text)

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


def _key(request: Request) -> str | None:
    match request.params:
        case {"_meta": {"assent/key": str(key)}}:
            return key
        case _:
            return None
