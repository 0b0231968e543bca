"""Screens of one request that waits: its card, its forms, and what is wrong in them."""

from playwright.async_api import Page

from assent import approve, draft
from tests.browser.screens.screen import Screen, Way, press, waiting
from tests.browser.screens.stage import Stage


async def _several(stage: Stage, page: Page) -> None:
    turn = await stage.ask("refund_order", "send_mail")
    await page.goto(f"/requests/{turn.pending[0].id}")


async def _all_open(stage: Stage, page: Page) -> None:
    await waiting("send_mail")(stage, page)
    for summary in await page.get_by_role("main").locator("summary").all():
        await summary.click()


def _opened(tool: str, verb: str) -> Way:
    async def go(stage: Stage, page: Page) -> None:
        await waiting(tool)(stage, page)
        await page.get_by_text(verb, exact=True).click()

    return go


async def _voted(stage: Stage, page: Page) -> None:
    """One of two has approved, and the second one looks."""
    id = await stage.asked("pay_supplier")
    await stage.decide(id, approve(), by="grace")
    await page.goto(f"/requests/{id}")


async def _my_vote(stage: Stage, page: Page) -> None:
    id = await stage.asked("pay_supplier")
    await page.goto(f"/requests/{id}")
    await press(page.get_by_role("button", name="Approve"))


async def _wrong_fields(stage: Stage, page: Page) -> None:
    await waiting("plan_campaign", "?do=edit")(stage, page)
    await page.get_by_label("name", exact=True).fill("S")
    await page.get_by_label("budget", exact=True).fill("12,5")
    await page.get_by_label("number", exact=True).fill("40")
    await press(page.locator("#edit").get_by_role("button", name="Show the difference"))


async def _as_json(stage: Stage, page: Page) -> None:
    await waiting("plan_campaign", "?do=edit")(stage, page)
    await page.get_by_role("button", name="JSON", exact=True).click()
    await page.get_by_label("Arguments as JSON").wait_for()


async def _wrong_json(stage: Stage, page: Page) -> None:
    await _as_json(stage, page)
    await page.get_by_label("Arguments as JSON").fill('{"name": "Spring", "budget": "much"}')
    await press(page.locator("#edit").get_by_role("button", name="Show the difference"))


async def _difference(stage: Stage, page: Page) -> None:
    await waiting("plan_campaign", "?do=edit")(stage, page)
    await page.get_by_label("budget", exact=True).fill("900")
    await press(page.locator("#edit").get_by_role("button", name="Show the difference"))


def _second_step(tool: str) -> Way:
    async def go(stage: Stage, page: Page) -> None:
        await waiting(tool)(stage, page)
        await press(page.get_by_role("button", name="Approve"))

    return go


async def _mistyped(stage: Stage, page: Page) -> None:
    await _second_step("restart_service")(stage, page)
    await page.get_by_label("To approve, type").fill("chekout")
    await press(page.get_by_role("button", name="Yes, run it once"))


async def _hurried(stage: Stage, page: Page) -> None:
    """Typed right, sooner than anybody reads."""
    await _second_step("restart_service")(stage, page)
    await page.get_by_label("To approve, type").fill("checkout")
    await press(page.get_by_role("button", name="Yes, run it once"))


async def _run_again(stage: Stage, page: Page) -> None:
    await waiting("order_pickup")(stage, page)
    await press(page.get_by_role("button", name="Run it now"))


async def _wrong_answers(stage: Stage, page: Page) -> None:
    await waiting("copy_database")(stage, page)
    await page.get_by_label("How to sign in").select_option("password")
    await press(page.get_by_role("button", name="Send the answers"))


async def _draft(stage: Stage, page: Page) -> None:
    id = await stage.asked("copy_database", by="ada")
    await page.goto(f"/requests/{id}")
    await page.get_by_label("Host").fill("db.example.org")
    await press(page.get_by_role("button", name="Save draft"))


