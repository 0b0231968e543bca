"""`make pictures ARGS=FOLDER`: every screen, light and dark, on a desktop and on a phone.

Not a test: the pictures are for looking at. What cannot be reached is said, the rest is taken.
"""

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from playwright.async_api import Browser, BrowserContext, Error, Page, async_playwright

from assent import Assent
from assent.server import create_app
from tests.browser.company import PEOPLE, past, present, shop_agent, somebody
from tests.browser.house import DESKTOP, PHONE
from tests.server.conftest import listening

ROOT: Final = Path(__file__).parents[2]
SIZES: Final = {"desktop": DESKTOP, "phone": PHONE}
THEMES: Final = ("light", "dark")
TALLEST: Final = 4_000
Steps = Callable[[Page], Awaitable[object]]


@dataclass(frozen=True)
class Screen:
    """One picture: where, what to do there first, and as whom."""

    name: str
    path: str
    steps: Steps | None = None
    account: str | None = "ada"


async def _second_step(page: Page) -> None:
    await page.get_by_role("button", name="Approve").click()
    await page.wait_for_load_state()


async def _difference(page: Page) -> None:
    await page.get_by_label("amount", exact=True).fill("2.45")
    await page.get_by_role("button", name="Show the difference").click()
    await page.wait_for_load_state()


def screens(ids: dict[str, str]) -> list[Screen]:
    """Every screen; `ids` are the requests that wait, by tool, and a few things more."""
    return [
        Screen("sign-in", "/sign-in", account=None),
        Screen("inbox", "/"),
        Screen("inbox-nothing", "/?tool=nothing"),
        Screen("inbox-first-run", "/", account="margaret"),
        Screen("request-moderate", f"/requests/{ids['send_mail']}"),
        Screen("request-dangerous", f"/requests/{ids['delete_files']}"),
        Screen("request-typed", f"/requests/{ids['restart_service']}"),
        Screen("request-edit", f"/requests/{ids['refund_order']}?do=edit"),
        Screen("request-difference", f"/requests/{ids['refund_order']}?do=edit", _difference),
        Screen("request-input", f"/requests/{ids['copy_database']}"),
        Screen("request-result", f"/requests/{ids['weigh_parcel']}"),
        Screen("request-decided", f"/requests/{ids['decided']}"),
        Screen("confirm", f"/requests/{ids['delete_files']}", _second_step),
        Screen("confirm-typed", f"/requests/{ids['restart_service']}", _second_step),
        Screen("batch", f"/batch?id={ids['refund_order']}&id={ids['refund_order_2']}"),
        Screen("chats", "/chat"),
        Screen("chats-first-run", "/chat", account="grace"),
        Screen("chat-waiting", f"/chat/{ids['conversation']}"),
        Screen("chat-done", f"/chat/{ids['conversation_done']}"),
        Screen("history", "/history"),
        Screen("story", f"/history/{ids['call']}"),
        Screen("audit", "/audit"),
        Screen("insights", "/insights?period=30d"),
        Screen("tools", "/tools"),
        Screen("tool", "/tools/delete_files"),
        Screen("people", "/people"),
        Screen("person", "/people/grace"),
        Screen("keys", "/keys"),
        Screen("settings", "/settings"),
        Screen("not-there", "/requests/req_nothing"),
    ]


async def _known(assent: Assent) -> dict[str, str]:
    """Ids of what the pictures show."""
    waiting = await assent.pending(limit=100)
    ids = {request.tool: request.id for request in waiting}
    refunds = [request.id for request in waiting if request.tool == "refund_order"]
    entries = await assent.audit()
    approved = next(e for e in reversed(entries) if e.action == "approve" and e.request_id)
    mine = [r for r in waiting if r.owner == "ada" and r.kind == "approval"]
    done = next(e for e in reversed(entries) if e.action == "succeed")
    return ids | {
        "refund_order": refunds[0],
        "refund_order_2": refunds[-1],
        "decided": approved.request_id or "",
        "call": approved.call_id or "",
        "conversation": mine[0].conversation_id,
        "conversation_done": done.conversation_id or "",
    }


class Camera:
    """Takes pictures of screens into a folder."""

    def __init__(self, browser: Browser, base: str, keys: dict[str, str], folder: Path) -> None:
        self._browser, self._base, self._keys, self._folder = browser, base, keys, folder
        self.missed = 0

    async def take(self, screens: list[Screen], size: str, theme: str) -> None:
        """All of them in one light and one size."""
        contexts: dict[str | None, BrowserContext] = {}
        for screen in screens:
            if screen.account not in contexts:
                contexts[screen.account] = await self._context(screen.account, size, theme)
            page = await contexts[screen.account].new_page()
            await self._shoot(page, screen, self._folder / f"{screen.name}-{size}-{theme}.png")
            await page.close()
        for context in contexts.values():
            await context.close()

    async def _context(self, account: str | None, size: str, theme: str) -> BrowserContext:
        context = await self._browser.new_context(
            base_url=self._base,
            viewport=SIZES[size],
            color_scheme="dark" if theme == "dark" else "light",
            device_scale_factor=2 if size == "phone" else 1,
            has_touch=size == "phone",
        )
        context.set_default_timeout(15_000)
        if account is not None:
            await context.request.post(
                "/sign-in",
                form={"key": self._keys[account]},
                headers={"Origin": self._base},
                max_redirects=0,
            )
        return context

    async def _shoot(self, page: Page, screen: Screen, file: Path) -> None:
        try:
            answer = await page.goto(screen.path)
            if screen.steps is not None:
                await screen.steps(page)
            await self._unroll(page)
            await page.screenshot(path=file)
        except Error as error:
            self.missed += 1
            sys.stderr.write(f"{file.name}: {error.message.splitlines()[0]}\n")
            return
        if answer is not None and answer.status >= 400 and screen.name != "not-there":
            self.missed += 1
            sys.stderr.write(f"{file.name}: status {answer.status}\n")

    async def _unroll(self, page: Page) -> None:
        """A screen as long as the page: bars that stick to its edges stay at its edges."""
        wide = page.viewport_size or DESKTOP
        long: int = await page.evaluate("document.documentElement.scrollHeight")
        tall = max(wide["height"], min(long, TALLEST))
        await page.set_viewport_size({"width": wide["width"], "height": tall})
        # The first live update; a picture is not an assertion.
        await page.wait_for_timeout(250)


async def _accounts(assent: Assent) -> dict[str, str]:
    keys: dict[str, str] = {}
    for name in PEOPLE:
        await assent.people.add(somebody(name), by=somebody("ada"), name=name.capitalize())
        _, keys[name] = await assent.people.issue_key(name, label="laptop", by=somebody("ada"))
    return keys


async def _main(folder: Path, only: str) -> int:
    with tempfile.TemporaryDirectory() as home:
        url = f"sqlite:///{home}/assent.db"
        await past(url)
        assent = Assent(url, agents=[shop_agent()])
        async with listening(create_app(assent)) as base, async_playwright() as playwright:
            keys = await _accounts(assent)
            await present(assent)
            found = [s for s in screens(await _known(assent)) if s.name.startswith(only)]
            browser = await playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            camera = Camera(browser, base, keys, folder)
            for size in SIZES:
                for theme in THEMES:
                    await camera.take(found, size, theme)
            await browser.close()
    return 1 if camera.missed else 0


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
