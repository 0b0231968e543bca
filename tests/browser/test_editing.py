"""Editing a call before it runs, in the form that its schema makes."""

from playwright.async_api import expect

from tests.browser.house import House
from tests.browser.office import wants
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
