"""Screens of how people are reached: their chats, their wishes, and the channels."""

from playwright.async_api import Page

from tests.browser.company import somebody
from tests.browser.screens.screen import Screen, at, press
from tests.browser.screens.stage import Stage

NOTIFICATIONS = "/settings/notifications"


async def _code(_: Stage, page: Page) -> None:
    await page.goto(NOTIFICATIONS)
    await press(page.get_by_role("button", name="Get a code"))


async def _wrong_code(_: Stage, page: Page) -> None:
    await page.goto(NOTIFICATIONS)
    await page.get_by_label("Code", exact=True).fill("AAAAA-BBBBB")
    await press(page.get_by_role("button", name="Continue"))


async def _entered_code(stage: Stage, page: Page) -> None:
    code = await stage.assent.people.chats.code_for_chat("slack", "U2", "ada.lovelace")
    await page.goto(NOTIFICATIONS)
    await page.get_by_label("Code", exact=True).fill(code)
    await press(page.get_by_role("button", name="Continue"))


async def _wrong_times(_: Stage, page: Page) -> None:
    await page.goto(NOTIFICATIONS)
    await page.get_by_label("From").fill("22:00")
    await page.get_by_label("Time zone").fill("Atlantis")
    await page.get_by_label("One message every").fill("soon")
    await press(page.get_by_role("button", name="Save"))


async def _saved(_: Stage, page: Page) -> None:
    await page.goto(NOTIFICATIONS)
    await page.get_by_label("From").fill("22:00")
    await page.get_by_label("To", exact=True).fill("07:00")
    await page.get_by_label("One message every").fill("30")
    await press(page.get_by_role("button", name="Save"))


async def _unlinked(stage: Stage, page: Page) -> None:
    chats = stage.assent.people.chats
    await chats.link_person(await chats.code_for_chat("slack", "U1", "grace"), somebody("grace"))
    await page.goto(NOTIFICATIONS)
    await press(page.get_by_role("button", name="Unlink grace"))


async def _removing(_: Stage, page: Page) -> None:
    await page.goto("/channels")
    await press(page.get_by_role("button", name="Remove old-bot…"))


async def _sent_again(_: Stage, page: Page) -> None:
    await page.goto("/channels")
    await press(page.get_by_role("button", name="Send again").first)


SCREENS = (
    Screen("channels", "channels", at("/channels")),
    Screen("channels-of-one", "channels", at("/channels?channel=ops-hook")),
    Screen("channels-remove", "channel_confirm", _removing),
    Screen("notifications", "notifications", at(NOTIFICATIONS)),
    Screen("notifications-unlinked", "notifications", at(NOTIFICATIONS), "linus"),
    Screen("notifications-code", "notifications", _code),
    Screen("notifications-code-wrong", "notifications", _wrong_code),
    Screen("notifications-code-entered", "notifications", _entered_code),
    Screen("notifications-times-wrong", "notifications", _wrong_times),
    Screen("notifications-saved", "notifications", _saved, "grace"),
    Screen("notifications-unlink", "notifications", _unlinked, "grace"),
    Screen("person-chats", "person", at("/people/ada")),
    Screen("channels-sent-again", "channels", _sent_again),
)
