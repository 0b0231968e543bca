"""However long something is, on every page it goes on below, not beyond the right edge."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from assent import Risk, approve, tool
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.tools import Preview
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import person, script, wants

SCREENS = pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
LONG = "x" * 700
WIDE: dict[str, Json] = {
    "text": f"{LONG} rm -rf /",
    "lines": f"first\n{LONG}\nlast {LONG}",
    "value": {LONG: LONG, "list": [LONG, {"deep": [[LONG]]}]},
}
# Where some text ends beyond the screen, or beyond an edge behind which a part of it is cut off, or
# has room for a letter a line only.
# What is there for screen readers only, and what is folded away, is nowhere on the screen.
_BEYOND = """
() => {
  const found = [], range = document.createRange();
  const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode, holder = text.parentElement;
    if (!text.data.trim() || holder.closest(".hidden-text, select, textarea")) continue;
    range.selectNodeContents(text);
    const boxes = [...range.getClientRects()];
    let edge = document.documentElement.clientWidth, isSeen = boxes.length > 0;
    for (let each = holder; each; each = each.parentElement) {
      const { display, overflowX, position } = getComputedStyle(each);
      const cuts = overflowX !== "visible" && display !== "contents";
      const { right, width } = each.getBoundingClientRect();
      if (cuts) edge = Math.min(edge, right);
      if (cuts && width <= 1) isSeen = false;
      if (position === "fixed") break;
    }
    const end = Math.max(...boxes.map((box) => box.right));
    const room = holder.closest("pre")?.clientWidth ?? 100;
    if (isSeen && (end > edge + 1 || room < 100)) {
      found.push([holder.outerHTML.slice(0, 90), end, edge, room]);
    }
  }
  const { scrollWidth, clientWidth } = document.documentElement;
  return scrollWidth > clientWidth ? [["the page", scrollWidth, clientWidth], ...found] : found;
}
"""


async def preview(arguments: Any, _: Any) -> Preview:
    return Preview(text=f"writes {LONG}", before=arguments["lines"], after=f"other {LONG}\nlast")


def tools() -> list[Any]:
    """Two that take and give back anything, and show beforehand what they would do."""

    @tool(risk=Risk.MODERATE, requires_approval=True, preview=preview, impact=LONG)
    async def keep(text: str, lines: str, value: Any) -> Any:
        """Keep it."""
        return [text, value]

    @tool(risk=Risk.DANGEROUS, requires_approval=True, confirmation=Confirmation.STEP)
    async def burn(text: str, lines: str, value: Any) -> Any:
        """Burn it."""
        return [text, value]

    return [keep, burn]


async def fits(page: Page) -> None:
    """Nothing on the page lies beyond its right edge."""
    beyond = await page.evaluate(_BEYOND)
    assert beyond == [], (page.url, beyond)


# requirement: D3, F7
@SCREENS
async def test_a_request_and_its_edit_fit(open_house: OpenHouse, phone: bool) -> None:
    async with open_house(script, *tools()) as house:
        path = await house.ask(wants("keep", **WIDE))
        page = await house.visit(path=path, phone=phone)
        await expect(page.locator(".region-preview .diff")).to_be_visible()
        await fits(page)
        await page.goto(f"{path}?do=edit")
        await fits(page)
        await page.get_by_role("button", name="JSON").click()
        await expect(page.get_by_label("Arguments as JSON")).to_be_visible()
        await fits(page)


# requirement: D3, D15, F7
@SCREENS
async def test_a_confirmation_fits(open_house: OpenHouse, phone: bool) -> None:
    async with open_house(script, *tools()) as house:
        path = await house.ask(wants("burn", **WIDE))
        page = await house.visit(path=path, phone=phone, script=False)
        await page.get_by_role("button", name="Approve").click()
        await expect(page.get_by_role("heading", name="Run this now?")).to_be_visible()
        await fits(page)
        await page.goto(f"{path}?do=edit")
        await page.get_by_label("text", exact=True).fill(f"{LONG} rm -rf /home")
        await page.get_by_label("lines", exact=True).fill(f"first\n{LONG}\nthe last {LONG}")
        await page.locator("#edit footer").get_by_role("button", name="Show the difference").click()
        await expect(page.get_by_role("heading", name="What you changed")).to_be_visible()
        await fits(page)


# requirement: F4, F7
@SCREENS
async def test_several_at_once_fit(open_house: OpenHouse, phone: bool) -> None:
    async with open_house(script, *tools()) as house:
        ids = [(await house.ask(wants("keep", **WIDE))).rpartition("/")[2] for _ in range(2)]
        page = await house.visit(path=f"/batch?id={ids[0]}&id={ids[1]}", phone=phone)
        await expect(page.get_by_role("button", name="Approve selected")).to_be_visible()
        await fits(page)


@SCREENS
async def test_a_conversation_fits(open_house: OpenHouse, phone: bool) -> None:
    async with open_house(script, *tools()) as house:
        turn = await house.say(wants("keep", **WIDE))
        page = await house.visit(path=f"/chat/{turn.conversation_id}", phone=phone)
        await expect(page.get_by_role("link", name="Review and decide")).to_be_visible()
        await fits(page)
        await _edited(house, turn.pending[0].id)
        await house.assent.wait(turn.id)
        await page.reload()
        await expect(page.get_by_text("Done:")).to_be_visible()
        await fits(page)


async def _edited(house: House, id: str) -> None:
    changed = WIDE | {"lines": f"first\nother {LONG}\nlast"}
    await house.assent.decide(id, approve(changed), by=person("user"))


# requirement: D15
@SCREENS
async def test_the_story_of_a_call_fits(open_house: OpenHouse, phone: bool) -> None:
    async with open_house(script, *tools()) as house:
        turn = await house.say(wants("keep", **WIDE))
        [asked] = turn.pending
        await _edited(house, asked.id)
        await house.assent.wait(turn.id)
        page = await house.visit(path=f"/history/{asked.call_id}", phone=phone)
        await expect(page.locator(".diff").first).to_be_visible()
        await fits(page)
        await page.goto(f"/requests/{asked.id}")
        await fits(page)
