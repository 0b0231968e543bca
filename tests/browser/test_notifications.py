"""Web Notifications, really shown by Chromium; it lists those that its service worker shows."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from assent import approve
from tests.browser.conftest import chromium, launched
from tests.browser.house import House
from tests.browser.office import person, wants

# A browser without windows shows all of its pages at once: that one is out of sight is said here.
_OUT_OF_SIGHT = """
Object.defineProperty(document, "hidden", { get: () => localStorage.getItem("sight") === "none" });
"""
_SHOWN = """navigator.serviceWorker.getRegistration("/")
  .then((found) => found?.getNotifications() ?? [])
  .then((all) => all.map(({ title, body, tag, data }) => ({ title, body, tag, data })))"""
# Shown when they are turned on.
WELCOME = "assent notifications"
SETTINGS = "/settings/notifications"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser() -> AsyncGenerator[Browser]:
    """Chromium's shell without windows shows no notifications."""
    async with launched(chromium(whole=True)) as running:
        yield running


async def settings(house: House, account: str = "approver", **options: Any) -> Page:
    """Somebody's settings, in a browser that lets us notify."""
    page = await house.visit(account, **options)
    await page.context.grant_permissions(["notifications"], origin=house.base)
    await page.context.add_init_script(_OUT_OF_SIGHT)
    await page.goto(SETTINGS)
    return page


async def wanting(house: House, account: str = "approver") -> Page:
    """Somebody who turned notifications on, and then looks at something else."""
    page = await settings(house, account)
    await page.get_by_role("button", name="Turn notifications on").click()
    await expect(page.get_by_role("button", name="Turn notifications off")).to_be_visible()
    await until(page, WELCOME)
    await leave(page)
    return page


