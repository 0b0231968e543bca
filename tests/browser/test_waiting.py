"""A conversation that waits: for others, for an answer, for a result; and a message meanwhile."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.house import House
from tests.browser.office import wants
from tests.browser.test_chat import say
from tests.browser.test_deciding import PAYMENT, recorded


async def asked(page: Page) -> None:
    """Somebody's payment waits, and they write again."""
    await say(page, PAYMENT)
    await expect(page.get_by_role("button", name="Approve")).to_be_visible()
    await say(page, "never mind")
    dialog = page.get_by_role("dialog", name="Cancel the pending calls?")
    await expect(dialog).to_be_visible()
    # What loses nothing comes first.
    await expect(dialog.get_by_role("button", name="Keep waiting")).to_be_focused()


@pytest.mark.parametrize("way", ["button", "Escape"])
async def test_keeping_what_waits_sends_nothing_and_loses_no_word(house: House, way: str) -> None:
    page = await house.visit(path="/chat")
    await asked(page)
    if way == "button":
        await page.get_by_role("button", name="Keep waiting").click()
    else:
        await page.keyboard.press(way)
    await expect(page.get_by_role("dialog")).to_have_count(0)
    await expect(page.get_by_label("Message")).to_have_value("never mind")
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_text("Done: paid 40 to Ada")).to_be_visible()
    assert house.office.ran == [("pay", "Ada", 40)]
    # The words are there a moment before their turn has ended.
    await expect(page.get_by_role("status").get_by_text("done", exact=True)).to_be_visible()
    said = page.get_by_role("paragraph").filter(has_text="never mind")
    asks = page.get_by_role("dialog")
    # The answer to the approval may be shown after a newer reading of the page: then the page asks
    # once more, and still nothing is lost.
    for _ in range(5):
        await page.get_by_role("button", name="Send").click()
        await expect(said.or_(asks).first).to_be_visible()
        if not await asks.is_visible():
            break
        await page.keyboard.press("Escape")
        await expect(page.get_by_label("Message")).to_have_value("never mind")
    await expect(said).to_be_visible()
    assert await house.record("supersede") == []


async def test_cancelling_what_waits_sends_the_message_once(house: House) -> None:
    page = await house.visit(path="/chat")
    await asked(page)
    await page.get_by_role("button", name="Cancel them and send").click()
    await expect(page.get_by_role("paragraph").filter(has_text="never mind")).to_have_count(1)
    await expect(page.get_by_label("Message")).to_have_value("")
    await expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    assert house.office.ran == []
    assert len(await house.record("supersede")) == 1


async def test_without_javascript_the_same_is_asked_by_a_box_to_tick(house: House) -> None:
    page = await house.visit(path="/chat", script=False)
    await page.get_by_label("Message").fill(PAYMENT)
    await page.get_by_role("button", name="Send").click()
    await page.get_by_label("Message").fill("never mind")
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("alert")).to_contain_text("still wait")
    await expect(page.get_by_label("Message")).to_have_value("never mind")
    assert await house.record("supersede") == []
    await page.get_by_role("checkbox", name="Cancel the pending calls").check()
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("paragraph").filter(has_text="never mind")).to_be_visible()
    assert len(await house.record("supersede")) == 1


async def test_who_may_not_decide_sees_whom_it_waits_for_and_then_what_came_of_it(
    house: House,
) -> None:
    page = await house.visit(path="/chat")
    await say(page, wants("restart", service="mail"))
    call = page.get_by_role("article", name="Call of restart")
    await expect(call).to_contain_text("Waits for")
    await expect(call).to_contain_text("approver")
    await expect(call.get_by_role("button")).to_have_count(0)
    await expect(page.get_by_role("status").filter(has_text="waits for others")).to_be_visible()
    approver = await house.visit("approver", path="/")
    await approver.get_by_role("link", name="restart").first.click()
    await approver.get_by_role("button", name="Approve").click()
    await recorded(approver)
    await expect(page.get_by_text("Done: restarted mail")).to_be_visible()
    await expect(call).to_contain_text("succeeded")
    await expect(page.get_by_role("status").filter(has_text="waits for others")).to_have_count(0)
    assert house.office.ran == [("restart", "mail")]


async def test_who_may_not_decide_reads_why_it_was_rejected(house: House) -> None:
    page = await house.visit(path="/chat")
    await say(page, wants("restart", service="mail"))
    approver = await house.visit("approver", path="/")
    await approver.get_by_role("link", name="restart").first.click()
    await approver.get_by_text("Reject…").click()
    await approver.get_by_label("Reason").fill("Not during the day")
    await approver.get_by_role("button", name="Reject", exact=True).click()
    await recorded(approver)
    call = page.get_by_role("article", name="Call of restart")
    await expect(call).to_contain_text("rejected")
    await expect(call).to_contain_text("Reason: Not during the day")
    # What the agent was told is worded for agents.
    await expect(call).not_to_contain_text("feedback")
    assert house.office.ran == []


@pytest.mark.parametrize("phone", [True, False], ids=["phone", "desktop"])
async def test_an_answer_is_given_from_the_chat_and_leads_back(house: House, phone: bool) -> None:
    page = await house.visit(phone=phone, path="/chat")
    await page.get_by_label("Message").fill(wants("connect", command="uptime"))
    await page.get_by_role("button", name="Send").click()
    await page.get_by_role("link", name="Open on its own page").click()
    form = page.get_by_role("region", name="Fill in")
    # The form is there at once, and says what it is for.
    await expect(form.get_by_role("heading")).to_be_in_viewport()
    await expect(form.get_by_label("Host")).to_be_in_viewport()
    await expect(form.get_by_text('command="uptime"')).to_be_in_viewport()
    await form.get_by_label("Host").fill("db.example")
    await form.get_by_label("Method").select_option("key")
    await form.get_by_role("button", name="Send the answers").click()
    await page.wait_for_url("**/chat/*")
    await expect(page.get_by_text("Done: connected")).to_be_visible()
    assert house.office.ran == [("connect", "db.example", "key", False)]


@pytest.mark.parametrize("script", [True, False], ids=["javascript", "none"])
async def test_a_result_is_supplied_from_the_chat_and_leads_back(
    house: House, script: bool
) -> None:
    page = await house.visit(phone=True, script=script, path="/chat")
    await page.get_by_label("Message").fill(wants("weigh"))
    await page.get_by_role("button", name="Send").click()
    await page.get_by_role("link", name="Open on its own page").click()
    await expect(page.get_by_role("heading", name="Supply the result")).to_be_in_viewport()
    await page.get_by_role("textbox", name="Result").fill("heavy")
    await page.get_by_role("button", name="Supply the result").click()
    await expect(page.get_by_role("alert").first).to_be_visible()
    await page.get_by_role("textbox", name="Result").fill("12")
    await page.get_by_role("button", name="Supply the result").click()
    await page.wait_for_url("**/chat/*")
    await expect(page.get_by_text("Done: 12")).to_be_visible()
    [entry] = await house.record("supply")
    assert (entry.actor, entry.channel) == ("user", "web")
