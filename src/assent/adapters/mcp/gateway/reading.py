"""Prompts, resources and completions, which clients read of the servers behind.

They are passed on and not gated: nothing runs. Who owns an address is decided by what servers list,
and where two claim the same, neither gets it.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import mcp_types as types
from mcp import MCPError
from mcp.client.session import ClientSession
from mcp.server.lowlevel import Server
from mcp.shared.uri_template import InvalidUriTemplate, UriTemplate
from pydantic import BaseModel

from assent.adapters.mcp.connection import McpConnection
from assent.adapters.mcp.gateway.clients import Request
from assent.adapters.mcp.gateway.offers import Offers
from assent.adapters.mcp.limits import McpLimits
from assent.adapters.mcp.listing import TooManyPages, pages, size_of
from assent.domain.pins import name_of
from assent.errors import AssentError, McpRefused

log = logging.getLogger(__name__)
_Page = types.PaginatedRequestParams | None
_T = TypeVar("_T")
# A server that does not list them within this time is left out, and hurts no other.
_LIST_SECONDS: Final = 10.0
_ASKS: Final = "it asks for input, which this gateway does not pass on"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """One kind of what servers list, and how they are asked for it."""

    name: str
    ability: str
    page: Callable[[ClientSession, _Page], Awaitable[Any]]
    key: Callable[[Any], str]


PROMPTS: Final = _Kind(
    name="prompts",
    ability="prompts",
    page=lambda session, page: session.list_prompts(params=page),
    key=lambda prompt: prompt.name,
)
RESOURCES: Final = _Kind(
    name="resources",
    ability="resources",
    page=lambda session, page: session.list_resources(params=page),
    key=lambda resource: resource.uri,
)
TEMPLATES: Final = _Kind(
    name="resource_templates",
    ability="resources",
    page=lambda session, page: session.list_resource_templates(params=page),
    key=lambda template: template.uri_template,
)


@dataclass(slots=True, kw_only=True)
class _Lists:
    """The newest lists of one kind from each server, by the key that is unique there."""

    kind: _Kind
    # In the order of the configuration, whoever answers first.
    of_server: dict[str, Mapping[str, Any]]

    def owners(self, key: str) -> list[str]:
        """Return the servers that list it."""
        return [server for server, items in self.of_server.items() if key in items]

    def sole(self) -> list[tuple[str, Any]]:
        """Return what one server alone lists, with that server."""
        times = Counter(key for items in self.of_server.values() for key in items)
        _say_clashes(times, "several servers", self.kind)
        return [
            (server, item)
            for server, items in self.of_server.items()
            for key, item in items.items()
            if times[key] == 1
        ]


class Reading:
    """Passes prompts and resources of all servers on to clients."""

    def __init__(self, offers: Offers) -> None:
        self._offers = offers
        self._prompts = self._none(PROMPTS)
        self._resources = self._none(RESOURCES)
        self._templates = self._none(TEMPLATES)

    def _none(self, kind: _Kind) -> _Lists:
        return _Lists(
            kind=kind, of_server={each.server.name: {} for each in self._offers.connections}
        )

    def serve(self, server: Server[Any]) -> None:
        """Add the methods of prompts, resources and completions to a server."""
        add, page = server.add_request_handler, types.PaginatedRequestParams
        add("prompts/list", page, self._list_prompts)
        add("prompts/get", types.GetPromptRequestParams, self._get_prompt)
        add("resources/list", page, self._list_resources)
        add("resources/templates/list", page, self._list_templates)
        add("resources/read", types.ReadResourceRequestParams, self._read)
        add("completion/complete", types.CompleteRequestParams, self._complete)

    # Lists

    async def _list_prompts(
        self, _request: Request, _params: types.PaginatedRequestParams
    ) -> types.ListPromptsResult:
        await self._refresh(self._prompts)
        # Under our names they cannot clash: a server's name is part of them.
        shown = [
            prompt.model_copy(update={"name": name_of(server, name)})
            for server, prompts in self._prompts.of_server.items()
            for name, prompt in prompts.items()
        ]
        return types.ListPromptsResult(prompts=shown)

    async def _list_resources(
        self, _request: Request, _params: types.PaginatedRequestParams
    ) -> types.ListResourcesResult:
        await self._refresh(self._resources)
        return types.ListResourcesResult(resources=[item for _, item in self._resources.sole()])

    async def _list_templates(
        self, _request: Request, _params: types.PaginatedRequestParams
    ) -> types.ListResourceTemplatesResult:
        await self._refresh(self._templates)
        templates = [item for _, item in self._templates.sole()]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def _refresh(self, *several: _Lists) -> None:
        await self._offers.all()
        work = [
            self._listed(connection, lists)
            for lists in several
            for connection in self._offers.connections
        ]
        await asyncio.gather(*work)

    async def _listed(self, connection: McpConnection, lists: _Lists) -> None:
        """Keep what one server lists now; what it listed before stays if it cannot be asked."""
        if not connection.is_able_to(lists.kind.ability):
            return
        limits = connection.limits
        try:
            async with asyncio.timeout(_LIST_SECONDS):
                items = await connection.ask(lambda session: _every(session, lists.kind, limits))
        except (AssentError, TimeoutError) as error:
            name, kind = connection.server.name, lists.kind.name
            log.warning("MCP server %r does not list its %s: %s", name, kind, error)
            return
        lists.of_server[connection.server.name] = _kept(items, lists.kind)

    # One of them

    async def _get_prompt(
        self, _request: Request, params: types.GetPromptRequestParams
    ) -> types.GetPromptResult:
        server, name = await self._prompt(params.name)
        given = params.arguments
        return await self._asked(
            server, lambda at: at.get_prompt(name, given, allow_input_required=True)
        )

    async def _read(
        self, _request: Request, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        server = await self._owner(params.uri)
        return await self._asked(
            server, lambda at: at.read_resource(params.uri, allow_input_required=True)
        )

    async def _complete(
        self, _request: Request, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        if isinstance(params.ref, types.PromptReference):
            server, name = await self._prompt(params.ref.name)
            params = params.model_copy(update={"ref": types.PromptReference(name=name)})
        else:
            server = await self._only(self._templates, params.ref.uri)
        if not self._offers.connection(server).is_able_to("completions"):
            return types.CompleteResult(completion=types.Completion(values=[]))
        request = types.CompleteRequest(params=params)
        return await self._asked(server, lambda at: at.send_request(request, types.CompleteResult))

    async def _prompt(self, name: str) -> tuple[str, str]:
        """Return the server of a prompt, and its own name there."""
        for is_last in (False, True):
            for server, prompts in self._prompts.of_server.items():
                for own in prompts:
                    if name_of(server, own) == name:
                        return server, own
            if not is_last:
                await self._refresh(self._prompts)
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {name[:80]}")

    async def _owner(self, uri: str) -> str:
        """Return the server that an address belongs to: who lists it, else who has its pattern."""
        if len(self._resources.owners(uri)) != 1:
            await self._refresh(self._resources, self._templates)
        if listed := self._resources.owners(uri):
            return _one(listed, uri)
        return _one(_matching(self._templates, uri) or self._able("resources"), uri)

    async def _only(self, lists: _Lists, key: str) -> str:
        if len(lists.owners(key)) != 1:
            await self._refresh(lists)
        return _one(lists.owners(key), key)

    def _able(self, ability: str) -> list[str]:
        return [each.server.name for each in self._offers.connections if each.is_able_to(ability)]

    async def _asked(
        self, server: str, ask: Callable[[ClientSession], Awaitable[_T | types.InputRequiredResult]]
    ) -> _T:
        try:
            answer = await self._offers.connection(server).ask(ask)
        except McpRefused as error:
            raise MCPError(error.number, error.reason) from None
        except AssentError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None
        if isinstance(answer, types.InputRequiredResult):
            raise MCPError(types.INVALID_REQUEST, f"MCP server {server!r} refused it: {_ASKS}")
        return answer


async def _every(session: ClientSession, kind: _Kind, limits: McpLimits) -> list[Any]:
    items: list[Any] = []
    with suppress(TooManyPages):
        async for page in pages(lambda at: kind.page(session, at), limits.pages):
            items += [item for item in getattr(page, kind.name) if _is_small(item, limits)]
            if len(items) > limits.tools:
                break
    return items[: limits.tools]


def _is_small(item: BaseModel, limits: McpLimits) -> bool:
    return size_of(item) <= limits.definition_bytes


def _kept(items: Iterable[Any], kind: _Kind) -> Mapping[str, Any]:
    """Return what is listed once; a name that is there twice stands for neither."""
    every = list(items)
    times = Counter(map(kind.key, every))
    _say_clashes(times, "a server twice", kind)
    return {kind.key(item): item for item in every if times[kind.key(item)] == 1}


def _say_clashes(times: Mapping[str, int], by: str, kind: _Kind) -> None:
    # One line, however many there are.
    if clashes := [key for key, count in times.items() if count > 1]:
        said = "%d of the %s are left out, since they are listed by %s: %r"
        log.warning(said, len(clashes), kind.name, by, clashes[0])


def _matching(templates: _Lists, uri: str) -> list[str]:
    return [
        server
        for server, patterns in templates.of_server.items()
        if any(_fits(pattern, uri) for pattern in patterns)
    ]


def _fits(pattern: str, uri: str) -> bool:
    try:
        return UriTemplate.parse(pattern).match(uri) is not None
    except InvalidUriTemplate:
        return False


def _one(servers: list[str], what: str) -> str:
    if len(servers) == 1:
        return servers[0]
    why = f"several servers claim it: {', '.join(servers)}" if servers else "no server lists it"
    raise MCPError(types.INVALID_PARAMS, f"{what[:80]} cannot be read: {why}")
