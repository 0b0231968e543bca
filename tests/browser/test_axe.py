"""Every page can be used by everybody: axe finds nothing serious, in any light, on any screen."""

import pytest
from playwright.async_api import Page, expect

from assent import Person
from tests.browser.axe import serious
from tests.browser.house import DESKTOP, PHONE, House
from tests.browser.office import wants
from tests.server.web.scene import furnish


async def looked_over(page: Page) -> list[str]:
    """Light and dark, desktop and phone; the whole set of rules once for each layout."""
    found: list[str] = []
    for size in (DESKTOP, PHONE):
        await page.set_viewport_size(size)
        for theme in ("light", "dark"):
            await page.emulate_media(color_scheme=theme)
            lines = await serious(page, only_colours=theme == "dark")
            found += [f"{page.url} {size['width']} {theme}: {line}" for line in lines]
    return found


async def test_signing_in(house: House) -> None:
    links, root = house.assent.people.links, Person("root", roles=frozenset({"admin"}))
    path = await house.ask(wants("pay", to="Ada", amount=40))
    _, to_sign_in = await links.to_sign_in("user", by=root)
    _, to_decide = await links.to_decide("user", path.rpartition("/")[2], by=root)
    page, found = await house.visit(None), list[str]()
    for address in ("/sign-in", f"/sign-in/link/{to_sign_in}", f"/r/{to_decide}", "/r/nothing"):
        await page.goto(address)
        found += await looked_over(page)
    assert found == []


@pytest.mark.parametrize(
    "said",
    [
        wants("pay", to="Ada", amount=40, note="Thanks \u202e for all"),
        wants("erase", path="/srv/data", recursive=True),
        wants("connect", command="uptime"),
        wants("weigh"),
    ],
    ids=["moderate", "dangerous", "input", "result"],
)
async def test_a_request(house: House, said: str) -> None:
    page = await house.visit(path=await house.ask(said))
    for summary in await page.get_by_role("main").locator("summary").all():
        await summary.click()
    assert await looked_over(page) == []


@pytest.mark.parametrize(
    "said",
    [wants("erase", path="/srv"), wants("transfer", account="DE4", amount=1)],
    ids=["step", "typed"],
)
async def test_the_second_step(house: House, said: str) -> None:
    page = await house.visit(path=await house.ask(said))
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_role("button", name="Yes, run it once")).to_be_visible()
    assert await looked_over(page) == []


@pytest.mark.parametrize(
    "paths",
    [
        ("/", "/?tool=nothing", "/chat", "/chat/{conversation}", "/requests/req_nothing"),
        ("/requests/{request}?do=edit", "/batch?id={request}", "/history", "/history/{call}"),
        ("/audit", "/insights"),
        ("/tools", "/tools/erase", "/people", "/people/user", "/keys", "/settings"),
    ],
    ids=["daily", "closer", "looking back", "managing"],
)
async def test_every_page(house: House, paths: tuple[str, ...]) -> None:
    await furnish(house.assent, "admin")
    turn = await house.say(wants("pay", to="Ada", amount=40), by="admin")
    [request] = turn.pending
    page, found = await house.visit("admin"), list[str]()
    for path in paths:
        ids = {"conversation": turn.conversation_id, "call": request.call_id, "request": request.id}
        await page.goto(path.format(**ids))
        found += await looked_over(page)
    assert found == []
