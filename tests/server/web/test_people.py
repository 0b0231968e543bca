"""People and keys on pages: who may see them, what they change, and secrets that are told once."""

import logging
import re
from typing import Any
from urllib.parse import urlsplit

import pytest

from assent import Person
from assent.domain.people import PersonKind, Scope
from tests.server.api.dumps import dump
from tests.server.conftest import Serve
from tests.server.web.desk_clerk import Clerk
from tests.server.web.visitor import Visitor

ROOT = Person("root", roles=frozenset({"admin"}))
# As an identity provider names people; a browser must not take it for folders.
ODD = "https://id.example|a/../b"


def script(_: Any) -> str:
    return "Hello."


async def test_people_and_keys_are_for_admins_alone(serve: Serve) -> None:
    async with serve(script) as served:
        for account in ("user", "approver", "auditor"):
            page = await Clerk.of(served, account)
            assert 'href="/people"' not in page.page.text
            for path in ("/people", "/people/user", "/keys"):
                assert (await page.open(path)).status_code == 403, (account, path)
                # They are told in plain words, and keep their navigation.
                assert "do not have the role or the key" in page.text
                assert 'aria-label="Sections"' in page.page.text
                assert "Back to the inbox" in page.text


async def test_everybody_is_listed_with_roles_kind_state_and_when_they_were_here(
    serve: Serve,
) -> None:
    async with serve(script) as served:
        await served.assent.people.change("stranger", disabled=True, by=ROOT)
        page = await Clerk.of(served)
        await page.open("/people")
        assert re.search(r"auditor auditor Human never active", page.text)
        assert re.search(r"agent admin approver requester Agent never active", page.text)
        assert re.search(r"stranger requester Human never disabled", page.text)
        assert re.search(r"admin admin requester Human (just now|\d+ s ago) active", page.text)
        await page.open("/people?q=AUDI")
        assert re.findall(r'<a href="/people/(\w+)"', page.page.text) == ["auditor"]
        await page.open("/people?q=nobody%25")
        assert "No matching accounts" in page.text


async def test_somebody_is_added_changed_disabled_and_enabled(serve: Serve) -> None:
    async with serve(script) as served:
        page = await Clerk.of(served)
        await page.open("/people")
        await page.press(
            "/people", id="grace", name="Grace", role=["approver"], other_roles="ops, x"
        )
        assert page.page.url.path == "/people/grace"
        account = await served.assent.people.get("grace")
        assert (account.name, account.kind) == ("Grace", PersonKind.HUMAN)
        assert account.roles == {"approver", "ops", "x"}
        await page.press("/people/grace", "change", name="Rear Admiral", role=["auditor"])
        account = await served.assent.people.get("grace")
        assert (account.name, account.roles) == ("Rear Admiral", {"auditor", "ops", "x"})
        await page.press("/people/grace", "disable")
        assert "signed out everywhere" in page.text
        assert not (await served.assent.people.get("grace")).disabled
        await page.press("/people/grace")
        assert (await served.assent.people.get("grace")).disabled
        await page.press("/people/grace", "enable")
        assert not (await served.assent.people.get("grace")).disabled
        actors = {e.actor for e in await served.assent.audit() if e.data.get("person") == "grace"}
        assert actors == {"admin"}


async def test_an_admin_is_made_and_unmade_only_after_a_second_look(serve: Serve) -> None:
    async with serve(script) as served:
        page = await Clerk.of(served)
        for role, words in ((["admin"], "make keys for anyone"), ([], "no longer manage")):
            await page.open("/people/user")
            before = (await served.assent.people.get("user")).roles
            await page.press("/people/user", "change", role=role, other_roles="own")
            assert words in page.text
            assert (await served.assent.people.get("user")).roles == before
            await page.press("/people/user")
            assert (await served.assent.people.get("user")).roles == {*role, "own"}


