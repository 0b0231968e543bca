"""Screens of what has been: history, the record, insights."""

from playwright.async_api import Page

from assent import approve
from tests.browser.screens.screen import Screen, Way, at
from tests.browser.screens.stage import Stage


def _story(action: str) -> Way:
    async def go(stage: Stage, page: Page) -> None:
        await page.goto(f"/history/{(await stage.entry(action)).call_id}")

    return go


def _story_so_far(tool: str) -> Way:
    async def go(stage: Stage, page: Page) -> None:
        request = await stage.assent.request(await stage.waiting(tool))
        await page.goto(f"/history/{request.call_id}")

    return go


async def _edited(stage: Stage, page: Page) -> None:
    id = await stage.asked("refund_order")
    changed = {"order": "7731", "amount": 2.45, "currency": "EUR", "note": "half of it"}
    await stage.decide(id, approve(changed))
    request = await stage.assent.request(id)
    await page.goto(f"/history/{request.call_id}")


async def _entry(_: Stage, page: Page) -> None:
    await page.goto("/audit")
    await page.locator(".record summary").nth(1).click()


SCREENS = (
    Screen("history", "history", at("/history")),
    Screen("history-sifted", "history", at("/history?risk=dangerous&from=2020-01-01")),
    Screen("history-nothing-fits", "history", at("/history?q=nothing")),
    Screen("history-empty", "history", at("/history"), "joan"),
    Screen("story", "call_history", _story("approve")),
    Screen("story-rejected", "call_history", _story("reject")),
    Screen("story-expired", "call_history", _story("expire")),
    Screen("story-waiting", "call_history", _story_so_far("delete_files")),
    Screen("story-doubt", "call_history", _story_so_far("order_pickup")),
    Screen("audit", "record", at("/audit")),
    Screen("audit-entry", "record", _entry),
    Screen("audit-nothing-fits", "record", at("/audit?actor=nobody")),
    Screen("insights", "insights", at("/insights?period=30d")),
    Screen("insights-day", "insights", at("/insights?period=24h")),
    Screen("insights-empty", "insights", at("/insights"), "joan"),
    Screen("story-edited", "call_history", _edited),
)
