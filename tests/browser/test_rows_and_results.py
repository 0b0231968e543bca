"""Rows that are added and taken away, results that come page by page, and where the keyboard is."""

from typing import Any

from playwright.async_api import expect

from assent import Field, FieldType, Option
from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.office import script, wants
from tests.field_samples import ITEMS, order

REFUSED = "status of 422"
PAIRS = Field("pairs", label="Pairs", type=FieldType.KEY_VALUE, max_rows=3)
TABLE = Field("items", label="Items", type=FieldType.ROWS, columns=ITEMS)
TOPICS = Field(
    "topics", label="Topics", type=FieldType.MULTI_SELECT, options=[f"t{n}" for n in range(9)]
)


def search(query: str) -> list[Option]:
    """Of 120 companies, those with this in their name."""
    names = [f"Company {n}" for n in range(1, 121)]
    return [Option(f"c-{n}", name) for n, name in enumerate(names, 1) if query in name]


COMPANY = Field("company", label="Company", type=FieldType.SEARCH, search=search, required=False)


async def test_a_table_of_few_rows_grows_to_its_limit_and_again_after_one_is_taken_away(
    open_house: OpenHouse,
) -> None:
    ordered: list[dict[str, Any]] = []
    async with open_house(script, order(ordered, PAIRS)) as house:
        page = await house.visit(path=await house.ask(wants("order")))
        more = page.get_by_role("button", name="More rows")
        for number in (1, 2, 3):
            await page.get_by_label(f"Name, row {number}").fill(f"n{number}")
            await expect(more).to_be_visible(visible=number < 3)
            if number < 3:
                await more.click()
                await expect(page.get_by_label(f"Name, row {number + 1}")).to_be_focused()
        await page.get_by_role("button", name="Take away row 2").click()
        await expect(page.get_by_label("Name, row 2")).to_be_focused()
        await expect(page.get_by_label("Name, row 2")).to_have_value("n3")
        await expect(more).to_be_visible()
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("succeeded")).to_be_visible()
    assert ordered == [{"pairs": {"n1": "", "n3": ""}}]


async def test_the_cell_that_is_wrong_is_marked_and_has_the_keyboard(
    open_house: OpenHouse,
) -> None:
    async with open_house(script, order([], TABLE, PAIRS)) as house:
        house.watch.tolerate(REFUSED)
        page = await house.visit(path=await house.ask(wants("order")))
        await page.get_by_label("What, row 1").fill("desk")
        await page.get_by_label("Count, row 1").fill("two")
        await page.get_by_label("Name, row 1").fill("same")
        await page.get_by_role("button", name="More rows").last.click()
        await page.get_by_label("Name, row 2").fill("same")
        await page.get_by_role("button", name="Send the answers").click()
        wrong = page.get_by_label("Count, row 1")
        await expect(wrong).to_be_focused()
        await expect(wrong).to_have_accessible_description("Row 1, Count: Enter a number.")
        marked = page.locator("td [aria-invalid]")
        await expect(marked).to_have_count(2)
        await expect(marked.last).to_have_accessible_name("Name, row 2")
        await page.get_by_role("button", name="More rows").last.click()
        await expect(marked).to_have_count(2)


async def test_options_of_which_one_is_missing_have_the_keyboard(open_house: OpenHouse) -> None:
    async with open_house(script, order([], TOPICS)) as house:
        house.watch.tolerate(REFUSED)
        page = await house.visit(path=await house.ask(wants("order")))
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_role("checkbox", name="t0")).to_be_focused()
        assert await serious(page) == []


async def test_more_results_come_below_the_first_and_one_that_was_chosen_can_be_given_up(
    open_house: OpenHouse,
) -> None:
    ordered: list[dict[str, Any]] = []
    async with open_house(script, order(ordered, COMPANY, Field("why", label="Why"))) as house:
        page = await house.visit(path=await house.ask(wants("order")))
        words = page.get_by_label("Search: Company")
        said = page.locator("search-options [role=status]")
        await words.fill("Company")
        await expect(said).to_have_text("More was found than is shown: type more, or go on below.")
        await page.get_by_label("Company 39").check()
        await page.get_by_role("button", name="More…").press("Enter")
        await expect(page.get_by_label("Company 51")).to_be_focused()
        await expect(page.get_by_role("radio")).to_have_count(101)
        await page.get_by_role("button", name="More…").press("Enter")
        await expect(page.get_by_label("Company 101")).to_be_focused()
        await expect(said).to_have_text("This is all that was found.")
        await expect(page.get_by_label("Company 39")).to_be_checked()
        await words.fill("no such")
        await expect(said).to_have_text("Nothing else was found.")
        await page.get_by_label("None of them").check()
        await page.get_by_label("Why").fill("because")
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("succeeded")).to_be_visible()
    assert ordered == [{"why": "because"}]
