"""What happens while somebody looks at a page: others decide, time runs out."""

import asyncio
from contextlib import suppress

import pytest
from playwright.async_api import Locator, Page, expect
from playwright.async_api import TimeoutError as TookTooLong

from assent import Audience, Rule, approve, reject
from assent.domain.policy import Effect
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import person, wants
from tests.browser.test_deciding import BOTH, PAYMENT, recorded


async def closed(page: Page) -> None:
    """Nothing on the page can be pressed to decide any more."""
    decision = page.get_by_role("region", name="Your decision")
    await expect(decision).to_have_attribute("inert", "")


async def test_what_somebody_else_decided_shows_at_once(house: House) -> None:
    path = await house.ask(wants("restart", service="mail"))
    mine, theirs = await house.visit("approver", path=path), await house.visit("admin", path=path)
    await expect(mine.get_by_role("button", name="Approve")).to_be_enabled()
    await theirs.get_by_text("Reject…").click()
    await theirs.get_by_role("button", name="Reject", exact=True).click()
    await recorded(theirs)
    await expect(mine.get_by_role("status").filter(has_text="Rejected by admin")).to_be_visible()
    await closed(mine)
    assert house.office.ran == []


async def pressed(button: Locator) -> None:
    """Press it, unless the page hears first that there is nothing to decide any more."""
    with suppress(TookTooLong):
        await button.click(timeout=3_000)


@BOTH
async def test_of_two_people_at_once_one_decides_and_the_other_learns_it(house: House) -> None:
    for number in range(3):
        path = await house.ask(wants("restart", service=f"mail {number}"))
        yes = await house.visit("admin", path=path)
        no = await house.visit("approver", path=path, script=False)
        await no.get_by_text("Reject…").click()
        await asyncio.gather(
            pressed(yes.get_by_role("button", name="Approve")),
            no.get_by_role("button", name="Reject", exact=True).click(),
        )
        request = await house.assent.request(path.rpartition("/")[2])
        assert not request.is_open
        won = request.status == "approved"
        assert (("restart", f"mail {number}") in house.office.ran) is won
        loser = no if won else yes
        await expect(loser.get_by_text("approved" if won else "rejected").first).to_be_visible()
    decided = await house.record("approve") + await house.record("reject")
    assert len({entry.request_id for entry in decided}) == len(decided) == 3


async def test_what_an_approval_does_is_said_anew_when_others_have_voted(
    open_house: OpenHouse,
) -> None:
    deciders = Audience.of("approver", "admin")
    two = Rule(name="two", effect=Effect.ASK, tools=("pay",), audience=deciders, quorum=2)
    async with open_house(rules=[two]) as house:
        path = await house.ask(PAYMENT)
        page = await house.visit("approver")
        # Once its line is there a page reads itself again: what comes after that is news.
        async with page.expect_response(lambda it: it.request.resource_type == "fetch"):
            await page.goto(path)
        effect = page.locator("#effect-approve")
        await expect(effect).to_contain_text("One of 2 approvals, 1 more to come")
        await page.get_by_text("Reject…").click()
        await page.get_by_label("Reason").fill("Half a thought")
        await house.assent.decide(path.rpartition("/")[2], approve(), by=person("admin"))
        await expect(effect).to_contain_text("The last of 2 approvals")
        await expect(page.get_by_label("Reason")).to_have_value("Half a thought")
        # What it now says is what the button does.
        await page.get_by_role("button", name="Approve").click()
        await recorded(page)
        assert house.office.ran == [("pay", "Ada", 40)]


async def test_time_that_runs_out_while_somebody_looks_closes_the_form(house: House) -> None:
    # The browser is there before the time begins: to start one takes longer than a page.
    page = await house.visit(path="/")
    path = await house.ask(wants("hurry", what="now"))
    await page.goto(path)
    await expect(page.get_by_role("button", name="Approve")).to_be_enabled()
    await expect(page.get_by_role("status").filter(has_text="Expired")).to_be_visible()
    await closed(page)
    assert house.office.ran == []
    assert (await house.assent.request(path.rpartition("/")[2])).status == "expired"


async def test_a_new_request_appears_in_the_inbox_by_itself(house: House) -> None:
    page = await house.visit(path="/")
    await expect(page.get_by_role("link", name="pay")).to_have_count(0)
    path = await house.ask(PAYMENT)
    row = page.locator(f"a[href='{path}']").first
    await expect(row).to_be_visible()
    await expect(page).to_have_title("(1) Inbox · Assent")
    await house.assent.decide(path.rpartition("/")[2], reject(), by=person("user"))
    await expect(row).to_have_count(0)


@pytest.mark.parametrize("account", ["stranger", "auditor"])
async def test_who_may_not_decide_is_offered_nothing(house: House, account: str) -> None:
    page = await house.visit(account, path=await house.ask(PAYMENT))
    await expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    shown = await page.get_by_text("Ada").count()
    assert (shown > 0) is (account == "auditor")
