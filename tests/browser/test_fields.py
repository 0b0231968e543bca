"""Forms with every control: filled in with and without JavaScript, on a desktop and on a phone."""

import os
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from assent import Field, FieldType, Option, ShowIf, Step, UserInput, tool
from assent.domain.canonical import Json
from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.office import script, wants
from tests.field_samples import ANSWERS, order

ORDERED: list[dict[str, Any]] = []


@pytest.fixture(autouse=True)
def nothing_ordered() -> None:
    ORDERED.clear()


async def fill(page: Page) -> None:
    """Fill in every field but the tables."""
    await page.get_by_label("E-mail").fill(" ada@example.com ")
    await page.get_by_label("Web site").fill("https://example.com/a")
    await page.get_by_label("Telephone").fill("+49 30 1234567")
    await page.get_by_label("Country").select_option("Germany")
    await page.get_by_label("Pick-up time").fill("14:30")
    await page.get_by_label("Date and time").fill("2026-07-01T09:00")
    await page.get_by_label("Amount").fill("12.5")
    await page.get_by_label("Currency").select_option("EUR")
    await page.get_by_label("Query").fill("select\t1\n")
    await page.get_by_label("I agree").check()


async def fill_row(page: Page, number: int, what: str, count: str) -> None:
    await page.get_by_label(f"What, row {number}").fill(what)
    await page.get_by_label(f"Count, row {number}").fill(count)


async def send(page: Page) -> None:
    await page.get_by_role("button", name="Send the answers").click()


async def shot(page: Page, name: str) -> None:
    """A picture for looking at, if somebody asks for one."""
    if folder := os.environ.get("ASSENT_FIELD_PICTURES"):
        await page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.parametrize("phone", [False, True])
async def test_every_control_is_filled_in_with_javascript(
    open_house: OpenHouse, phone: bool
) -> None:
    async with open_house(script, order(ORDERED)) as house:
        theme = "dark" if phone else "light"
        page = await house.visit(phone=phone, theme=theme, timezone_id="Europe/Berlin")
        await page.goto(await house.ask(wants("order")))
        await expect(page.get_by_label("Zone")).to_have_value("Europe/Berlin")
        await fill(page)
        await page.get_by_label("Name, row 1").fill("team")
        await page.get_by_label("Value, row 1").fill("blue")
        await fill_row(page, 1, "desk", "2")
        await page.get_by_label("Urgent, row 1").select_option("Yes")
        await page.get_by_label("Kind, row 1").select_option("Alpha")
        for number, (what, count) in enumerate((("gone", "9"), ("lamp", "3")), 2):
            await page.get_by_role("button", name="More rows").last.click()
            await expect(page.get_by_label(f"What, row {number}")).to_be_focused()
            await fill_row(page, number, what, count)
        await page.get_by_role("button", name="Take away row 2").last.click()
        await expect(page.get_by_label("What, row 3")).to_have_count(0)
        await expect(page.get_by_label("What, row 2")).to_have_value("lamp")
        await shot(page, f"form-{theme}")
        assert await serious(page) == []
        await send(page)
        await expect(page.get_by_text("succeeded")).to_be_visible()
    assert ORDERED == [ANSWERS]


async def test_every_control_is_filled_in_without_javascript(open_house: OpenHouse) -> None:
    async with open_house(script, order(ORDERED)) as house:
        page = await house.visit(script=False)
        await page.goto(await house.ask(wants("order")))
        await fill(page)
        await expect(page.get_by_label("Zone")).to_have_value("UTC")
        await page.get_by_label("Zone").fill("Europe/Berlin")
        for number, (what, count) in enumerate((("desk", "2"), ("lamp", "3"), ("", "")), 1):
            await fill_row(page, number, what, count)
        await page.get_by_label("Urgent, row 1").select_option("Yes")
        await page.get_by_label("Kind, row 1").select_option("Alpha")
        # What was typed stays, and there is more room.
        await page.get_by_role("button", name="More rows").last.click()
        await expect(page.get_by_label("What, row 2")).to_have_value("lamp")
        await expect(page.get_by_label("What, row 5")).to_be_visible()
        await expect(page.get_by_label("I agree")).to_be_checked()
        await page.get_by_label("Name, row 1").fill("team")
        await page.get_by_label("Value, row 1").fill("blue")
        # The Enter key sends the form: it does not ask for more rows.
        await page.get_by_label("Value, row 1").press("Enter")
        await expect(page.get_by_text("succeeded")).to_be_visible()
    assert ORDERED == [ANSWERS]


