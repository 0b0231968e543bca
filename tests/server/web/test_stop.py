"""The link at the end of a mail: stops what one channel tells one person, and nothing else."""

import base64
import json

import pytest

from assent.domain.notifications import NotificationSettings, QuietHours
from tests.server.api.dumps import dump
from tests.server.conftest import Serve, Served

ONE_CLICK = {"List-Unsubscribe": "One-Click"}


def token(served: Served, person: str = "approver", channel: str = "email") -> str:
    return served.assent.people.stop_links.token(channel, person)


async def wishes(served: Served, person: str = "approver") -> NotificationSettings:
    account = await served.assent.people.get(person)
    return await served.assent.people.chats.settings(account.person)


# requirement: W1
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_scanner_that_opens_the_link_changes_nothing(serve: Serve, method: str) -> None:
    async with serve("Hi.") as served:
        before = await dump(served.assent.url)
        for _ in range(2):
            page = await served.client(None).request(method, f"/stop/{token(served)}")
            assert page.status_code == 200
            assert "set-cookie" not in page.headers
        assert await dump(served.assent.url) == before


async def test_one_click_of_a_mail_program_stops_it_without_signing_in(serve: Serve) -> None:
    async with serve("Hi.") as served:
        path = f"/stop/{token(served)}"
        for _ in range(2):
            answer = await served.client(None).post(path, data=ONE_CLICK)
            assert answer.status_code == 200
            assert "set-cookie" not in answer.headers

        assert (await wishes(served)).least == {"email": "never"}
        assert (await wishes(served, "user")).least == {}
        entries = [e for e in await served.assent.audit() if e.action == "set_notifications"]
        assert [(e.actor, e.data["by"]) for e in entries] == [("approver", "stop_link")]


async def test_the_button_of_the_page_stops_it_too(serve: Serve) -> None:
    async with serve("Hi.") as served:
        path = f"/stop/{token(served)}"
        page = await served.client(None).get(path)
        answer = await served.client(None).post(path, headers={"Sec-Fetch-Site": "same-origin"})

        assert "<button" in page.text
        assert "Nothing has happened yet" in page.text
        assert "Stopped" in answer.text
        assert not (await wishes(served)).wants("email", "dangerous")


async def test_what_else_a_person_wishes_stays(serve: Serve) -> None:
    async with serve("Hi.") as served:
        account = await served.assent.people.get("approver")
        quiet = QuietHours(start="22:00", end="07:00")  # pyright: ignore[reportArgumentType] - read from text
        own = NotificationSettings(least={"slack": "dangerous"}, quiet=quiet)
        await served.assent.people.chats.change_settings(own, by=account.person)

        await served.client(None).post(f"/stop/{token(served)}", data=ONE_CLICK)

        found = await wishes(served)
        assert found.least == {"slack": "dangerous", "email": "never"}
        assert found.quiet == own.quiet


async def test_a_link_opens_nothing_else(serve: Serve) -> None:
    async with serve("Hi.") as served:
        browser = served.client(None)
        await browser.post(f"/stop/{token(served)}", data=ONE_CLICK)

        assert (await browser.get("/settings")).status_code == 303
        assert (await browser.get("/api/me")).status_code == 401


def _forged(served: Served) -> list[str]:
    good = token(served)
    facts, mac = good.split(".")
    kid, channel, person = json.loads(base64.urlsafe_b64decode(facts))

    def altered(*parts: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode() + f".{mac}"

    return [
        *("x", f"{facts}.", f".{mac}", f"{facts}.{mac[:-1]}0", f"{good}x", good[1:]),
        *(
            altered(kid, channel, "user"),
            altered(kid, "slack", person),
            altered("other", channel, person),
        ),
        *(altered(kid, channel), altered(kid, channel, person, 1), altered(kid, channel, "")),
        *(altered(1, 2, 3), altered(None, {}, []), "W10." + mac, "e30=." + mac, "A" * 5_000),
        base64.urlsafe_b64encode(b"[" * 3_000).decode()[:3_900] + f".{mac}",
    ]


# requirement: W2
async def test_no_other_token_stops_anything(serve: Serve) -> None:
    async with serve("Hi.") as served:
        before = await dump(served.assent.url)
        for forged in _forged(served):
            for method in ("GET", "POST"):
                answer = await served.client(None).request(method, f"/stop/{forged}")
                assert answer.status_code in (404, 429), forged
        assert await dump(served.assent.url) == before


async def test_a_link_for_nobody_stops_nothing(serve: Serve) -> None:
    async with serve("Hi.") as served:
        answer = await served.client(None).post(f"/stop/{token(served, 'gone')}", data=ONE_CLICK)

        assert answer.status_code == 404


# requirement: W4
async def test_another_site_cannot_make_a_browser_press_it(serve: Serve) -> None:
    async with serve("Hi.") as served:
        path = f"/stop/{token(served)}"
        for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.test"}):
            answer = await served.client(None).post(path, headers=headers)
            assert answer.status_code == 403

        assert (await wishes(served)).least == {}
