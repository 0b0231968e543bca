"""The page of one's notifications: linking from both sides, unlinking, and when one is told."""

import re
from datetime import time, timedelta
from typing import Any

import pytest

from assent import Person
from assent.channels import Reference, Tell
from assent.domain.notifications import NotificationSettings, QuietHours
from assent.domain.people import Scope
from assent.domain.tools import Risk
from assent.domain.verdicts import Verb
from tests.engine.deliveries.wall import Letters, Wall
from tests.server.api.desk import Desk, pending, script
from tests.server.conftest import Serve, Served
from tests.server.web.desk_clerk import Clerk

ROOT = Person("root", roles=frozenset({"admin"}))
PAGE = "/settings/notifications"
ACCOUNTS = "/settings/chat-accounts"


async def visiting(served: Served, account: str = "user") -> Clerk:
    """Somebody who looks at their notifications."""
    clerk = await Clerk.of(served, account)
    await clerk.open(PAGE)
    return clerk


async def known(served: Served, *walls: Wall) -> None:
    """Wait until the database knows the channels."""
    for wall in walls:
        await wall.until(lambda: served.assent.channels.is_serving(wall.name))  # noqa: B023 - awaited


def error_of(clerk: Clerk, field: str) -> str:
    """What is said beside a field, which says that it is wrong to those who do not see it, too."""
    found = re.search(rf'<span class="error" id="{field}-error">(.*?)</span>', clerk.page.text)
    assert found, clerk.text
    assert re.search(rf'id="{field}"[^>]*aria-invalid="true"[^>]*{field}-error', clerk.page.text)
    return re.sub(r"<[^>]+>", "", found[1])


# requirement: W13
async def test_a_code_from_the_page_links_the_account_that_types_it(serve: Serve) -> None:
    slack = Wall("slack")
    async with serve(script, *Desk().tools, channels=[slack]) as served:
        await known(served, slack)
        clerk = await visiting(served)
        await clerk.press(ACCOUNTS, "code", channel="slack")
        assert "Type this in Slack" in clerk.text
        words = clerk.secret
        code = words.removeprefix("/assent link ")
        assert re.fullmatch(r"[A-Z2-9]{5}-[A-Z2-9]{5}", code)
        assert code not in str(clerk.page.url)
        # It is shown once.
        await clerk.open(PAGE)
        assert code not in clerk.page.text
        made = await served.assent.people.chats.link_chat(code, "slack", "T1/U1", "user.name")
        assert made.person == "user"
        await clerk.open(PAGE)
        assert "user.name" in clerk.text
        assert "T1/U1" in clerk.text


# requirement: W13
async def test_a_code_from_the_chat_is_entered_on_the_page(serve: Serve) -> None:
    slack = Wall("slack")
    async with serve(script, *Desk().tools, channels=[slack]) as served:
        await known(served, slack)
        code = await served.assent.people.chats.code_for_chat("slack", "U1", "user.name")
        clerk = await visiting(served)
        await clerk.press(ACCOUNTS, "enter", code=f" {code.lower()} ")
        # Whose code it is can be seen before it counts.
        assert "user.name in Slack" in clerk.text
        assert await served.assent.people.chats.of("user") == []
        await clerk.press(ACCOUNTS, "link")
        assert "Linked." in clerk.text
        assert (await served.assent.people.chats.person_of("slack", "U1")).id == "user"
        await clerk.press(ACCOUNTS, "enter", code=code)
        assert clerk.page.status_code == 422
        assert "wrong, used or over ten minutes old" in error_of(clerk, "code")


async def test_wrong_codes_are_refused_beside_the_field_and_soon_altogether(serve: Serve) -> None:
    slack = Wall("slack")
    async with serve(script, *Desk().tools, channels=[slack]) as served:
        await known(served, slack)
        clerk = await visiting(served)
        for _ in range(5):
            await clerk.press(ACCOUNTS, "enter", code="AAAAA-AAAA<")
            assert clerk.page.status_code == 422
            assert "wrong" in error_of(clerk, "code")
            # What was typed is still there.
            assert 'value="AAAAA-AAAA&lt;"' in clerk.page.text
        code = await served.assent.people.chats.code_for_chat("slack", "U1", "x")
        await clerk.press(ACCOUNTS, "enter", code=code)
        assert "Too many wrong codes" in error_of(clerk, "code")
        assert await served.assent.people.chats.of("user") == []


