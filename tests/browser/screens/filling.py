"""Screens of forms: their types of fields, files, suggestions, and what people keep."""

from playwright.async_api import FilePayload, Page, expect

from assent import answer
from tests.browser.company import somebody
from tests.browser.screens.screen import Screen, Way, press
from tests.browser.screens.stage import Stage
from tests.browser.test_files import PDF, png

_ORDER = {
    "limit": "450 EUR",
    "by": "2027-03-01 09:00 Europe/Berlin",
    "receipt": "grace@example.com",
    "labels": {"team": "warehouse"},
    "terms": True,
}


def _asked(tool: str) -> Way:
    async def go(stage: Stage, page: Page) -> None:
        await page.goto(f"/requests/{await stage.asked(tool, by='grace')}")

    return go


def _paper(content: bytes) -> FilePayload:
    return {"name": "March.pdf", "mimeType": "application/pdf", "buffer": content}


async def _ordered(stage: Stage) -> None:
    """Grace ordered something before, so that there is something to suggest."""
    grace, id = somebody("grace"), await stage.asked("order_supplies", by="grace")
    found = await stage.assent.queries.options.find(grace, id, "article", "desk oak 4")
    given = answer(article=found.options[0].proof, count=2, **_ORDER)
    await stage.decide(id, given)
    await stage.assent.wait((await stage.assent.request(id)).turn_id)


async def _suggested(stage: Stage, page: Page) -> None:
    await _ordered(stage)
    await _asked("order_supplies")(stage, page)
    await page.get_by_label("Search: Article").fill("chair blue 7")
    await page.get_by_label("Chair, blue, model 17").check()
    await page.get_by_label("Amount").fill("800")
    await page.get_by_label("Date and time").fill("2027-03-01T09:00")
    await page.get_by_label("Zone").fill("Europe/Berlin")
    await expect(page.get_by_text("Last time:")).to_be_visible()


async def _wrong(stage: Stage, page: Page) -> None:
    await _asked("order_supplies")(stage, page)
    await page.get_by_label("Amount").fill("1,500")
    await page.get_by_label("Receipt to").fill("ada")
    await press(page.get_by_role("button", name="Send the answers"))


async def _uploaded(stage: Stage, page: Page) -> None:
    await _asked("pay_invoice")(stage, page)
    invoice = page.get_by_label("Invoice", exact=True)
    await invoice.set_input_files(_paper(PDF))
    await expect(page.get_by_role("checkbox", name="March.pdf")).to_be_checked()
    await page.get_by_label("Amount").fill("1240.50")


async def _refused(stage: Stage, page: Page) -> None:
    await _asked("pay_invoice")(stage, page)
    paper = _paper(b"MZ" + bytes(99))
    await page.get_by_label("Invoice", exact=True).set_input_files(paper)
    await expect(page.get_by_text("by its content")).to_be_visible()


async def _file_to_approve(stage: Stage, page: Page) -> None:
    grace, id = somebody("grace"), await stage.asked("pay_invoice", by="grace")
    sent = await stage.assent.files.upload(
        id, "invoice", png(320, 200), by=grace, name="receipt.png"
    )
    await stage.decide(id, answer(invoice=sent, amount="12.50 EUR"))
    turn = await stage.assent.turn((await stage.assent.request(id)).turn_id)
    await page.goto(f"/requests/{turn.pending[0].id}")
    await expect(page.get_by_role("img", name="A picture of receipt.png")).to_be_visible()


async def _kept(stage: Stage, page: Page) -> None:
    preferences, grace = stage.assent.people.preferences, somebody("grace")
    scope, name = "tool:quickbooks_online_api_request", "quickbooks_realm_id"
    await preferences.set(scope, name, "9130346988354456", by=grace)
    await page.goto("/settings/preferences")


SCREENS = (
    # Before something is kept: then nothing is asked any more.
    Screen("form-keep", "request", _asked("quickbooks_online_api_request"), "grace"),
    Screen("form-kinds", "request", _suggested, "grace"),
    Screen("form-kinds-wrong", "request", _wrong, "grace"),
    Screen("form-file", "request", _uploaded, "grace"),
    Screen("form-file-refused", "request", _refused, "grace"),
    Screen("form-file-approval", "request", _file_to_approve, "grace"),
    Screen("form-kept", "preferences", _kept, "grace"),
)
