"""Somebody gets a link to one request on their phone."""

import pytest
from playwright.async_api import Page, expect

from tests.browser.axe import serious
from tests.browser.house import House
from tests.browser.office import person, wants
from tests.browser.test_deciding import recorded

HREFS = "all => all.map(each => each.getAttribute('href'))"


async def link(house: House, path: str) -> str:
    """The address that an approver gets."""
    id = path.rpartition("/")[2]
    _, token = await house.assent.people.links.to_decide("approver", id, by=person("admin"))
    return f"/r/{token}"


async def fits(page: Page) -> None:
    """Nothing is beside the screen, and what is pressed is large enough for a thumb."""
    assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    for button in await page.get_by_role("button").all():
        box = await button.bounding_box()
        assert box is None or box["height"] >= 40, await button.inner_text()


# requirement: W2, W3
@pytest.mark.parametrize("script", [True, False], ids=["javascript", "none"])
async def test_a_link_opens_one_request_decides_it_and_is_dead(house: House, script: bool) -> None:
    path = await house.ask(wants("restart", service="mail"))
    other = await house.ask(wants("restart", service="web"))
    address = await link(house, path)
    page = await house.visit(None, phone=True, script=script, path=address)
    await expect(page.get_by_role("heading", name="A request waits for you")).to_be_visible()
    await expect(page.get_by_role("main")).not_to_contain_text("mail")
    await fits(page)
    await page.get_by_role("button", name="Open the request").tap()
    await page.wait_for_url(f"**{path}")
    await expect(page.get_by_role("main")).to_contain_text('"mail"')
    # Only this one: no way to the rest of the house.
    led = await page.locator("a[href^='/']:visible").evaluate_all(HREFS)
    assert {each.partition("?")[0] for each in led} <= {path}
    await expect(page.get_by_role("main")).not_to_contain_text('"web"')
    await fits(page)
    if script:
        assert await serious(page) == []
    await page.get_by_role("button", name="Approve").tap()
    await recorded(page)
    assert await page.locator("a[href^='/']:visible").evaluate_all(HREFS) == []
    assert house.office.ran == [("restart", "mail")]
    [entry] = await house.record("approve")
    assert (entry.actor, entry.channel) == ("approver", "web")
    await page.goto(other)
    await expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    await page.goto(address)
    await expect(page.get_by_role("heading", name="This link cannot be used")).to_be_visible()
    assert (await house.assent.request(other.rpartition("/")[2])).is_open


# requirement: W3
async def test_a_link_to_what_somebody_else_decided_says_so(house: House) -> None:
    path = await house.ask(wants("restart", service="mail"))
    address = await link(house, path)
    page = await house.visit(None, phone=True, path=address)
    elsewhere = await house.visit("admin", path=path)
    await elsewhere.get_by_role("button", name="Approve").click()
    await recorded(elsewhere)
    await page.get_by_role("button", name="Open the request").tap()
    await expect(page.get_by_role("heading", name="This link cannot be used")).to_be_visible()
    assert house.office.ran == [("restart", "mail")]


async def test_who_looks_by_a_link_sees_at_once_that_somebody_was_faster(house: House) -> None:
    path = await house.ask(wants("restart", service="mail"))
    page = await house.visit(None, phone=True, path=await link(house, path))
    await page.get_by_role("button", name="Open the request").tap()
    await expect(page.get_by_role("button", name="Approve")).to_be_enabled()
    elsewhere = await house.visit("admin", path=path)
    await elsewhere.get_by_text("Reject…").click()
    await elsewhere.get_by_role("button", name="Reject", exact=True).click()
    await recorded(elsewhere)
    await expect(page.get_by_role("region", name="Your decision")).to_have_attribute("inert", "")
    assert house.office.ran == []