async def test_a_code_is_sent_to_an_address_and_proves_it(serve: Serve) -> None:
    letters = Letters("email")
    async with serve(script, *Desk().tools, channels=[letters]) as served:
        await known(served, letters)
        clerk = await visiting(served)
        await clerk.press(ACCOUNTS, "invite", address="nowhere")
        assert error_of(clerk, "address") == "That is no address"
        await clerk.press(ACCOUNTS, "invite", address="user@example.org")
        assert "on its way" in clerk.text
        assert await served.assent.people.chats.of("user") == []
        await clerk.press(ACCOUNTS, "enter", code=letters.sent["user@example.org"])
        await clerk.press(ACCOUNTS, "link")
        [made] = await served.assent.people.chats.of("user")
        assert (made.channel, made.chat_id) == ("email", "user@example.org")


# requirement: W13
# conformance: 134
async def test_unlinking_on_the_page_ends_the_power_to_decide_at_once(serve: Serve) -> None:
    slack, desk = Wall("slack"), Desk()
    async with serve(script, *desk.tools, channels=[slack]) as served:
        await known(served, slack)
        chats = served.assent.people.chats
        me = (await served.assent.people.get("user")).person
        await chats.link_chat(await chats.code_for_person(me, "slack"), "slack", "U1", "me")
        asked = await pending(served.client(), "delete_file a")
        request = await served.assent.request(asked["id"])
        clerk = await visiting(served)
        await clerk.press(ACCOUNTS, "unlink")
        assert "Unlinked." in clerk.text
        press = Reference.to(request, Verb.APPROVE)
        reply = await slack.desk.press("U1", press, interaction="1")
        assert isinstance(reply, Tell)
        assert "not linked" in reply.words
        assert desk.ran == []
        assert (await served.assent.request(asked["id"])).is_open


# requirement: W18
async def test_nobody_unlinks_what_is_somebody_elses(serve: Serve) -> None:
    slack = Wall("slack")
    async with serve(script, *Desk().tools, channels=[slack]) as served:
        await known(served, slack)
        chats = served.assent.people.chats
        me = (await served.assent.people.get("user")).person
        await chats.link_chat(await chats.code_for_person(me, "slack"), "slack", "U1", "me")
        for account in ("stranger", "admin"):
            clerk = await visiting(served, account)
            assert "U1" not in clerk.page.text
            pages = list[str]()
            for chat_id in ("U1", "U2"):
                fields = [("csrf_token", clerk.csrf), ("do", "unlink")]
                await clerk.post(ACCOUNTS, [*fields, ("channel", "slack"), ("chat_id", chat_id)])
                assert clerk.page.status_code == 404
                pages.append(clerk.text)
                await clerk.open(PAGE)
            assert pages[0] == pages[1]
        assert len(await chats.of("user")) == 1


# requirement: T15
async def test_a_credential_that_may_do_less_than_a_chat_links_none(serve: Serve) -> None:
    slack, letters = Wall("slack"), Letters("email")
    async with serve(script, *Desk().tools, channels=[slack, letters]) as served:
        await known(served, slack, letters)
        code = await served.assent.people.chats.code_for_chat("slack", "U1", "x")
        for scopes in ([Scope.DECIDE], [Scope.READ, Scope.DECIDE], [Scope.CHAT, Scope.READ]):
            _, served.keys["narrow"] = await served.assent.people.issue_key(
                "user", scopes=scopes, by=ROOT
            )
            clerk = await visiting(served, "narrow")
            assert f'action="{ACCOUNTS}"' not in clerk.page.text
            assert "may not change it" in clerk.text
            token = ("csrf_token", clerk.csrf)
            for fields in (
                [("do", "enter"), ("code", code)],
                [("do", "link"), ("code", code)],
                [("do", "code"), ("channel", "slack")],
                [("do", "invite"), ("channel", "email"), ("address", "a@example.org")],
            ):
                await clerk.post(ACCOUNTS, [token, *fields])
                assert clerk.page.status_code == 403
            await clerk.post(PAGE, [token])
            assert clerk.page.status_code == 403
            client = served.client("narrow")
            answer = await client.post("/api/me/chat-accounts", json={"code": code})
            assert answer.status_code == 403
        assert letters.sent == {}
        assert await served.assent.people.chats.of("user") == []


