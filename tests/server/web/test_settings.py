"""One's own page: who I am, where I am signed in, my keys, and how pages look."""

import re
from typing import Any

from assent import Person
from assent.domain.people import Scope
from tests.server.conftest import Serve
from tests.server.web.desk_clerk import Clerk
from tests.server.web.visitor import Visitor

ROOT = Person("root", roles=frozenset({"admin"}))


def script(_: Any) -> str:
    return "Hello."


async def test_everybody_sees_who_they_are_and_what_they_may(serve: Serve) -> None:
    async with serve(script) as served:
        for account, words in {
            "user": "Talks to agents",
            "approver": "Decides requests that go to approvers",
            "auditor": "decides nothing",
            "admin": "Manages people, keys and tools",
        }.items():
            page = await Clerk.of(served, account)
            await page.open("/settings")
            assert page.page.status_code == 200
            assert re.search(rf"Id {account}", page.text)
            assert words in page.text
            assert "this one" in page.text


async def test_one_ends_ones_other_sessions_and_stays_signed_in(serve: Serve) -> None:
    async with serve(script) as served:
        here, there = await Clerk.of(served, "user"), await Visitor.signed_in(served, "user")
        third, stranger = (
            await Visitor.signed_in(served, "user"),
            await Visitor.signed_in(served, "stranger"),
        )
        await here.open("/settings")
        await here.press("/settings/sessions", "one")
        await here.press("/settings/sessions", "others")
        assert "Session ended" in here.text
        assert [(await each.open("/settings")).url.path for each in (there, third)] == [
            "/sign-in",
            "/sign-in",
        ]
        assert (await here.open("/settings")).url.path == "/settings"
        assert (await stranger.open("/settings")).url.path == "/settings"


# requirement: W18
async def test_somebody_elses_session_and_key_are_not_there(serve: Serve) -> None:
    async with serve(script) as served:
        other = await Visitor.signed_in(served, "stranger")
        [session] = await served.assent.people.sessions.of_person("stranger", by=ROOT)
        [key] = await served.assent.people.keys("stranger", by=ROOT)
        page = await Clerk.of(served, "user")
        await page.open("/settings")
        token = ("csrf_token", page.csrf)
        await page.post("/settings/sessions", [token, ("do", "one"), ("session", session.id)])
        assert page.page.status_code == 404
        assert (await page.open(f"/keys/{key.id}")).status_code == 404
        await page.post(f"/keys/{key.id}", [token])
        assert page.page.status_code == 404
        assert (await other.open("/settings")).url.path == "/settings"
        assert (await served.client("stranger").get("/api/me")).status_code == 200


async def test_one_revokes_ones_own_key_and_what_began_with_it_ends(serve: Serve) -> None:
    async with serve(script) as served:
        page = await Clerk.of(served, "user")
        await page.open("/settings")
        [address] = re.findall(r'href="(/keys/key_\w+)"', page.page.text)
        await page.open(address)
        await page.press(address)
        # This browser signed in with it, too.
        assert page.page.url.path == "/sign-in"
        assert (await served.client("user").get("/api/me")).status_code == 401


async def test_a_narrow_credential_ends_nothing_that_can_do_more(serve: Serve) -> None:
    async with serve(script) as served:
        whole = await Visitor.signed_in(served, "user")
        _, served.keys["narrow"] = await served.assent.people.issue_key(
            "user", scopes=[Scope.READ], by=ROOT
        )
        wide = next(
            k for k in await served.assent.people.keys("user", by=ROOT) if k.label == "test"
        )
        sessions = await served.assent.people.sessions.of_person("user", by=ROOT)
        narrow = await Clerk.of(served, "narrow")
        await narrow.open("/settings")
        assert f"/keys/{wide.id}" not in narrow.page.text
        token = ("csrf_token", narrow.csrf)
        await narrow.press("/settings/sessions", "others")
        await narrow.post("/settings/sessions", [token, ("do", "one"), ("session", sessions[0].id)])
        assert narrow.page.status_code == 403
        await narrow.post(f"/keys/{wide.id}", [token])
        assert narrow.page.status_code == 403
        assert (await whole.open("/settings")).url.path == "/settings"


async def test_the_appearance_is_chosen_by_a_form_and_remembered(serve: Serve) -> None:
    async with serve(script) as served:
        page = await Clerk.of(served, "user")
        await page.open("/settings")
        assert 'data-theme="system"' in page.page.text
        await page.press("/settings/appearance", theme="dark")
        assert page.page.url.path == "/settings"
        assert 'data-theme="dark"' in page.page.text
        assert re.search(r'value="dark" checked', page.page.text)
