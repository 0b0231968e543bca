"""Every screen can be used by everybody: axe finds nothing serious, in any light, at any size."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.house import DESKTOP, PHONE
from tests.browser.month import past
from tests.browser.office import script, wants
from tests.browser.screens.all import AREAS, SCREENS
from tests.browser.screens.stage import Stage, staged
from tests.browser.screens.unscripted import UNSCRIPTED
from tests.browser.screens.visitors import Visitors
from tests.browser.unscripted import unscripted
from tests.browser.watch import Watch
from tests.field_samples import order

TEMPLATES = Path(__file__).parents[2] / "src/assent/server/web/templates"
FRAMED = '{% extends "frame.html" %}'


async def looked_over(page: Page) -> list[str]:
    """Light and dark, desktop and phone; the whole set of rules once for each layout."""
    found: list[str] = []
    for size in (DESKTOP, PHONE):
        await page.set_viewport_size(size)
        for theme in ("light", "dark"):
            await page.emulate_media(color_scheme=theme)
            lines = await serious(page, only_colours=theme == "dark")
            found += [f"{size['width']} {theme}: {line}" for line in lines]
    return found


@pytest_asyncio.fixture(loop_scope="session")
async def stage(tmp_path: Path) -> AsyncGenerator[Stage]:
    """A company with a few days behind it."""
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    await past(url, days=3, busy=3)
    async with staged(url) as opened:
        yield opened


# A group of its own: the other core goes on with the journeys.
@pytest.mark.xdist_group("axe")
@pytest.mark.parametrize("area", AREAS)
async def test_nothing_serious_is_found_on_any_screen(
    stage: Stage, browser: Browser, area: str
) -> None:
    watch, found = Watch(stage.base), list[str]()
    visitors = Visitors(stage, browser, {"viewport": DESKTOP}, watch.attach)
    for screen in AREAS[area]:
        page = await visitors.page(screen.account)
        await screen.reach(stage, page)
        found += [f"{screen.name} {line}" for line in await looked_over(page)]
    await visitors.leave()
    assert not found, "\n".join(found)
    assert watch.trouble == []


@pytest.mark.xdist_group("axe")
@pytest.mark.parametrize("area", UNSCRIPTED)
async def test_nothing_serious_is_found_where_no_script_ran(
    stage: Stage, browser: Browser, area: str
) -> None:
    watch, found = Watch(stage.base), list[str]()
    visitors = Visitors(stage, browser, {"viewport": DESKTOP}, watch.attach)
    for screen in UNSCRIPTED[area]:
        page = await visitors.page(screen.account)
        async with unscripted(page):
            await screen.reach(stage, page)
        found += [f"{screen.name} {line}" for line in await looked_over(page)]
        assert not await page.evaluate("customElements.get('live-mark')"), screen.name
    await visitors.leave()
    assert not found, "\n".join(found)
    assert watch.trouble == []


@pytest.mark.xdist_group("axe")
async def test_nothing_serious_is_found_in_a_table_where_no_script_ran(
    open_house: OpenHouse,
) -> None:
    async with open_house(script, order([])) as house:
        turn = await house.say(wants("order"))
        page = await house.visit()
        for path in (f"/requests/{turn.pending[0].id}", f"/chat/{turn.conversation_id}"):
            async with unscripted(page):
                await page.goto(path)
                await page.get_by_label("Count, row 1").fill("two")
                await page.get_by_role("button", name="Send the answers").click()
                await page.get_by_text("Row 1, Count: Enter a number.").wait_for()
            assert await looked_over(page) == []


@pytest.mark.xdist_group("axe")
async def test_what_only_a_browser_without_scripts_shows_is_looked_over(browser: Browser) -> None:
    page = await browser.new_page()
    text = "<title>-</title><script>document.title = '!'</script><noscript><input></noscript>"
    await page.route("**", lambda route: route.fulfill(content_type="text/html", body=text))
    async with unscripted(page):
        await page.goto("http://127.0.0.1/")
    found = await serious(page)
    assert await page.title() == "-"
    assert any(line.startswith("label ") for line in found), found
    await page.close()


async def test_every_page_is_on_some_screen() -> None:
    pages = {file.stem for file in TEMPLATES.glob("*.html") if FRAMED in file.read_text()}
    assert pages == {screen.template for screen in SCREENS}


async def test_every_screen_has_a_name_of_its_own() -> None:
    assert len({screen.name for screen in SCREENS}) == len(SCREENS)
