"""A service for this machine only."""

import pytest

from assent.server import Settings
from assent.server.auth.peers import is_loopback
from tests.server.conftest import Serve

LOCAL = Settings(local=True)


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]", "[::1]:8000", "127.9.9.9"],
)
async def test_it_answers_to_this_machines_own_names(serve: Serve, host: str) -> None:
    async with serve([], settings=LOCAL) as served:
        answer = await served.client("user").get("/api/me", headers={"Host": host})
        assert answer.status_code == 200


# A page of evil.example that has pointed its name at 127.0.0.1 asks for evil.example.
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "0.0.0.0",
        "[::]",
        "192.168.1.5",
        "127.0.0.1@evil.example",
        "2130706433",
    ],
)
async def test_it_answers_to_no_other_name(serve: Serve, host: str) -> None:
    async with serve([], settings=LOCAL) as served:
        for path in ("/api/me", "/sign-in", "/healthz", "/nothing"):
            answer = await served.client("user").get(path, headers={"Host": host})
            assert (answer.status_code, answer.json()["code"]) == (403, "wrong_host")


async def test_elsewhere_the_name_does_not_matter(serve: Serve) -> None:
    async with serve([]) as served:
        answer = await served.client("user").get("/api/me", headers={"Host": "assent.example"})
        assert answer.status_code == 200


@pytest.mark.parametrize("address", ["", "10.0.0.1", "::", "0.0.0.0", "localhost.", "x"])
def test_what_is_not_loopback(address: str) -> None:
    assert not is_loopback(address)
