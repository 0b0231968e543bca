"""A screen: something to look at, by people and by axe."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import Locator, Page

from tests.browser.screens.stage import Stage

Way = Callable[[Stage, Page], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Screen:
    """What to see, which template it must come from, the way to it, and who goes it."""

    name: str
    template: str
    way: Way
    account: str | None = "ada"

    async def reach(self, stage: Stage, page: Page) -> None:
        """Go there; `AssertionError` where that ends at another template's page."""
        await self.way(stage, page)
        shown = await page.locator("body").get_attribute("data-page")
        assert shown == self.template, f"{self.name}: {shown} and not {self.template}"


def at(path: str) -> Way:
    """The way to what is always there."""
    return lambda _, page: page.goto(path)


def waiting(tool: str, rest: str = "") -> Way:
    """The way to a request that waits and goes on waiting."""

    async def go(stage: Stage, page: Page) -> None:
        await page.goto(f"/requests/{await stage.waiting(tool)}{rest}")

    return go


PAINTED = """async () => {
  if (document.querySelector("review-guard")) await customElements.whenDefined("review-guard");
  for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
}"""


async def press(button: Locator) -> None:
    """Press a button whose page has to be read first, and wait for what it brings."""
    page = button.page
    # Whether there is something to read is known once it was painted.
    await page.evaluate(PAINTED)
    if await (read := page.get_by_label("I have read it all")).count():
        # Not by hand: on the way down to it everything may be read, and the box be gone.
        await read.first.evaluate("box => box.click()")
    async with page.expect_navigation():
        await button.click()
