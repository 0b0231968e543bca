"""The inbox in a real browser: several at once, by the keyboard, and on a phone."""

import pytest
from playwright.async_api import expect

from tests.browser.house import House
from tests.browser.office import wants
from tests.browser.screens.screen import press


# requirement: F4
async def test_requests_of_one_tool_are_read_and_decided_together(house: House) -> None:
    paths = [await house.ask(wants("pay", to="Ada", amount=n)) for n in (1, 2, 3)]
    await house.ask(wants("erase", path="/srv"))
    page = await house.visit(path="/")
    boxes = page.get_by_role("checkbox")
    await expect(boxes).to_have_count(3)
    for number in (0, 1):
        await boxes.nth(number).check()
    await page.get_by_role("button", name="Review selected").click()
    await expect(page.get_by_role("heading", name="2 requests for pay")).to_be_visible()
    await press(page.get_by_role("button", name="Approve selected"))
    await expect(page.get_by_role("heading", name="2 of 2 decided")).to_be_visible()
    assert sorted(house.office.ran) == [("pay", "Ada", 2), ("pay", "Ada", 3)]
    assert {entry.actor for entry in await house.record("approve")} == {"user"}
    first = await house.assent.request(paths[0].rpartition("/")[2])
    assert first.is_open


async def test_the_keyboard_moves_and_opens_and_never_approves(house: House) -> None:
    await house.ask(wants("pay", to="Ada", amount=1))
    newer = await house.ask(wants("pay", to="Bob", amount=2))
    page = await house.visit(path="/")
    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    await page.keyboard.press("Escape")
    await page.keyboard.press("/")
    await expect(page.get_by_role("searchbox")).to_be_focused()
    # Out of the search again, without the mouse.
    await page.keyboard.press("Escape")
    for key in ("j", "j", "k", "x"):
        await page.keyboard.press(key)
    await expect(page.get_by_role("checkbox").first).to_be_checked()
    await page.keyboard.press("o")
    await page.wait_for_url(f"**{newer}")
    assert house.office.ran == []


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
async def test_on_a_phone_the_filters_are_behind_a_button(house: House, script: bool) -> None:
    await house.ask(wants("pay", to="Ada", amount=1))
    await house.ask(wants("erase", path="/srv"))
    page = await house.visit(path="/", phone=True, script=script)
    risk, rows = page.get_by_label("Risk"), page.locator("#inbox > li")
    await expect(rows).to_have_count(2)
    await expect(risk).to_be_hidden()
    await page.get_by_text("Filters", exact=True).click()
    await risk.select_option("dangerous")
    if not script:
        await page.get_by_role("button", name="Filter", exact=True).click()
    await expect(rows).to_have_count(1)
    # What is filtered stays in sight, and counted.
    await expect(risk).to_be_visible()
    await expect(page.locator(".unfold .count")).to_have_text("1")
    width = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert not script or await page.evaluate(width) == 0
