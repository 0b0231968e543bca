"""The sandbox in a real browser: people talk, press and fill in; foreign text stays text."""

from collections.abc import AsyncGenerator

import discord
import pytest
import pytest_asyncio
from aiohttp import ClientSession, CookieJar
from discord import ui
from playwright.async_api import Browser, Page, async_playwright, expect

from assent.demo.discord_sandbox.message_body import message_body
from assent.demo.discord_sandbox.world import Draft
from assent.testing.hostile import DECEPTIONS
from tests.browser.conftest import chromium
from tests.channels.discord.bots import Bot, eventually, running
from tests.channels.discord.conftest import Place

pytestmark = pytest.mark.xdist_group("browser")
PHONE = {"width": 390, "height": 800}


@pytest_asyncio.fixture
async def browser() -> AsyncGenerator[Browser]:
    async with async_playwright() as playwright:
        options = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
        found = await playwright.chromium.launch(executable_path=chromium(), args=options)
        yield found
        await found.close()


async def opened(browser: Browser, place: Place, **options: object) -> Page:
    context = await browser.new_context(**options)  # pyright: ignore[reportArgumentType]
    page = await context.new_page()
    await page.goto(place.sandbox.page_url)
    await expect(page.get_by_label("Message #general")).to_be_visible()
    return page


async def test_people_talk_press_and_fill_in_a_form(place: Place, browser: Browser):
    class Form(ui.Modal, title="Why?"):
        reason = ui.Label(text="Reason", component=ui.TextInput(custom_id="reason"))

        async def on_submit(self, interaction: discord.Interaction) -> None:
            assert isinstance(self.reason.component, ui.TextInput)
            await interaction.response.edit_message(
                content=f"Because {self.reason.component.value}", view=None
            )

    async def answer(interaction: discord.Interaction) -> None:
        if interaction.type is discord.InteractionType.component:
            await interaction.response.send_modal(Form())

    async with running(Bot(), place.sandbox) as bot:
        bot.answer = answer
        page = await opened(browser, place)
        await page.get_by_label("Message #general").fill("@Assent please decide")
        await page.keyboard.press("Enter")
        heard = await eventually(lambda: bot.heard and bot.heard[0])
        assert heard.content == f"{place.sandbox.bot.mention} please decide"

        view = ui.View(timeout=None)
        view.add_item(ui.Button(label="Decide", custom_id="decide"))
        await heard.channel.send("Yes or **no**?", view=view)
        await page.get_by_role("button", name="Decide").click()
        await page.get_by_label("Reason").fill("it is time")
        await page.get_by_role("button", name="Submit").click()

        await expect(page.get_by_text("Because it is time")).to_be_visible()
        await expect(page.get_by_role("dialog")).to_be_hidden()


async def test_the_page_shows_what_its_person_sees_and_another_person_does_not(
    place: Place, browser: Browser
):
    body = message_body({"content": "only Ada"})
    draft = Draft(author=place.sandbox.bot, body=body, seen_by=place.ada.id)
    place.sandbox.world.post(place.general, draft)
    page = await opened(browser, place)
    await expect(page.get_by_text("only Ada")).to_be_visible()

    await page.get_by_label("Who you are").select_option("Grace")

    await expect(page.get_by_text("only Ada")).to_be_hidden()


async def test_foreign_text_stays_text_and_loads_nothing(place: Place, browser: Browser):
    page = await opened(browser, place)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append("a dialog"))
    texts = [*DECEPTIONS.values(), "[click](javascript:alert(1))", "<img src=x onerror=alert(1)>"]
    for text in filter(str.strip, texts):
        body = message_body({"content": text[:900], "embeds": [{"description": text[:900]}]})
        place.sandbox.world.post(place.general, Draft(author=place.sandbox.bot, body=body))
    marker = message_body({"content": "the end of it"})
    place.sandbox.world.post(place.general, Draft(author=place.ada.user, body=marker))
    await expect(page.get_by_text("the end of it")).to_be_visible()

    assert [url for url in asked if not url.startswith(place.sandbox.origin)] == []
    assert await page.locator(".messages img, .messages script, .messages iframe").count() == 0
    links = await page.locator(".messages a").evaluate_all("all => all.map(each => each.protocol)")
    assert set(links) <= {"http:", "https:"}


async def test_the_page_fits_a_phone(place: Place, browser: Browser):
    embed = {"description": "```\n" + "x" * 500 + "\n```"}
    long = message_body({"content": "word" * 400, "embeds": [embed]})
    place.sandbox.world.post(place.general, Draft(author=place.sandbox.bot, body=long))
    page = await opened(browser, place, viewport=PHONE)

    assert await page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    await page.get_by_role("button", name="Channels").click()
    await expect(page.get_by_role("button", name="general")).to_be_visible()


async def test_nobody_acts_without_the_key_from_elsewhere_or_under_another_name(place: Place):
    origin = place.sandbox.origin
    said = {"as": str(place.ada.id), "channel": str(place.general.id), "text": "hello"}
    async with ClientSession() as stranger:
        assert (await stranger.get(f"{origin}/")).status == 403
        assert (await stranger.get(f"{origin}/?key=wrong")).status == 403
        assert (await stranger.post(f"{origin}/sandbox/say", json=said)).status == 403
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as friend:
        page = await friend.get(place.sandbox.page_url)
        assert (page.status, "key=" in str(page.url)) == (200, False)
        assert "default-src 'none'" in page.headers["Content-Security-Policy"]
        elsewhere = {"Origin": "https://evil.example"}
        refused = await friend.post(f"{origin}/sandbox/say", json=said, headers=elsewhere)
        assert refused.status == 403
        renamed = await friend.get(f"{origin}/", headers={"Host": "evil.example"})
        assert renamed.status == 403
        assert (await friend.post(f"{origin}/sandbox/say", json=said)).status == 200

    assert len(place.ada.messages(place.general)) == 1


async def test_a_problem_is_told_in_words(place: Place):
    async with ClientSession(cookie_jar=CookieJar(unsafe=True)) as friend:
        await friend.get(place.sandbox.page_url)
        said = {"as": str(place.ada.id), "channel": str(place.general.id), "text": "x" * 2001}
        response = await friend.post(f"{place.sandbox.origin}/sandbox/say", json=said)

        assert response.status == 409
        assert (await response.json())["problem"].endswith("Must be 2000 or fewer in length.")