async def leave(page: Page, *, back: bool = False) -> None:
    """The page goes out of sight, or comes back."""
    await page.evaluate(
        """(sight) => {
          localStorage.setItem("sight", sight);
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        "full" if back else "none",
    )


async def shown(page: Page) -> list[dict[str, Any]]:
    """What the browser shows of requests."""
    found: list[dict[str, Any]] = await page.evaluate(_SHOWN)
    return [each for each in found if each["tag"] != WELCOME]


async def until(page: Page, tag: str, *, there: bool = True) -> None:
    """Wait until one is shown, or is not any more."""
    # A browser with windows starts its service worker late beside busy loops.
    for _ in range(1_200):
        found: list[dict[str, Any]] = await page.evaluate(_SHOWN)
        if any(each["tag"] == tag for each in found) is there:
            return
        await page.wait_for_timeout(50)
    raise AssertionError(tag)


async def heard(house: House, page: Page) -> None:
    """Something later has arrived: what was to come of anything before it has come."""
    path = await house.ask(wants("restart", service="later"))
    await until(page, path.rpartition("/")[2])


async def test_a_new_request_for_me_is_announced_once_by_its_tool_and_agent_only(
    house: House,
) -> None:
    page = await wanting(house)
    path = await house.ask(wants("restart", service="hunter2"))
    id = path.rpartition("/")[2]
    await until(page, id)
    [one] = await shown(page)
    assert one == {
        "title": "restart waits for you",
        "body": "Asked for by agent",
        "tag": id,
        "data": {"path": path},
    }


async def test_pressing_it_opens_the_request_and_loses_nothing_that_is_open(house: House) -> None:
    page = await wanting(house)
    path = await house.ask(wants("restart", service="mail"))
    await until(page, path.rpartition("/")[2])
    [worker] = page.context.service_workers
    # Only a finger may open a window: what it would open is written down instead.
    opened: list[str] = await worker.evaluate(
        """async () => {
          const opened = [];
          self.clients.openWindow = async (path) => void opened.push(path);
          const all = await self.registration.getNotifications();
          const notification = all.find(({ title }) => title.startsWith("restart"));
          const event = new NotificationEvent("notificationclick", { notification });
          const work = [];
          event.waitUntil = (done) => work.push(done);
          self.dispatchEvent(event);
          await Promise.all(work);
          return opened;
        }"""
    )
    assert opened == [path]
    assert page.url.endswith(SETTINGS)
    await until(page, path.rpartition("/")[2], there=False)


async def test_what_is_not_mine_is_not_announced(house: House) -> None:
    page = await wanting(house)
    # The user's own, which an approver neither sees nor decides.
    await house.ask(wants("pay", to="Ada", amount=40))
    await heard(house, page)
    assert [each["title"] for each in await shown(page)] == ["restart waits for you"]


async def test_what_i_may_see_but_not_decide_is_not_announced(house: House) -> None:
    page = await wanting(house, "user")
    await house.ask(wants("restart", service="mail"))
    path = await house.ask(wants("pay", to="Ada", amount=40))
    id = path.rpartition("/")[2]
    await until(page, id)
    assert [each["title"] for each in await shown(page)] == ["pay waits for you"]


async def test_nothing_is_announced_once_it_is_switched_off(house: House) -> None:
    page = await wanting(house)
    await page.get_by_role("button", name="Turn notifications off").click()
    await expect(page.get_by_role("button", name="Turn notifications on")).to_be_visible()
    inbox = await page.context.new_page()
    await inbox.goto("/")
    path = await house.ask(wants("restart", service="mail"))
    # It has been heard of, here and there.
    await expect(inbox.locator(f"a[href='{path}']").first).to_be_visible()
    assert await shown(page) == []
    # Nor is anything of ours left behind in the browser.
    left = await page.evaluate(
        "navigator.serviceWorker.getRegistrations().then((all) => all.length)"
    )
    assert left == 0


async def test_of_several_tabs_one_announces_and_none_while_one_is_looked_at(house: House) -> None:
    page = await wanting(house)
    await page.reload()
    other = await page.context.new_page()
    await other.goto("/")
    await leave(page)
    await heard(house, page)
    assert len(await shown(page)) == 1
    await leave(other, back=True)
    path = await house.ask(wants("restart", service="mail"))
    await expect(other.locator(f"a[href='{path}']").first).to_be_visible()
    await leave(other)
    await heard(house, page)
    tags = [each["tag"] for each in await shown(page)]
    assert len(tags) == len(set(tags)) == 2
    assert path.rpartition("/")[2] not in tags


async def test_what_is_decided_is_no_longer_announced(house: House) -> None:
    page = await wanting(house)
    path = await house.ask(wants("restart", service="mail"))
    id = path.rpartition("/")[2]
    await until(page, id)
    await house.assent.decide(id, approve(), by=person("admin"))
    await until(page, id, there=False)


async def test_who_refuses_is_told_what_to_do(house: House) -> None:
    page = await house.visit("approver")
    # Without an answer to its question a browser without windows says no.
    await page.context.clear_permissions()
    await page.goto(SETTINGS)
    await page.get_by_role("button", name="Turn notifications on").click()
    await expect(page.get_by_text("blocks notifications of this site")).to_be_visible()
    await expect(page.get_by_role("button", name="Turn notifications on")).to_be_disabled()


@pytest.mark.parametrize("missing", ["Notification", "serviceWorker"])
async def test_a_browser_without_them_says_so(house: House, missing: str) -> None:
    page = await house.visit("approver")
    where = "window" if missing == "Notification" else "Navigator.prototype"
    await page.context.add_init_script(f"delete {where}.{missing}")
    await page.goto(SETTINGS)
    await expect(page.get_by_text("This browser cannot show notifications here")).to_be_visible()
    await expect(page.get_by_role("button", name="Turn notifications on")).to_be_disabled()


async def test_where_a_page_may_not_show_one_itself_it_is_shown_all_the_same(house: House) -> None:
    page = await house.visit("approver", phone=True)
    # As on Android, where only a service worker may.
    await page.context.add_init_script(
        """class Refusing { constructor() { throw new TypeError("Illegal constructor"); } }
        Object.defineProperty(Refusing, "permission", { get: () => "granted" });
        Refusing.requestPermission = async () => "granted";
        window.Notification = Refusing;"""
    )
    await page.context.grant_permissions(["notifications"], origin=house.base)
    await page.goto(SETTINGS)
    await page.get_by_role("button", name="Turn notifications on").tap()
    await until(page, WELCOME)
