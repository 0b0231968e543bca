"""Letters in a real browser: whatever is in them, nothing loads, runs or leads elsewhere."""

from typing import Literal

import pytest
from playwright.async_api import Browser, Request

from assent.presentation.letter import letter
from assent.testing.hostile import DECEPTIONS
from tests.presentation.samples import hostile_card
from tests.presentation.test_surfaces import full_card

URL = "https://assent.example/link/3kq9"
# Letters of many texts are read at once: a page of its own for each takes most of the time.
TEXTS = [*DECEPTIONS.values()]


# requirement: D9
async def test_hostile_text_in_a_letter_loads_and_runs_nothing(browser: Browser) -> None:
    page = await browser.new_page()
    loaded: list[str] = []

    def note(request: Request) -> None:
        loaded.append(request.url)

    page.on("request", note)
    page.on("dialog", lambda dialog: loaded.append(dialog.message))
    for text in TEXTS:
        await page.set_content(letter(hostile_card(text), url=URL).html)
        links = await page.eval_on_selector_all("a, area", "all => all.map((each) => each.href)")
        assert links == [URL]
        assert await page.locator("img, script, iframe, form, svg, link, object").count() == 0
    await page.close()

    assert loaded == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 375, 760, 1280])
async def test_a_letter_fits_every_width_and_follows_the_colours_of_the_screen(
    browser: Browser, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = await browser.new_page(viewport={"width": width, "height": 700}, color_scheme=scheme)

    for made in (full_card(), hostile_card("x" * 500), hostile_card("https://evil.test/" * 20)):
        await page.set_content(letter(made, url=URL).html)
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width
    ground = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    await page.close()

    assert ground == ("rgb(246, 247, 249)" if scheme == "light" else "rgb(14, 17, 22)")
