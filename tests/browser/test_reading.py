"""Nothing that a decision rests on lies beyond an edge; what was not in sight was not read."""

from typing import Any

import pytest
from playwright.async_api import Locator, Page, expect

from assent import Risk, tool
from assent.domain.canonical import Json
from assent.domain.tools import Preview
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import script, wants

SCREENS = pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
# What matters comes far to the right, in a line that begins harmlessly.
HARMLESS = f"keep\nvalue = {'a' * 3_000} safe\nend"
HARMFUL = f"keep\nvalue = {'a' * 3_000} rm -rf /\nend"
_END = "scrollTo(0, document.documentElement.scrollHeight)"
# Until it is painted nobody has seen it.
_START = """() => new Promise((done) => {
  scrollTo(0, 0);
  requestAnimationFrame(() => requestAnimationFrame(done));
})"""


async def preview(*_: object) -> Preview:
    return Preview(before=HARMLESS, after=HARMFUL)


@tool(risk=Risk.MODERATE, requires_approval=True, preview=preview)
async def patch(path: str) -> str:
    """Patch a file."""
    return path


async def fits(part: Locator) -> None:
    """Nothing in it goes on beyond its own edge or that of the screen."""
    wide = await part.evaluate(
        """part => [part, ...part.querySelectorAll("pre, dl, ol, dd, li, del, ins")]
          .filter(each => getComputedStyle(each).display !== "inline")
          .filter(each => each.scrollWidth > each.clientWidth + 1
            || each.getBoundingClientRect().right > innerWidth + 1)
          .map(each => each.outerHTML.slice(0, 80))"""
    )
    assert wide == []


# requirement: D3, D4, F7
@SCREENS
async def test_a_long_line_of_a_preview_goes_on_below(open_house: OpenHouse, phone: bool) -> None:
    async with open_house(script, patch) as house:
        page = await house.visit(path=await house.ask(wants("patch", path="/x")), phone=phone)
        await fits(page.locator(".region-preview"))
        await expect(page.locator(".region-preview ins")).to_contain_text("rm -rf /")


# requirement: D3, F7
@SCREENS
async def test_a_long_line_of_an_edit_goes_on_below(house: House, phone: bool) -> None:
    path = await house.ask(wants("pay", to="Ada", amount=4, note=HARMLESS))
    page = await house.visit(path=f"{path}?do=edit", phone=phone)
    await page.get_by_label("note", exact=True).fill(HARMFUL)
    await page.get_by_role("button", name="Show the difference").click()
    await expect(page.get_by_role("heading", name="What you changed")).to_be_visible()
    await fits(page.locator(".region-edits"))
    await fits(page.locator(".region-arguments").first)


def nested(levels: int, wrap: Any) -> Json:
    value: Json = "a text that is long enough for a block of its own " * 4
    for _ in range(levels):
        value = wrap(value)
    return value


# requirement: D3, F7
@SCREENS
@pytest.mark.parametrize(
    "wrap", [lambda v: [v, 2], lambda v: {"a_name": v, "n": 2}], ids=["lists", "objects"]
)
async def test_however_deep_it_is_it_stays_on_the_screen(
    open_house: OpenHouse, phone: bool, wrap: Any
) -> None:
    @tool(risk=Risk.MODERATE, requires_approval=True)
    async def keep(value: Any) -> str:
        """Keep anything."""
        return "kept"

    async with open_house(script, keep) as house:
        said = wants("keep", value=nested(28, wrap))
        page = await house.visit(path=await house.ask(said), phone=phone)
        await fits(page.locator(".region-arguments"))
        # Wide enough to be read, not a letter a line.
        box = await page.locator(".region-arguments pre").bounding_box()
        assert box is not None
        assert box["width"] > 100


async def at_the_end(page: Page) -> None:
    await page.evaluate(_END)


# requirement: F7
async def test_a_page_that_opens_at_its_end_was_not_read(house: House) -> None:
    lines: list[Json] = [f"line {number}" for number in range(200)]
    path = await house.ask(wants("publish", title="Long", lines=lines))
    page = await house.visit()
    await page.add_init_script(f"addEventListener('DOMContentLoaded', () => {_END})")
    await page.goto(path)
    approve = page.get_by_role("button", name="Approve")
    await expect(page.get_by_label("I have read it all")).to_be_visible()
    await expect(approve).to_be_disabled()
    await page.evaluate(_START)
    await at_the_end(page)
    await expect(approve).to_be_enabled()


# requirement: F7
async def test_what_goes_on_to_the_right_was_not_read(open_house: OpenHouse) -> None:
    async with open_house(script, patch) as house:
        page = await house.visit()
        # As it would be if ever a style forgot to break lines.
        await page.route("**/card.css", _unbroken)
        await page.goto(await house.ask(wants("patch", path="/x")))
        approve = page.get_by_role("button", name="Approve")
        await at_the_end(page)
        await expect(approve).to_be_disabled()
        await page.locator(".region-preview .diff").evaluate("e => { e.scrollLeft = 1e6 }")
        await expect(approve).to_be_enabled()


async def _unbroken(route: Any) -> None:
    answer = await route.fetch()
    await route.fulfill(response=answer, body=await answer.text() + ".diff * { white-space: pre }")