async def test_what_is_wrong_is_said_beside_its_field_and_what_was_typed_stays(
    open_house: OpenHouse,
) -> None:
    async with open_house(script, order(ORDERED)) as house:
        page = await house.visit(script=False)
        await page.goto(await house.ask(wants("order")))
        await fill(page)
        await page.get_by_label("E-mail").fill("ada")
        await page.get_by_label("Amount").fill("1,250")
        await page.get_by_label("Date and time").fill("2026-10-25T02:30")
        await page.get_by_label("Zone").fill("Europe/Berlin")
        await fill_row(page, 1, "desk", "two")
        await page.get_by_label("I agree").uncheck()
        await send(page)
        for words in (
            "Enter an e-mail address",
            "in digits with a dot",
            "+02:00 for the first, +01:00 for the second",
            "Row 1, Count: Enter a number.",
            "This is required.",
        ):
            await expect(page.get_by_text(words)).to_be_visible()
        await expect(page.get_by_label("Amount")).to_have_value("1,250")
        await expect(page.get_by_label("Zone")).to_have_value("Europe/Berlin")
        await expect(page.get_by_label("Count, row 1")).to_have_value("two")
        await shot(page, "form-wrong")
        assert ORDERED == []


async def test_a_draft_keeps_objects_and_rows(open_house: OpenHouse) -> None:
    async with open_house(script, order(ORDERED)) as house:
        page = await house.visit(timezone_id="Europe/Berlin")
        address = await house.ask(wants("order"))
        await page.goto(address)
        await fill(page)
        await fill_row(page, 1, "desk", "2")
        await page.get_by_role("button", name="Save draft").click()
        await expect(page.get_by_text("Draft saved.")).to_be_visible()
        await page.goto(address)
        await expect(page.get_by_label("Amount")).to_have_value("12.50")
        await expect(page.get_by_label("Zone")).to_have_value("+02:00")
        await expect(page.get_by_label("What, row 1")).to_have_value("desk")
        await expect(page.get_by_label("I agree")).to_be_checked()
        await send(page)
        await expect(page.get_by_text("succeeded")).to_be_visible()
    [given] = ORDERED
    assert given["due"] == ANSWERS["due"]
    assert given["items"] == [{"what": "desk", "count": 2}]


async def test_what_a_model_suggests_is_filled_in_if_it_fits_and_never_agreed_to(
    open_house: OpenHouse,
) -> None:
    suggested: dict[str, Json] = {
        "price": {"amount": "7", "currency": "USD"},
        "due": "2026-07-01T09:00:00Z",
        "items": [{"what": "lamp\u202e", "count": 1}],
        "tags": {"a": 1},
        "terms": True,
    }
    async with open_house(script, order(ORDERED)) as house:
        page = await house.visit()
        await page.goto(await house.ask(wants("order", **suggested)))
        await expect(page.get_by_label("Amount")).to_have_value("7.00")
        await expect(page.get_by_label("Currency")).to_have_value("USD")
        await expect(page.get_by_label("Zone")).to_have_value("+00:00")
        await expect(page.get_by_label("What, row 1")).to_have_value("")
        await expect(page.get_by_label("Name, row 1")).to_have_value("")
        await expect(page.get_by_text("not filled in, because")).to_have_count(2)
        await expect(page.get_by_label("I agree")).not_to_be_checked()


COMPANIES = [Option(f"c-{n}", f"Company {n}") for n in range(200)]


