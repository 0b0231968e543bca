"""Signing in to a server that wants OAuth, and where its tokens are kept."""

import asyncio
import json
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from assent import McpServer
from assent.adapters.mcp.connection import McpConnection
from assent.errors import McpUnavailable
from tests.adapters.mcp.conftest import returned
from tests.adapters.mcp.test_hostile_addresses import Wire, send


class Guarded(Wire):
    """An MCP server that takes only its own tokens, and the service that issues them."""

    def __init__(self) -> None:
        super().__init__("")
        self.base, self.issued = "", 0

    async def answer(self, head: list[str], body: bytes, writer: asyncio.StreamWriter) -> None:
        path = head[0].split()[1].partition("?")[0]
        if path != "/":
            said = self.documents(path, body)
            status = "404 No" if said is None else "200 OK"
            send(writer, json.dumps(said).encode(), status=status)
        elif any(line.lower() == "authorization: bearer t0ken" for line in head):
            await super().answer(head, body, writer)
        else:
            where = f'resource_metadata="{self.base}/.well-known/oauth-protected-resource"'
            send(writer, b"", status="401 No", header=f"www-authenticate: Bearer {where}\r\n")

    def documents(self, path: str, body: bytes) -> Any:
        match path:
            case "/.well-known/oauth-protected-resource":
                return {"resource": f"{self.base}/", "authorization_servers": [self.base]}
            case "/.well-known/oauth-authorization-server":
                return {
                    "issuer": self.base,
                    "authorization_endpoint": f"{self.base}/authorize",
                    "token_endpoint": f"{self.base}/token",
                    "registration_endpoint": f"{self.base}/register",
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                }
            case "/register":
                return {**json.loads(body), "client_id": "us"}
            case "/token" if b"code=c0de" in body:
                self.issued += 1
                return {"access_token": "t0ken", "token_type": "Bearer", "expires_in": 3600}
            case _:
                return None


@asynccontextmanager
async def guarded() -> AsyncIterator[Guarded]:
    wire = Guarded()
    async with wire.listening() as port:
        wire.base = f"http://127.0.0.1:{port}"
        yield wire


async def visit(page: str) -> str:
    """A person who signs in, and passes on where the browser was sent back to."""
    asked = parse_qs(urlsplit(page).query)
    return f"{asked['redirect_uri'][0]}?code=c0de&state={asked['state'][0]}"


async def test_a_person_signs_in_once_and_the_tokens_are_kept_privately(tmp_path: Path) -> None:
    kept = tmp_path / "tokens" / "shop.json"
    async with guarded() as wire:
        said = {"url": f"{wire.base}/", "oauth": True, "token_file": str(kept)}
        async with McpConnection(McpServer("shop", on_sign_in=visit, **said)) as connection:
            first = returned(await connection.call("go", {}))
        async with McpConnection(McpServer("shop", **said)) as connection:
            second = returned(await connection.call("go", {}))

    assert (first, second, wire.issued) == ("done", "done", 1)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert "t0ken" in kept.read_text()


async def test_without_anybody_to_sign_in_it_says_so() -> None:
    async with guarded() as wire:
        server = McpServer("shop", url=f"{wire.base}/", oauth=True)
        async with McpConnection(server) as connection:
            with pytest.raises(McpUnavailable, match="somebody has to sign in"):
                await connection.call("go", {})
