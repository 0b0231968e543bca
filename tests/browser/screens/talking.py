"""Screens of the chat."""

from playwright.async_api import Page

from assent import reject
from tests.browser.company import ERRANDS, NOT_NOW, SLOWLY, somebody
from tests.browser.screens.screen import Screen, Way, at, press
from tests.browser.screens.stage import Stage


def _after(*tools: str, by: str = "ada") -> Way:
    """The conversation in which the agent was asked for these."""

    async def go(stage: Stage, page: Page) -> None:
        turn = await stage.ask(*tools, by=by)
        await page.goto(f"/chat/{turn.conversation_id}")

    return go


async def _rejected(stage: Stage, page: Page) -> None:
    turn = await stage.ask("refund_order", "find_orders", by="ada")
    await stage.decide(turn.pending[0].id, reject(reason="We refunded this one in May"))
    await stage.assent.wait(turn.id)
    await page.goto(f"/chat/{turn.conversation_id}")


async def _say(page: Page, text: str) -> None:
    await page.goto("/chat")
    await page.get_by_label("Message").fill(text)
    await press(page.get_by_role("button", name="Send", exact=True))


async def _streaming(_: Stage, page: Page) -> None:
    await _say(page, SLOWLY)
    await page.get_by_text("put it on the parcel").wait_for()


async def _progress(_: Stage, page: Page) -> None:
    await _say(page, ERRANDS[7][0])
    await page.get_by_text("312 of 480 orders").wait_for()


async def _failed(stage: Stage, page: Page) -> None:
    turn = await stage.assent.send("shop", NOT_NOW, by=somebody("ada"))
    await page.goto(f"/chat/{turn.conversation_id}")


async def _dialog(stage: Stage, page: Page) -> None:
    await _after("send_mail")(stage, page)
    await page.get_by_label("Message").fill("And what about order 7732?")
    await page.get_by_role("button", name="Send", exact=True).click()
    await page.get_by_role("dialog").wait_for()


async def _blocked(stage: Stage, page: Page) -> None:
    """The same question without a script."""
    await _after("send_mail")(stage, page)
    await page.get_by_label("Message").fill("And what about order 7732?")
    async with page.expect_navigation():
        await page.evaluate("document.querySelector('#composer').submit()")


async def _wrong_form(stage: Stage, page: Page) -> None:
    """As it looks without a script: with one, the browser notes the refusal on its console."""
    await _after("ship_parcel")(stage, page)
    await page.get_by_label("Name").fill("Jan Kowalski")
    async with page.expect_navigation():
        await page.evaluate("document.querySelector('.inline-form').submit()")
    await page.get_by_role("alert").get_by_text("Some answers are missing").wait_for()


async def _result(stage: Stage, page: Page) -> None:
    turn = await stage.ask("weigh_parcel", by="ada")
    await page.goto(f"/chat/{turn.conversation_id}")


SCREENS = (
    Screen("chats", "chats", at("/chat")),
    Screen("chats-first-run", "chats", at("/chat"), "joan"),
    Screen("chats-nobody-to-talk-to", "chats", at("/chat"), "margaret"),
    Screen("chat-waiting", "chat", _after("refund_order", "send_mail")),
    Screen("chat-dangerous", "chat", _after("delete_files")),
    Screen("chat-waits-for-others", "chat", _after("delete_files", by="linus"), "linus"),
    Screen("chat-of-somebody-else", "chat", _after("send_mail", by="linus")),
    Screen("chat-input", "chat", _after("copy_database")),
    Screen("chat-form", "chat", _after("ship_parcel")),
    Screen("chat-form-wrong", "chat", _wrong_form),
    Screen("chat-result", "chat", _result),
    Screen("chat-doubt", "chat", _after("order_pickup")),
    Screen("chat-done", "chat", _after("find_orders")),
    Screen("chat-rejected", "chat", _rejected),
    Screen("chat-streaming", "chat", _streaming),
    Screen("chat-progress", "chat", _progress),
    Screen("chat-failed", "chat", _failed),
    Screen("chat-cancel", "chat", _dialog),
    Screen("chat-cancel-without-script", "chat", _blocked),
)
