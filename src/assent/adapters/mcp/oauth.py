"""Signing in to servers that want OAuth: the SDK's flow, with tokens kept in a file of ours."""

import asyncio
import inspect
import json
import os
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import parse_qs, urlsplit

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthToken,
)
from pydantic import AnyUrl, ValidationError

from assent.domain.mcp_servers import McpServer
from assent.errors import McpUnavailable

# Where browsers are sent back to. Nothing listens there: the person passes the address on.
_BACK: Final = "http://127.0.0.1:41589/callback"
_PRIVATE: Final = 0o600


class TokenFile:
    """Tokens and the client's registration in one JSON file that only its owner can read."""

    def __init__(self, path: Path) -> None:
        self._path = path

    async def get_tokens(self) -> OAuthToken | None:
        return _valid(OAuthToken, self._read().get("tokens"))

    async def set_tokens(self, tokens: OAuthToken) -> None:
        await self._write("tokens", tokens.model_dump(mode="json", exclude_none=True))

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        return _valid(OAuthClientInformationFull, self._read().get("client"))

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        await self._write("client", client_info.model_dump(mode="json", exclude_none=True))

    def _read(self) -> dict[str, Any]:
        try:
            found = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return {}
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}

    async def _write(self, name: str, value: object) -> None:
        await asyncio.to_thread(self._replace, {**self._read(), name: value})

    def _replace(self, said: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        # Private from its first byte, and replaced whole: a crash leaves the old file or the new.
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "w") as file:
            json.dump(said, file)
        fresh.replace(self._path)


class _Memory(TokenFile):
    """Tokens that end with the process."""

    def __init__(self) -> None:
        self._said: dict[str, Any] = {}

    def _read(self) -> dict[str, Any]:
        return self._said

    def _replace(self, said: dict[str, Any]) -> None:
        self._said = said


def sign_in_of(server: McpServer) -> httpx2.Auth | None:
    """Return how requests to a server are signed; None if it wants no signing in."""
    if not server.oauth:
        return None
    visited: list[str] = []

    async def visit(page: str) -> None:
        if server.on_sign_in is None:
            said = f"somebody has to sign in: pass on_sign_in to McpServer, or visit {page}"
            raise McpUnavailable(server.name, said)
        made = server.on_sign_in(page)
        visited.append(str(await made if inspect.isawaitable(made) else made))

    async def returned() -> AuthorizationCodeResult:
        said = parse_qs(urlsplit(visited.pop()).query)
        if "code" not in said:
            why = said.get("error", ["it holds no code"])[0]
            raise McpUnavailable(server.name, f"signing in failed: {why}")
        state, issuer = said.get("state", [None])[0], said.get("iss", [None])[0]
        return AuthorizationCodeResult(code=said["code"][0], state=state, iss=issuer)

    storage = _Memory() if server.token_file is None else TokenFile(Path(server.token_file))
    return OAuthClientProvider(
        cast("str", server.url),
        OAuthClientMetadata(client_name="Assent", redirect_uris=[AnyUrl(_BACK)]),
        storage,
        redirect_handler=visit,
        callback_handler=returned,
    )


def _valid(kind: Any, said: object) -> Any:
    try:
        return None if said is None else kind.model_validate(said)
    except ValidationError:
        return None
