"""Deceptions where `innerText` does not look: in controls, in hints, and behind a model's links."""

import unicodedata
from typing import Any

from playwright.async_api import Page, expect

from assent import Field, UserInput, schema_tool
from assent.domain.canonical import Json
from assent.domain.fields import FieldType
from assent.domain.messages import ModelSaid, Prompt, UserSaid
from assent.models.scripted import ScriptStep
from assent.testing import calls, says
from assent.testing.hostile import is_unseen
from tests.browser.conftest import OpenHouse
from tests.browser.test_hostile import TEXTS

# What people read that is no text of the page: what controls hold and offer, and what hints say.
_HELD = """
() => [
  ...[...document.querySelectorAll("input, textarea")]
    .filter((each) => !["hidden", "checkbox", "radio", "password"].includes(each.type))
    .map((each) => each.value),
  ...[...document.querySelectorAll("option")].map((each) => each.text),
  ...["title", "aria-label", "placeholder", "alt", "label"].flatMap((name) =>
    [...document.querySelectorAll(`[${name}]`)].map((each) => each.getAttribute(name))),
]
"""
# A model's links: where each leads, and what is written in it and beside it.
_LINKS = """
() => [...document.querySelectorAll(".prose a[href]")].map((each) => ({
  to: each.getAttribute("href"), says: each.innerText,
  told: each.nextElementSibling?.matches(".address") ? each.nextElementSibling.innerText : "",
}))
"""
_AWAY = """
() => [...document.querySelectorAll("a[href], area[href], img, form[action]")]
  .filter((each) => !each.closest(".prose"))
  .map((each) => each.href ?? each.action ?? each.src)
  .filter((each) => !each.startsWith(location.origin))
"""
LINKS = {
    "another address": "[https://bank.example/login](https://evil.test/login)",
    "our own words": "[Approve](https://evil.test/approve)",
    "turned around": "[ap\u202eevorp](https://evil.test/turned)",
    "a picture": "![Approved](https://evil.test/picture.png)",
    "itself": "<https://evil.test/itself>",
    "a name before the host": "[x](https://bank.example@evil.test/)",
    "no scheme": "[x](//evil.test/)",
    "a script": "[x](javascript:alert(1)) [y](data:text/html,hello)",
}


async def unveiled(page: Page) -> None:
    """Whatever controls and hints hold can be seen."""
    held: list[str] = await page.evaluate(_HELD)
    hidden = {hex(ord(c)) for each in held for c in each if is_unseen(c) and c not in "\n\t"}
    assert hidden == set(), page.url


def asking(number: int) -> Any:
    """A tool with a form of one field for every text of a batch."""
    kinds = (FieldType.TEXT, FieldType.MULTILINE)
    names = [f"f{place}" for place in range(len(TEXTS[number]))]
    fields = [Field(name, type=kinds[place % 2]) for place, name in enumerate(names)]

    async def ask(_: Any, given: Any) -> str:
        return str(given)

    parameters: dict[str, Json] = {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": [*names],
    }
    form = UserInput("Fill in", fields=fields)
    return schema_tool(
        f"ask{number}", description="Ask.", parameters=parameters, execute=ask, user_input=form
    )


def filling(prompt: Prompt) -> ScriptStep:
    """Fills a batch of texts into a form, or wants to publish them."""
    [*_, said] = [each for each in prompt.history if isinstance(each, UserSaid)]
    name, _, number = said.text.partition(" ")
    texts = TEXTS[int(number)]
    if isinstance(prompt.history[-1], ModelSaid):
        return "Done."
    if name == "ask":
        given = {f"f{place}": text for place, text in enumerate(texts)}
        return says("", calls(f"ask{number}", dict[str, Json](given)))
    return says("", calls("publish", title=texts[0], lines=list[Json](texts)))


def linking(_: Prompt) -> ScriptStep:
    """Says nothing but links, and wants to publish them."""
    return says("\n\n".join(LINKS.values()), calls("publish", title="x", lines=[*LINKS.values()]))


# requirement: D5, D9
async def test_what_an_agent_fills_into_a_form_can_be_seen(open_house: OpenHouse) -> None:
    numbers = range(len(TEXTS))
    async with open_house(filling, *map(asking, numbers)) as house:
        page = await house.visit()
        for number in numbers:
            await page.goto(await house.ask(f"ask {number}"))
            await expect(page.get_by_role("button", name="Send the answers")).to_be_visible()
            await unveiled(page)
            shown = await page.evaluate("document.body.innerText")
            for text in TEXTS[number]:
                # Seen beside the control, by its number, whatever is in there.
                marks = {f"U+{ord(c):04X}" for c in text if unicodedata.category(c) == "Cf"}
                assert {mark for mark in marks if mark not in shown} == set()
                assert ("rm -rf /" in text) <= ("rm -rf /" in shown)


# requirement: D5, D9
async def test_what_is_edited_can_be_seen(open_house: OpenHouse) -> None:
    async with open_house(filling) as house:
        page = await house.visit()
        for number in range(len(TEXTS)):
            path = await house.ask(f"publish {number}")
            for address in (path, f"{path}?do=edit", "/"):
                await page.goto(address)
                await unveiled(page)
            await page.goto(f"{path}?do=edit")
            await page.get_by_role("button", name="JSON").click()
            await expect(page.get_by_label("Arguments as JSON")).to_be_visible()
            await unveiled(page)


# requirement: D9
async def test_a_models_links_say_where_they_lead_and_nothing_else_is_one(
    open_house: OpenHouse,
) -> None:
    async with open_house(linking) as house:
        turn = await house.say("go")
        page = await house.visit(path=f"/chat/{turn.conversation_id}")
        found = await page.evaluate(_LINKS)
        assert {each["to"].rpartition("/")[2] for each in found} == {
            "login",
            "approve",
            "turned",
            "picture.png",
            "itself",
        }
        for each in found:
            assert each["to"].startswith("https://evil.test/")
            assert each["to"] in (each["says"], each["told"]), each
        # What it wants to do is text, here and on the pages that are about it.
        asked = turn.pending[0]
        for address in (page.url, f"/requests/{asked.id}", "/", f"/history/{asked.call_id}"):
            await page.goto(address)
            assert await page.evaluate(_AWAY) == [], address
