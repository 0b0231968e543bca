"""What people want to be asked about, said on their settings page, in a browser."""

import pytest
from playwright.async_api import expect

from assent.domain.lifecycle import CallStatus, TurnStatus
from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.office import script, wants

PAGE = "/settings/rules"
PAYS = wants("pay", to="carl", amount=150)


@pytest.mark.parametrize("js", [True, False], ids=["js", "plain"])
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
async def test_somebody_is_asked_less_and_more_as_they_say(
    open_house: OpenHouse, *, phone: bool, js: bool
) -> None:
    async with open_house(script, people_may_allow="moderate") as house:
        page = await house.visit(path=PAGE, phone=phone, script=js)
        await page.get_by_label("Run it without asking me").check()
        await page.get_by_label("About", exact=True).select_option("tool:pay")
        await page.get_by_role("button", name="Add the rule").click()
        await expect(page.get_by_text("Added. It counts from now on.")).to_be_visible()
        unasked = await house.say(PAYS)
        by_another = await house.say(PAYS, by="stranger")

        await page.get_by_label("Always ask me").check()
        await page.get_by_label("About", exact=True).select_option("category:money")
        await page.get_by_label("Argument", exact=True).fill("amount")
        await page.get_by_label("At least", exact=True).fill("ten")
        # What is wrong is said beside its control, and nothing is lost.
        house.watch.tolerate("status of 422")
        await page.get_by_role("button", name="Add the rule").click()
        await expect(page.get_by_text("Enter a number like 100 or 99.99")).to_be_visible()
        await expect(page.get_by_label("Argument", exact=True)).to_have_value("amount")
        if js:
            assert await serious(page) == []
        await page.get_by_label("At least", exact=True).fill("99.99")
        await page.get_by_role("button", name="Add the rule").click()
        asked = await house.say(PAYS)
        await page.goto(f"/requests/{asked.pending[0].id}")
        words = "calls in money with amount of 99.99 or more"
        await expect(page.get_by_text(f"You asked to be asked about {words}.")).to_be_visible()

        # Deleted while the call waits: it waits on, and the next one is not asked about.
        other_device = await house.visit(path=PAGE, phone=not phone, script=js)
        await page.goto(PAGE)
        await page.get_by_role("button", name=f"Delete: Always ask me about {words}").click()
        await expect(page.get_by_text("Deleted. It no longer counts.")).to_be_visible()
        still = await house.assent.turn(asked.id)
        again = await house.say(PAYS)
        # The other device still shows it: there is nothing to delete any more.
        house.watch.tolerate("status of 404")
        await other_device.get_by_role(
            "button", name=f"Delete: Always ask me about {words}"
        ).click()
        await expect(other_device.get_by_role("heading", name="Not found")).to_be_visible()

    assert unasked.calls[0].status is CallStatus.SUCCEEDED
    assert by_another.status is TurnStatus.WAITING
    assert still.status is TurnStatus.WAITING
    assert again.calls[0].status is CallStatus.SUCCEEDED
