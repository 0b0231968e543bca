"""A press counts in every moment of a page: before its scripts, during an answer, after it."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.browser.house import House
from tests.browser.office import wants
from tests.browser.test_busy import held
from tests.browser.test_chat import say
from tests.browser.test_editing import opened, ran

_THREE = wants("publish", title="News", lines=["one", "two", "three"])


def late() -> tuple[asyncio.Event, Callable[[Route], Awaitable[None]]]:
    """Lets something come over the network only when it is told to."""
    go = asyncio.Event()

    async def hold(route: Route) -> None:
        await go.wait()
        await route.continue_()

    return go, hold


async def both_pressed(page: Page) -> None:
    """Press two buttons of the edit, one right after the other."""
    await page.get_by_role("button", name="Move lines 3 up").click()
    await page.get_by_role("button", name="Remove lines 1").click()


async def edited(page: Page) -> None:
    """Both were carried out, and the form has nothing left to do."""
    await expect(page.get_by_label("lines 3", exact=True)).to_have_count(0)
    await expect(page.locator("#edit [aria-busy], #edit[aria-busy]")).to_have_count(0)
    await expect(page.get_by_label("lines 1", exact=True)).to_have_value("three")


@pytest.mark.parametrize("script", ["review.js", "shell.js", "editing.js"])
async def test_two_presses_before_the_scripts_are_there_both_count(
    house: House, script: str
) -> None:
    path, page = await house.ask(_THREE), await house.visit()
    go, hold = late()
    await page.route(f"**/{script}", hold)
    await page.goto(f"{path}?do=edit", wait_until="commit")
    await both_pressed(page)
    await expect(page.locator("#edit button[aria-busy=true]")).to_have_count(2)
    # What is typed after the press is sent with it.
    await page.get_by_label("title", exact=True).fill("Old news")
    go.set()
    await edited(page)
    assert await ran(house, page) == ["three", "two"]
    assert house.office.ran[0][1] == "Old news"


async def test_a_press_is_a_plain_one_where_a_script_cannot_be_loaded(house: House) -> None:
    house.watch.tolerate("ERR_FAILED")
    path, page = await house.ask(_THREE), await house.visit()
    go = asyncio.Event()

    async def fail(route: Route) -> None:
        await go.wait()
        await route.abort()

    await page.route("**/review.js", fail)
    await page.goto(f"{path}?do=edit", wait_until="commit")
    await page.get_by_role("button", name="Remove lines 1").click()
    await page.get_by_label("title", exact=True).fill("Old news")
    go.set()
    await expect(page.get_by_label("lines 3", exact=True)).to_have_count(0)
    await expect(page.get_by_label("title", exact=True)).to_have_value("Old news")
    await page.get_by_role("button", name="Show the difference").click()
    await page.get_by_role("button", name="Yes, run it once").click()
    await expect(page.get_by_text("Recorded.")).to_be_visible()
    assert house.office.ran == [("publish", "Old news", ["two", "three"])]


async def test_an_approval_before_the_scripts_are_there_is_given_once(
    house: House,
) -> None:
    path, page = await house.ask(_THREE), await house.visit()
    go, hold = late()
    await page.route("**/review.js", hold)
    await page.goto(path, wait_until="commit")
    approve = page.get_by_role("button", name="Approve")
    await approve.dblclick()
    await expect(approve).to_have_attribute("aria-busy", "true")
    assert house.office.ran == []
    go.set()
    await expect(page.get_by_text("Recorded.")).to_be_visible()
    assert house.office.ran == [("publish", "News", ["one", "two", "three"])]


_OPENS_AT_ITS_END = """
document.addEventListener("readystatechange", () => scrollTo(0, 1e6), { once: true });
"""
_LONG = wants("publish", title="News", lines=[f"line {number}" for number in range(60)])


@pytest.mark.parametrize("seen", [True, False])
async def test_what_was_in_sight_before_the_scripts_counts_as_read(
    house: House, seen: bool
) -> None:
    path, page = await house.ask(_LONG), await house.visit(phone=True)
    go, hold = late()
    await page.route("**/review.js", hold)
    if not seen:
        await page.add_init_script(_OPENS_AT_ITS_END)
    await page.goto(path, wait_until="commit")
    await expect(page.locator("html[data-sights]")).to_have_count(1)
    approve = page.get_by_role("button", name="Approve")
    await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    await expect(page.locator("html[data-sights~='0']")).to_have_count(1 if seen else 0)
    await approve.click()
    go.set()
    if seen:
        await expect(page.get_by_text("Recorded.")).to_be_visible()
    else:
        await expect(page.get_by_text("Read all of it")).to_be_visible()
        await expect(approve).to_be_disabled()
    assert len(house.office.ran) == seen


# Says so in the page once it has read an answer, and whatever follows at once has been done.
_NOTED = """
() => {
  const ask = window.fetch;
  const came = () => (document.documentElement.dataset.came = "yes");
  window.fetch = async (...asked) => {
    const answer = await ask(...asked), text = await answer.clone().text();
    answer.text = async () => (setTimeout(came), text);
    return answer;
  };
}
"""


async def with_the_mouse(page: Page, button: Locator) -> tuple[Callable[[], Awaitable[None]], ...]:
    """The two halves of a click."""
    box = await button.bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    return page.mouse.down, page.mouse.up


async def with_the_keyboard(
    page: Page, button: Locator
) -> tuple[Callable[[], Awaitable[None]], ...]:
    """The two halves of a press of the space bar."""
    await button.focus()
    return (lambda: page.keyboard.down(" ")), (lambda: page.keyboard.up(" "))


@pytest.mark.parametrize("way", [with_the_mouse, with_the_keyboard])
async def test_a_button_that_is_down_when_the_answer_comes_is_still_pressed(
    house: House, way: Callable[..., Awaitable[tuple[Callable[[], Awaitable[None]], ...]]]
) -> None:
    page, posts = await opened(house, "one", "two", "three"), list[str]()
    go, hold = held(posts)
    await page.route("**/requests/*", hold)
    await page.evaluate(_NOTED)
    await page.get_by_role("button", name="Move lines 3 up").click()
    down, up = await way(page, page.get_by_role("button", name="Remove lines 1"))
    await down()
    go.set()
    await expect(page.locator("html[data-came]")).to_have_count(1)
    await up()
    await edited(page)
    assert await ran(house, page) == ["three", "two"]


_PRESSED_AS_IT_COMES = """
() => new MutationObserver((_, watch) => {
  watch.disconnect();
  document.querySelector("#edit button[value='remove:/lines/0']").click();
}).observe(document.querySelector(".matter"), { childList: true })
"""


async def test_a_press_at_the_very_moment_of_the_new_form_counts(house: House) -> None:
    page = await opened(house, "one", "two", "three")
    await page.evaluate(_PRESSED_AS_IT_COMES)
    await page.get_by_role("button", name="Move lines 3 up").click()
    await edited(page)
    assert await ran(house, page) == ["three", "two"]


async def test_enter_before_the_scripts_are_there_sends_the_message(house: House) -> None:
    turn, page = await house.say("hello"), await house.visit()
    go, hold = late()
    await page.route("**/chat.js", hold)
    await page.goto(f"/chat/{turn.conversation_id}", wait_until="commit")
    await say(page, "again")
    go.set()
    await expect(page.get_by_role("paragraph").filter(has_text="You said: again")).to_be_visible()
    await expect(page.get_by_label("Message")).to_have_value("")


async def test_a_press_on_a_machine_without_a_moment_to_spare_counts(house: House) -> None:
    page = await opened(house, "one", "two", "three")
    session = await page.context.new_cdp_session(page)
    await session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    await both_pressed(page)
    await edited(page)
    assert await ran(house, page) == ["three", "two"]
