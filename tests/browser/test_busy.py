"""While something is being sent: seen, calm, and not sent twice."""

import asyncio
from collections.abc import Awaitable, Callable

from playwright.async_api import Route, expect

from tests.browser.house import House
from tests.browser.office import wants
from tests.browser.test_chat import say
from tests.browser.test_deciding import PAYMENT, recorded

OFFLINE = ("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED", "ERR_FAILED")


def held(posts: list[str]) -> tuple[asyncio.Event, Callable[[Route], Awaitable[None]]]:
    """Lets what is posted go on only when it is told to; writes down what was."""
    go = asyncio.Event()

    async def hold(route: Route) -> None:
        if route.request.method == "POST":
            posts.append(route.request.url)
            await go.wait()
        await route.continue_()

    return go, hold


async def test_a_decision_shows_that_it_is_on_its_way_and_is_sent_once(house: House) -> None:
    path = await house.ask(PAYMENT)
    page, posts = await house.visit(path=path), list[str]()
    go, hold = held(posts)
    await page.route(f"**{path}*", hold)
    approve = page.get_by_role("button", name="Approve")
    # In the page: Playwright looks at one that is being left only when the next one is there.
    busy = await approve.evaluate(
        """async (each) => {
          each.click();
          await new Promise((done) => setTimeout(done, 200));
          each.click();
          await new Promise((done) => setTimeout(done, 200));
          return each.getAttribute("aria-busy");
        }"""
    )
    assert busy == "true"
    go.set()
    await recorded(page)
    assert len(posts) == 1
    assert house.office.ran == [("pay", "Ada", 40)]


async def test_what_is_busy_is_so_no_more_for_who_comes_back(house: House) -> None:
    page = await house.visit(path=await house.ask(PAYMENT))
    await page.get_by_text("Reject…").click()
    await page.get_by_role("button", name="Reject", exact=True).click()
    await recorded(page)
    await page.go_back()
    await expect(page.locator("[aria-busy]")).to_have_count(0)


async def test_a_message_is_there_at_once_and_sent_once(house: House) -> None:
    page, posts = await house.visit(path="/chat"), list[str]()
    await say(page, "hello")
    await expect(page.get_by_text("You said: hello").last).to_be_visible()
    # The page has heard that the answer is complete: what follows is not held up by that.
    await expect(page.locator("#talk[data-active]")).to_have_count(0)
    go, hold = held(posts)
    await page.route("**/chat/*", hold)
    await say(page, "again")
    send = page.get_by_role("button", name="Send")
    await expect(page.locator(".sending")).to_have_text("again")
    await expect(send).to_have_attribute("aria-busy", "true")
    # What is typed meanwhile waits in its field.
    await say(page, "and more")
    await expect(page.get_by_label("Message")).to_have_value("and more")
    go.set()
    await expect(page.get_by_role("paragraph").filter(has_text="You said: again")).to_be_visible()
    await expect(page.locator(".sending, [aria-busy]")).to_have_count(0)
    await expect(page.get_by_label("Message")).to_have_value("and more")
    assert len(posts) == 1


async def test_what_is_sent_before_the_last_picture_is_there_stays_busy(house: House) -> None:
    turn = await house.say("hello")
    page, posts = await house.visit(), list[str]()
    drawn, (go, hold) = asyncio.Event(), held(posts)

    async def draw(route: Route) -> None:
        await drawn.wait()
        await route.continue_()

    await page.route("**/mark*.svg", draw)
    await page.route("**/chat/*", hold)
    await page.goto(f"/chat/{turn.conversation_id}", wait_until="domcontentloaded")
    await say(page, "again")
    send = page.get_by_role("button", name="Send")
    await expect(send).to_have_attribute("aria-busy", "true")
    drawn.set()
    # Only now is the page "shown", in the browser's words.
    await page.wait_for_load_state("load")
    await expect(send).to_have_attribute("aria-busy", "true")
    go.set()
    await expect(page.locator(".sending, [aria-busy]")).to_have_count(0)
    assert len(posts) == 1


async def test_an_approval_in_the_chat_is_sent_once_and_the_keyboard_stays_there(
    house: House,
) -> None:
    page, posts = await house.visit(path="/chat"), list[str]()
    await say(page, PAYMENT)
    approve = page.get_by_role("button", name="Approve")
    await expect(approve).to_be_visible()
    go, hold = held(posts)
    await page.route("**/requests/*", hold)
    await approve.focus()
    await page.keyboard.press("Enter")
    await expect(approve).to_have_attribute("aria-busy", "true")
    await page.keyboard.press("Enter")
    go.set()
    await expect(page.get_by_text("Done: paid 40 to Ada")).to_be_visible()
    await expect(page.get_by_role("article", name="Call of pay")).to_be_focused()
    assert len(posts) == 1
    assert house.office.ran == [("pay", "Ada", 40)]


async def test_a_second_approval_before_the_first_came_back_counts_too(house: House) -> None:
    page, posts = await house.visit(path="/chat"), list[str]()
    await say(page, f"{PAYMENT}\n{wants('pay', to='Grace', amount=7)}")
    both = page.get_by_role("button", name="Approve")
    await expect(both).to_have_count(2)
    go, hold = held(posts)
    await page.route("**/requests/*", hold)
    await both.nth(0).click()
    await both.nth(1).click()
    await expect(page.locator("button[aria-busy]")).to_have_count(2)
    go.set()
    await expect(page.get_by_text("Done: paid 40 to Ada; paid 7 to Grace")).to_be_visible()
    assert len(posts) == 2
    assert sorted(house.office.ran) == [("pay", "Ada", 40), ("pay", "Grace", 7)]


async def test_a_message_that_cannot_be_sent_is_given_back(house: House) -> None:
    for text in OFFLINE:
        house.watch.tolerate(text)
    page = await house.visit(path="/chat")
    await say(page, "hello")
    await expect(page.get_by_text("You said: hello").last).to_be_visible()
    await page.context.set_offline(True)
    await say(page, "again")
    await expect(page.get_by_role("alert")).to_contain_text("could not be sent")
    await expect(page.get_by_label("Message")).to_have_value("again")
    await expect(page.locator(".sending")).to_have_count(0)
    await page.context.set_offline(False)
    await page.get_by_label("Message").press("Enter")
    await expect(page.get_by_role("paragraph").filter(has_text="You said: again")).to_be_visible()


async def test_a_page_that_is_not_live_says_so_until_it_is(house: House) -> None:
    for text in OFFLINE:
        house.watch.tolerate(text)
    page = await house.visit()
    await page.route("**/api/events*", lambda route: route.abort())
    await page.goto("/")
    mark = page.get_by_role("status").filter(has_text="Not live")
    await expect(mark).to_be_visible()
    await page.unroute("**/api/events*")
    await expect(mark).to_have_count(0)
    path = await house.ask(PAYMENT)
    await expect(page.locator(f"a[href='{path}']").first).to_be_visible()
