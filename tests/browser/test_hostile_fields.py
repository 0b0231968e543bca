"""Text that tries to deceive in every control of a form: seen, and without any effect."""

import unicodedata
from typing import Any

import pytest
from playwright.async_api import Page, expect

from assent import Field, FieldType, Option, UserInput, answer, schema_tool
from assent.domain.canonical import Json
from assent.engine.queries.snapshots import Turn
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import person, script, wants
from tests.browser.test_controls import unveiled
from tests.browser.test_hostile import TEXTS, inert

BATCHES = pytest.mark.parametrize("texts", TEXTS, ids=[str(n) for n in range(len(TEXTS))])
USER = person("user")
PDF = b"%PDF-1.7 a paper"
# What stands beside a button to choose.
_LABELS = "all => all.map((each) => each.closest('label').innerText)"
_ALONE = (
    *(FieldType.EMAIL, FieldType.URL, FieldType.PHONE),
    *(FieldType.MONEY, FieldType.DATETIME, FieldType.TIME, FieldType.COUNTRY),
)


def form(*fields: Field, **options: Any) -> Any:
    """A tool that wants all this, and repeats it."""

    async def body(_: Any, given: Any) -> str:
        return str(given)

    parameters: dict[str, Json] = {"type": "object", "properties": {f.name: {} for f in fields}}
    asked = UserInput("Fill in", fields, **options)
    return schema_tool(
        "fill", description="Fill in.", parameters=parameters, execute=body, user_input=asked
    )


async def seen(page: Page, texts: list[str], *, others: bool = True) -> None:
    """Nothing on the page acts, nothing is hidden, and all that would hide is named."""
    await inert(page)
    if others:
        await unveiled(page)
    shown = await page.evaluate("document.body.innerText")
    for text in texts:
        marks = {f"U+{ord(char):04X}" for char in text if unicodedata.category(char) == "Cf"}
        assert {mark for mark in marks if mark not in shown} == set()


async def answered(house: House, turn: Turn, **values: Any) -> Turn:
    await house.assent.decide(turn.pending[0].id, answer(values), by=USER)
    return await house.assent.wait(turn)


# requirement: D5, D9
@BATCHES
async def test_what_an_agent_fills_into_controls_of_several_parts_is_seen(
    open_house: OpenHouse, texts: list[str]
) -> None:
    names = [f"code{place}" for place in range(len(texts))]
    fields = [
        *(Field(name, type=FieldType.CODE) for name in names),
        Field("pairs", type=FieldType.KEY_VALUE),
        Field("table", type=FieldType.ROWS, columns=[Field("what")]),
        *(Field(kind.value, type=kind) for kind in _ALONE),
    ]
    given: dict[str, Json] = dict(zip(names, texts, strict=True))
    given["pairs"] = {f"k{place}": text for place, text in enumerate(texts)}
    given["table"] = [{"what": text} for text in texts]
    given |= {kind.value: texts[0] for kind in _ALONE}
    given["money"] = {"amount": texts[0], "currency": "EUR"}
    async with open_house(script, form(*fields)) as house:
        page = await house.visit(path=await house.ask(wants("fill", **given)))
        await expect(page.get_by_role("button", name="Send the answers")).to_be_visible()
        await seen(page, texts)


# requirement: D5, D9
@BATCHES
async def test_what_people_enter_is_refused_or_kept_and_does_nothing(
    open_house: OpenHouse, texts: list[str]
) -> None:
    kinds = (FieldType.EMAIL, FieldType.URL, FieldType.PHONE, FieldType.CODE, FieldType.MULTILINE)
    fields = [
        *(Field(kind.value, type=kind) for kind in kinds),
        Field("pairs", type=FieldType.KEY_VALUE),
    ]
    async with open_house(script, form(*fields)) as house:
        house.watch.tolerate("status of 422")
        page = await house.visit(path=await house.ask(wants("fill")))
        for text in texts:
            for kind in kinds:
                await page.get_by_label(kind.value.capitalize(), exact=True).fill(text)
            await page.get_by_label("Name, row 1").fill(text)
            await page.get_by_label("Value, row 1").fill(text)
            await page.get_by_role("button", name="Send the answers").click()
            await expect(page.get_by_text("Some answers are missing or do not fit")).to_be_visible()
            # In the controls it stands as it was typed: to go on with, by who typed it.
            await inert(page)


