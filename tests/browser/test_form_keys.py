"""Forms by keyboard alone, what is announced of them, and what a browser may fill in by itself."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect

from assent import Field, FieldType, Option
from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.office import script, wants
from tests.field_samples import ANSWERS, FIELDS, order
from tests.server.web.parcels import CARD, Carrier

SEARCH = Field("company", type=FieldType.SEARCH, search=lambda _: [Option("c-1", "Acme Corp.")])
PAPER = Field("paper", type=FieldType.FILE, kinds="application/pdf")
# The name of the control that has the keyboard.
NAMED = """() => {
  const { ariaLabel, labels } = document.activeElement;
  return ariaLabel ?? [...(labels ?? [])].map((each) => each.innerText).join(" ");
}"""
# What is announced beside a control: the texts that it is described by.
TOLD = """(each) => (each.getAttribute("aria-describedby") ?? "").split(" ")
  .map((id) => document.getElementById(id)?.innerText ?? "").join(" ")"""


async def tab_to(page: Page, name: str, *, most: int = 12) -> None:
    """Go on with the Tab key until the keyboard is on this control."""
    for _ in range(most):
        await page.keyboard.press("Tab")
        if re.match(name, (await page.evaluate(NAMED)).strip()):
            return
    raise AssertionError(f"no Tab leads to {name!r}: {await page.evaluate(NAMED)!r}")


async def test_every_control_is_reached_filled_in_and_sent_by_keyboard(
    open_house: OpenHouse,
) -> None:
    ordered: list[dict[str, Any]] = []
    async with open_house(script, order(ordered, *FIELDS, SEARCH)) as house:
        page = await house.visit(path=await house.ask(wants("order")), timezone_id="Europe/Berlin")
        await page.get_by_label("E-mail").focus()
        keys = page.keyboard
        await keys.type("ada@example.com")
        await tab_to(page, "Web site")
        await keys.type("https://example.com/a")
        await tab_to(page, "Telephone")
        await keys.type("+49 30 1234567")
        await tab_to(page, "Country")
        await keys.type("Germany")
        await tab_to(page, "Pick-up time")
        await keys.type("1430")
        await tab_to(page, "Date and time")
        # In parts, as this browser has them, whatever the locale of the page.
        await keys.type("07012026")
        await keys.press("Tab")
        await keys.type("0900AM")
        await tab_to(page, "Amount")
        await keys.type("12.5")
        await tab_to(page, "Currency")
        await keys.type("EUR")
        await tab_to(page, "Name, row 1")
        await keys.type("team")
        await tab_to(page, "Value, row 1")
        await keys.type("blue")
        await tab_to(page, "What, row 1")
        await keys.type("desk")
        await tab_to(page, "Count, row 1")
        await keys.type("2")
        await tab_to(page, "Urgent, row 1")
        await keys.type("Yes")
        await tab_to(page, "Kind, row 1")
        await keys.type("Alpha")
        await page.get_by_role("button", name="More rows").last.focus()
        await keys.press("Enter")
        await expect(page.get_by_label("What, row 2")).to_be_focused()
        await keys.type("lamp")
        await tab_to(page, "Count, row 2")
        await keys.type("3")
        await tab_to(page, "Query")
        await keys.type("select 1")
        await tab_to(page, "I agree")
        await keys.press("Space")
        await tab_to(page, "Search: Company")
        await keys.type("acme")
        await expect(page.get_by_role("radio")).to_have_count(1)
        await tab_to(page, "Acme Corp")
        await keys.press("Space")
        await keys.press("Enter")
        await expect(page.get_by_text("succeeded")).to_be_visible()
    company = {"value": "c-1", "label": "Acme Corp."}
    assert ordered == [ANSWERS | {"query": "select 1", "company": company}]


@pytest.mark.parametrize("phone", [False, True])
async def test_what_is_wrong_is_announced_beside_each_control(
    open_house: OpenHouse, phone: bool
) -> None:
    async with open_house(script, order([], *FIELDS, SEARCH, PAPER)) as house:
        house.watch.tolerate("status of 422")
        page = await house.visit(path=await house.ask(wants("order")), phone=phone)
        await page.get_by_label("E-mail").fill("ada")
        await page.get_by_role("button", name="Send the answers").click()
        alert = page.get_by_role("alert").filter(has_text="missing or do not fit")
        await expect(alert).to_be_visible()
        await expect(page.get_by_label("E-mail")).to_be_focused()
        wrong = page.locator("[aria-invalid=true]")
        told = [await each.evaluate(TOLD) for each in await wrong.all()]
        names = [str(await each.get_attribute("name")) for each in await wrong.all()]
        # All but the pairs, which may stay empty.
        wanted = {each.name for each in (*FIELDS, SEARCH, PAPER)} - {"tags"}
        assert {each.partition(".")[2] for each in names} == wanted
        assert [words for words in told if not words.strip()] == []
        # The summary leads to each of them.
        for link in await alert.get_by_role("link").all():
            target = (await link.get_attribute("href") or "").removeprefix("#")
            assert await page.locator(f"[id='{target}']").count() == 1
        assert await serious(page) == []


async def test_a_browser_fills_in_only_what_leaks_nothing(open_house: OpenHouse) -> None:
    plain = (Field("user"), Field("note", type=FieldType.MULTILINE))
    secret = Field("password", type=FieldType.SECRET)
    async with open_house(script, order([], *FIELDS, *plain, secret)) as house:
        page = await house.visit(path=await house.ask(wants("order")))
        controls = page.locator("#answer :is(input, textarea, select):not([type=hidden])")
        asked = {
            str(await each.get_attribute("name")): await each.get_attribute("autocomplete")
            for each in await controls.all()
        }
    helped = {"mail": "email", "site": "url", "phone": "tel", "country": "country"}
    assert {name: asked[f"field.{name}"] for name in helped} == helped
    assert asked["field.password"] == asked["field.query"] == asked["field.user"] == "off"


@pytest.mark.parametrize("phone", [False, True])
async def test_every_step_is_clean_for_axe(open_house: OpenHouse, phone: bool) -> None:
    async with open_house(script, Carrier().tool) as house:
        path = await house.ask(wants("ship", parcel="p1"))
        page = await house.visit(path=path, phone=phone)

        async def on(title: str) -> None:
            assert await serious(page) == []
            await page.get_by_role("button", name="Next", exact=True).click()
            await expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible()

        await page.get_by_label("Name").fill("Bea")
        await page.get_by_label("Country").select_option("NO")
        await on("Customs")
        await page.get_by_label("Contents").fill("books")
        await page.get_by_label("Worth").fill("20")
        await on("Payment")
        await page.get_by_label("Card").fill(CARD)
        await on("Check your answers")
        assert await serious(page) == []


async def test_a_file_goes_up_from_a_phone_with_its_progress(
    open_house: OpenHouse, tmp_path: Path
) -> None:
    photo = Field("photo", type=FieldType.FILE, kinds="image/*")
    picture = tmp_path / "photo.heic"
    # A kind that is not drawn: a picture of half a megabyte would say nothing more here.
    picture.write_bytes(bytes(4) + b"ftypheic" + bytes(700_000))
    async with open_house(script, order([], photo)) as house:
        page = await house.visit(path=await house.ask(wants("order")), phone=True)
        camera = page.get_by_label("Take a photo")
        await expect(camera).to_have_attribute("capture", "environment")
        session = await page.context.new_cdp_session(page)
        slow = {"offline": False, "latency": 0, "downloadThroughput": -1}
        await session.send("Network.emulateNetworkConditions", slow | {"uploadThroughput": 90_000})
        await camera.set_input_files(picture)
        bar = page.get_by_role("progressbar", name="Sending photo.heic")
        await expect(bar).to_be_visible()
        await expect(bar).not_to_have_js_property("value", 0)
        assert await serious(page) == []
        await session.send("Network.emulateNetworkConditions", slow | {"uploadThroughput": -1})
        await expect(page.get_by_role("checkbox", name="photo.heic")).to_be_checked()
        await expect(bar).to_have_count(0)
