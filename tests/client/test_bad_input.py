"""What a guard is given by mistake is refused in words, here and over HTTP, and nothing runs."""

from typing import Any

import pytest

from assent import Assent
from assent.client import AsyncClient, Client, external
from assent.errors import InvalidParameter
from tests.client.conftest import Open

PING = external("ping", requires_approval=False)


def plain() -> str:
    """A function that was not declared as a tool."""
    return "ran"


ARGUMENTS: list[Any] = [[], 0, "", None, False, [("a", 1)], "ab", {1: 2}]
TOOLS: list[Any] = [plain, None, 0, "", " ", {"name": "ping"}]
WAITS: list[Any] = [-1, float("nan"), "x", True]


async def test_a_proposal_that_is_none_is_refused(guarded: Open) -> None:
    runs = list[object]()
    async with guarded() as held:
        for arguments in ARGUMENTS:
            with pytest.raises(InvalidParameter, match="arguments must be a mapping"):
                await held.guard.run(PING, arguments, runs.append)
        for tool in TOOLS:
            with pytest.raises(InvalidParameter, match="tool must be a tool"):
                await held.guard.run(tool, {}, runs.append)
        for wait in WAITS:
            with pytest.raises(InvalidParameter, match="wait must be"):
                await held.guard.run(PING, {}, runs.append, wait=wait)
        assert await held.assent.outside_tools() == []
    assert runs == []


@pytest.mark.parametrize("agent", ["", " ", None])
async def test_an_agent_without_a_name_is_refused(agent: Any) -> None:
    async with Assent("sqlite:///:memory:") as assent:
        with pytest.raises(InvalidParameter, match="agent must be"):
            assent.guard_for(agent=agent, by="ada")


@pytest.mark.parametrize("client", [AsyncClient, Client])
@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://a", "https://", "https://a b", None])
def test_an_address_that_is_none_is_refused(client: Any, url: Any) -> None:
    with pytest.raises(InvalidParameter, match="url must be the address of a server"):
        client(url, key="key")


@pytest.mark.parametrize("key", ["", " ", "schlüssel", "two\nlines", "two words", None, 0])
def test_a_key_that_cannot_be_sent_is_refused_and_not_repeated(key: Any) -> None:
    with pytest.raises(InvalidParameter, match="key must be an API key") as refused:
        AsyncClient("https://assent.example.com", key=key)
    if isinstance(key, str) and key.strip():
        assert key not in str(refused.value)


async def test_a_key_may_come_with_the_line_end_of_its_file() -> None:
    async with AsyncClient("https://assent.example.com", key="a-key\n") as client:
        assert client._server.http.headers["authorization"] == "Bearer a-key"