# requirement: D5, D9
@BATCHES
async def test_options_that_a_search_found_are_seen_and_chosen(
    open_house: OpenHouse, texts: list[str]
) -> None:
    options = [Option(f"c-{place}", text[:150]) for place, text in enumerate(texts)]
    found = Field("found", type=FieldType.SEARCH, search=lambda _: options)
    async with open_house(script, form(found)) as house:
        turn = await house.say(wants("fill"))
        page = await house.visit(path=f"/requests/{turn.pending[0].id}")
        words = page.get_by_label("Search: Found")
        await words.fill(texts[0])
        # What holds controls was left out.
        await expect(page.get_by_role("radio").first).to_be_visible()
        await inert(page)
        await words.fill("x")
        await expect(page.get_by_role("radio").first).to_be_visible()
        labels = await page.get_by_role("radio").evaluate_all(_LABELS)
        assert labels
        await seen(page, [])
        await page.get_by_role("radio").nth(1).check()
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("Input: answered")).to_be_visible()
        await house.assent.wait(turn)
        for path in ("", f"/chat/{turn.conversation_id}", f"/history/{turn.calls[0].id}"):
            await page.goto(path or page.url)
            await inert(page, links=True)


# requirement: D5, D9
@BATCHES
async def test_names_of_files_are_names_wherever_they_are_shown(
    open_house: OpenHouse, texts: list[str]
) -> None:
    papers = Field("papers", type=FieldType.FILE, max_files=len(texts))
    async with open_house(script, form(papers)) as house:
        turn = await house.say(wants("fill"))
        [request] = turn.pending
        for place, text in enumerate(texts):
            content = PDF + str(place).encode()
            await house.assent.files.upload(request, "papers", content, by=USER, name=text)
        page = await house.visit(path=f"/requests/{request.id}")
        await expect(page.get_by_role("checkbox")).to_have_count(len(texts))
        await seen(page, [])
        await page.get_by_role("button", name="Send the answers").click()
        await expect(page.get_by_text("Input: answered")).to_be_visible()
        await house.assent.wait(turn)
        for path in (f"/chat/{turn.conversation_id}", f"/history/{turn.calls[0].id}"):
            await page.goto(path)
            await inert(page, links=True)


# requirement: D5, D9
@BATCHES
async def test_what_is_suggested_and_what_is_kept_are_seen(
    open_house: OpenHouse, texts: list[str]
) -> None:
    # What holds controls is no answer to any field, and so neither kept nor suggested.
    plain = [text for text in texts if Field("x", type=FieldType.MULTILINE).spelt(text)]
    fields = [
        Field(f"f{place}", type=FieldType.MULTILINE, suggest="tool") for place in range(len(plain))
    ]
    given = {field.name: text for field, text in zip(fields, plain, strict=True)}
    async with open_house(script, form(*fields, save="person")) as house:
        turn = await house.say(wants("fill"))
        await answered(house, turn, **given)
        page = await house.visit(path=await house.ask(wants("fill")))
        await expect(page.get_by_text("Last time:")).to_have_count(len(plain))
        await seen(page, plain)
        [request] = await house.assent.pending(person=USER)
        await house.assent.decide(request.id, answer(given).keeping("person"), by=USER)
        await page.goto("/settings/preferences")
        await seen(page, plain)
        await page.get_by_role("link", name="Change F1", exact=True).click()
        await expect(page.get_by_role("button", name="Keep it")).to_be_visible()
        # In its control it stands as its owner entered it; what hides there is named beside it.
        await seen(page, [plain[1]], others=False)
