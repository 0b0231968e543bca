"""A proxy that says who it is; and everybody else who would like to."""

import httpx
import pytest

from assent import Person
from assent.domain.people import PersonKind
from assent.server import Settings, create_app
from assent.server.auth.modes import TrustedProxy
from tests.conftest import World
from tests.server.conftest import Serve, listening

ROOT = Person("root", roles=frozenset({"admin"}))
PROXY = TrustedProxy(
    peers=("127.0.0.0/8",),
    user_header="x-auth-user",
    roles_header="x-auth-groups",
    roles={"ops": "approver", "root": "system"},
    everybody=frozenset({"requester"}),
)
ELSEWHERE = TrustedProxy(peers=("10.0.0.1", "fd00::/8"), user_header="x-auth-user")


async def test_the_proxy_is_believed(serve: Serve) -> None:
    async with serve([], settings=Settings(proxy=PROXY)) as served:
        headers = {"X-Auth-User": "ada@corp", "X-Auth-Groups": "ops, other,root"}
        me = (await served.client(None).get("/api/me", headers=headers)).json()
        assert (me["id"], me["roles"], me["method"]) == (
            "ada@corp",
            ["approver", "requester"],
            "proxy",
        )


@pytest.mark.parametrize("settings", [Settings(), Settings(proxy=ELSEWHERE)], ids=["off", "other"])
async def test_nobody_else_is(serve: Serve, settings: Settings) -> None:
    async with serve([], settings=settings) as served:
        headers = {
            "X-Auth-User": "admin",
            "X-Forwarded-User": "admin",
            "X-Forwarded-For": "10.0.0.1",
        }
        assert (await served.client(None).get("/api/me", headers=headers)).status_code == 401


async def test_an_address_that_the_server_took_from_a_header_is_not_believed(
    world: World,
) -> None:
    """uvicorn, unless told otherwise, believes whoever is on this machine about addresses."""
    app = create_app(world([]), Settings(proxy=ELSEWHERE))
    async with listening(app, proxy_headers=True) as base:
        headers = {"X-Auth-User": "admin", "X-Forwarded-For": "10.0.0.1"}
        async with httpx.AsyncClient(base_url=base, trust_env=False) as client:
            assert (await client.get("/api/me", headers=headers)).status_code == 401


@pytest.mark.parametrize(
    "values",
    [["admin", "user"], ["user", "user"], [""], ["a b"], ["x" * 300]],
    ids=repr,
)
async def test_a_name_that_is_there_twice_or_is_none_is_nobodys(
    serve: Serve, values: list[str]
) -> None:
    async with serve([], settings=Settings(proxy=PROXY)) as served:
        headers = httpx.Headers([("x-auth-user", value) for value in values])
        assert (await served.client(None).get("/api/me", headers=headers)).status_code == 401


async def test_an_account_of_that_name_is_added_to_what_the_proxy_says(serve: Serve) -> None:
    async with serve([], settings=Settings(proxy=PROXY)) as served:
        headers = {"X-Auth-User": "auditor"}
        client = served.client(None, **headers)
        assert (await client.get("/api/me")).json()["roles"] == ["auditor", "requester"]
        await served.assent.people.change("auditor", by=ROOT, disabled=True)
        assert (await client.get("/api/me")).status_code == 401


# requirement: T15
async def test_an_agent_stays_an_agent_behind_a_proxy(serve: Serve) -> None:
    async with serve([], settings=Settings(proxy=PROXY)) as served:
        me = (await served.client(None).get("/api/me", headers={"X-Auth-User": "agent"})).json()
        assert me["kind"] == PersonKind.AGENT


# requirement: W4
async def test_what_the_proxy_adds_by_itself_needs_a_token_to_change_anything(
    serve: Serve,
) -> None:
    async with serve([], settings=Settings(proxy=PROXY)) as served:
        client = served.client(None, **{"X-Auth-User": "user"})
        answer = await client.post("/sign-out")
        assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")
        token = (await client.get("/api/session")).json()["csrf_token"]
        other = (await client.get("/api/session", headers={"X-Auth-User": "admin"})).json()
        assert other["csrf_token"] != token
        answer = await client.post("/sign-out", headers={"x-csrf-token": token})
        assert answer.status_code == 303


async def test_a_key_counts_more_than_what_the_proxy_says(serve: Serve) -> None:
    async with serve([], settings=Settings(proxy=PROXY)) as served:
        client = served.client("user", **{"X-Auth-User": "admin"})
        assert (await client.get("/api/me")).json()["id"] == "user"