async def test_a_condition_holds_however_its_number_is_written(open_house: OpenHouse) -> None:
    why = Field("why", label="Why none", show_if=ShowIf("count", 0))
    fields = Field("count", label="Count", type=FieldType.NUMBER), why
    async with open_house(script, order(ORDERED, *fields)) as house:
        page = await house.visit(path=await house.ask(wants("order")))
        for typed, is_shown in (("", False), ("0.0", True), ("1", False), ("0,0", True)):
            await page.get_by_label("Count").fill(typed)
            await expect(page.get_by_label("Why none")).to_be_visible(visible=is_shown)
        await page.get_by_label("Why none").fill("closed")
        await send(page)
        await expect(page.get_by_text("succeeded")).to_be_visible()
    assert ORDERED == [{"count": 0, "why": "closed"}]


def search(query: str) -> list[Option]:
    if query == "fail":
        raise RuntimeError("no")
    return [each for each in COMPANIES if query.lower() in each.label.lower()]


COMPANY = Field("company", type=FieldType.SEARCH, label="Company", search=search)


@pytest.mark.parametrize("is_scripted", [True, False])
async def test_a_company_is_searched_for_and_chosen(
    open_house: OpenHouse, is_scripted: bool
) -> None:
    async with open_house(script, order(ORDERED, COMPANY, Field("why"))) as house:
        page = await house.visit(script=is_scripted)
        address = await house.ask(wants("order"))
        await page.goto(address)
        await page.get_by_label("Why").fill("because")
        words, button = (
            page.get_by_label("Search: Company"),
            page.get_by_role("button", name="Search"),
        )
        await words.fill("company 1")
        if not is_scripted:
            await button.click()
        await expect(page.get_by_label("Company 17 ")).to_be_visible()
        # There are more than a page: 111 of them. Without scripts the next replaces it.
        await expect(page.get_by_role("radio")).to_have_count(50)
        await page.get_by_role("button", name="More…").click()
        await expect(page.get_by_label("Company 150 ")).to_be_visible()
        await page.get_by_label("Company 150 ").check()
        await shot(page, f"search-{is_scripted}")
        await words.fill("no such")
        if not is_scripted:
            await button.click()
        # What is chosen stays chosen while others are looked for.
        await expect(page.get_by_role("radio")).to_have_count(1)
        await expect(page.get_by_label("Company 150 ")).to_be_checked()
        if is_scripted:
            assert await serious(page) == []
        await page.get_by_role("button", name="Save draft").click()
        await expect(page.get_by_text("Draft saved.")).to_be_visible()
        await page.goto(address)
        await expect(page.get_by_label("Company 150 ")).to_be_checked()
        await expect(page.get_by_label("Why")).to_have_value("because")
        await words.fill("fail")
        if not is_scripted:
            await button.click()
        await expect(page.get_by_text("search failed").first).to_be_visible()
        if not is_scripted:
            await expect(page.get_by_label("Company 150 ")).to_be_checked()
        await page.goto(address)
        await send(page)
        await expect(page.get_by_text("succeeded")).to_be_visible()
        await page.get_by_role("link", name="History of the call").click()
        await expect(page.get_by_text("Company 150").first).to_be_visible()
    assert ORDERED == [{"company": {"value": "c-150", "label": "Company 150"}, "why": "because"}]


async def test_an_option_that_was_not_offered_is_refused(open_house: OpenHouse) -> None:
    async with open_house(script, order(ORDERED, COMPANY)) as house:
        page = await house.visit(script=False)
        await page.goto(await house.ask(wants("order", company={"value": "c-1", "label": "One"})))
        await page.get_by_role("button", name="Search").click()
        radio = page.get_by_role("radio").first
        await radio.evaluate("each => { each.value = 'c-1'; each.checked = true }")
        await send(page)
        await expect(page.get_by_text("that were found")).to_be_visible()
    assert ORDERED == []


