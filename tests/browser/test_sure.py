"""The second step and several at once: what has not been on the screen is not approved there."""

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from assent import Risk, tool
from assent.domain.canonical import Json
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import script, wants

LINES: list[Json] = [f"line {number}" for number in range(120)]
_FRAMES = "new Promise(go => requestAnimationFrame(() => requestAnimationFrame(go)))"
SCREENS = pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])

# Until it is painted nobody has seen it.
_INTO_VIEW = """e => new Promise((done) => {
  e.scrollIntoView();
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""


def wipe(ran: list[Any], risk: Risk) -> Any:
    @tool(risk=risk, requires_approval=True)
    async def wipe(paths: list[str], note: str = "") -> str:
        """Wipe everything named here."""
        ran.append((len(paths), note))
        return "wiped"

    return wipe


async def scrolled(page: Page, there: str) -> None:
    """Go there, and stay long enough for it to have been on the screen."""
    await page.evaluate(there)
    await page.evaluate(_FRAMES)


async def read_then(page: Page, button: Locator) -> None:
    """It cannot be pressed at first, only from the end; then it is."""
    await expect(page.get_by_label("I have read it all")).to_be_visible()
    await expect(button).to_be_disabled()
    await scrolled(page, "scrollTo(0, document.documentElement.scrollHeight)")
    await expect(button).to_be_enabled()
    await button.click()


# requirement: F7
@SCREENS
async def test_the_second_step_is_read_before_it_is_taken(
    open_house: OpenHouse, phone: bool
) -> None:
    ran: list[Any] = []
    async with open_house(script, wipe(ran, Risk.DANGEROUS)) as house:
        page = await house.visit(path=await house.ask(wants("wipe", paths=LINES)), phone=phone)
        await read_then(page, page.get_by_role("button", name="Approve"))
        await expect(page.get_by_role("heading", name="Run this now?")).to_be_visible()
        assert ran == []
        await read_then(page, page.get_by_role("button", name="Yes, run it once"))
        await expect(page.get_by_text("Recorded.")).to_be_visible()
        assert ran == [(120, "")]


# requirement: F7
async def test_an_edits_difference_is_read_before_it_runs(open_house: OpenHouse) -> None:
    ran: list[Any] = []
    async with open_house(script, wipe(ran, Risk.MODERATE)) as house:
        path = await house.ask(wants("wipe", paths=LINES, note="a"))
        page = await house.visit(path=f"{path}?do=edit")
        await page.get_by_label("note", exact=True).fill("b")
        await page.locator("#edit footer").get_by_role("button", name="Show the difference").click()
        await expect(page.get_by_role("heading", name="What you changed")).to_be_visible()
        await read_then(page, page.get_by_role("button", name="Yes, run it once"))
        await expect(page.get_by_text("Recorded.")).to_be_visible()
        assert ran == [(120, "b")]


# requirement: F4, F7
@SCREENS
async def test_several_are_read_before_they_are_approved_together(
    open_house: OpenHouse, phone: bool
) -> None:
    ran: list[Any] = []
    async with open_house(script, wipe(ran, Risk.MODERATE)) as house:
        said = wants("wipe", paths=LINES)
        ids = [(await house.ask(said)).rpartition("/")[2] for _ in range(2)]
        page = await house.visit(path=f"/batch?id={ids[0]}&id={ids[1]}", phone=phone)
        approve = page.get_by_role("button", name="Approve selected")
        await expect(page.get_by_label("I have read it all")).to_be_visible()
        first, second = [f"document.getElementById('item-{id}')" for id in ids]
        await scrolled(page, f"{first}.scrollIntoView({{block: 'end'}})")
        await expect(approve).to_be_disabled()
        await scrolled(page, f"{second}.scrollIntoView({{block: 'start'}})")
        await read_then(page, approve)
        await expect(page.get_by_role("heading", name="2 of 2 decided")).to_be_visible()
        assert ran == [(120, ""), (120, "")]


# requirement: F7
async def test_what_is_over_cannot_be_confirmed(house: House) -> None:
    path = await house.ask(wants("erase", path="/srv/data"))
    page = await house.visit(path=path)
    await page.get_by_role("button", name="Approve").click()
    sure = page.get_by_role("button", name="Yes, run it once")
    await expect(sure).to_be_enabled()
    other = await house.visit(path=path)
    await other.get_by_text("Reject…").click()
    await other.get_by_role("button", name="Reject", exact=True).click()
    await expect(page.locator("footer.decision")).to_have_attribute("inert", "")
    assert house.office.ran == []