async def _wrong_result(stage: Stage, page: Page) -> None:
    await waiting("weigh_parcel")(stage, page)
    await page.get_by_label("Result", exact=True).fill("about two kilos")
    await press(page.get_by_role("button", name="Supply the result"))


_WHO = {"Name": "Jan Kowalski", "Street and number": "Storgata 7"}


async def _first_step(stage: Stage, page: Page) -> None:
    await page.goto(f"/requests/{await stage.asked('ship_parcel', by='ada')}")
    for label, text in _WHO.items():
        await page.get_by_label(label).fill(text)
    await page.get_by_label("Country").select_option("NO")
    await press(page.get_by_role("button", name="Next"))


async def _wrong_step(stage: Stage, page: Page) -> None:
    await _first_step(stage, page)
    await page.get_by_label("Value in euros").fill("a lot")
    await press(page.get_by_role("button", name="Next"))


async def _resumed(stage: Stage, page: Page) -> None:
    await _first_step(stage, page)
    await page.goto(page.url.partition("?")[0])


async def _looked(stage: Stage, page: Page) -> None:
    await _first_step(stage, page)
    await page.get_by_label("Contents").fill("Three books")
    await page.get_by_label("Value in euros").fill("45")
    await press(page.get_by_role("button", name="Next"))
    await page.get_by_label("Card number").fill("4929 0000")
    await press(page.get_by_role("button", name="Next"))


async def _entered_elsewhere(stage: Stage, page: Page) -> None:
    await page.goto(f"/requests/{(id := await stage.asked('ship_parcel', by='ada'))}")
    await stage.decide(id, draft({"name": "Johann Kowalski"}), by="ada")
    for label, text in _WHO.items():
        await page.get_by_label(label).fill(text)
    await page.get_by_label("Country").select_option("NO")
    await press(page.get_by_role("button", name="Next"))


SCREENS = (
    Screen("request-moderate", "request", waiting("send_mail")),
    Screen("request-all-open", "request", _all_open),
    Screen("request-dangerous", "request", waiting("delete_files")),
    Screen("request-typed", "request", waiting("restart_service")),
    Screen("request-hostile", "request", waiting("run_statement")),
    Screen("request-of-several", "request", _several),
    Screen("request-to-look-at", "request", waiting("send_mail"), "margaret"),
    Screen("request-reject", "request", _opened("delete_files", "Reject…")),
    Screen("request-quorum", "request", _voted),
    Screen("request-quorum-voted", "request", _my_vote),
    Screen("edit", "request", waiting("plan_campaign", "?do=edit")),
    Screen("edit-wrong", "request", _wrong_fields),
    Screen("edit-json", "request", _as_json),
    Screen("edit-json-wrong", "request", _wrong_json),
    Screen("edit-difference", "confirm", _difference),
    Screen("confirm", "confirm", _second_step("delete_files")),
    Screen("confirm-typed", "confirm", _second_step("restart_service")),
    Screen("confirm-mistyped", "confirm", _mistyped),
    Screen("confirm-hurried", "confirm", _hurried),
    Screen("confirm-run-again", "confirm", _run_again),
    Screen("input", "request", waiting("copy_database")),
    Screen("input-wrong", "request", _wrong_answers),
    Screen("input-draft", "request", _draft),
    Screen("input-steps", "request", waiting("ship_parcel")),
    Screen("input-step", "request", _first_step),
    Screen("input-step-wrong", "request", _wrong_step),
    Screen("input-step-resumed", "request", _resumed),
    Screen("input-step-elsewhere", "request", _entered_elsewhere),
    Screen("input-looked-at", "request", _looked),
    Screen("result", "request", waiting("weigh_parcel")),
    Screen("result-wrong", "request", _wrong_result),
    Screen("result-failed", "request", _opened("weigh_parcel", "It failed…")),
    Screen("doubt", "request", waiting("order_pickup")),
    Screen("doubt-leave", "request", _opened("order_pickup", "Leave it…")),
)
