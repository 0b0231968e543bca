"""Moments are by the clock of whoever reads them; without a script they are UTC."""

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from playwright.async_api import Page, expect

from assent import approve
from tests.browser.house import House
from tests.browser.office import person, wants
from tests.browser.test_deciding import PAYMENT

TOKYO = ZoneInfo("Asia/Tokyo")
_UTC = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC")
_TIMES = """all => all.map((each) => ({
  at: each.dateTime, text: each.textContent, title: each.title,
  relative: / (ago|left)$|^just now$/.test(each.textContent),
}))"""


def local(at: str, *, seconds: bool) -> str:
    """A moment as people in Tokyo who read British English write it."""
    moment = datetime.fromisoformat(at).astimezone(TOKYO)
    clock = moment.strftime("%H:%M:%S" if seconds else "%H:%M")
    return f"{moment.day} {moment:%b %Y}, {clock} GMT+9"


async def read(page: Page) -> list[dict[str, str]]:
    """Every moment on the page."""
    await expect(page.locator("time").first).to_be_attached()
    found: list[dict[str, str]] = await page.locator("time").evaluate_all(_TIMES)
    return found


async def paths(house: House) -> list[str]:
    """Pages with moments of every kind."""
    path = await house.ask(PAYMENT)
    done = await house.say(wants("pay", to="Bob", amount=1))
    await house.assent.decide(done.pending[0].id, approve(), by=person("user"))
    call = (await house.assent.request(done.pending[0].id)).call_id
    return [path, "/", "/chat", "/history", f"/history/{call}", "/settings"]


async def test_moments_are_local_and_say_utc_where_somebody_points_at_them(house: House) -> None:
    page = await house.visit(timezone_id="Asia/Tokyo", locale="en-GB")
    seen = 0
    for path in await paths(house):
        await page.goto(path)
        for time in await read(page):
            assert not _UTC.search(time["text"]), (path, time)
            assert _UTC.search(time["title"]), (path, time)
            assert local(time["at"], seconds=True) in time["title"], (path, time)
            if not time["relative"]:
                seen += 1
                shown = {local(time["at"], seconds=each) for each in (True, False)}
                assert time["text"] in shown, (path, time)
    assert seen > 0


async def test_without_a_script_they_are_utc(house: House) -> None:
    page = await house.visit(script=False, timezone_id="Asia/Tokyo", locale="en-GB")
    path = await house.ask(PAYMENT)
    request = await house.assent.request(path.rpartition("/")[2])
    assert request.decide_by is not None
    await page.goto(path)
    until = request.decide_by.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")
    await expect(page.get_by_role("main")).to_contain_text(until)


async def test_a_moment_that_arrives_later_is_local_too(house: House) -> None:
    page = await house.visit("auditor", path="/history", timezone_id="Asia/Tokyo", locale="en-GB")
    await house.ask(PAYMENT)
    await page.goto("/history")
    await page.evaluate(
        """() => {
          const made = document.createElement("time");
          made.dateTime = "2026-01-02T20:04:05+00:00";
          made.textContent = "2026-01-02 20:04:05 UTC";
          document.querySelector("main").append(made);
        }"""
    )
    late = page.locator("time").last
    await expect(late).to_have_text("3 Jan 2026, 05:04:05 GMT+9")
    await late.evaluate("each => (each.firstChild.nodeValue = '2026-01-02 20:04 UTC')")
    await expect(late).to_have_text("3 Jan 2026, 05:04 GMT+9")


@pytest.mark.parametrize("script", [True, False], ids=["javascript", "none"])
async def test_a_links_end_is_local_where_that_is_possible(house: House, script: bool) -> None:
    path = await house.ask(PAYMENT)
    id = path.rpartition("/")[2]
    made, token = await house.assent.people.links.to_decide("user", id, by=person("admin"))
    page = await house.visit(
        None, script=script, path=f"/r/{token}", timezone_id="Asia/Tokyo", locale="en-GB"
    )
    iso = made.expires_at.isoformat()
    utc = made.expires_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    await expect(page.get_by_role("main")).to_contain_text(
        local(iso, seconds=True) if script else utc
    )
