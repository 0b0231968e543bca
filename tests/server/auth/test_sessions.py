"""Browser sessions: the cookie, signing in and out."""

from http.cookies import Morsel, SimpleCookie

import httpx
import pytest

from assent import Person
from assent.server import Settings
from tests.server.conftest import Serve, Served

ROOT = Person("root", roles=frozenset({"admin"}))
HTTPS = Settings(origin="https://assent.example")


def cookie_of(answer: httpx.Response, name: str) -> Morsel[str]:
    [line] = [v for v in answer.headers.get_list("set-cookie") if v.startswith(f"{name}=")]
    return SimpleCookie(line)[name]


async def signed_in(served: Served, account: str = "user") -> httpx.AsyncClient:
    client = served.client(None)
    answer = await client.post("/sign-in", data={"key": served.keys[account]})
    assert answer.status_code == 303
    return client


async def csrf(client: httpx.AsyncClient) -> str:
    return (await client.get("/api/session")).json()["csrf_token"]


# requirement: W5
async def test_the_cookie_is_for_this_host_https_only_and_out_of_scripts_reach(
    serve: Serve,
) -> None:
    async with serve([], settings=HTTPS) as served:
        answer = await served.client(None).post("/sign-in", data={"key": served.keys["user"]})
        cookie = cookie_of(answer, "__Host-assent")
        assert (cookie["secure"], cookie["httponly"], cookie["path"]) == (True, True, "/")
        assert (cookie["samesite"].lower(), cookie["domain"]) == ("lax", "")
        assert answer.headers["strict-transport-security"]


# requirement: W5
async def test_on_loopback_without_tls_the_cookie_is_still_out_of_scripts_reach(
    serve: Serve,
) -> None:
    async with serve([]) as served:
        answer = await served.client(None).post("/sign-in", data={"key": served.keys["user"]})
        cookie = cookie_of(answer, "assent")
        assert (cookie["secure"], cookie["httponly"], cookie["path"]) == ("", True, "/")
        assert cookie["samesite"].lower() == "lax"


# requirement: W5
async def test_each_sign_in_makes_a_new_session_and_ends_the_one_before(serve: Serve) -> None:
    async with serve([]) as served:
        client = await signed_in(served)
        before = client.cookies["assent"]
        await client.post("/sign-in", data={"key": served.keys["user"]})
        assert client.cookies["assent"] != before
        old = await served.client(None).get("/api/me", headers={"Cookie": f"assent={before}"})
        assert old.status_code == 401
        assert (await client.get("/api/me")).json()["method"] == "session"


# requirement: W5
async def test_a_session_that_was_planted_is_not_adopted(serve: Serve) -> None:
    async with serve([]) as served:
        planted = "A" * 43
        client = served.client(None)
        answer = await client.post(
            "/sign-in", data={"key": served.keys["user"]}, headers={"Cookie": f"assent={planted}"}
        )
        assert cookie_of(answer, "assent").value != planted
        found = await served.client(None).get("/api/me", headers={"Cookie": f"assent={planted}"})
        assert found.status_code == 401


async def test_signing_out_ends_the_session_and_takes_the_cookie_back(serve: Serve) -> None:
    async with serve([]) as served:
        client = await signed_in(served)
        token = client.cookies["assent"]
        answer = await client.post("/sign-out", data={"csrf_token": await csrf(client)})
        assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
        assert cookie_of(answer, "assent")["max-age"] == "0"
        again = await served.client(None).get("/api/me", headers={"Cookie": f"assent={token}"})
        assert again.status_code == 401


async def test_who_is_signed_in_goes_on_to_pages_that_offer_to_sign_out(serve: Serve) -> None:
    async with serve([]) as served:
        client = await signed_in(served, "approver")
        page = await client.get("/sign-in", follow_redirects=True)
        assert page.url.path == "/"
        assert "approver" in page.text
        assert 'action="/sign-out"' in page.text
        assert await csrf(client) in page.text


async def test_a_wrong_key_signs_nobody_in(serve: Serve) -> None:
    async with serve([]) as served:
        answer = await served.client(None).post("/sign-in", data={"key": "assent_x"})
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
        assert "This key is not valid" in answer.text


# requirement: T15
async def test_an_agents_key_signs_nobody_in(serve: Serve) -> None:
    async with serve([]) as served:
        answer = await served.client(None).post("/sign-in", data={"key": served.keys["agent"]})
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers


async def test_a_session_ends_with_the_key_it_began_with(serve: Serve) -> None:
    async with serve([]) as served:
        client = await signed_in(served)
        assert (await client.get("/api/me")).status_code == 200
        [key] = await served.assent.people.keys("user", by=ROOT)
        await served.assent.people.revoke_key(key.id, by=ROOT)
        assert (await client.get("/api/me")).status_code == 401


@pytest.mark.parametrize(
    ("wanted", "lands"),
    [
        ("/inbox?tab=mine", "/inbox?tab=mine"),
        ("https://evil.example/", "/"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("\\\\evil.example/", "/"),
        ("/\t/evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("/ok\r\nSet-Cookie: a=b", "/"),
        ("", "/"),
    ],
)
async def test_a_sign_in_leads_nowhere_else(serve: Serve, wanted: str, lands: str) -> None:
    async with serve([]) as served:
        form = {"key": served.keys["user"], "next": wanted}
        answer = await served.client(None).post("/sign-in", data=form)
        assert (answer.status_code, answer.headers["location"]) == (303, lands)


async def test_what_is_asked_for_is_shown_as_text(serve: Serve) -> None:
    async with serve([]) as served:
        page = await served.client(None).get("/sign-in", params={"next": '/"><script>x</script>'})
        assert "<script>" not in page.text
