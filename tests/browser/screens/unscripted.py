"""Screens of forms as they are without scripts, each on its own page and in the conversation."""

from collections.abc import Awaitable, Callable
from typing import Final

from playwright.async_api import FilePayload, Page, expect

from tests.browser.screens.all import SCREENS
from tests.browser.screens.screen import Screen, Way
from tests.browser.screens.stage import Stage
from tests.browser.test_files import PDF

Act = Callable[[Page], Awaitable[object]]
_PREFERENCES = "/settings/preferences"
_PAPER = FilePayload(name="March.pdf", mimeType="application/pdf", buffer=PDF)
# The way to these needs no script; one of each kind that people fill in, tick or press.
_PLAIN = (
    *("inbox-ticked", "chat-waiting", "batch", "sign-in"),
    *("form-kept", "form-file-approval", "own-rules", "notifications"),
)


async def _press(page: Page, name: str) -> None:
    async with page.expect_navigation():
        await page.get_by_role("button", name=name, exact=True).first.click()


def _refused(name: str) -> Act:
    async def press(page: Page) -> None:
        await _press(page, name)
        await page.get_by_role("alert").first.wait_for()

    return press


async def _nothing(_: Page) -> None:
    """As it is at first."""


async def _looked(page: Page) -> None:
    await page.get_by_label("Name").fill("Jan Kowalski")
    await page.get_by_label("Street and number").fill("Storgata 7")
    await page.get_by_label("Country").select_option("NO")
    await _press(page, "Next")
    await page.get_by_label("Contents").fill("Three books")
    await page.get_by_label("Value in euros").fill("45")
    await _press(page, "Next")
    await page.get_by_label("Card number").fill("4929 0000")
    await _press(page, "Next")
    await page.get_by_role("heading", name="Check your answers").wait_for()


async def _uploaded(page: Page) -> None:
    """The file is kept, although the amount is wrong."""
    await page.get_by_label("Invoice", exact=True).set_input_files(_PAPER)
    await page.get_by_label("Amount").fill("much")
    await _press(page, "Send the answers")
    await page.get_by_role("checkbox", name="March.pdf").wait_for()


async def _searched(page: Page) -> None:
    await page.get_by_label("Search: Article").fill("chair blue 7")
    await _press(page, "Search")
    await page.get_by_label("Chair, blue, model 17").check()


async def _ordered(page: Page) -> None:
    await _searched(page)
    await page.get_by_label("Amount").fill("450")
    await page.get_by_label("Date and time").fill("2027-03-01T09:00")
    await page.get_by_label("Zone").fill("Europe/Berlin")
    await page.get_by_label("Receipt to").fill("grace@example.com")
    await page.get_by_label("I may spend this").check()
    await _press(page, "Send the answers")
    # Until it is done the conversation is loaded again and again, and nothing can be suggested.
    await expect(page.locator("meta[http-equiv=refresh]")).to_have_count(0)
    await page.get_by_text("Pretended to order").first.wait_for(state="attached")


async def _wrong(page: Page) -> None:
    await page.get_by_label("Amount").fill("1,500")
    await page.get_by_label("Receipt to").fill("ada")
    await _refused("Send the answers")(page)


async def _more_rows(page: Page) -> None:
    await _press(page, "More rows")
    await page.get_by_label("Value, row 2").wait_for()


async def _used(page: Page) -> None:
    """What was answered last time."""
    await _press(page, "Use it for Receipt to")
    await page.get_by_role("button", name="Used").wait_for()


async def _wrong_result(page: Page) -> None:
    await page.get_by_label("Result", exact=True).fill("about two kilos")
    await _refused("Supply the result")(page)


# The order is sent before something of it can be suggested.
_FORMS: Final[tuple[tuple[str, str, Act], ...]] = (
    ("steps", "ship_parcel", _nothing),
    ("steps-wrong", "ship_parcel", _refused("Next")),
    ("steps-looked-at", "ship_parcel", _looked),
    ("files", "pay_invoice", _uploaded),
    ("search", "order_supplies", _searched),
    ("kinds-wrong", "order_supplies", _wrong),
    ("more-rows", "order_supplies", _more_rows),
    ("sent", "order_supplies", _ordered),
    ("suggested", "order_supplies", _used),
    ("secret", "copy_database", _refused("Send the answers")),
    ("keep", "quickbooks_online_api_request", _refused("Send the answers")),
    ("result", "weigh_parcel", _wrong_result),
)


def _alone(tool: str, act: Act) -> Way:
    async def go(stage: Stage, page: Page) -> None:
        await page.goto(f"/requests/{await stage.asked(tool, by='grace')}")
        await act(page)

    return go


def _in_chat(tool: str, act: Act) -> Way:
    async def go(stage: Stage, page: Page) -> None:
        turn = await stage.ask(tool, by="grace")
        await page.goto(f"/chat/{turn.conversation_id}")
        await act(page)

    return go


async def _wrong_edit(stage: Stage, page: Page) -> None:
    await page.goto(f"/requests/{await stage.waiting('plan_campaign')}?do=edit")
    await page.get_by_label("budget", exact=True).fill("12,5")
    await _refused("Show the difference")(page)


async def _confirming(stage: Stage, page: Page) -> None:
    await page.goto(f"/requests/{await stage.waiting('restart_service')}")
    await _press(page, "Approve…")


async def _wrong_preference(stage: Stage, page: Page) -> None:
    await page.goto(_PREFERENCES)
    await page.get_by_role("link", name="Set QuickBooks Company ID").click()
    await page.get_by_role("textbox", name="QuickBooks Company ID").fill("12")
    await _press(page, "Keep it")
    await page.get_by_text("10 to 20 digits").first.wait_for()


async def _stopped(stage: Stage, page: Page) -> None:
    """A suggestion that nobody wants any more."""
    await page.goto(f"/requests/{await stage.asked('order_supplies', by='grace')}")
    async with page.expect_navigation():
        await page.get_by_role("button", name="Don’t suggest this again").click()
    await page.goto(_PREFERENCES)
    await page.get_by_role("button", name="Suggest again").wait_for()


_ALONE = [
    Screen(f"form-{name}", "request", _alone(tool, act), "grace") for name, tool, act in _FORMS
]
_TALKED = [
    Screen(f"chat-{name}", "chat", _in_chat(tool, act), "grace") for name, tool, act in _FORMS
]
_OTHERS = (
    Screen("edit-wrong", "request", _wrong_edit),
    Screen("confirm", "confirm", _confirming),
    Screen("preference-wrong", "preferences", _wrong_preference, "grace"),
)
_SCRIPTED = {each.name: each for each in SCREENS}
UNSCRIPTED: Final = {
    "forms": [*_ALONE, Screen("preferences-stopped", "preferences", _stopped, "grace")],
    "forms in chat": _TALKED,
    "others": [*_OTHERS, *(_SCRIPTED[name] for name in _PLAIN)],
}
