"""A call of which nobody knows whether it ran, from the inbox to its story."""

from playwright.async_api import Page, expect

from assent import approve
from tests.browser.house import House
from tests.browser.office import person, wants
from tests.browser.test_deciding import recorded

INVOICE = wants("invoice", customer="Ada")


async def doubted(house: House) -> Page:
    """It was approved and begun, the line went dead; somebody opens it from their inbox."""
    turn = await house.say(INVOICE)
    await house.assent.decide(turn.pending[0].id, approve(), by=person("user"))
    page = await house.visit(path="/")
    await page.get_by_role("link", name="invoice").filter(has_text="Outcome").click()
    await expect(page.get_by_role("heading", name="Outcome unknown")).to_be_visible()
    # Until then it does not count that its top was in sight.
    await page.wait_for_load_state()
    return page


async def story(page: Page) -> str:
    """What the story of the call says."""
    await page.get_by_role("link", name="History of the call").click()
    await expect(page.get_by_role("list", name="What happened")).to_be_visible()
    return await page.get_by_role("main").inner_text()


async def conversation(page: Page) -> None:
    """From the story to where the agent was asked."""
    await page.get_by_role("link", name="Open", exact=True).click()
    await expect(page.get_by_role("article", name="Call of invoice")).to_be_visible()


# requirement: R11
async def test_its_page_says_what_is_known_and_nothing_runs_meanwhile(house: House) -> None:
    page = await doubted(house)
    for words in (
        "the line went dead after sending",
        "how it ended is unknown",
        "Check where it would have left a trace",
        '"Ada"',
    ):
        await expect(page.get_by_role("main")).to_contain_text(words)
    assert house.office.ran == [("invoice", "Ada")]


# requirement: R11
async def test_who_found_that_it_ran_gives_its_result_and_the_agent_goes_on(house: House) -> None:
    page = await doubted(house)
    await page.get_by_label("Its result").fill("number 77")
    await page.get_by_role("button", name="It ran").click()
    await recorded(page)
    told = await story(page)
    assert "Confirmed: it did run" in told
    assert "number 77" in told
    await conversation(page)
    await expect(page.get_by_text("Done: number 77")).to_be_visible()
    assert house.office.ran == [("invoice", "Ada")]


# requirement: R11
async def test_who_found_that_it_did_not_run_can_leave_it(house: House) -> None:
    page = await doubted(house)
    await page.get_by_text("Leave it…").click()
    await page.get_by_label("Reason").fill("Not in the ledger")
    await page.get_by_role("button", name="It did not run, leave it").click()
    await recorded(page)
    assert "Not in the ledger" in await story(page)
    await conversation(page)
    await expect(page.get_by_role("article", name="Call of invoice")).to_contain_text("failed")
    await expect(page.get_by_role("main")).to_contain_text("Done: ")
    assert house.office.ran == [("invoice", "Ada")]


# requirement: R11
async def test_running_it_now_is_asked_twice_and_runs_once(house: House) -> None:
    page = await doubted(house)
    await page.get_by_role("button", name="Run it now…").click()
    await expect(page.get_by_role("heading", name="Run it now, after all?")).to_be_visible()
    assert len(house.office.ran) == 1
    await page.get_by_role("button", name="Yes, run it once").dblclick()
    await recorded(page)
    await story(page)
    await conversation(page)
    await expect(page.get_by_text("Done: invoiced Ada")).to_be_visible()
    assert house.office.ran == [("invoice", "Ada")] * 2
    [again] = await house.record("run_again")
    assert (again.actor, again.channel) == ("user", "web")


async def test_the_chat_says_it_too_and_leads_there_and_back(house: House) -> None:
    page = await house.visit(phone=True, path="/chat")
    await page.get_by_label("Message").fill(INVOICE)
    await page.get_by_role("button", name="Send").tap()
    await page.get_by_role("button", name="Approve").tap()
    call = page.get_by_role("article", name="Call of invoice")
    await expect(call).to_contain_text("how it ended is unknown: the line went dead")
    await call.get_by_role("link", name="Say what happened").tap()
    await expect(page.get_by_role("heading", name="What happened?")).to_be_in_viewport()
    await page.get_by_label("Its result").fill("number 77")
    await page.get_by_role("button", name="It ran").tap()
    await expect(page.get_by_text("Done: number 77")).to_be_in_viewport()
