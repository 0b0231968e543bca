"""MCP servers as a deployment names them: how each is reached, and how far it is trusted."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final, cast

from assent.domain import parameters
from assent.domain.metadata import METADATA
from assent.domain.parameters import Check, hidden, optional, settle
from assent.errors import InvalidParameter

# Without "__": in `server__tool` the first "__" ends the server's name, whatever follows.
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*(?:_[A-Za-z0-9-]+)*", re.ASCII)
_LONGEST_NAME: Final = 32
# What the sources of tools from MCP servers begin with.
REMOTE: Final = "mcp:"
# What a deployment may say of a single tool; the rest is code, or comes from the server.
SETTINGS: Final = (
    "risk",
    "requires_approval",
    "requires_confirmation",
    "hil",
    "confirmation",
    "impact",
    "category",
    "timeout",
    "decide_within",
    "idempotent",
    "caller_roles",
    "approvers",
    "question",
    "user_input",
)


def _server_name(given: object) -> object:
    fits = isinstance(given, str) and len(given) <= _LONGEST_NAME and _NAME.fullmatch(given)
    return given if fits else parameters.unfit()


def _texts(given: object) -> object:
    found = parameters.mapping.read(given)
    if not isinstance(found, Mapping):
        return parameters.unfit()
    texts = cast("Mapping[str, object]", found)
    fits = all(name and isinstance(text, str) for name, text in texts.items())
    return dict(texts) if fits else parameters.unfit()


def _words(given: object) -> object:
    listed = parameters.items(given)
    fits = listed is not None and all(isinstance(item, str) for item in listed)
    return tuple(listed) if fits and listed is not None else parameters.unfit()


def _ordered(given: object) -> object:
    return parameters.unfit() if isinstance(given, set | frozenset) else _words(given)


def _address(given: object) -> object:
    fits = isinstance(given, str) and given.startswith(("https://", "http://"))
    return (
        given if fits and not any(c.isspace() for c in cast("str", given)) else parameters.unfit()
    )


def _settings(given: object) -> object:
    found = parameters.mapping.read(given)
    if not isinstance(found, Mapping):
        return parameters.unfit()
    rows = cast("Mapping[str, object]", found)
    fits = all(parameters.mapping.read(row) is row for row in rows.values())
    return (
        {name: dict(cast("Any", row)) for name, row in rows.items()} if fits else parameters.unfit()
    )


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server: a command that speaks MCP on its standard streams, or an HTTP address.

    Its tools are called `<name>__<tool>`, are of moderate risk and ask. `trust` lets the server's
    own hints loosen that; `tools` sets it per tool, `allow` and `deny` say which there are.
    """

    name: str
    command: str | None = field(default=None, kw_only=True)
    args: Iterable[str] = field(default=(), kw_only=True)
    env: Mapping[str, str] = field(default_factory=dict[str, str], kw_only=True, repr=False)
    cwd: str | None = field(default=None, kw_only=True)
    url: str | None = field(default=None, kw_only=True)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], kw_only=True, repr=False)
    # True: sign in as the server's OAuth says. Tokens are kept in `token_file`, mode 0600.
    oauth: bool = field(default=False, kw_only=True)
    token_file: str | None = field(default=None, kw_only=True)
    # Given the address of the sign-in page, returns the address that the browser was sent back to.
    on_sign_in: Callable[[str], Any] | None = field(default=None, kw_only=True, repr=False)
    trust: bool = field(default=False, kw_only=True)
    tools: Mapping[str, Mapping[str, Any]] = field(
        default_factory=dict[str, Mapping[str, Any]], kw_only=True
    )
    allow: Iterable[str] | None = field(default=None, kw_only=True)
    deny: Iterable[str] = field(default=(), kw_only=True)
    connect_within: float | timedelta = field(default=30.0, kw_only=True)

    def __post_init__(self) -> None:
        settle(self, _SERVER, called="name")
        where = f"McpServer {self.name!r}"
        if (self.command is None) == (self.url is None):
            what = "neither" if self.command is None else "both"
            raise InvalidParameter(where, "command or url", "given, one of the two", what)
        self._want_transport(where)
        for tool, said in self.tools.items():
            parameters.taken(f"{where}, tool {tool!r}", said, SETTING_CHECKS)

    def _want_transport(self, where: str) -> None:
        local = {"args": self.args, "env": self.env, "cwd": self.cwd}
        remote = {"headers": self.headers, "oauth": self.oauth, "token_file": self.token_file}
        odd = remote if self.url is None else local
        kind = "a url" if self.url is None else "a command"
        for name, given in odd.items():
            if given:
                raise InvalidParameter(where, name, f"given only with {kind}", "here")

    @property
    def source(self) -> str:
        """The source of its tools, as cards show it."""
        return f"{REMOTE}{self.name}"

    @property
    def connect_seconds(self) -> float:
        """The most seconds that opening a connection may take."""
        return cast("timedelta", self.connect_within).total_seconds()

    def offers(self, tool: str) -> bool:
        """Return True if this deployment uses the tool of this name."""
        return (self.allow is None or tool in self.allow) and tool not in self.deny


SETTING_CHECKS: Final = {name: METADATA[name] for name in SETTINGS}
_SERVER: Final = {
    "name": Check(
        f"1-{_LONGEST_NAME} ASCII letters, digits, '-' and single '_', first a letter", _server_name
    ),
    "command": optional(parameters.name),
    "args": Check("a list of texts", _ordered),
    "env": hidden(Check("a mapping of texts", _texts)),
    "cwd": optional(parameters.name),
    "url": optional(Check("an http or https address", _address)),
    "headers": hidden(Check("a mapping of texts", _texts)),
    "oauth": parameters.flag,
    "token_file": optional(parameters.name),
    "on_sign_in": optional(parameters.function),
    "trust": parameters.flag,
    "tools": Check("a mapping of tools' names to mappings of settings", _settings),
    "allow": optional(Check("a list of texts", _words)),
    "deny": Check("a list of texts", _words),
    "connect_within": parameters.duration(),
}
