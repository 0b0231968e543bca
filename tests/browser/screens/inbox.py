"""Screens of the inbox."""

from playwright.async_api import Page

from tests.browser.screens.screen import Screen, at
from tests.browser.screens.stage import Stage


async def _ticked(_: Stage, page: Page) -> None:
    await page.goto("/?q=refund_order")
    for box in await page.get_by_role("checkbox").all():
        await box.check()


async def _help(_: Stage, page: Page) -> None:
    await page.goto("/")
    await page.keyboard.press("?")
    await page.get_by_role("dialog").wait_for()


SCREENS = (
    Screen("inbox", "inbox", at("/")),
    Screen("inbox-ticked", "inbox", _ticked),
    Screen("inbox-keys", "inbox", _help),
    Screen("inbox-everything", "inbox", at("/?whose=all&show=all")),
    Screen("inbox-nothing-fits", "inbox", at("/?q=nothing")),
    Screen("inbox-empty", "inbox", at("/"), "margaret"),
)
