"""Forms in steps in a real browser, on a desktop and a phone, with and without scripts."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import script as script_of_office
from tests.browser.office import wants
from tests.server.web.parcels import CARD, Carrier

# A browser notes every refusal on its console.
REFUSED = "status of 422"
SHIP = wants("ship", parcel="p1")


async def who(page: Page, name: str = "Bea", country: str = "NO") -> None:
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Country").select_option(country)


async def press(page: Page, name: str) -> None:
    await page.get_by_role("button", name=name, exact=True).click()


async def stands_at(page: Page, step: str, title: str) -> None:
    await expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()
    await expect(page.get_by_role("progressbar", name=step)).to_be_visible()


@pytest.mark.parametrize("script", [True, False])
async def test_a_form_is_begun_on_a_desktop_and_finished_on_a_phone(
    open_house: OpenHouse, script: bool
) -> None:
    carrier = Carrier()
    async with open_house(script_of_office, carrier.tool) as house:
        path = await house.ask(SHIP)
        desktop = await house.visit(path=path, script=script)
        await stands_at(desktop, "Step 1 of 2", "Who gets it")
        await press(desktop, "Next")
        await expect(desktop.get_by_label("Name")).to_be_focused()
        await who(desktop)
        await press(desktop, "Next")
        await stands_at(desktop, "Step 2 of 3", "Customs")

        phone = await house.visit(path=path, script=script, phone=True)
        await stands_at(phone, "Step 2 of 3", "Customs")
        await expect(phone.get_by_text("Your draft from")).to_be_visible()
        await phone.get_by_label("Contents").fill("books")
        await phone.get_by_label("Worth").fill("20")
        await press(phone, "Back")
        await expect(phone.get_by_label("Name")).to_have_value("Bea")
        await press(phone, "Next")
        await expect(phone.get_by_label("Contents")).to_have_value("books")
        await press(phone, "Next")
        await stands_at(phone, "Step 3 of 3", "Payment")
        await phone.get_by_label("Card").fill(CARD)
        await phone.get_by_label("Card").press("Enter")
        await expect(phone.get_by_role("heading", name="Check your answers")).to_be_visible()
        await expect(phone.get_by_text("Entered, not shown")).to_be_visible()
        if script:
            assert await serious(phone, only_colours=False) == []
        await press(phone, "Send the answers")
        await expect(phone.get_by_text("Recorded. Answered.")).to_be_visible()
    assert carrier.shipped == [("Bea", "NO", "", "books", 20, CARD)]


async def test_a_form_is_filled_in_by_keyboard_in_the_conversation(open_house: OpenHouse) -> None:
    carrier = Carrier()
    async with open_house(script_of_office, carrier.tool) as house:
        house.watch.tolerate(REFUSED)
        page = await house.visit(path="/chat")
        await page.get_by_label("Message").fill(SHIP)
        await page.get_by_label("Message").press("Enter")
        await stands_at(page, "Step 1 of 2", "Who gets it")
        await page.evaluate("window.before = true")
        await page.get_by_label("Name").fill("Bea")
        # What is missing is said beside its field, which has the keyboard then.
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert").get_by_text("missing")).to_be_visible()
        await expect(page.get_by_label("Country")).to_be_focused()
        await expect(page.get_by_label("Name")).to_have_value("Bea")
        await page.get_by_label("Country").select_option("DE")
        await page.get_by_label("Name").press("Enter")
        await stands_at(page, "Step 2 of 2", "Payment")
        await expect(page.get_by_role("heading", name="Payment")).to_be_focused()
        await page.keyboard.press("Tab")
        await page.keyboard.type(CARD)
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Check your answers")).to_be_focused()
        await press(page, "Send the answers")
        await expect(page.get_by_text("Done: shipped")).to_be_visible()
        await expect(page.locator("answer-form")).to_have_count(0)
        # All of it on one page that was never left.
        assert await page.evaluate("window.before") is True
    assert carrier.shipped == [("Bea", "DE", "", "", 0, CARD)]


async def test_typed_text_survives_what_happens_in_the_conversation(open_house: OpenHouse) -> None:
    carrier = Carrier()
    async with open_house(script_of_office, carrier.tool) as house:
        turn = await house.say(f"{SHIP}\n{wants('pay', to='Ada', amount=3)}")
        page = await house.visit(path=f"/chat/{turn.conversation_id}")
        await page.get_by_label("Name").fill("Bea, half")
        await page.get_by_label("Message").focus()
        # The other call of the same answer is decided elsewhere: the page is brought up to date.
        other = await house.visit(path=f"/chat/{turn.conversation_id}")
        await press(other, "Approve pay")
        await expect(page.get_by_text("succeeded", exact=True)).to_be_visible()
        await expect(page.get_by_label("Name")).to_have_value("Bea, half")


async def test_a_result_is_supplied_in_the_conversation_without_leaving_it(house: House) -> None:
    house.watch.tolerate(REFUSED)
    turn = await house.say(wants("weigh"))
    page = await house.visit(path=f"/chat/{turn.conversation_id}")
    await page.evaluate("window.before = true")
    await page.get_by_label("Result", exact=True).fill("heavy")
    await press(page, "Supply the result")
    await expect(page.get_by_label("Result", exact=True)).to_be_focused()
    await expect(page.get_by_label("Result", exact=True)).to_have_value("heavy")
    await page.get_by_label("Result", exact=True).fill("12")
    await press(page, "Supply the result")
    await expect(page.get_by_text("Done: 12")).to_be_visible()
    assert await page.evaluate("window.before") is True


async def test_a_form_in_the_conversation_works_on_a_phone_without_scripts(
    open_house: OpenHouse,
) -> None:
    carrier = Carrier()
    async with open_house(script_of_office, carrier.tool) as house:
        turn = await house.say(SHIP)
        page = await house.visit(path=f"/chat/{turn.conversation_id}", phone=True, script=False)
        await who(page, country="DE")
        await press(page, "Next")
        await stands_at(page, "Step 2 of 2", "Payment")
        await page.get_by_label("Card").fill(CARD)
        await press(page, "Next")
        await press(page, "Send the answers")
        await page.wait_for_url(f"**/chat/{turn.conversation_id}*")
        await expect(page.get_by_text("Done: shipped")).to_be_visible()
    assert carrier.shipped == [("Bea", "DE", "", "", 0, CARD)]