@pytest.mark.parametrize(
    ("fields", "status", "words"),
    [
        ({"id": "user"}, 409, "already"),
        ({"id": "two words"}, 422, "an id is letters"),
        ({"id": "new", "other_roles": "system"}, 422, "own"),
        ({"id": "new", "name": "a\u202eb"}, 422, "a name is printable"),
        ({"id": "new", "behind": "nobody"}, 422, "no other human"),
    ],
)
async def test_an_account_that_cannot_be_says_why_and_keeps_the_form(
    serve: Serve, fields: dict[str, str], status: int, words: str
) -> None:
    async with serve(script) as served:
        page = await Clerk.of(served)
        await page.open("/people")
        await page.press("/people", **fields)
        assert page.page.status_code == status
        assert words in page.text
        assert f'value="{fields["id"]}"' in page.page.text


async def test_a_change_that_is_refused_changes_nothing(serve: Serve) -> None:
    async with serve(script) as served:
        before = await served.assent.people.get("user")
        page = await Clerk.of(served)
        await page.open("/people/user")
        await page.press("/people/user", "change", name="X", role=["admin"], behind="nobody")
        await page.press("/people/user")
        assert page.page.status_code == 422
        assert "no other human" in page.text
        assert await served.assent.people.get("user") == before
        noted = {e.action for e in await served.assent.audit() if e.data.get("person") == "user"}
        assert noted <= {"add_person", "issue_key"}


async def test_a_persons_page_says_who_changed_what(serve: Serve) -> None:
    async with serve(script) as served:
        people = served.assent.people
        await people.add(Person("grace", roles=frozenset({"approver"})), by=ROOT)
        await people.change("grace", roles=["auditor", "ops"], by=ROOT)
        await people.change("grace", disabled=True, by=ROOT)
        await people.change("grace", disabled=False, by=ROOT)
        await people.change("grace", name="Grace", by=ROOT)
        key, _ = await people.issue_key("grace", scopes=[Scope.READ], by=ROOT)
        await people.revoke_key(key.id, by=ROOT)
        await people.links.to_sign_in("grace", by=ROOT)
        # Somebody whose id begins the same.
        await people.add(Person("grace2"), by=ROOT)
        page = await Clerk.of(served)
        await page.open("/people/grace")
        shown = page.text.partition("Who changed what, and when")[2]
        told = re.findall(r"root (.+?) (?:just now|\d+ s ago)", shown)
        assert told == [
            "made a sign-in link",
            f"revoked the key assent_{key.prefix}_…",
            f"made the key assent_{key.prefix}_… that may read",
            "changed the name",
            "enabled the account",
            "disabled the account",
            "gave the roles auditor and ops, took the role approver",
            "added the account with the roles approver",
        ]


async def test_an_id_of_an_identity_provider_has_its_own_page(serve: Serve) -> None:
    async with serve(script) as served:
        await served.assent.people.add(Person(ODD), name="Odd", by=ROOT)
        page = await Clerk.of(served)
        await page.open("/people?q=odd")
        [address] = re.findall(r'href="(/people/http[^"]+)"', page.page.text)
        await page.open(address)
        assert ODD in page.text
        await page.press(address, "change", name="Odder")
        assert (await served.assent.people.get(ODD)).name == "Odder"
        assert (await page.open("/people/nobody")).status_code == 404
        assert (await page.open("/people/%00")).status_code == 404


