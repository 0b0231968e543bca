"""People link their chats and say when they want to hear of requests, on a desktop and a phone."""

from collections.abc import AsyncGenerator
from datetime import time

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from assent.channels import ChannelError, Reference, Room
from assent.domain.notifications import QuietHours
from assent.domain.verdicts import Verb
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import person, script, wants
from tests.engine.deliveries.wall import Letters, Wall

PAGE = "/settings/notifications"
DEVICES = pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
SCRIPTS = pytest.mark.parametrize("with_script", [True, False], ids=["script", "no-script"])


@pytest.fixture
def slack() -> Wall:
    return Wall("slack", rooms=(Room(address="room:1", everything=True),))


@pytest_asyncio.fixture(loop_scope="session")
async def house(open_house: OpenHouse, slack: Wall) -> AsyncGenerator[House]:
    """A service with a chat and with mail."""
    channels = [slack, Letters("email")]
    async with open_house(script, channels=channels) as opened:
        for each in channels:
            await each.until(lambda: opened.assent.channels.is_serving(each.name))  # noqa: B023 - awaited
        yield opened


async def notice(page: Page, words: str) -> None:
    await expect(page.get_by_role("status").filter(has_text=words)).to_be_visible()


# requirement: W13
@SCRIPTS
@DEVICES
async def test_a_chat_is_linked_decides_and_is_unlinked(
    house: House, slack: Wall, phone: bool, with_script: bool
) -> None:
    page = await house.visit(path=PAGE, phone=phone, script=with_script)
    await page.get_by_label("Channel").select_option("slack")
    await page.get_by_role("button", name="Get a code").click()
    words = await page.locator("#secret").inner_text()
    code = words.removeprefix("/assent link ")
    chats = house.assent.people.chats
    await chats.link_chat(code, "slack", "U1", "me in Slack")
    await page.get_by_role("link", name="I have typed it").click()
    await expect(page.get_by_role("rowheader", name="me in Slack")).to_be_visible()

    turn = await house.say(wants("pay", to="bob", amount=7))
    await slack.until(lambda: slack.told("U1"))
    [press] = [Reference.to(each, Verb.APPROVE) for each in turn.pending]
    await slack.desk.press("U1", press, interaction="1")
    await slack.until(lambda: not slack.at("U1")[0].is_open)
    assert house.office.ran == [("pay", "bob", 7)]

    await page.get_by_role("button", name="Unlink me in Slack").click()
    await notice(page, "Nothing can be decided from there any more")
    again = await house.say(wants("pay", to="bob", amount=8))
    press = Reference.to(again.pending[0], Verb.APPROVE)
    await slack.desk.press("U1", press, interaction="2")
    assert (await house.assent.request(again.pending[0].id)).is_open


@SCRIPTS
async def test_a_code_from_the_chat_is_entered(house: House, with_script: bool) -> None:
    page = await house.visit(path=PAGE, script=with_script)
    await page.get_by_label("Code", exact=True).fill("AAAAA-BBBBB")
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_label("Code", exact=True)).to_have_attribute("aria-invalid", "true")
    await expect(page.locator("#code-error")).to_contain_text("wrong")
    code = await house.assent.people.chats.code_for_chat("slack", "U1", "me in Slack")
    await page.get_by_label("Code", exact=True).fill(code)
    await page.get_by_role("button", name="Continue").click()
    await expect(page.get_by_role("form", name="Is this account yours?")).to_contain_text("Slack")
    await page.get_by_role("button", name="Yes, link it").click()
    await notice(page, "Linked.")


async def test_the_words_to_type_are_copied(house: House) -> None:
    page = await house.visit(path=PAGE)
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=house.base)
    await page.get_by_role("button", name="Get a code").click()
    await page.get_by_role("button", name="Copy").click()
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == await page.locator("#secret").inner_text()
    assert copied.startswith("/assent link ")


@DEVICES
async def test_quiet_hours_begin_with_the_time_zone_of_the_browser(
    house: House, phone: bool
) -> None:
    page = await house.visit(path=PAGE, phone=phone, timezone_id="America/Lima")
    zone = page.get_by_label("Time zone")
    await expect(zone).to_have_value("America/Lima")
    known = page.locator("time-zone datalist option")
    assert await known.count() > 300
    await page.get_by_label("From").fill("22:00")
    await page.get_by_label("To", exact=True).fill("06:30")
    await page.get_by_role("button", name="Save").click()
    await notice(page, "Saved.")
    wishes = await house.assent.people.chats.settings(person("user"))
    assert wishes.quiet == QuietHours(start=time(22), end=time(6, 30), zone="America/Lima")
    # What was chosen stays, also in a browser elsewhere.
    elsewhere = await house.visit(path=PAGE, timezone_id="Asia/Tokyo")
    await expect(elsewhere.get_by_label("Time zone")).to_have_value("America/Lima")


@SCRIPTS
async def test_what_is_wrong_is_said_beside_it_and_nothing_typed_is_lost(
    house: House, with_script: bool
) -> None:
    page = await house.visit(path=PAGE, script=with_script)
    await page.get_by_label("Slack").select_option("dangerous")
    await page.get_by_label("From").fill("22:00")
    await page.get_by_label("One message every").fill("soon")
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("Nothing was saved")
    await expect(page.locator("#end-error")).to_contain_text("both times")
    await expect(page.locator("#digest-error")).to_contain_text("a number")
    await expect(page.get_by_label("Slack")).to_have_value("dangerous")
    await expect(page.get_by_label("From")).to_have_value("22:00")
    await expect(page.get_by_label("One message every")).to_have_value("soon")
    await page.get_by_label("To", exact=True).fill("07:00")
    await page.get_by_label("One message every").fill("2")
    await page.get_by_label("Unit").select_option("hours")
    await page.get_by_role("button", name="Save").click()
    await notice(page, "Saved.")


@DEVICES
async def test_an_admin_sends_a_dead_letter_again(house: House, slack: Wall, phone: bool) -> None:
    slack.errors.append(ChannelError("The room was archived", permanent=True))
    request = (await house.say(wants("erase", path="a"))).pending[0]
    await slack.until(lambda: not slack.errors)
    page = await house.visit("admin", path="/channels", phone=phone)
    letter = page.locator("#dead").get_by_text("The room was archived")
    while not await letter.count():
        await page.reload()
    await expect(letter).to_be_visible()
    await page.get_by_role("button", name="Send again", exact=True).click()
    await notice(page, "It is being sent again")
    await slack.until(lambda: slack.told("room:1") == {request.id})
