"""Takes the pictures of docs/discord.md: the demo's guild in the sandbox, with real cards.

Run as `python -m tests.channels.discord.pictures FOLDER`.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, Page, async_playwright, expect

from assent import Assent
from assent.demo.accounts import ensure_accounts
from assent.demo.agent import Home, demo_agent
from assent.demo.discord_guild import DemoGuild, demo_guild
from tests.browser.conftest import chromium

DESKTOP = {"width": 1090, "height": 1140}
PHONE = {"width": 400, "height": 860}


async def main(folder: Path) -> None:
    """Play a short story and take a picture of each scene."""
    with tempfile.TemporaryDirectory() as place:
        home = Home(root=Path(place))
        home.furnish()
        async with demo_guild() as guild:
            assent = Assent(
                home.url,
                agents=[demo_agent(home)],
                channels=[guild.channel],
                review_url="https://assent.example.com",
            )
            async with assent:
                await ensure_accounts(assent.people, home.root)
                await guild.link(assent.people)
                await play(guild, folder)


async def play(guild: DemoGuild, folder: Path) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"]
        )
        page = await opened(browser, guild, DESKTOP, "dark")
        await say(page, "write hello.txt: Hello, world!")
        await expect(page.get_by_role("button", name="Approve")).to_be_visible()
        await page.evaluate("document.activeElement.blur()")
        await page.screenshot(path=folder / "discord-card.png")
        await page.get_by_role("button", name="Edit").click()
        await expect(page.get_by_role("dialog")).to_be_visible()
        await page.screenshot(
            path=folder / "discord-edit.png", clip={"x": 275, "y": 285, "width": 540, "height": 570}
        )
        await page.get_by_role("button", name="Cancel").click()
        await page.get_by_role("button", name="Approve").click()
        await expect(page.get_by_role("button", name="Approve")).to_be_hidden()
        phone = await opened(browser, guild, PHONE, "light")
        await phone.get_by_label("Message #general").fill("@Assent delete test.txt and notes.txt")
        await phone.keyboard.press("Enter")
        await expect(phone.get_by_role("button", name="Approve 2")).to_be_visible()
        await phone.screenshot(path=folder / "discord-phone.png")
        await browser.close()


async def opened(browser: Browser, guild: DemoGuild, size: dict[str, int], scheme: str) -> Page:
    options = {"viewport": size, "color_scheme": scheme}
    context = await browser.new_context(**options)  # pyright: ignore[reportArgumentType]
    page = await context.new_page()
    await page.goto(guild.sandbox.page_url)
    await expect(page.get_by_label("Message #general")).to_be_visible()
    return page


async def say(page: Page, text: str) -> None:
    await page.get_by_label("Message #general").fill(f"@Assent {text}")
    await page.keyboard.press("Enter")


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