# requirement: W2
async def test_a_sign_in_link_is_shown_once_and_signs_in_once(
    serve: Serve, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serve(script) as served:
        page = await Clerk.of(served)
        await page.open("/people/user")
        await page.press("/people/user", "link")
        link = page.secret
        token = link.rpartition("/")[2]
        # Not after a reload, and nowhere else.
        for path in ("/people/user?done=link", "/people/user", "/people", "/keys"):
            assert token not in (await page.open(path)).text, path
        secret = token.partition(".")[2]
        assert secret not in repr(await dump(url))
        assert secret not in caplog.text
        guest = Visitor(served)
        await guest.open(urlsplit(link).path)
        await guest.send({})
        assert (await guest.open("/settings")).status_code == 200
        assert "user" in guest.text
        assert (await Visitor(served).open(urlsplit(link).path)).status_code == 404


async def test_an_agent_and_who_is_disabled_get_no_link(serve: Serve) -> None:
    async with serve(script) as served:
        await served.assent.people.change("stranger", disabled=True, by=ROOT)
        page = await Clerk.of(served)
        for person in ("agent", "stranger"):
            await page.open(f"/people/{person}")
            assert "Make a sign-in link" not in page.text
            token = ("csrf_token", page.csrf)
            await page.post(f"/people/{person}", [token, ("do", "link")])
            assert page.page.status_code == 403
            await page.open(f"/people/{person}")
            assert 'id="secret"' not in page.page.text


# requirement: S3
async def test_a_key_is_shown_once_works_and_is_kept_nowhere(
    serve: Serve, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serve(script) as served:
        page = await Clerk.of(served)
        await page.open("/keys")
        await page.press("/keys", person="user", label="Script", scope=["read"], days="7")
        key = page.secret
        assert page.page.headers["cache-control"] == "no-store"
        secret = key.rpartition("_")[2]
        for path in ("/keys?done=issued", "/keys", "/people/user"):
            page_text = (await page.open(path)).text
            assert secret not in page_text, path
            assert key.rpartition("_")[0] in page_text
        assert secret not in repr(await dump(url))
        assert secret not in caplog.text
        served.keys["script"] = key
        assert (await served.client("script").get("/api/me")).json()["scopes"] == ["read"]
        [made] = [
            k for k in await served.assent.people.keys("user", by=ROOT) if k.label == "Script"
        ]
        assert made.expires_at is not None
        assert (made.expires_at - made.created_at).days == 7


async def test_a_secret_is_told_to_nobody_elses_page(serve: Serve) -> None:
    async with serve(script) as served:
        page, other = await Clerk.of(served), await Clerk.of(served)
        await page.open("/keys")
        page._client.follow_redirects = False
        await page.press("/keys", person="user", scope=["read"])
        assert page.page.status_code == 303
        [cookie] = [c for c in page._client.cookies.jar if c.name == "assent-once"]
        assert cookie.has_nonstandard_attr("HttpOnly")
        other._client.cookies.set("assent-once", cookie.value or "")
        await other.open("/keys")
        assert 'id="secret"' not in other.page.text
        # On the page it is for, once.
        await page.open("/people/user")
        assert 'id="secret"' not in page.page.text
        await page.open("/keys")
        assert 'id="secret"' in page.page.text
        await page.open("/keys")
        assert 'id="secret"' not in page.page.text


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"person": "nobody"}, "no account with that id"),
        ({"person": "user", "scope": []}, "at least one thing"),
        ({"person": "us\x00er", "label": "a\u200bb"}, "printable"),
    ],
)
async def test_a_key_that_cannot_be_says_why(
    serve: Serve, fields: dict[str, Any], words: str
) -> None:
    async with serve(script) as served:
        page = await Clerk.of(served)
        await page.open("/keys")
        await page.press("/keys", **fields)
        assert page.page.status_code == 422
        assert words in page.text
        assert 'id="secret"' not in page.page.text


