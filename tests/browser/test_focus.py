"""Nobody approves by accident: no focus on it, no key for it, and not before it was read."""

import pytest
from playwright.async_api import Page, expect

from assent.domain.canonical import Json
from tests.browser.house import House
from tests.browser.office import wants

_FOCUSED = "document.activeElement?.innerText ?? document.activeElement?.value ?? ''"
_DECIDING = ("approve", "yes", "run it", "supply", "send the answers")
# What people press without thinking, and what other inboxes take for a yes.
_KEYS = ("Enter", "Space", "a", "y", "e", "Control+Enter", "Escape")


async def unfocused(page: Page) -> None:
    """Whatever has the focus, it decides nothing."""
    focused: str = await page.evaluate(_FOCUSED)
    tag = await page.evaluate("document.activeElement?.localName")
    assert tag == "body" or not focused.lower().startswith(_DECIDING), (page.url, focused)


# requirement: F7
@pytest.mark.parametrize("script", [True, False], ids=["javascript", "none"])
async def test_no_page_begins_with_its_focus_on_a_decision(house: House, script: bool) -> None:
    paths = [
        await house.ask(said)
        for said in (
            wants("pay", to="Ada", amount=40),
            wants("erase", path="/srv"),
            wants("connect", command="uptime"),
            wants("weigh"),
        )
    ]
    page = await house.visit(script=script)
    for path in (*paths, "/", "/chat"):
        await page.goto(path)
        await unfocused(page)
    await page.goto(paths[1])
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_role("heading", name="Run this now?")).to_be_visible()
    await unfocused(page)
    assert house.office.ran == []


# requirement: F7
@pytest.mark.parametrize("tool", ["pay", "erase"])
async def test_no_single_key_decides(house: House, tool: str) -> None:
    said = wants("pay", to="Ada", amount=4) if tool == "pay" else wants("erase", path="/srv")
    path = await house.ask(said)
    page = await house.visit()
    for address in ("/", path):
        await page.goto(address)
        for key in _KEYS:
            await page.keyboard.press(key)
            await page.wait_for_load_state()
            if not page.url.endswith(address):
                await page.goto(address)
    assert house.office.ran == []
    assert (await house.assent.request(path.rpartition("/")[2])).is_open


# requirement: F7
async def test_what_is_longer_than_the_screen_is_read_before_it_is_approved(house: House) -> None:
    lines: list[Json] = [f"line {number}" for number in range(200)]
    page = await house.visit(path=await house.ask(wants("publish", title="Long", lines=lines)))
    approve = page.get_by_role("button", name="Approve")
    await expect(approve).to_be_disabled()
    await page.mouse.wheel(0, 200)
    await expect(approve).to_be_disabled()
    await page.keyboard.press("End")
    await expect(approve).to_be_enabled()
    await approve.click()
    await expect(page.get_by_role("status").filter(has_text="Recorded")).to_be_visible()
    assert len(house.office.ran) == 1


async def test_who_opens_a_rejection_writes_its_reason_next(house: House) -> None:
    page = await house.visit(path=await house.ask(wants("erase", path="/srv")))
    await page.get_by_text("Reject…").click()
    await expect(page.get_by_label("Reason")).to_be_focused()
    await page.keyboard.type("Not these")
    await page.get_by_role("button", name="Reject", exact=True).click()
    await expect(page.locator("#standing q")).to_have_text("Not these")
