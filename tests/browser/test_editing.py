"""Editing a call before it runs, in the form that its schema makes."""

from playwright.async_api import Page, expect

from tests.browser.house import House
from tests.browser.office import wants
from tests.browser.test_busy import OFFLINE, held
from tests.browser.test_deciding import PAYMENT, recorded


async def test_a_wrong_edit_says_so_beside_the_field_and_a_right_one_runs(house: House) -> None:
    page = await house.visit(path=await house.ask(PAYMENT))
    await page.get_by_role("link", name="Edit…").click()
    await page.get_by_label("to", exact=True).fill("Grace")
    amount = page.get_by_label("amount", exact=True)
    await amount.fill("much")
    await page.get_by_role("button", name="Show the difference").click()
    await expect(amount).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_role("alert")).to_be_visible()
    await expect(page.get_by_label("to", exact=True)).to_have_value("Grace")
    await amount.fill("4")
    await page.get_by_role("button", name="Show the difference").click()
    await expect(page.get_by_role("heading", name="What you changed")).to_be_visible()
    assert house.office.ran == []
    await page.get_by_role("button", name="Yes, run it once").click()
    await recorded(page)
    assert house.office.ran == [("pay", "Grace", 4)]
    [entry] = await house.record("approve")
    assert entry.actor == "user"


async def test_rows_of_a_list_come_and_go_in_place(house: House) -> None:
    said = wants("publish", title="News", lines=["one", "two"])
    page = await house.visit(path=await house.ask(said))
    await page.get_by_role("link", name="Edit…").click()
    await page.get_by_label("title", exact=True).fill("Old news")
    address = page.url
    await page.get_by_role("button", name="Add to lines").click()
    await page.get_by_label("lines 3", exact=True).fill("three")
    await page.get_by_role("button", name="Move lines 3 up").click()
    await page.get_by_role("button", name="Remove lines 1").click()
    await expect(page.get_by_label("lines 1", exact=True)).to_have_value("three")
    await expect(page.get_by_label("lines 2", exact=True)).to_have_value("two")
    await expect(page.get_by_label("title", exact=True)).to_have_value("Old news")
    assert page.url == address
    await page.get_by_role("button", name="Show the difference").click()
    await page.get_by_role("button", name="Yes, run it once").click()
    await recorded(page)
    assert house.office.ran == [("publish", "Old news", ["three", "two"])]


async def opened(house: House, *lines: str) -> Page:
    """The edit of a text with these lines, whose posts wait until they are let through."""
    page = await house.visit(path=await house.ask(wants("publish", title="News", lines=[*lines])))
    await page.get_by_role("link", name="Edit…").click()
    return page


async def ran(house: House, page: Page) -> list[str]:
    """Approves the edit as it stands; the lines that were published."""
    await page.get_by_role("button", name="Show the difference").click()
    await page.get_by_role("button", name="Yes, run it once").click()
    await recorded(page)
    [(_, _, lines)] = house.office.ran
    return lines


async def test_a_second_click_before_the_first_came_back_is_carried_out_too(house: House) -> None:
    page, posts = await opened(house, "one", "two", "three"), list[str]()
    go, hold = held(posts)
    await page.route("**/requests/*", hold)
    await page.get_by_role("button", name="Move lines 3 up").click()
    remove = page.get_by_role("button", name="Remove lines 1")
    await remove.click()
    await expect(remove).to_have_attribute("aria-busy", "true")
    go.set()
    await expect(page.get_by_label("lines 3", exact=True)).to_have_count(0)
    await expect(page.locator("#edit [aria-busy]")).to_have_count(0)
    assert await ran(house, page) == ["three", "two"]


