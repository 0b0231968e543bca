"""`make pictures ARGS=FOLDER`: every screen, light and dark, on a desktop and on a phone.

Not a test: the pictures are for looking at. What cannot be reached is said, the rest is taken.
"""

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Page, async_playwright

from tests.browser.house import DESKTOP, PHONE
from tests.browser.month import past
from tests.browser.screens.all import SCREENS
from tests.browser.screens.screen import Screen
from tests.browser.screens.stage import Stage, staged
from tests.browser.screens.visitors import Visitors

ROOT: Final = Path(__file__).parents[2]
SIZES: Final[dict[str, dict[str, Any]]] = {
    "desktop": {"viewport": DESKTOP},
    "phone": {"viewport": PHONE, "device_scale_factor": 2, "has_touch": True},
}
THEMES: Final = ("light", "dark")
TALLEST: Final = 4_000


@dataclass
class Camera:
    """Takes pictures of screens into a folder, in one size."""

    stage: Stage
    visitors: Visitors
    folder: Path
    size: str
    missed: int = 0

    async def take(self, screens: list[Screen]) -> None:
        """All of them, each in both lights."""
        for screen in screens:
            page = await self.visitors.page(screen.account)
            try:
                await screen.reach(self.stage, page)
                await self._shoot(page, screen.name)
            except Exception as error:  # noqa: BLE001 - said, and the others are still taken
                self.missed += 1
                sys.stderr.write(f"{screen.name} {self.size}: {error!r:.300}\n")
        await self.visitors.leave()

    async def _shoot(self, page: Page, name: str) -> None:
        await self._unroll(page)
        for theme in THEMES:
            await page.emulate_media(color_scheme=theme)
            await page.screenshot(path=self.folder / f"{name}-{self.size}-{theme}.png")

    async def _unroll(self, page: Page) -> None:
        """A screen as long as the page: bars that stick to its edges stay at its edges."""
        wide = page.viewport_size or DESKTOP
        long: int = await page.evaluate("document.documentElement.scrollHeight")
        tall = max(wide["height"], min(long, TALLEST))
        await page.set_viewport_size({"width": wide["width"], "height": tall})
        # The first live update; a picture is not an assertion.
        await page.wait_for_timeout(250)


async def _main(folder: Path, only: str) -> int:
    screens, missed = [each for each in SCREENS if each.name.startswith(only)], 0
    with tempfile.TemporaryDirectory() as home:
        month = Path(home, "month.db")
        await past(f"sqlite:///{month}")
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            for size in SIZES:
                # What screens of one size do is not to be seen on those of the other.
                own = shutil.copy(month, Path(home, f"{size}.db"))
                async with staged(f"sqlite:///{own}") as stage:
                    visitors = Visitors(stage, browser, SIZES[size])
                    camera = Camera(stage, visitors, folder, size)
                    await camera.take(screens)
                missed += camera.missed
            await browser.close()
    return 1 if missed else 0


def main() -> int:
    """Take them all; the folder is outside of the repository, so that nothing gets in unseen."""
    parser = argparse.ArgumentParser(prog="make pictures", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="screens whose name begins so")
    given = parser.parse_args()
    if ROOT in (folder := given.folder.resolve()).parents or folder == ROOT:
        parser.error("the folder must be outside of the repository")
    os.environ.setdefault("ASSENT_KEY", "pictures:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
    folder.mkdir(parents=True, exist_ok=True)
    return asyncio.run(_main(folder, given.only))


if __name__ == "__main__":
    sys.exit(main())
