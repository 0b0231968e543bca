"""Requests that another site makes a browser send."""

from typing import Any

import httpx
import pytest

from assent import Person
from assent.domain.canonical import Json
from assent.engine.vault import Keyring, Vault
from assent.server import Settings
from assent.server.auth.csrf import check_token, csrf_token
from assent.server.caller import Caller, Method
from tests.server.auth.test_sessions import csrf, signed_in
from tests.server.conftest import Serve

OWN = "OWN"
MATRIX: dict[str, tuple[dict[str, str], int]] = {
    "nothing but the token": ({}, 303),
    "the same origin": ({"sec-fetch-site": "same-origin", "origin": OWN}, 303),
    "the configured origin": ({"origin": "https://assent.example"}, 303),
    "a form of ours, that sends no referrer": (
        {"sec-fetch-site": "same-origin", "origin": "null"},
        303,
    ),
    "another site": ({"sec-fetch-site": "cross-site", "origin": "https://evil.example"}, 403),
    "another site that hides": ({"sec-fetch-site": "cross-site"}, 403),
    "another site with our origin": ({"sec-fetch-site": "cross-site", "origin": OWN}, 403),
    "a sibling of our domain": ({"sec-fetch-site": "same-site"}, 403),
    "an unknown word": ({"sec-fetch-site": "friendly"}, 403),
    "a foreign origin": ({"origin": "https://evil.example"}, 403),
    "no origin at all": ({"origin": "null"}, 403),
    "our host as a prefix": ({"origin": "https://assent.example.evil.example"}, 403),
    "our host in the user part": ({"origin": "https://assent.example@evil.example"}, 403),
    "no URL": ({"origin": "http://[::"}, 403),
    "another port": ({"origin": "http://127.0.0.1:1"}, 403),
}
# A browser at https://assent.example talks to us over a proxy that ends TLS.
BEHIND = Settings(origin="https://assent.example")


# requirement: W4
@pytest.mark.parametrize("case", MATRIX)
async def test_a_post_with_the_right_token_is_judged_by_where_it_comes_from(
    serve: Serve, case: str
) -> None:
    headers, status = MATRIX[case]
    async with serve([], settings=BEHIND) as served:
        client = served.client(None)
        answer = await client.post("/sign-in", data={"key": served.keys["user"]})
        [cookie] = [v.partition(";")[0] for v in answer.headers.get_list("set-cookie")]
        with_cookie = {"cookie": cookie}
        token = (await client.get("/api/session", headers=with_cookie)).json()["csrf_token"]
        given = {n: v.replace(OWN, served.base) for n, v in headers.items()}
        answer = await client.post(
            "/sign-out", data={"csrf_token": token}, headers=with_cookie | given
        )
        assert answer.status_code == status
        alive = (await client.get("/api/me", headers=with_cookie)).status_code
        assert alive == (401 if status == 303 else 200)


# requirement: W4
@pytest.mark.parametrize("token", ["", "wrong", "é", None, "OTHER"])
async def test_a_post_without_the_sessions_own_token_does_nothing(
    serve: Serve, token: str | None
) -> None:
    async with serve([]) as served:
        client = await signed_in(served)
        if token == "OTHER":
            token = await csrf(await signed_in(served, "approver"))
        form = {} if token is None else {"csrf_token": token}
        answer = await client.post(
            "/sign-out", data=form, headers={"sec-fetch-site": "same-origin"}
        )
        assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")
        assert (await client.get("/api/me")).status_code == 200


# requirement: W4
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/conversations", {"agent": "agent"}),
        ("POST", "/api/decisions", {"decisions": []}),
        ("POST", "/api/chat", {"id": "c1", "messages": []}),
        ("PATCH", "/tools/c1/execute/t1", {"validation": "accepted"}),
        ("DELETE", "/api/conversations/c1/values", None),
        ("PUT", "/api/tools/pay/override", {}),
    ],
)
async def test_every_route_that_changes_something_wants_the_token(
    serve: Serve, method: str, path: str, body: Any
) -> None:
    async with serve([]) as served:
        client = await signed_in(served, "admin")
        answer = await client.request(method, path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")
        token = {"x-csrf-token": await csrf(client)}
        answer = await client.request(method, path, json=body, headers=token)
        assert answer.status_code != 403


async def test_a_key_that_somebody_put_in_needs_no_token(serve: Serve) -> None:
    async with serve([]) as served:
        answer = await served.client("user").post("/sign-out", headers={"origin": "https://app"})
        assert answer.status_code == 303


# requirement: W4
async def test_another_site_cannot_sign_a_browser_in(serve: Serve) -> None:
    async with serve([]) as served:
        answer = await served.client(None).post(
            "/sign-in",
            data={"key": served.keys["user"]},
            headers={"origin": "https://evil.example", "sec-fetch-site": "cross-site"},
        )
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


async def test_a_get_needs_no_token_from_anywhere(serve: Serve) -> None:
    async with serve([]) as served:
        client: httpx.AsyncClient = await signed_in(served)
        answer = await client.get("/api/me", headers={"sec-fetch-site": "cross-site"})
        assert answer.status_code == 200


class Keyless(Vault):
    """A vault without the key that it calls the current one."""

    def mac(self, message: Json, *, kid: str) -> str | None:
        del message, kid
        return None


def test_without_a_key_no_token_is_made_and_none_is_right() -> None:
    vault = Keyless(Keyring.generate())
    caller = Caller(person=Person("user"), method=Method.SESSION, credential="ses_1")
    for act in (lambda: csrf_token(vault, caller), lambda: check_token(vault, caller, "")):
        with pytest.raises(RuntimeError, match="no key"):
            act()
