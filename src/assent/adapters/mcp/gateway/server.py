"""The MCP server that clients see: the tools of others, and a tool to ask for an outcome."""

import logging
from collections import OrderedDict
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, Final

import mcp_types as types
from mcp import MCPError
from mcp.server.context import HandlerResult
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    PromptsListChanged,
    ResourcesListChanged,
    ToolsListChanged,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from assent.adapters.mcp.gateway.answers import RESULT_TOOL, failure, ticket_of
from assent.adapters.mcp.gateway.clients import ClientSide, Request
from assent.adapters.mcp.gateway.offers import Offer, Offers
from assent.adapters.mcp.gateway.open_calls import OpenCalls
from assent.adapters.mcp.gateway.reading import Reading
from assent.adapters.mcp.gateway.tasks import CAPABILITY, TaskCalls, Tasks
from assent.adapters.mcp.gateway.waiting import Answer, Round, Waiting
from assent.errors import AssentError, NotFound

log = logging.getLogger(__name__)
NAME: Final = "assent-gateway"
_INSTRUCTIONS: Final = (
    "People review calls of these tools before they run. A call that waits for them longer than "
    f"you can wait is answered with a ticket: call {RESULT_TOOL} with it later to get the outcome, "
    "and do not make the same call again meanwhile. If a person changed the arguments, or rejected "
    "the call, the result says so."
)
_RESULT: Final = types.Tool(
    name=RESULT_TOOL,
    title="Outcome of a call that waited",
    description=(
        "Returns the outcome of a call that waited for a person, given the ticket that was "
        "returned instead of a result. If it still waits, you get the ticket again."
    ),
    input_schema={
        "type": "object",
        "properties": {"ticket": {"type": "string", "description": "The ticket, as it was given"}},
        "required": ["ticket"],
    },
    annotations=types.ToolAnnotations(read_only_hint=True, open_world_hint=False),
)
# How long a client may take to come back with a sealed state: as long as people have to decide.
_STATE_SECONDS: Final = 24 * 3600.0
_MOST_SESSIONS: Final = 1_000


class GatewayServer(Server[Any]):
    """Serves the tools of other servers; every call passes the guard first."""

    def __init__(
        self,
        offers: Offers,
        calls: OpenCalls,
        waiting: Waiting,
        *,
        owner: str,
        secret: bytes,
        tools_only: bool = False,
    ) -> None:
        self._bus = InMemorySubscriptionBus()
        super().__init__(
            NAME,
            version=version("assent"),
            title="Assent gateway",
            instructions=_INSTRUCTIONS,
            get_tool_input_schema=self._schema,
            on_list_tools=self._list,
            on_call_tool=self._call,
            on_subscriptions_listen=ListenHandler(self._bus),
        )
        self._offers, self._calls, self._waiting = offers, calls, waiting
        self._tasks = Tasks(calls, waiting)
        self._tasks.serve(self)
        if not tools_only:
            Reading(offers).serve(self)
        # Sessions that have listed the tools, and so want to hear of changes.
        self._sessions = OrderedDict[str, ServerSession]()
        security = RequestStateSecurity(
            keys=[secret], ttl=_STATE_SECONDS, bind_principal=lambda _: owner
        )
        self.middleware.append(RequestStateBoundary(security, default_audience=NAME))
        self.middleware.append(TaskCalls(self._start_task))

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        del notification_options
        can = super().get_capabilities(
            # Of what it does not serve it says nothing.
            NotificationOptions(prompts_changed=True, resources_changed=True, tools_changed=True),
            experimental_capabilities,
            extensions,
            protocol_version=protocol_version,
        )
        told: dict[str, Any] = {}
        if can.resources is not None:
            # Lists are told of, what is in a resource is not.
            told["resources"] = can.resources.model_copy(update={"subscribe": False})
        if protocol_version not in MODERN_PROTOCOL_VERSIONS:
            told["tasks"] = CAPABILITY
        return can.model_copy(update=told)

    async def tell_changed(self) -> None:
        """Tell every client that the tools have changed."""
        await self._bus.publish(ToolsListChanged())
        for session in list(self._sessions.values()):
            await session.send_tool_list_changed()

    async def tell_reading_changed(self) -> None:
        """Tell every client that prompts and resources may have changed."""
        await self._bus.publish(PromptsListChanged())
        await self._bus.publish(ResourcesListChanged())
        for session in list(self._sessions.values()):
            await session.send_prompt_list_changed()
            await session.send_resource_list_changed()

    def _schema(self, name: str) -> Mapping[str, Any] | None:
        offer = self._offers.now(name)
        return None if offer is None else offer.listed.input_schema

    async def _list(
        self, request: Request, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        del params
        self._remember(request)
        offers = await self._offers.all()
        return types.ListToolsResult(tools=[*(offer.listed for offer in offers), _RESULT])

    def _remember(self, request: Request) -> None:
        if request.protocol_version in MODERN_PROTOCOL_VERSIONS:
            return
        headers = getattr(request.request, "headers", {})
        self._sessions[headers.get("mcp-session-id", "")] = request.session
        while len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)

    async def _call(self, request: Request, params: types.CallToolRequestParams) -> Answer:
        client = ClientSide.of(request)
        try:
            if params.name == RESULT_TOOL:
                return await self._collect(client, params)
            if params.request_state is not None:
                return await self._repeated(client, params, params.request_state)
            offer = await self._offer(params.name)
            given = params.arguments or {}
            async with self._calls.made(offer, given, client) as opened:
                return await self._waiting.answer(opened, client)
        except AssentError as error:
            log.warning("%s: %s", params.name[:80], error)
            return failure(f"{error}")

    async def _offer(self, name: str) -> Offer:
        offer = await self._offers.fresh(name)
        if offer is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {name[:80]}")
        return offer

    async def _collect(self, client: ClientSide, params: types.CallToolRequestParams) -> Answer:
        ticket = ticket_of(params.arguments)
        if ticket is None:
            return failure("Give the ticket that was returned instead of a result, as a text.")
        try:
            async with self._calls.found(ticket, client) as opened:
                return await self._waiting.answer(opened, client)
        except NotFound:
            return failure(f"There is no call with the ticket {ticket[:80]!r}.")

    async def _repeated(
        self, client: ClientSide, params: types.CallToolRequestParams, state: str
    ) -> Answer:
        past = Round.opened(state)
        async with self._calls.found(past.ticket, client) as opened:
            return await self._waiting.again(opened, client, past, params)

    async def _start_task(
        self, request: Request, params: types.CallToolRequestParams
    ) -> HandlerResult:
        client, given = ClientSide.of(request), params.arguments or {}
        try:
            offer = await self._offer(params.name)
            async with self._calls.made(offer, given, client) as opened:
                return self._tasks.created(opened)
        except AssentError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
