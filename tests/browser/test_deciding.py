"""Deciding in a real browser; what ran, and what the record says, is looked up in the engine."""

from datetime import timedelta

import pytest
from playwright.async_api import Page, expect

from assent.domain.confirmations import DWELL
from tests.browser.house import House
from tests.browser.office import SECRET, wants

BOTH = pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)
PAYMENT = wants("pay", to="Ada", amount=40)


async def recorded(page: Page) -> None:
    """The page says that the decision holds."""
    await expect(page.get_by_role("status").filter(has_text="Recorded")).to_be_visible()


@BOTH
async def test_an_approval_runs_the_call_once(house: House) -> None:
    await house.ask(PAYMENT)
    page = await house.visit(path="/")
    await page.get_by_role("link", name="pay").first.click()
    await page.get_by_role("button", name="Approve").dblclick()
    await recorded(page)
    assert house.office.ran == [("pay", "Ada", 40)]
    [entry] = await house.record("approve")
    assert (entry.actor, entry.channel) == ("user", "web")


async def test_what_is_dangerous_is_asked_twice(house: House) -> None:
    page = await house.visit(path=await house.ask(wants("erase", path="/srv/data")))
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_role("heading", name="Run this now?")).to_be_visible()
    assert house.office.ran == []
    await page.get_by_role("link", name="Go back").click()
    await page.get_by_role("button", name="Approve").click()
    await page.get_by_role("button", name="Yes, run it once").click()
    await recorded(page)
    assert house.office.ran == [("erase", "/srv/data", False)]
    assert len(await house.record("approve")) == 1


# requirement: F5
async def test_what_takes_typing_is_typed_as_it_stands_there(house: House) -> None:
    page = await house.visit(path=await house.ask(wants("transfer", account="DE44", amount=900)))
    await page.get_by_role("button", name="Approve").click()
    typed = page.get_by_label("To approve, type")
    # The page begins with what would run.
    await expect(page.get_by_role("heading", name="Run this now?")).to_be_focused()
    assert await page.evaluate("scrollY") == 0
    # The server wants it to have been before somebody's eyes for a while.
    await page.wait_for_timeout(DWELL / timedelta(milliseconds=1))
    await typed.fill("yes")
    await typed.press("Enter")
    await expect(typed).to_have_attribute("aria-invalid", "true")
    assert house.office.ran == []
    await typed.fill("DE44")
    await page.get_by_role("button", name="Yes, run it once").click()
    await recorded(page)
    assert house.office.ran == [("transfer", "DE44", 900)]


async def test_a_rejection_tells_the_agent_why(house: House) -> None:
    page = await house.visit(path=await house.ask(PAYMENT))
    await page.get_by_text("Reject…").click()
    await page.get_by_label("Reason").fill("Too much for March")
    await page.get_by_role("button", name="Reject", exact=True).click()
    await recorded(page)
    assert house.office.ran == []
    [entry] = await house.record("reject")
    assert (entry.actor, entry.data["reason"]) == ("user", "Too much for March")


async def test_a_form_with_conditional_fields_and_a_secret(house: House) -> None:
    page = await house.visit(path=await house.ask(wants("connect", command="uptime")))
    password = page.get_by_label("Password")
    await expect(password).to_be_hidden()
    await page.get_by_label("Host").fill("NO")
    await page.get_by_label("Method").select_option("password")
    await expect(password).to_be_visible()
    await password.fill(SECRET)
    await page.get_by_role("button", name="Send the answers").click()
    await expect(page.get_by_text("Only small letters").first).to_be_visible()
    assert SECRET not in await page.content()
    await expect(page.get_by_label("Host")).to_have_value("NO")
    await page.get_by_label("Host").fill("db.example")
    await password.fill(SECRET)
    await page.get_by_role("button", name="Send the answers").click()
    await recorded(page)
    assert house.office.ran == [("connect", "db.example", "password", True)]
    assert SECRET not in await page.content()


async def test_a_result_that_a_person_supplies(house: House) -> None:
    page = await house.visit(path=await house.ask(wants("weigh")))
    await page.get_by_role("textbox", name="Result").fill('"heavy"')
    await page.get_by_role("button", name="Supply the result").click()
    await expect(page.get_by_role("alert").first).to_be_visible()
    await page.get_by_role("textbox", name="Result").fill("12")
    await page.get_by_role("button", name="Supply the result").click()
    await recorded(page)
    [entry] = await house.record("supply")
    assert entry.actor == "user"


async def test_a_page_that_is_old_cannot_decide(house: House) -> None:
    path = await house.ask(PAYMENT)
    old, new = await house.visit(path=path, script=False), await house.visit(path=path)
    await new.get_by_text("Reject…").click()
    await new.get_by_role("button", name="Reject", exact=True).click()
    await recorded(new)
    await old.get_by_role("button", name="Approve").click()
    await expect(old.get_by_role("alert")).to_contain_text("already rejected")
    assert house.office.ran == []


async def test_without_javascript_everything_can_be_decided(house: House) -> None:
    page = await house.visit(script=False, path=await house.ask(PAYMENT))
    await page.get_by_role("button", name="Approve").click()
    await recorded(page)
    await page.goto(await house.ask(wants("connect", command="uptime")))
    await page.get_by_label("Host").fill("db.example")
    await page.get_by_label("Method").select_option("key")
    await page.get_by_role("button", name="Send the answers").click()
    await recorded(page)
    await page.goto("/chat")
    await page.get_by_label("Message").fill(wants("erase", path="/srv"))
    await page.get_by_role("button", name="Send").click()
    await page.get_by_role("link", name="Review and decide").click()
    await page.get_by_role("button", name="Approve").click()
    await page.get_by_role("button", name="Yes, run it once").click()
    await expect(page.get_by_text("Done: erased /srv")).to_be_visible()
    assert [name for name, *_ in house.office.ran] == ["pay", "connect", "erase"]


async def test_on_a_phone_nothing_is_cut_off_and_a_decision_is_a_thumb_away(house: House) -> None:
    path = await house.ask(wants("pay", to="Ada " * 40, amount=40))
    page = await house.visit(phone=True, path="/")
    for address in ("/", path, "/chat"):
        await page.goto(address)
        wide = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, address
    await page.goto(path)
    approve = page.get_by_role("button", name="Approve")
    box = await approve.bounding_box()
    assert box is not None
    assert min(box["height"], box["width"]) >= 40
    await approve.tap()
    await recorded(page)
    assert len(house.office.ran) == 1


async def test_signing_in_leads_where_one_wanted_to_go_and_out_again(house: House) -> None:
    path = await house.ask(PAYMENT)
    page = await house.visit(None, phone=True, path=path)
    await page.get_by_label("API key").fill("assent_wrong")
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_be_visible()
    await page.get_by_label("API key").fill(house.keys["user"])
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url(f"**{path}")
    await page.get_by_text("More", exact=True).tap()
    await page.get_by_role("button", name="Sign out").tap()
    await page.wait_for_url("**/sign-in")
    await page.goto(path)
    await expect(page.get_by_label("API key")).to_be_visible()
