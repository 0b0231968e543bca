"""Screens of people who are not in yet, and of those who are where nothing is for them."""

from playwright.async_api import Page

from tests.browser.company import somebody
from tests.browser.screens.screen import Screen, at, press
from tests.browser.screens.stage import Stage


async def _wrong_key(_: Stage, page: Page) -> None:
    await page.goto("/sign-in")
    await page.get_by_label("API key").fill("assent_nothing")
    await press(page.get_by_role("button", name="Sign in"))


async def _sign_in_link(stage: Stage, page: Page) -> None:
    _, token = await stage.assent.people.links.to_sign_in("grace", by=somebody("ada"))
    await page.goto(f"/sign-in/link/{token}")


async def _decide_link(stage: Stage, page: Page) -> None:
    await page.goto(f"/r/{await stage.link(await stage.waiting('delete_files'))}")


async def _by_link(stage: Stage, page: Page) -> None:
    await _decide_link(stage, page)
    await press(page.get_by_role("button", name="Open the request"))


async def _stop(stage: Stage, page: Page) -> None:
    await page.goto(f"/stop/{stage.assent.people.stop_links.token('email', 'joan')}")


async def _stopped(stage: Stage, page: Page) -> None:
    await _stop(stage, page)
    await press(page.get_by_role("button", name="Stop"))


SCREENS = (
    Screen("sign-in", "sign_in", at("/sign-in"), None),
    Screen("sign-in-wrong", "sign_in", _wrong_key, None),
    Screen("sign-in-link", "sign_in_link", _sign_in_link, None),
    Screen("link", "open_request", _decide_link, None),
    Screen("link-dead", "dead_link", at("/r/nothing"), None),
    Screen("link-request", "request", _by_link, None),
    Screen("stop-mails", "stop", _stop, None),
    Screen("stopped-mails", "stop", _stopped, None),
    Screen("not-there", "error", at("/requests/req_nothing")),
    Screen("not-an-address", "error", at("/nothing/here")),
    Screen("not-an-address-outside", "error", at("/nothing/here"), None),
    Screen("not-allowed", "error", at("/people"), "linus"),
)