async def test_a_key_is_offered_and_made_for_what_its_persons_roles_open(serve: Serve) -> None:
    async with serve(script) as served:
        page = await Clerk.of(served)
        for person, scopes in {
            "user": ["chat", "read", "decide"],
            "auditor": ["read", "decide", "audit"],
            "admin": ["chat", "read", "decide", "audit", "manage"],
            # Whatever its roles: no agent decides or manages.
            "agent": ["chat", "read"],
        }.items():
            await page.open(f"/keys?person={person}")
            assert re.findall(r'name="scope" value="(\w+)"', page.page.text) == scopes
        # One that was made with everything says which of it opens nothing.
        await page.open("/keys?person=user")
        idle = re.findall(r'<s class="chip idle"[^>]*>(\w+)</s>', page.page.text)
        assert idle == ["audit", "manage"]
        # Chosen before it was known whose it is.
        await page.open("/keys")
        await page.press("/keys", person="user", label="all", scope=[*Scope])
        [made] = [k for k in await served.assent.people.keys("user", by=ROOT) if k.label == "all"]
        assert made.scopes == {Scope.CHAT, Scope.READ, Scope.DECIDE}
        await page.open("/keys")
        await page.press("/keys", person="user", scope=["manage"])
        assert page.page.status_code == 422
        assert "The key would allow nothing" in page.text


async def test_a_key_is_revoked_after_a_second_look_and_at_once(serve: Serve) -> None:
    async with serve(script) as served:
        page, client = await Clerk.of(served), served.client("user")
        await page.open("/keys?person=user")
        [address] = re.findall(r'href="(/keys/key_\w+)"', page.page.text)
        await page.open(address)
        assert "cannot be undone" in page.text
        assert (await client.get("/api/me")).status_code == 200
        await page.press(address)
        assert "Revoked" in page.text
        assert (await client.get("/api/me")).status_code == 401
        await page.open("/keys?person=user")
        assert address not in page.page.text
        assert "revoked" in page.text


async def test_an_admin_ends_somebodys_sessions(serve: Serve) -> None:
    async with serve(script) as served:
        one, two = await Visitor.signed_in(served), await Visitor.signed_in(served)
        page = await Clerk.of(served)
        await page.open("/people/user")
        assert page.text.count("An API key") == 2
        await page.press("/people/user", "end")
        await page.press("/people/user", "end_all")
        assert "Not signed in anywhere" in page.text
        for visitor in (one, two):
            assert (await visitor.open("/settings")).url.path == "/sign-in"


async def test_whoever_is_disabled_is_signed_out_and_stays_so_when_enabled_again(
    serve: Serve,
) -> None:
    async with serve(script) as served:
        visitor, page = await Visitor.signed_in(served), await Clerk.of(served)
        await page.open("/people/user")
        await page.press("/people/user", "disable")
        await page.press("/people/user")
        assert (await visitor.open("/settings")).url.path == "/sign-in"
        await page.press("/people/user", "enable")
        assert "Not signed in anywhere" in page.text
        assert (await visitor.open("/settings")).url.path == "/sign-in"
        # Their keys were not revoked, and let them in anew.
        again = await Visitor.signed_in(served)
        assert (await again.open("/settings")).url.path == "/settings"
        ended = [e for e in await served.assent.audit() if e.action == "sign_out"]
        assert [(e.actor, e.data["person"]) for e in ended] == [("admin", "user")]


async def test_a_session_of_somebody_else_is_not_ended_by_a_wrong_page(serve: Serve) -> None:
    async with serve(script) as served:
        other = await Visitor.signed_in(served, "auditor")
        [session] = await served.assent.people.sessions.of_person("auditor", by=ROOT)
        page = await Clerk.of(served)
        await page.open("/people/user")
        pairs = [("csrf_token", page.csrf), ("do", "end"), ("session", session.id)]
        await page.post("/people/user", pairs)
        assert (await other.open("/settings")).url.path == "/settings"


# requirement: W4
async def test_no_form_does_anything_without_its_token(serve: Serve) -> None:
    async with serve(script) as served:
        page = await Clerk.of(served)
        for action, pairs in {
            "/people": [("id", "new")],
            "/people/user": [("do", "disable"), ("confirmed", "yes")],
            "/keys": [("person", "user"), ("scope", "read")],
            "/settings/sessions": [("do", "others")],
        }.items():
            await page.post(action, pairs)
            assert page.page.status_code == 403, action
        assert await served.assent.people.find("new") is None
        assert not (await served.assent.people.get("user")).disabled
