"""Talking to an agent in a real browser: it pauses, is decided, goes on, and nothing is lost."""

import asyncio
from collections.abc import AsyncGenerator

from playwright.async_api import Page, expect

from assent.domain.messages import Answer, Delta, Prompt, TextDelta
from assent.testing import ScriptedModel
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import person, wants
from tests.browser.test_deciding import PAYMENT

_CUT = ("ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED", "ERR_FAILED")


async def say(page: Page, text: str) -> None:
    """Type a message and send it with the keyboard."""
    field = page.get_by_label("Message")
    await field.fill(text)
    await field.press("Enter")


async def test_a_call_pauses_the_answer_and_an_approval_in_the_chat_resumes_it(
    house: House,
) -> None:
    page = await house.visit(path="/chat")
    await say(page, PAYMENT)
    await expect(page.get_by_text("I would like to do this.")).to_be_visible()
    assert house.office.ran == []
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_text("Done: paid 40 to Ada")).to_be_visible()
    assert house.office.ran == [("pay", "Ada", 40)]
    [entry] = await house.record("approve")
    assert (entry.actor, entry.channel) == ("user", "web")
    await page.reload()
    await expect(page.get_by_text("Done: paid 40 to Ada")).to_have_count(1)


async def test_several_calls_of_one_answer_are_decided_one_by_one(house: House) -> None:
    page = await house.visit(path="/chat")
    await page.get_by_label("Message").fill(f"{PAYMENT}\n{wants('pay', to='Bob', amount=7)}")
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_role("button", name="Approve")).to_have_count(2)
    await page.get_by_role("button", name="Approve").first.click()
    await expect(page.get_by_role("button", name="Approve")).to_have_count(1)
    await page.get_by_role("button", name="Approve").click()
    await expect(page.get_by_text("Done: paid 40 to Ada; paid 7 to Bob")).to_be_visible()
    assert len(house.office.ran) == 2


async def test_progress_is_seen_while_a_tool_works(house: House) -> None:
    page = await house.visit(path="/chat")
    await say(page, wants("copy", files=3))
    await expect(page.get_by_role("progressbar")).to_be_visible()
    await expect(page.get_by_text("1 of 3 files").first).to_be_visible()
    house.office.go_on.set()
    await expect(page.get_by_text("Done: copied 3 files")).to_be_visible()
    await expect(page.get_by_role("progressbar")).to_have_count(0)


async def test_without_javascript_the_page_comes_again_until_the_answer_is_there(
    house: House,
) -> None:
    page = await house.visit(path="/chat", script=False)
    await page.get_by_label("Message").fill(wants("copy", files=3))
    await page.get_by_role("button", name="Send").click()
    await expect(page.get_by_text("Working").first).to_be_visible()
    house.office.go_on.set()
    await expect(page.get_by_text("Done: copied 3 files")).to_be_visible()


async def test_another_message_while_something_waits_asks_first(house: House) -> None:
    page = await house.visit(path="/chat")
    await say(page, PAYMENT)
    await expect(page.get_by_role("button", name="Approve")).to_be_visible()
    await say(page, "never mind")
    await page.get_by_role("button", name="Cancel them and send").click()
    await expect(page.get_by_role("paragraph").filter(has_text="never mind")).to_be_visible()
    await expect(page.get_by_role("button", name="Approve")).to_have_count(0)
    assert house.office.ran == []
    assert len(await house.record("supersede")) == 1


WORDS = [f"word{number}" for number in range(60)]


class Telling(ScriptedModel):
    """Tells the beginning of a story, and the rest when it is told to."""

    def __init__(self) -> None:
        super().__init__(" ".join(WORDS))
        self.go_on = asyncio.Event()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        async for piece in super().stream(prompt):
            yield piece
            if isinstance(piece, TextDelta) and piece.text.strip() == "word9":
                await self.go_on.wait()


async def told(house: House) -> None:
    """The newest answer of the only conversation is complete."""
    conversations = house.assent.queries.conversations
    [conversation] = await conversations.of_owner("user", limit=2)
    turn = await conversations.newest_turn(person("user"), conversation.id)
    assert turn is not None
    await house.assent.wait(turn.id)


async def test_a_lost_connection_loses_no_word(open_house: OpenHouse) -> None:
    async with open_house(model := Telling()) as house:
        for text in _CUT:
            house.watch.tolerate(text)
        page = await house.visit(path="/chat")
        await say(page, "Tell me a story")
        await expect(page.get_by_text("word5 ")).to_be_visible()
        await page.context.set_offline(True)
        model.go_on.set()
        await told(house)
        await expect(page.get_by_text("word59")).to_have_count(0)
        await page.context.set_offline(False)
        await expect(page.get_by_text("word59")).to_be_visible()
        shown = await page.get_by_role("main").inner_text()
        assert [shown.split().count(word) for word in WORDS] == [1] * len(WORDS)


WIDE = """Here is all of it:

| order | customer | address | state | remark |
|---|---|---|---|---|
| 7731 | Okafor | Long Street 4, Northampton | delivered | parcel was late, refunded |

```python
answer = some_function_with_a_long_name(first_argument, second_argument, third_argument)
```

- a point with `code_that_is_much_too_long_for_a_phone_and_has_no_place_to_break_at_all`
"""


async def test_on_a_phone_what_is_wide_scrolls_by_itself_and_the_page_does_not(
    open_house: OpenHouse,
) -> None:
    async with open_house(lambda _: WIDE) as house:
        page = await house.visit(phone=True, path="/chat")
        await page.get_by_label("Message").fill("word " * 60)
        await page.get_by_role("button", name="Send").tap()
        await expect(page.get_by_role("table")).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        box = await page.get_by_role("main").locator(".prose").last.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390


async def test_a_conversation_opens_at_its_newest_message_or_at_what_waits(house: House) -> None:
    turn = await house.say("\n".join(f"line {number}" for number in range(60)))
    page = await house.visit(path=f"/chat/{turn.conversation_id}")
    last = page.get_by_role("paragraph").filter(has_text="line 59").last
    await expect(last).to_be_in_viewport()
    payments = "\n".join(wants("pay", to="Ada", amount=number) for number in range(6))
    waiting = await house.say(payments)
    assert len(waiting.pending) == 6
    page = await house.visit(path=f"/chat/{waiting.conversation_id}#newest")
    first = page.get_by_role("article", name="Call of pay").first
    await expect(first.get_by_role("button", name="Approve")).to_be_in_viewport()
    await expect(page.get_by_role("article").last).not_to_be_in_viewport()