async def test_quick_clicks_mean_the_rows_that_were_seen(house: House) -> None:
    page, posts = await opened(house, "one", "two", "three", "four"), list[str]()
    go, hold = held(posts)
    await page.route("**/requests/*", hold)
    # Both rows as they are shown: after the first is gone, the second has another number.
    await page.get_by_role("button", name="Remove lines 1").click()
    await page.get_by_role("button", name="Remove lines 2").click()
    # The same row twice: it can be removed once only.
    await page.get_by_role("button", name="Remove lines 2").click()
    # Up by two places, before either has been seen.
    await page.get_by_role("button", name="Move lines 4 up").dblclick()
    await page.get_by_role("button", name="Add to lines").click()
    go.set()
    await expect(page.locator("#edit[aria-busy]")).to_have_count(0)
    await expect(page.get_by_label("lines 3", exact=True)).to_be_focused()
    await page.get_by_label("lines 3", exact=True).fill("five")
    assert await ran(house, page) == ["four", "three", "five"]


async def test_what_is_typed_while_a_row_moves_is_not_lost(house: House) -> None:
    page, posts = await opened(house, "one", "two"), list[str]()
    go, hold = held(posts)
    await page.route("**/requests/*", hold)
    await page.get_by_role("button", name="Move lines 2 up").click()
    title, line = page.get_by_label("title", exact=True), page.get_by_label("lines 2", exact=True)
    await title.fill("Old news")
    await line.press("End")
    await line.press_sequentially("!!")
    await line.press("ArrowLeft")
    go.set()
    # The line that somebody is in is the first one now, and they are still in it.
    first = page.get_by_label("lines 1", exact=True)
    await expect(first).to_have_value("two!!")
    await expect(first).to_be_focused()
    await page.keyboard.type("?")
    await expect(title).to_have_value("Old news")
    assert await ran(house, page) == ["two!?!", "one"]


async def test_what_is_typed_while_the_view_changes_is_not_lost(house: House) -> None:
    page, posts = await opened(house, "one"), list[str]()
    go, hold = held(posts)
    await page.route("**/requests/*", hold)
    await page.get_by_role("button", name="JSON").click()
    await page.get_by_label("title", exact=True).fill("Old news")
    go.set()
    text = page.get_by_label("Arguments as JSON")
    await expect(text).to_contain_text("Old news")


async def test_enter_while_a_row_goes_shows_the_difference_without_it(house: House) -> None:
    page, posts = await opened(house, "one", "two"), list[str]()
    go, hold = held(posts)
    await page.route("**/requests/*", hold)
    await page.get_by_role("button", name="Remove lines 1").click()
    await page.get_by_label("title", exact=True).press("Enter")
    show = page.get_by_role("button", name="Show the difference")
    await expect(show).to_have_attribute("aria-busy", "true")
    go.set()
    await expect(page.get_by_role("heading", name="What you changed")).to_be_visible()
    await page.get_by_role("button", name="Yes, run it once").click()
    await recorded(page)
    assert house.office.ran == [("publish", "News", ["two"])]


async def test_an_edit_survives_a_broken_line(house: House) -> None:
    for text in OFFLINE:
        house.watch.tolerate(text)
    page = await opened(house, "one", "two")
    await page.get_by_label("title", exact=True).fill("Old news")
    await page.context.set_offline(True)
    await page.get_by_role("button", name="Remove lines 1").click()
    await expect(page.get_by_role("alert")).to_contain_text("could not be reached")
    await page.context.set_offline(False)
    await expect(page.get_by_label("title", exact=True)).to_have_value("Old news")
    await page.get_by_role("button", name="Remove lines 1").click()
    await expect(page.get_by_label("lines 2", exact=True)).to_have_count(0)
    await expect(page.get_by_role("alert")).to_have_count(0)
    assert await ran(house, page) == ["two"]


_PRESSED_AT_ONCE = """
addEventListener("DOMContentLoaded", () => document.querySelector("button[form=sure]")?.click());
"""


async def test_a_press_in_the_first_moment_of_a_page_is_not_lost(house: House) -> None:
    page = await opened(house, "one")
    await page.get_by_label("lines 1", exact=True).fill("two")
    # Scripts have run by then, and nothing is painted yet.
    await page.add_init_script(_PRESSED_AT_ONCE)
    await page.get_by_role("button", name="Show the difference").click()
    await recorded(page)
    assert house.office.ran == [("publish", "News", ["two"])]
