"""Every screen can be used by everybody: axe finds nothing serious, in any light, at any size."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.browser.axe import serious
from tests.browser.house import DESKTOP, PHONE
from tests.browser.month import past
from tests.browser.screens.all import AREAS, SCREENS
from tests.browser.screens.stage import Stage, staged
from tests.browser.screens.visitors import Visitors
from tests.browser.watch import Watch

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


async def test_every_page_is_on_some_screen() -> None:
    pages = {file.stem for file in TEMPLATES.glob("*.html") if FRAMED in file.read_text()}
    assert pages == {screen.template for screen in SCREENS}


async def test_every_screen_has_a_name_of_its_own() -> None:
    assert len({screen.name for screen in SCREENS}) == len(SCREENS)
