"""What people keep for all their conversations, and what earlier calls suggest, in a browser."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from playwright.async_api import Page, expect

from assent import Tool
from assent.domain.lifecycle import TurnStatus
from assent.domain.suggestions import Suggest
from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import person, script, wants
from tests.conftest import World
from tests.engine.bureau import Bureau

Ask = Callable[..., Awaitable[None]]
WAYS = [
    pytest.param(phone, js, id=f"{'phone' if phone else 'desktop'}-{'js' if js else 'plain'}")
    for phone in (False, True)
    for js in (True, False)
]


def tools(bureau: Bureau) -> list[Tool]:
    suggest = Suggest("family")
    return [
        bureau.tool(fields=bureau.fields(label="Company", suggest=suggest), family="tax"),
        bureau.tool("amend", fields=bureau.fields(label="Company", suggest=suggest), family="tax"),
    ]


async def asked(house: House, page: Page, name: str = "file_return") -> None:
    await page.goto(await house.ask(wants(name, year=2025)))


async def asked_in_chat(house: House, page: Page, name: str = "file_return") -> None:
    turn = await house.say(wants(name, year=2025))
    await page.goto(f"/chat/{turn.conversation_id}")


PLACES = [pytest.param(asked, id="page"), pytest.param(asked_in_chat, id="chat")]


async def sent(page: Page) -> None:
    await page.get_by_role("button", name="Send the answers").click()
    # On its own page, or in the conversation, which goes on.
    answered, done = page.get_by_text("Input: answered"), page.get_by_text("Done: ")
    await expect(answered.or_(done)).to_be_visible()


async def is_clean(page: Page, *, js: bool) -> None:
    if js:
        assert await serious(page) == []


@pytest.mark.parametrize("ask", PLACES)
@pytest.mark.parametrize(("phone", "js"), WAYS)
async def test_a_suggestion_is_used_with_a_button_and_never_by_itself(
    open_house: OpenHouse, ask: Ask, *, phone: bool, js: bool
) -> None:
    bureau = Bureau()
    async with open_house(script, *tools(bureau)) as house:
        page = await house.visit(phone=phone, script=js)
        await ask(house, page)
        await page.get_by_label("Company").fill("Acme Ltd")
        await page.get_by_label("Only this time").check()
        await sent(page)

        await ask(house, page, "amend")
        await expect(page.get_by_text("Last time:")).to_be_visible()
        await expect(page.get_by_label("Company")).to_have_value("")
        await is_clean(page, js=js)
        # Refused: the form is sent without it, and wants an answer.
        house.watch.tolerate("status of 422")
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("This is required.")).to_be_visible()

        await page.get_by_label("Staff").fill("3")
        await page.get_by_role("button", name="Use it for Company").click()
        await expect(page.get_by_label("Company")).to_have_value("Acme Ltd")
        # What was typed elsewhere is still there, and nothing is decided yet.
        await expect(page.get_by_label("Staff")).to_have_value("3")
        await is_clean(page, js=js)
        await page.get_by_label("Only this time").check()
        await sent(page)
        entries = await house.record("answer")

    assert [each["company"] for each in bureau.given] == ["Acme Ltd", "Acme Ltd"]
    origins: Any = entries[-1].data["origins"]
    assert origins["company"]["source"] == "suggestion"


async def test_a_suggestion_is_seen_no_more_and_that_is_taken_back(open_house: OpenHouse) -> None:
    bureau = Bureau()
    async with open_house(script, *tools(bureau)) as house:
        page = await house.visit()
        await asked(house, page)
        await page.get_by_label("Company").fill("Acme Ltd")
        await page.get_by_label("Only this time").check()
        await sent(page)
        await asked(house, page, "amend")
        await page.get_by_role("button", name="Don’t suggest this again").click()
        await expect(page.get_by_text("Nothing is suggested for that field")).to_be_visible()
        await expect(page.get_by_text("Last time:")).to_have_count(0)
        await page.goto("/settings/preferences")
        await is_clean(page, js=True)
        await page.get_by_role("button", name="Suggest again company").click()
        await expect(page.get_by_text("are back")).to_be_visible()
        await asked(house, page, "amend")
        await expect(page.get_by_text("Last time:")).to_be_visible()


@pytest.mark.parametrize(("phone", "js"), WAYS)
async def test_a_preference_is_made_used_changed_and_deleted(
    open_house: OpenHouse, *, phone: bool, js: bool
) -> None:
    bureau = Bureau()
    async with open_house(script, *tools(bureau)) as house:
        page = await house.visit(phone=phone, script=js)
        await asked(house, page)
        await page.get_by_label("Company").fill("Acme Ltd")
        await page.get_by_label("Pin").fill("canary-77")
        await page.get_by_label("For all my conversations").check()
        await sent(page)
        used = await house.say(wants("amend", year=2024))
        assert used.status is TurnStatus.DONE

        await page.goto("/settings/preferences")
        await expect(page.get_by_text("A secret is there")).to_be_visible()
        assert "canary-77" not in await page.content()
        await is_clean(page, js=js)
        await page.get_by_role("link", name="Change Company").click()
        await is_clean(page, js=js)
        field = page.get_by_role("textbox", name="Company")
        await field.fill("")
        await page.get_by_role("button", name="Keep it").click()
        await expect(page.get_by_text("Enter a value")).to_be_visible()
        await field.fill("Beta Ltd")
        await page.get_by_role("button", name="Keep it").click()
        await expect(page.get_by_role("cell", name="Beta Ltd")).to_be_visible()
        await house.say(wants("amend", year=2023))

        await page.get_by_role("button", name="Delete Company").click()
        await expect(page.get_by_text("Deleted.")).to_be_visible()
        again = await house.say(wants("amend", year=2022))

    assert [each["company"] for each in bureau.given] == ["Acme Ltd", "Acme Ltd", "Beta Ltd"]
    assert [each["pin"] for each in bureau.given] == ["canary-77"] * 3
    assert again.status is TurnStatus.WAITING


@pytest.mark.parametrize("js", [True, False])
async def test_in_a_conversation_too_a_suggestion_can_be_stopped_and_an_answer_kept(
    open_house: OpenHouse, *, js: bool
) -> None:
    bureau = Bureau()
    async with open_house(script, *tools(bureau)) as house:
        page = await house.visit(script=js)
        await asked_in_chat(house, page)
        await page.get_by_label("Company").fill("Acme Ltd")
        await page.get_by_label("Only this time").check()
        await sent(page)
        await asked_in_chat(house, page, "amend")
        await page.get_by_label("Staff").fill("3")
        await page.get_by_role("button", name="Don’t suggest this again").click()
        await expect(page.get_by_text("Last time:")).to_have_count(0)
        await expect(page.get_by_label("Staff")).to_have_value("3")
        await page.get_by_label("Company").fill("Beta Ltd")
        await page.get_by_label("For all my conversations").check()
        await sent(page)
        used = await house.say(wants("amend", year=2024))
    assert used.status is TurnStatus.DONE
    assert [each["company"] for each in bureau.given] == ["Acme Ltd", "Beta Ltd", "Beta Ltd"]


async def test_the_card_says_what_came_from_a_preference(open_house: OpenHouse) -> None:
    bureau = Bureau()
    asking = bureau.tool("amend", bureau.fields(label="Company"), requires_approval=True)
    async with open_house(script, asking) as house:
        preferences = house.assent.people.preferences
        await preferences.set("tool:amend", "company", "Acme", by=person("user"))
        page = await house.visit()
        await asked(house, page, "amend")
        await expect(page.get_by_text("company (from a preference)")).to_be_visible()
        await is_clean(page, js=True)


async def test_the_form_says_that_a_preference_fits_no_more(
    open_house: OpenHouse, world: World
) -> None:
    before, after = Bureau(), Bureau()
    async with world(script, before.tool(fields=before.fields(label="Company"))) as assent:
        preferences = assent.people.preferences
        await preferences.set("tool:file_return", "company", "Acme", by=person("user"))
    stricter = after.tool(fields=after.fields(label="Company", pattern="[0-9]+"))
    async with open_house(script, stricter) as house:
        page = await house.visit()
        await asked(house, page)
        await expect(page.get_by_text("is no longer accepted here")).to_be_visible()
        await expect(page.get_by_label("Company")).to_have_value("")
        await is_clean(page, js=True)
