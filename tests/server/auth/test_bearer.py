"""API keys over HTTP."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest

from assent import Person
from assent.domain.people import Scope
from assent.testing import VirtualClock
from tests.server.conftest import Serve

ROOT = Person("root", roles=frozenset({"admin"}))


async def test_a_key_says_who_it_is(serve: Serve) -> None:
    async with serve([]) as served:
        answer = await served.client("approver").get("/api/me")
        assert answer.status_code == 200
        assert (answer.json()["id"], answer.json()["method"]) == ("approver", "key")


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("authorization", "")],
        [("authorization", "Bearer")],
        [("authorization", "Basic dXNlcjpwYXNz")],
        [("authorization", "Bearer nonsense")],
        [("authorization", "Bearer assent_000000000000_" + "0" * 40)],
        [("authorization", "Bearer \u00e9")],
        [("authorization", "KEY"), ("authorization", "KEY")],
        [("authorization", "KEY"), ("authorization", "Bearer nonsense")],
    ],
    ids=repr,
)
async def test_nothing_else_is_a_key(serve: Serve, headers: list[tuple[str, str]]) -> None:
    async with serve([]) as served:
        key = f"Bearer {served.keys['admin']}"
        raw = [(n.encode(), v.replace("KEY", key).encode()) for n, v in headers]
        answer = await served.client(None).get("/api/me", headers=httpx.Headers(raw))
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert answer.json()["code"] == "not_authenticated"


async def test_a_wrong_key_is_not_saved_by_a_session(serve: Serve) -> None:
    async with serve([]) as served:
        client = served.client(None)
        await client.post("/sign-in", data={"key": served.keys["user"]})
        assert (await client.get("/api/me")).status_code == 200
        wrong = {"Authorization": "Bearer nonsense"}
        assert (await client.get("/api/me", headers=wrong)).status_code == 401


async def refused_within_a_second(client: httpx.AsyncClient) -> None:
    """What is asked later than a second from now is refused, however long the answer takes."""
    now = asyncio.get_running_loop().time
    started = asked = now()
    while (await client.get("/api/me")).status_code != 401:
        assert asked - started < 1
        asked = now()


# requirement: W15
async def test_a_revoked_key_is_refused_within_a_second(serve: Serve) -> None:
    async with serve([]) as served:
        client = served.client("user")
        assert (await client.get("/api/me")).status_code == 200
        [key] = await served.assent.people.keys("user", by=ROOT)
        answer = await served.client("admin").delete(f"/api/keys/{key.id}")
        assert answer.status_code == 200
        await refused_within_a_second(client)


# requirement: W15
@pytest.mark.parametrize(
    ("scope", "method", "path"),
    [
        (Scope.READ, "GET", "/api/conversations"),
        (Scope.CHAT, "POST", "/api/conversations"),
        (Scope.DECIDE, "POST", "/api/decisions"),
        (Scope.AUDIT, "GET", "/api/audit"),
        (Scope.MANAGE, "GET", "/api/people"),
    ],
)
async def test_a_key_does_only_what_its_scopes_say(
    serve: Serve, scope: Scope, method: str, path: str
) -> None:
    async with serve([]) as served:
        people = served.assent.people
        _, only = await people.issue_key("admin", by=ROOT, scopes=[scope])
        _, others = await people.issue_key("admin", by=ROOT, scopes=set(Scope) - {scope})

        async def answer(key: str) -> httpx.Response:
            headers = {"Authorization": f"Bearer {key}"}
            return await served.client(None).request(method, path, headers=headers, json={})

        refused = await answer(others)
        assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")
        assert (await answer(only)).status_code not in (401, 403)


async def test_an_expired_key_opens_nothing(serve: Serve, clock: VirtualClock) -> None:
    async with serve([], clock=clock) as served:
        soon = timedelta(hours=1)
        _, text = await served.assent.people.issue_key("user", by=ROOT, lifetime=soon)
        client = served.client(None, Authorization=f"Bearer {text}")
        assert (await client.get("/api/me")).status_code == 200
        clock.advance(soon)
        await refused_within_a_second(client)


# requirement: W18
async def test_what_is_somebody_elses_looks_like_what_is_not_there(serve: Serve) -> None:
    async with serve(["hello"]) as served:
        turn = await served.assent.send("agent", "hi", by=Person("user"))
        stranger = served.client("stranger")
        paths = {
            "/api/conversations/{}": turn.conversation_id,
            "/api/turns/{}": turn.id,
            "/api/conversations/{}/values": turn.conversation_id,
            "/api/conversations/{}/audit": turn.conversation_id,
        }
        for path, id in paths.items():
            missing = id[:-4] + ("0000" if id[-4:] != "0000" else "1111")
            theirs = await stranger.get(path.format(id))
            nothing = await stranger.get(path.format(missing))
            assert theirs.status_code == nothing.status_code == 404
            assert theirs.content == nothing.content
            assert _without_date(theirs) == _without_date(nothing)


def _without_date(answer: httpx.Response) -> dict[str, Any]:
    return {name: value for name, value in answer.headers.items() if name != "date"}
