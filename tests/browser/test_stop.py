"""Stopping: what was said stays, what runs is told, and the conversation goes on."""

from datetime import timedelta

from playwright.async_api import expect

from assent.domain.messages import Prompt, UserSaid
from assent.models.scripted import ScriptStep
from assent.testing import ScriptedModel
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import wants
from tests.browser.test_chat import say
from tests.browser.test_deciding import PAYMENT

WORDS = [f"word{number}" for number in range(200)]


def story(prompt: Prompt) -> ScriptStep:
    """A long story, then short answers."""
    said = [each.text for each in prompt.history if isinstance(each, UserSaid)]
    return " ".join(WORDS) if len(said) == 1 else f"You said: {said[-1]}"


async def test_an_answer_that_is_stopped_keeps_what_was_said_and_ends_there(
    open_house: OpenHouse,
) -> None:
    model = ScriptedModel(story, word_delay=timedelta(milliseconds=40))
    async with open_house(model) as house:
        page = await house.visit(path="/chat")
        await say(page, "Tell me a story")
        await expect(page.get_by_text("word5 ")).to_be_visible()
        await page.get_by_role("button", name="Stop").click()
        await expect(page.get_by_text("Stopped here.")).to_be_visible()
        await expect(page.get_by_role("button", name="Stop")).to_have_count(0)
        await expect(page.get_by_text("Working")).to_have_count(0)
        main = page.get_by_role("main")
        kept = await main.inner_text()
        await page.reload()
        assert "word5 " in kept
        assert "word199" not in kept
        assert kept.split().count("word5") == (await main.inner_text()).split().count("word5") == 1
        await say(page, "thanks")
        await expect(page.get_by_role("paragraph").filter(has_text="thanks")).to_be_visible()


async def test_a_tool_in_the_middle_of_its_work_is_left_to_its_end_and_nothing_follows(
    house: House,
) -> None:
    page = await house.visit(path="/chat")
    await say(page, wants("copy", files=3))
    await expect(page.get_by_text("1 of 3 files").first).to_be_visible()
    await page.get_by_role("button", name="Stop").click()
    told = page.get_by_role("status").filter(has_text="is not interrupted")
    await expect(told).to_be_visible()
    await expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    house.office.go_on.set()
    call = page.get_by_role("article", name="Call of copy")
    await expect(call).to_contain_text("succeeded")
    await expect(page.get_by_role("progressbar")).to_have_count(0)
    await expect(told).to_have_count(0)
    assert house.office.ran == [("copy", 3)]
    await say(page, "and now?")
    await expect(page.get_by_role("paragraph").filter(has_text="and now?")).to_be_visible()
    await expect(page.get_by_text("Done: ")).to_have_count(0)


async def test_what_waits_is_cancelled_by_its_button_and_cannot_be_approved(house: House) -> None:
    path = await house.ask(PAYMENT)
    request = await house.assent.request(path.rpartition("/")[2])
    page = await house.visit(path=f"/chat/{request.conversation_id}")
    await page.get_by_role("button", name="Cancel waiting calls").click()
    await expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    call = page.get_by_role("article", name="Call of pay")
    await expect(call).to_contain_text("cancelled")
    assert not (await house.assent.request(request.id)).is_open
    assert house.office.ran == []
