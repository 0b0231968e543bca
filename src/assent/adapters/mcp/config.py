"""The file that names MCP servers, in the shape that other clients use: `mcpServers`."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final, cast

from assent.domain.mcp_servers import McpServer
from assent.errors import InvalidMcpConfig, InvalidParameter

Given = McpServer | Mapping[str, Any] | str | Path
_SERVERS: Final = "mcpServers"
# VS Code writes "servers"; the rest is the same.
_TOP: Final = (_SERVERS, "servers")
_VARIABLE: Final = re.compile(r"\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_TRANSPORTS: Final = {"stdio": "command", "http": "url", "streamable-http": "url"}
_LONGEST_FILE: Final = 1_000_000
# Keys as JSON files spell them, and our own names for them.
_KEYS: Final = {
    "command": "command",
    "args": "args",
    "env": "env",
    "cwd": "cwd",
    "url": "url",
    "headers": "headers",
    "oauth": "oauth",
    "tokenFile": "token_file",
    "trust": "trust",
    "tools": "tools",
    "allow": "allow",
    "deny": "deny",
    "connectWithin": "connect_within",
}
# Other clients' own settings, which change nothing for us.
_IGNORED: Final = frozenset({"disabled", "description", "name"})
_EXPANDED: Final = ("command", "args", "env", "cwd", "url", "headers", "tokenFile")


def servers_of(
    given: Given | Iterable[Given], *, environment: Mapping[str, str] | None = None
) -> tuple[McpServer, ...]:
    """Return the servers of a file, a mapping of the same shape, `McpServer`s, or several of them.

    Every mistake raises `InvalidMcpConfig`, which names its place and what is allowed there.
    """
    variables = os.environ if environment is None else environment
    single = isinstance(given, McpServer | Mapping | str | Path)
    several = [cast("Given", given)] if single else list(given)
    found = [server for each in several for server in _read(each, variables)]
    for name, count in Counter(server.name for server in found).items():
        if count > 1:
            raise InvalidMcpConfig("mcp", f"there are two servers called {name!r}; rename one")
    return tuple(found)


def _read(given: Given, variables: Mapping[str, str]) -> Iterable[McpServer]:
    if isinstance(given, McpServer):
        return [given]
    if isinstance(given, Mapping):
        return _servers("mcp", given, variables, Path.cwd())
    if not isinstance(given, str | Path):  # pyright: ignore[reportUnnecessaryIsInstance] - from outside
        what = f"a value of type {type(given).__name__}"
        raise InvalidMcpConfig("mcp", f"wants McpServers, a path or a mapping, not {what}")
    path = Path(given).expanduser()
    return _servers(str(path), _loaded(path), variables, path.parent)


def _loaded(path: Path) -> Mapping[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(_LONGEST_FILE + 1)
        if len(raw) > _LONGEST_FILE:
            raise InvalidMcpConfig(str(path), f"it has more than {_LONGEST_FILE:,} bytes")
        said = json.loads(raw, object_pairs_hook=_unrepeated)
    except OSError as error:
        raise InvalidMcpConfig(str(path), f"it cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        place = f"{path}, line {error.lineno}, column {error.colno}"
        raise InvalidMcpConfig(place, f"it is not JSON: {error.msg}") from None
    except (_Repeated, UnicodeDecodeError, RecursionError) as error:
        raise InvalidMcpConfig(str(path), f"it is not JSON: {error}") from None
    if not isinstance(said, dict):
        raise InvalidMcpConfig(str(path), f"wants an object with {_SERVERS!r}")
    return cast("Mapping[str, Any]", said)


class _Repeated(ValueError):
    """An object has the same key twice: which of the two is meant?"""


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        raise _Repeated(f"{next(k for k in keys if keys.count(k) > 1)!r} is there twice")
    return made


def _servers(
    place: str, said: Mapping[str, Any], variables: Mapping[str, str], folder: Path
) -> list[McpServer]:
    tops = [key for key in _TOP if key in said]
    if len(tops) != 1:
        raise InvalidMcpConfig(place, f"wants an object with {_SERVERS!r}, not {list(said)[:5]}")
    servers = said[tops[0]]
    if not isinstance(servers, Mapping):
        raise InvalidMcpConfig(f"{place}, {tops[0]}", "wants an object of servers by name")
    return [
        _server(f"{place}, {tops[0]}.{name}", name, entry, variables, folder)
        for name, entry in cast("Mapping[str, Any]", servers).items()
        if not _is_off(f"{place}, {tops[0]}.{name}", entry)
    ]


def _is_off(place: str, entry: object) -> bool:
    if not isinstance(entry, Mapping):
        return False
    is_off = cast("Mapping[str, object]", entry).get("disabled", False)
    # "true" as text would leave a server on that somebody turned off.
    if not isinstance(is_off, bool):
        raise InvalidMcpConfig(f"{place}.disabled", "wants true or false")
    return is_off


def _server(
    place: str, name: str, entry: object, variables: Mapping[str, str], folder: Path
) -> McpServer:
    if not isinstance(entry, Mapping):
        raise InvalidMcpConfig(place, "wants an object with 'command' or 'url'")
    said = dict(cast("Mapping[str, Any]", entry))
    _want_transport(place, said)
    for key in said:
        if key not in _KEYS and key not in _IGNORED:
            known = ", ".join((*_KEYS, "type"))
            raise InvalidMcpConfig(f"{place}.{key}", f"there is no such key; there is {known}")
    kept = {
        ours: _expanded(f"{place}.{key}", said[key], variables) if key in _EXPANDED else said[key]
        for key, ours in _KEYS.items()
        if key in said
    }
    if "cwd" in kept and isinstance(kept["cwd"], str):
        kept["cwd"] = str(folder / Path(kept["cwd"]).expanduser())
    try:
        return McpServer(name, **kept)
    except InvalidParameter as error:
        raise InvalidMcpConfig(place, str(error)) from None


def _want_transport(place: str, said: dict[str, Any]) -> None:
    """Take `type` out, and refuse one that does not fit the rest."""
    kind = said.pop("type", None)
    if kind is None:
        return
    if kind == "sse":
        raise InvalidMcpConfig(
            f"{place}.type", "'sse' is a transport that ended with 2024-11-05; use 'http'"
        )
    if not isinstance(kind, str) or kind not in _TRANSPORTS:
        raise InvalidMcpConfig(f"{place}.type", "wants 'stdio' or 'http'")
    if _TRANSPORTS[kind] not in said:
        raise InvalidMcpConfig(place, f"type {kind!r} wants {_TRANSPORTS[kind]!r}")


def _expanded(place: str, given: object, variables: Mapping[str, str]) -> Any:
    """Replace `${NAME}` and `${NAME:-default}` in texts by variables of the environment."""
    if isinstance(given, str):
        return _VARIABLE.sub(lambda found: _variable(place, found, variables), given)
    if isinstance(given, list):
        listed = cast("list[object]", given)
        return [_expanded(f"{place}[{i}]", item, variables) for i, item in enumerate(listed)]
    if isinstance(given, Mapping):
        named = cast("Mapping[str, object]", given).items()
        return {key: _expanded(f"{place}.{key}", item, variables) for key, item in named}
    return given


def _variable(place: str, found: re.Match[str], variables: Mapping[str, str]) -> str:
    name, fallback = found[1], found[2]
    value = variables.get(name)
    if value is not None:
        return value
    if fallback is None:
        said = f"the environment has no {name}; set it, or write ${{{name}:-default}}"
        raise InvalidMcpConfig(place, said)
    return fallback
