"""Sign-in links over HTTP."""

from typing import Any

import httpx
import pytest

from assent import Person
from tests.server.conftest import Serve, Served
from tests.store.rawsql import RawSql

ROOT = Person("root", roles=frozenset({"admin"}))
TABLES = ("links", "sessions", "people", "audit")


async def link(served: Served, account: str = "user") -> str:
    _, token = await served.assent.people.links.to_sign_in(account, by=ROOT)
    return token


async def dump(url: str) -> list[Any]:
    return [await RawSql(url).rows(f"SELECT * FROM {name} ORDER BY id") for name in TABLES]


# requirement: W1
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_following_a_link_changes_nothing_however_often(serve: Serve, method: str) -> None:
    async with serve([]) as served:
        token = await link(served)
        before = await dump(served.assent.url)
        for _ in range(2):
            answer = await served.client(None).request(method, f"/sign-in/link/{token}")
            assert answer.status_code == 200
            assert "set-cookie" not in answer.headers
        assert await dump(served.assent.url) == before


async def test_the_button_signs_in_once(serve: Serve) -> None:
    async with serve([]) as served:
        token = await link(served, "approver")
        browser = served.client(None)
        page = await browser.get(f"/sign-in/link/{token}")
        assert 'Sign in as <bdi dir="ltr">approver</bdi>' in page.text
        answer = await browser.post("/sign-in/link", data={"token": token})
        assert answer.status_code == 303
        assert (await browser.get("/api/me")).json()["id"] == "approver"
        again = await served.client(None).post("/sign-in/link", data={"token": token})
        assert again.status_code == 404
        assert "set-cookie" not in again.headers
        assert (await served.client(None).get(f"/sign-in/link/{token}")).status_code == 404


# requirement: W18
async def test_a_used_a_foreign_and_a_made_up_link_look_alike(serve: Serve) -> None:
    async with serve(["hello"]) as served:
        used = await link(served)
        await served.client(None).post("/sign-in/link", data={"token": used})
        made_up = "link_" + "0" * 32 + "." + "A" * 43
        pages = [await served.client(None).get(f"/sign-in/link/{t}") for t in (used, made_up, "x")]
        assert {page.status_code for page in pages} == {404}
        assert len({page.content for page in pages}) == 1


async def test_another_site_cannot_press_the_button(serve: Serve) -> None:
    async with serve([]) as served:
        token = await link(served)
        answer = await served.client(None).post(
            "/sign-in/link", data={"token": token}, headers={"sec-fetch-site": "cross-site"}
        )
        assert answer.status_code == 403
        assert await served.assent.people.links.look(token)


# requirement: W6
async def test_a_link_page_sends_no_referrer_and_is_not_kept(serve: Serve) -> None:
    async with serve([]) as served:
        page: httpx.Response = await served.client(None).get(f"/sign-in/link/{await link(served)}")
        assert page.headers["referrer-policy"] == "no-referrer"
        assert page.headers["cache-control"] == "no-store"