@pytest.mark.parametrize("is_scripted", [True, False])
async def test_a_company_is_searched_for_where_it_was_asked_for(
    open_house: OpenHouse, is_scripted: bool
) -> None:
    steps = [Step("Who", [COMPANY, Field("why")]), Step("More", [Field("note", required=False)])]
    ordered: list[dict[str, Any]] = []

    @tool(name="order", user_input=UserInput("What should be ordered?", steps=steps))
    def ordering(company: dict[str, str], why: str, note: str | None = None) -> str:
        ordered.append({"company": company, "why": why})
        return "ordered"

    async with open_house(script, ordering) as house:
        turn = await house.say(wants("order"))
        page = await house.visit(path=f"/chat/{turn.conversation_id}", script=is_scripted)
        words, button = (
            page.get_by_label("Search: Company"),
            page.get_by_role("button", name="Search"),
        )
        await page.get_by_label("Why").fill("because")
        await words.fill("company 15")
        if not is_scripted:
            await button.click()
        await page.get_by_label("Company 150 ").check()
        await page.get_by_role("button", name="Next").click()
        await expect(page.get_by_role("heading", name="More")).to_be_visible()
        # Back in a step that is complete, a search is still one of that step.
        await page.get_by_role("button", name="Back").click()
        await expect(page.get_by_label("Company 150 ")).to_be_checked()
        await words.fill("fail")
        if not is_scripted:
            await button.click()
        await expect(page.get_by_text("search failed").first).to_be_visible()
        await words.fill("company 16")
        if not is_scripted:
            await button.click()
        await expect(page.get_by_label("Company 160 ")).to_be_visible()
        await shot(page, f"search-chat-{is_scripted}")
        if is_scripted:
            assert await serious(page) == []
        await page.get_by_label("Company 160 ").check()
        await expect(page.get_by_label("Why")).to_have_value("because")
        await page.get_by_role("button", name="Next").click()
        await expect(page.get_by_role("heading", name="More")).to_be_visible()
        await page.get_by_role("button", name="Next").click()
        await send(page)
        await expect(page.get_by_text("Done: ordered")).to_be_visible()
    assert ordered == [{"company": {"value": "c-160", "label": "Company 160"}, "why": "because"}]


async def test_money_and_moments_are_filled_in_where_they_were_asked_for(
    open_house: OpenHouse,
) -> None:
    price = Field("price", type=FieldType.MONEY, label="Price", currencies=["EUR", "USD"])
    due = Field("due", type=FieldType.DATETIME, label="Delivery")
    async with open_house(script, order(ORDERED, price, due)) as house:
        turn = await house.say(wants("order"))
        page = await house.visit(
            path=f"/chat/{turn.conversation_id}", phone=True, timezone_id="Asia/Tokyo"
        )
        await page.get_by_label("Amount").fill("5")
        await page.get_by_label("Date and time").fill("2026-07-01T09:00")
        await expect(page.get_by_label("Zone")).to_have_value("Asia/Tokyo")
        await shot(page, "inline")
        await send(page)
        await expect(page.get_by_text("Done: ordered")).to_be_visible()
    assert ORDERED == [
        {"price": {"amount": "5.00", "currency": "EUR"}, "due": "2026-07-01T09:00:00+09:00"}
    ]


@pytest.mark.parametrize("phone", [False, True])
async def test_what_is_agreed_to_stands_beside_its_box(open_house: OpenHouse, phone: bool) -> None:
    long = "Nothing can be sent back, whatever it is, and whoever has it. " * 3
    terms = Field("terms", type=FieldType.CONSENT, label="I agree to this.", help=long)
    async with open_house(script, order(ORDERED, terms)) as house:
        page = await house.visit(phone=phone, path=await house.ask(wants("order")))
        box = await page.get_by_role("checkbox", name="I agree").bounding_box()
        words = await page.get_by_text("I agree to this.", exact=True).bounding_box()
    assert box is not None
    assert words is not None
    assert words["x"] - (box["x"] + box["width"]) < 24
