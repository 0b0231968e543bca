"""An MCP server of 2026-07-28 that asks people before it goes on; ASKING_DONE says what it did."""

import asyncio
import os
from pathlib import Path
from typing import Any

import mcp_types as types
from mcp.server import Server
from mcp.server.stdio import stdio_server

DONE = Path(os.environ["ASKING_DONE"])
OBJECT = {"type": "object", "properties": {"what": {"type": "string"}}}
EMPTY = {"type": "object", "properties": {}}
WHERE = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "title": "City", "description": "Where to?"},
        "floor": {"type": "integer", "minimum": 0},
        "size": {"type": "string", "enum": ["s", "m"], "enumNames": ["Small", "Medium"]},
        "fragile": {"type": "boolean", "default": False},
        "door-code": {"type": "string"},
        "password": {"type": "string"},
    },
    "required": ["city", "floor"],
}


def did(what: str) -> None:
    with DONE.open("a") as file:
        file.write(what + "\n")


def form(message: str, schema: dict[str, Any]) -> types.ElicitRequest:
    params = types.ElicitRequestFormParams(message=message, requested_schema=schema)
    return types.ElicitRequest(params=params)


def wanted(state: str | None, **requests: Any) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=requests or None, request_state=state)


def text(words: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)])


async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    names = ("deliver", "sign", "endless", "sample", "nested", "patient", "both")
    tools = [types.Tool(name=name, description=name, input_schema=OBJECT) for name in names]
    return types.ListToolsResult(tools=tools)


async def call_tool(_context: Any, params: types.CallToolRequestParams) -> Any:  # noqa: C901 - a case each
    got: Any = params.input_responses
    state = params.request_state
    did(f"{params.name} {state}")
    match params.name:
        case "deliver" if not got:
            return wanted("sealed by the server", where=form("Where to?", WHERE))
        case "deliver":
            return text(got["where"].model_dump_json(exclude_none=True))
        case "sign" if not got:
            url = "https://sign.example/doc?id=5"
            page = types.ElicitRequestURLParams(message="Sign it", url=url)
            return wanted("s", page=types.ElicitRequest(params=page))
        case "sign":
            return text(got["page"].action)
        case "both" if not got:
            one = {"type": "object", "properties": {"n": {"type": "number"}}}
            return wanted("b", a=form("First", one), b=form("Second", one), c=form("Sure?", EMPTY))
        case "both":
            said = {key: (each.action, each.content) for key, each in sorted(got.items())}
            return text(str(said))
        case "endless":
            return wanted(str(int(state or 0) + 1), again=form("Again?", EMPTY))
        case "sample":
            sample = types.CreateMessageRequestParams(messages=[], max_tokens=5)
            return wanted("x", s=types.CreateMessageRequest(params=sample))
        case "nested":
            deep = {"type": "object", "properties": {"a": {"type": "object", "properties": {}}}}
            return wanted("x", s=form("Deep", deep))
        case "patient":
            return text("ready") if state == "3" else wanted(str(int(state or 0) + 1))
        case _:
            return text("?")


async def main() -> None:
    server = Server("asking", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


asyncio.run(main())
