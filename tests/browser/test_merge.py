"""A part of a page becomes what the server sends, and keeps what people and scripts did to it."""

from typing import Any

from playwright.async_api import Page

from tests.browser.house import House

# Three versions: what the page has after `act`, what was sent before, and what is sent now.
MERGED = """async ({was, now}) => {
  const { merge } = await import("/static/merge.js");
  const parsed = (text) => new DOMParser().parseFromString(text, "text/html").body;
  const here = document.createElement("div");
  here.innerHTML = was;
  document.querySelector("main").replaceChildren(here);
  const marked = here.querySelector("#same");
  ACT;
  merge(here, parsed(was), parsed(now));
  const values = [...here.querySelectorAll("input, textarea")].map((each) => each.value);
  return { html: here.innerHTML, values, same: here.querySelector("#same") === marked };
}"""


async def merged(page: Page, was: str, now: str, act: str = "") -> dict[str, Any]:
    return await page.evaluate(MERGED.replace("ACT", act), {"was": was, "now": now})


async def test_what_changed_on_the_server_changes_here(house: House) -> None:
    page = await house.visit(path="/settings")
    found = await merged(page, '<p class="a">one</p><i>x</i>', '<p class="b">two</p>')
    assert found["html"] == '<p class="b">two</p>'


async def test_what_scripts_did_stays_where_the_server_changed_nothing(house: House) -> None:
    page = await house.visit(path="/settings")
    found = await merged(
        page,
        "<button>Approve</button><p>1</p>",
        "<button>Approve</button><p>2</p>",
        "here.querySelector('button').disabled = true",
    )
    assert found["html"] == '<button disabled="">Approve</button><p>2</p>'


async def test_what_was_typed_and_opened_stays(house: House) -> None:
    page = await house.visit(path="/settings")
    form = "<details><summary>More</summary><input></details><p>{}</p>"
    found = await merged(
        page,
        form.format(1),
        form.format(2),
        "here.querySelector('details').open = true; here.querySelector('input').value = 'typed'",
    )
    assert found["values"] == ["typed"]
    assert "<details open" in found["html"]
    assert "<p>2</p>" in found["html"]


async def test_rows_come_go_and_change_places_and_stay_the_same_rows(house: House) -> None:
    page = await house.visit(path="/settings")
    found = await merged(
        page,
        '<ul><li id="a">a</li><li id="same">b</li><li id="c">c</li></ul>',
        '<ul><li id="n">n</li><li id="c">c</li><li id="same">b</li></ul>',
    )
    assert found["same"]
    assert found["html"] == (
        '<ul><li id="n" class="fresh">n</li><li id="c">c</li><li id="same">b</li></ul>'
    )


async def test_what_somebody_works_in_is_left_until_they_are_done(house: House) -> None:
    page = await house.visit(path="/settings")
    form = '<form data-keep=""><textarea>{}</textarea></form><p>{}</p>'
    busy = "here.querySelector('textarea').value = 'typed'"
    found = await merged(page, form.format("old", 1), form.format("new", 2), busy)
    assert found["values"] == ["typed"]
    assert "<p>2</p>" in found["html"]
    gone = await merged(page, form.format("old", 1), "<p>2</p>", busy)
    assert gone["values"] == ["typed"]
    idle = await merged(page, form.format("old", 1), "<p>2</p>")
    assert idle["html"] == "<p>2</p>"


async def test_a_countdown_is_its_own(house: House) -> None:
    page = await house.visit(path="/settings")
    text = '<time-left until="2999-01-01T00:00:00Z">{}</time-left>'
    found = await merged(page, text.format("9 min left"), text.format("8 min left"))
    assert "min left" not in found["html"]
