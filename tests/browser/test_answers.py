"""Talking on at the end of an answer, and answers of the service that overtake each other."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

from playwright.async_api import Route, expect

from assent import Risk, tool
from assent.domain.messages import Answer, Delta, Prompt, TextDelta
from assent.testing import ScriptedModel
from tests.browser.conftest import OpenHouse
from tests.browser.office import script, wants
from tests.browser.test_chat import say

# Notes each time that the conversation is active again after it was not.
_WATCHED = """
() => {
  const talk = document.getElementById("talk");
  new MutationObserver(() => {
    if (talk.hasAttribute("data-active")) document.documentElement.dataset.back = "yes";
  }).observe(talk, { attributes: true });
}
"""


async def test_an_answer_that_comes_late_does_not_bring_an_older_page_back(
    open_house: OpenHouse,
) -> None:
    sent, came = asyncio.Event(), asyncio.Event()

    @tool(risk=Risk.MODERATE, requires_approval=True)
    async def ship(what: str) -> str:
        """Ship something."""
        await sent.wait()
        return f"shipped {what}"

    async def overtaken(route: Route) -> None:
        if route.request.method != "POST":
            return await route.continue_()
        # The page as it is right after the approval, while the tool is at work.
        answer = await route.fetch()
        sent.set()
        await came.wait()
        return await route.fulfill(response=answer)

    async with open_house(script, ship) as house:
        page = await house.visit(path="/chat")
        await say(page, wants("ship", what="it"))
        await expect(page.get_by_role("button", name="Approve")).to_be_visible()
        await page.route("**/requests/*", overtaken)
        await page.get_by_role("button", name="Approve").click()
        await expect(page.get_by_text("Done: shipped it")).to_be_visible()
        await expect(page.locator("#talk[data-active]")).to_have_count(0)
        await page.evaluate(_WATCHED)
        came.set()
        # The last thing that the page does about it.
        await expect(page.get_by_role("article", name="Call of ship")).to_be_focused()
        await expect(page.locator("html[data-back]")).to_have_count(0)
        await say(page, "thanks")
        await expect(page.get_by_text("You said: thanks").last).to_be_visible()


class Lingering(ScriptedModel):
    """Says a sentence, and goes on only when it is told to: with more of it, or to its end."""

    def __init__(self, more: str = "") -> None:
        super().__init__(lambda prompt: f"Answer {len(prompt.history)} is this. {more}")
        self.go_on = asyncio.Event()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        answer: Any = await self.request(prompt)
        begun = f"Answer {len(prompt.history)} is this. "
        yield TextDelta(begun)
        await self.go_on.wait()
        if rest := answer.text.removeprefix(begun):
            yield TextDelta(f"{rest} ")
            await asyncio.sleep(3_600)
        yield answer


async def test_a_message_after_the_last_word_of_an_answer_follows_it_unasked(
    open_house: OpenHouse,
) -> None:
    async with open_house(model := Lingering()) as house:
        page = await house.visit(path="/chat")
        await say(page, "hello")
        await expect(page.get_by_text("Answer 1 is this.")).to_be_visible()
        await say(page, "and now?")
        model.go_on.set()
        await expect(page.get_by_text("Answer 3 is this.")).to_be_visible()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await expect(page.get_by_text("and now?")).to_have_count(1)
        assert await house.record("supersede") == []


async def test_a_message_in_the_middle_of_an_answer_asks_first(open_house: OpenHouse) -> None:
    async with open_house(model := Lingering("There is more to say.")) as house:
        page = await house.visit(path="/chat")
        await say(page, "hello")
        await expect(page.get_by_text("Answer 1 is this.")).to_be_visible()
        await say(page, "and now?")
        model.go_on.set()
        await page.get_by_role("button", name="Keep waiting").click()
        await expect(page.get_by_label("Message")).to_have_value("and now?")
        await expect(page.locator(".sending")).to_have_count(0)
        await page.get_by_role("button", name="Stop").click()
        await expect(page.get_by_text("Stopped here.")).to_be_visible()
