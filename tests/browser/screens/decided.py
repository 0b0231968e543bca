"""Screens of one request that is over, or turns out to be."""

from playwright.async_api import Page

from assent import approve
from tests.browser.screens.screen import Screen, Way, press
from tests.browser.screens.stage import Stage


def _past(action: str) -> Way:
    async def go(stage: Stage, page: Page) -> None:
        await page.goto(f"/requests/{(await stage.entry(action)).request_id}")

    return go


async def _approved(stage: Stage, page: Page) -> None:
    await page.goto(f"/requests/{await stage.asked('refund_order')}")
    await press(page.get_by_role("button", name="Approve"))
    await page.get_by_text("succeeded").first.wait_for()


async def _rejected(stage: Stage, page: Page) -> None:
    await page.goto(f"/requests/{await stage.asked('delete_files')}")
    await page.get_by_text("Reject…").click()
    await page.get_by_label("Reason").fill("The auditors still need these exports")
    await press(page.get_by_role("button", name="Reject", exact=True))


async def _one_of_several(stage: Stage, page: Page) -> None:
    turn = await stage.ask("refund_order", "send_mail")
    await page.goto(f"/requests/{turn.pending[0].id}")
    await press(page.get_by_role("button", name="Approve"))


async def _edited(stage: Stage, page: Page) -> None:
    id = await stage.asked("refund_order")
    changed = {"order": "7731", "amount": 2.45, "currency": "EUR", "note": "half of it"}
    await stage.decide(id, approve(changed))
    await page.goto(f"/requests/{id}")


async def _meanwhile(stage: Stage, page: Page) -> None:
    """Somebody else decides while this page is open."""
    id = await stage.asked("refund_order")
    await page.goto(f"/requests/{id}")
    await page.get_by_text("Reject…").click()
    await page.get_by_label("Reason").fill("We refunded this one in May")
    await stage.decide(id, approve())
    await page.locator("[data-over]").wait_for()


async def _late(stage: Stage, page: Page) -> None:
    """The form is sent all the same."""
    await _meanwhile(stage, page)
    async with page.expect_navigation():
        await page.evaluate("document.querySelector('.verdict.reject form').submit()")


async def _stale(stage: Stage, page: Page) -> None:
    """The form is that of other arguments."""
    await page.goto(f"/requests/{await stage.waiting('refund_order')}")
    await page.evaluate("document.querySelector('.verdict.approve [name=digest]').value = 'old'")
    await press(page.get_by_role("button", name="Approve"))


SCREENS = (
    Screen("decided-before", "request", _past("approve")),
    Screen("decided-expired", "request", _past("expire")),
    Screen("decided-rejected-before", "request", _past("reject")),
    Screen("decided-approved", "request", _approved),
    Screen("decided-rejected", "request", _rejected),
    Screen("decided-next", "request", _one_of_several),
    Screen("decided-edited", "request", _edited),
    Screen("decided-meanwhile", "request", _meanwhile),
    Screen("decided-late", "request", _late),
    Screen("stale", "request", _stale),
)
