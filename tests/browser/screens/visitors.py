"""Who looks at the screens: a browser for each person, all of one size."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from playwright.async_api import Browser, BrowserContext, Page

from tests.browser.screens.stage import Stage


@dataclass
class Visitors:
    """Goes from screen to screen on one page for each person: to open another costs more.

    `met` is told of every browser before it shows anything.
    """

    stage: Stage
    browser: Browser
    options: Mapping[str, Any]
    met: Callable[[BrowserContext], object] = lambda _: None
    _pages: dict[str | None, Page] = field(default_factory=dict[str | None, Page])

    async def page(self, account: str | None) -> Page:
        """Somebody's own page as it was at first: light, and of the usual size."""
        if account not in self._pages:
            context = await self.stage.context(self.browser, account, **self.options)
            self.met(context)
            self._pages[account] = await context.new_page()
        page = self._pages[account]
        if account is None:
            # Who came in by a link is a stranger again.
            await page.context.clear_cookies()
        await page.set_viewport_size(self.options["viewport"])
        await page.emulate_media(color_scheme="light", reduced_motion="reduce")
        return page

    async def leave(self) -> None:
        """Close them all."""
        for page in self._pages.values():
            await page.context.close()