async def test_what_one_wants_is_saved_and_shown_again(serve: Serve) -> None:
    slack, hook = Wall("slack"), Wall("hook", reaches_people=False)
    async with serve(script, *Desk().tools, channels=[slack, hook]) as served:
        await known(served, slack, hook)
        clerk = await visiting(served)
        # Nobody is reached by a webhook.
        assert "least:hook" not in clerk.page.text
        fields = {
            "least:slack": "moderate",
            "start": "22:00",
            "end": "07:30",
            "zone": "Europe/Berlin",
            "digest": "1.5",
            "unit": "hours",
            "urgent": "moderate",
        }
        await clerk.press(PAGE, **fields)
        assert "Saved." in clerk.text
        me = (await served.assent.people.get("user")).person
        assert await served.assent.people.chats.settings(me) == NotificationSettings(
            least={"slack": "moderate"},
            quiet=QuietHours(start=time(22), end=time(7, 30), zone="Europe/Berlin"),
            digest=timedelta(minutes=90),
            urgent=Risk.MODERATE,
        )
        form = clerk.form(to=PAGE)
        shown = {name: form.value(name) for name in fields}
        assert shown == fields | {"digest": "90", "unit": "minutes"}
        # Cleared again.
        await clerk.press(PAGE, start="", end="", digest="", urgent="dangerous")
        kept = await served.assent.people.chats.settings(me)
        assert kept == NotificationSettings(least={"slack": "moderate"})


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"start": "22:00"}, {"end": "both times"}),
        ({"end": "07:00"}, {"start": "both times"}),
        ({"start": "22:00", "end": "22:00"}, {"end": "not the start"}),
        ({"start": "ten", "end": "07:00"}, {"start": "like 22:00"}),
        ({"start": "22:00", "end": "07:00", "zone": "Atlantis"}, {"zone": "Europe/Berlin"}),
        ({"start": "22:00", "zone": "../x"}, {"zone": "Europe/Berlin", "end": "both times"}),
        ({"digest": "soon"}, {"digest": "a number"}),
        ({"digest": "0"}, {"digest": "a number"}),
        ({"digest": "-3"}, {"digest": "a number"}),
        ({"digest": "1e-9"}, {"digest": "a number"}),
        ({"digest": "nan"}, {"digest": "a number"}),
        ({"digest": "1e999"}, {"digest": "seven days"}),
        ({"digest": "169", "unit": "hours"}, {"digest": "seven days"}),
    ],
)
async def test_what_is_wrong_is_said_beside_the_field(
    serve: Serve, fields: dict[str, str], wrong: dict[str, str]
) -> None:
    async with serve(script, *Desk().tools) as served:
        clerk = await visiting(served)
        await clerk.press(PAGE, **fields)
        assert clerk.page.status_code == 422
        for name, words in wrong.items():
            assert words in error_of(clerk, name)
        form = clerk.form(to=PAGE)
        assert {name: form.value(name) for name in fields} == fields
        me = (await served.assent.people.get("user")).person
        assert await served.assent.people.chats.settings(me) == NotificationSettings()


async def test_a_channel_that_is_away_keeps_its_setting(serve: Serve) -> None:
    slack = Wall("slack")
    async with serve(script, *Desk().tools, channels=[slack]) as served:
        await known(served, slack)
        me = (await served.assent.people.get("user")).person
        before = NotificationSettings(least={"discord": "never"})
        await served.assent.people.chats.change_settings(before, by=me)
        clerk = await visiting(served)
        await clerk.press(PAGE, **{"least:slack": "dangerous", "least:discord": "safe"})
        after = await served.assent.people.chats.settings(me)
        assert after.least == {"slack": "dangerous", "discord": "never"}


async def test_without_channels_the_page_says_so(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        clerk = await visiting(served)
        assert "has no channels" in clerk.text
        assert f'action="{ACCOUNTS}"' not in clerk.page.text
        fields: list[tuple[str, Any]] = [("csrf_token", clerk.csrf), ("do", "code")]
        await clerk.post(ACCOUNTS, [*fields, ("channel", "slack")])
        assert clerk.page.status_code == 422
        await clerk.open(PAGE)
        await clerk.post(ACCOUNTS, [("csrf_token", clerk.csrf), ("do", "something")])
        assert clerk.page.status_code == 422


# requirement: D5
async def test_a_name_from_a_chat_is_inert(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        chats = served.assent.people.chats
        me = (await served.assent.people.get("user")).person
        code = await chats.code_for_chat("slack", 'U"><b>', "<script>x</script>\u202ereversed")
        await chats.link_person(code, me)
        clerk = await visiting(served)
        assert "<script>x" not in clerk.page.text
        assert "<b>" not in clerk.page.text
        assert "\u202e" not in clerk.page.text
        assert "&lt;script&gt;x" in clerk.page.text


async def test_an_admin_unlinks_an_account_on_the_page_of_its_person(serve: Serve) -> None:
    async with serve(script, *Desk().tools) as served:
        chats = served.assent.people.chats
        me = (await served.assent.people.get("user")).person
        await chats.link_person(await chats.code_for_chat("slack", "U1", "user.name"), me)
        clerk = await Clerk.of(served)
        await clerk.open("/people/user")
        assert "user.name" in clerk.text
        assert "linked the Slack account U1" in clerk.text
        await clerk.press("/people/user", "unlink")
        assert "Unlinked." in clerk.text
        assert "unlinked the Slack account U1" in clerk.text
        assert await chats.of("user") == []
        await clerk.open("/audit")
        assert "Chat account unlinked" in clerk.text
