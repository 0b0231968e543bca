"""Screens of deciding several requests together."""

from playwright.async_api import Page

from assent import reject
from tests.browser.screens.screen import Screen, Way, press
from tests.browser.screens.stage import Stage


def _together(*tools: str) -> Way:
    async def go(stage: Stage, page: Page) -> None:
        ids = [await stage.asked(tool) for tool in tools]
        await page.goto("/batch?" + "&".join(f"id={id}" for id in ids))

    return go


async def _half_done(stage: Stage, page: Page) -> None:
    """Two of them; one was decided by somebody else meanwhile."""
    ids = [await stage.asked("refund_order") for _ in range(2)]
    await page.goto("/batch?" + "&".join(f"id={id}" for id in ids))
    await stage.decide(ids[1], reject(reason="Twice the same"))
    await page.get_by_text("rejected").first.wait_for()


async def _done(stage: Stage, page: Page) -> None:
    await _together("refund_order", "refund_order")(stage, page)
    await press(page.get_by_role("button", name="Approve selected"))


async def _partly_done(stage: Stage, page: Page) -> None:
    """One of three is decided by somebody else before the button is pressed."""
    ids = [await stage.asked("refund_order") for _ in range(3)]
    await page.goto("/batch?" + "&".join(f"id={id}" for id in ids))
    # As if the news of it had not come yet.
    await page.evaluate("document.querySelector('live-part#listed').removeAttribute('on')")
    await stage.decide(ids[1], reject(reason="Twice the same"))
    await press(page.get_by_role("button", name="Approve selected"))


SCREENS = (
    Screen("batch", "batch", _together("refund_order", "refund_order")),
    Screen("batch-meanwhile", "batch", _half_done),
    Screen("batch-done", "batch_done", _done),
    Screen("batch-partly", "batch_done", _partly_done),
    Screen("batch-refused", "batch_refused", _together("refund_order", "send_mail")),
)
