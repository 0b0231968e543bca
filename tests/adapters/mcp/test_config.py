"""The file that names servers: what is taken, and how mistakes are refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from assent import Agent, McpServer, Risk
from assent.adapters.mcp.config import servers_of
from assent.adapters.mcp.tools import tools_of
from assent.domain.pins import Pin, name_of
from assent.errors import InvalidMcpConfig, InvalidParameter
from assent.testing import ScriptedModel


def of(**servers: Any) -> dict[str, Any]:
    return {"mcpServers": servers}


def test_a_file_in_the_shape_of_other_clients(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(
        json.dumps(
            of(
                files={"command": "npx", "args": ["-y", "${PACKAGE}"], "env": {"A": "${B:-}"}},
                shop={
                    "type": "http",
                    "url": "https://${HOST:-shop.example}/mcp",
                    "headers": {"Authorization": "Bearer ${TOKEN}"},
                    "trust": True,
                    "allow": ["order"],
                    "tools": {"order": {"risk": "dangerous"}},
                },
                off={"command": "x", "disabled": True},
                here={"command": "x", "cwd": "sub"},
            )
        )
    )
    environment = {"PACKAGE": "server", "TOKEN": "t0p"}
    files, shop, here = servers_of(str(path), environment=environment)

    assert (files.command, files.args, files.env) == ("npx", ("-y", "server"), {"A": ""})
    assert shop.url == "https://shop.example/mcp"
    assert shop.headers == {"Authorization": "Bearer t0p"}
    assert shop.trust
    assert shop.offers("order")
    assert not shop.offers("other")
    assert here.cwd == str(tmp_path / "sub")
    assert "t0p" not in repr(shop)


def test_what_vs_code_writes_and_several_at_once() -> None:
    one = {"servers": {"a": {"type": "stdio", "command": "x"}}}
    assert [each.name for each in servers_of([one, McpServer("b", url="http://h/")])] == ["a", "b"]
    assert servers_of(of()) == ()
    assert servers_of([]) == ()


MISTAKES: list[tuple[Any, str]] = [
    ({}, "mcpServers"),
    ({"mcpServers": []}, "wants an object of servers"),
    (of(a=[]), r"mcpServers\.a: wants an object with 'command' or 'url'"),
    (of(a={}), "given, one of the two.*neither"),
    (of(a={"command": ""}), "command"),
    (of(a={"command": "x", "url": "http://h/"}), "both"),
    (of(a={"command": 5}), "command"),
    (of(a={"command": "x", "args": "y"}), "a list of texts"),
    (of(a={"command": "x", "args": [0]}), "a list of texts"),
    (of(a={"command": "x", "env": {"A": 0}}), "a mapping of texts"),
    (of(a={"command": "x", "headers": {"A": "b"}}), "given only with a url"),
    (of(a={"url": "ftp://h/"}), "an http or https address"),
    (of(a={"url": "http://h/", "args": ["x"]}), "given only with a command"),
    (of(a={"type": "sse", "url": "http://h/"}), r"a\.type: 'sse'"),
    (of(a={"type": "http", "command": "x"}), "type 'http' wants 'url'"),
    (of(a={"command": "x", "argz": []}), r"a\.argz: there is no such key; there is command"),
    (of(a={"command": "x", "trust": "yes"}), "trust"),
    (of(a={"command": "x", "disabled": "true"}), r"mcpServers\.a\.disabled: wants true or false"),
    (of(a={"command": "x", "tools": {"t": {"risc": "safe"}}}), "did you mean 'risk'"),
    (of(a={"command": "x", "tools": {"t": {"risk": "low"}}}), "'safe', 'moderate' or 'dangerous'"),
    (of(a={"command": "x", "tools": {"t": None}}), "mappings of settings"),
    (of(a={"command": "x", "connectWithin": 0}), "above 0"),
    (of(a__b={"command": "x"}), "ASCII letters"),
    (of(**{"": {"command": "x"}}), "ASCII letters"),
    (of(ä={"command": "x"}), "ASCII letters"),
    (of(**{"a" * 33: {"command": "x"}}), "ASCII letters"),
    (of(a={"command": "${NOT_THERE}"}), r"a\.command: the environment has no NOT_THERE"),
    (of(a={"command": "x", "args": ["", "${NOT_THERE}"]}), r"a\.args\[1\]"),
    ([McpServer("a", command="x"), of(a={"command": "x"})], "two servers called 'a'"),
    ([5], "not a value of type int"),
]


@pytest.mark.parametrize(("given", "message"), MISTAKES)
def test_mistakes_are_refused_with_their_place(given: Any, message: str) -> None:
    with pytest.raises(InvalidMcpConfig, match=message):
        servers_of(given, environment={})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"mcpServers": {', "line 1, column"),
        ("[]", "wants an object"),
        ('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}', "'a' is there twice"),
        ("[" * 100_000, "not JSON"),
        ("\xff", "not JSON"),
        (" " * 1_000_001, "more than 1,000,000 bytes"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidMcpConfig, match=message):
        servers_of(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidMcpConfig, match="cannot be read: No such file"):
        servers_of(tmp_path / "none.json")


@pytest.mark.parametrize("given", [5, [5], None, [None], b"x"])
def test_an_agent_refuses_what_names_no_server(given: Any) -> None:
    with pytest.raises(InvalidParameter, match="mcp"):
        Agent("a", model=ScriptedModel([]), mcp=given)


def test_a_headers_value_is_not_repeated_in_an_error() -> None:
    with pytest.raises(InvalidParameter) as refused:
        McpServer("a", url="http://h/", headers={"Authorization": b"s3cret"})  # pyright: ignore[reportArgumentType]
    assert "s3cret" not in str(refused.value)


# Names and hints


def pin(tool: str, **seen: Any) -> Pin:
    definition = {"name": tool, "inputSchema": {"type": "object", "properties": {}}, **seen}
    return Pin(source="mcp:s", tool=tool, seen=definition, accepted=definition)


async def never(*_: Any) -> None:
    raise AssertionError


def test_names_fit_and_differ() -> None:
    names = ["read", "", "a.b", "a/b", "a b", "ä", "x" * 128, "x" * 129, "__", "a__b", "\ud800"]
    ours = [name_of("server", name) for name in names]

    assert ours[0] == "server__read"
    assert len(set(ours)) == len(ours)
    assert all(1 <= len(name) <= 64 and name.isascii() for name in ours)


@pytest.mark.parametrize(
    ("trust", "hints", "risk", "asks"),
    [
        (False, {}, Risk.MODERATE, True),
        (False, {"readOnlyHint": True}, Risk.MODERATE, True),
        (False, {"destructiveHint": True}, Risk.DANGEROUS, True),
        (False, {"destructiveHint": False}, Risk.MODERATE, True),
        (True, {}, Risk.MODERATE, True),
        (True, {"readOnlyHint": True}, Risk.SAFE, False),
        (True, {"readOnlyHint": False, "destructiveHint": True}, Risk.DANGEROUS, True),
        (True, {"readOnlyHint": "yes"}, Risk.MODERATE, True),
        (True, None, Risk.MODERATE, True),
    ],
)
def test_hints_tighten_and_loosen_only_with_trust(
    trust: bool, hints: Any, risk: Risk, asks: bool
) -> None:
    server = McpServer("s", command="x", trust=trust)
    [tool] = tools_of(server, [pin("t", annotations=hints)], never).tools.values()

    assert (tool.risk, tool.requires_approval) == (risk, asks)
    assert tool.idempotent is (risk is Risk.SAFE)


def test_settings_for_a_tool_that_is_not_there_are_said() -> None:
    server = McpServer("s", command="x", tools={"typo": {"risk": "safe"}})
    assert "'typo'" in tools_of(server, [pin("t")], never).refused[0]
