"""Screens of who runs this place: tools, people, keys, settings."""

from playwright.async_api import Page

from assent.domain.own_rules import OwnRule
from assent.domain.tools import Override
from tests.browser.company import somebody
from tests.browser.screens.screen import Screen, Way, at, press
from tests.browser.screens.stage import Stage


def _treat(tool: str, **fields: str) -> Way:
    """The form of a tool filled in, and looked at what it will mean."""

    async def go(_: Stage, page: Page) -> None:
        await page.goto(f"/tools/{tool}")
        for id, value in fields.items():
            control = page.locator(f"#{id}")
            is_choice = await control.evaluate("each => each.matches('select')")
            await (control.select_option(value) if is_choice else control.fill(value))
        await press(page.get_by_role("button", name="Preview the change"))

    return go


async def _treated(stage: Stage, page: Page) -> None:
    """A dangerous tool that somebody lets run unasked."""
    override = Override(requires_approval=False, impact="Deletes exports older than a year")
    await stage.assent.override("delete_files", override, by=somebody("ada"))
    await page.goto("/tools/delete_files")
    await stage.assent.override("delete_files", None, by=somebody("ada"))


def _person(button: str) -> Way:
    async def go(_: Stage, page: Page) -> None:
        await page.goto("/people/grace")
        await press(page.get_by_role("button", name=button))

    return go


async def _made_admin(_: Stage, page: Page) -> None:
    await page.goto("/people/grace")
    await page.locator("[name=role][value=admin]").check()
    await press(page.get_by_role("button", name="Save"))


async def _adding(_: Stage, page: Page) -> None:
    await page.goto("/people")
    await page.get_by_role("main").locator("summary").first.click()


async def _taken(_: Stage, page: Page) -> None:
    await _adding(_, page)
    await page.locator("#id").fill("grace")
    await press(page.locator("details.adding form button[type=submit]"))


async def _key(_: Stage, page: Page) -> None:
    await page.goto("/keys?person=grace")
    await page.get_by_label("Label").fill("Deploy script")
    await press(page.get_by_role("button", name="Make the key"))


async def _no_key(_: Stage, page: Page) -> None:
    await page.goto("/keys?person=nobody")
    await press(page.get_by_role("button", name="Make the key"))


async def _revoking(stage: Stage, page: Page) -> None:
    key, _ = await stage.assent.people.issue_key("grace", label="old phone", by=somebody("ada"))
    await page.goto(f"/keys/{key.id}")


async def _revoked(stage: Stage, page: Page) -> None:
    await _revoking(stage, page)
    await press(page.get_by_role("button", name="Revoke it"))


async def _own_rules(stage: Stage, page: Page) -> None:
    """Somebody's own rules, of which one is no longer permitted."""
    mine, grace = stage.assent.own_rules, somebody("grace")
    limit = {"argument": "amount", "at_least": 250}
    await mine.add(OwnRule("ask", tool="pay_supplier", **limit), by=grace)
    await mine.add(OwnRule("ask", category="mail"), by=grace)
    await mine.add(OwnRule("allow", tool="order_pickup"), by=grace)
    await page.goto("/settings/rules")


async def _no_rule(_: Stage, page: Page) -> None:
    await page.goto("/settings/rules")
    await page.get_by_label("About", exact=True).select_option("tool:pay_supplier")
    await page.get_by_label("Argument", exact=True).fill("amount")
    await page.get_by_label("At least", exact=True).fill("a lot")
    await press(page.get_by_role("button", name="Add the rule"))


async def _own_tool(stage: Stage, page: Page) -> None:
    await _own_rules(stage, page)
    await page.goto("/tools/pay_supplier")


SCREENS = (
    Screen("own-rules", "own_rules", _own_rules, "grace"),
    Screen("own-rules-none", "own_rules", at("/settings/rules"), "linus"),
    Screen("own-rules-wrong", "own_rules", _no_rule, "grace"),
    Screen("own-rules-tool", "tool", _own_tool, "grace"),
    Screen("own-rules-tools", "tools", at("/tools"), "grace"),
    Screen("tools", "tools", at("/tools")),
    Screen("tool", "tool", at("/tools/delete_files")),
    Screen("tool-many-arguments", "tool", at("/tools/plan_campaign")),
    Screen("tool-for-requesters", "tool", at("/tools/delete_files"), "linus"),
    Screen("tool-loosened", "tool", _treated),
    Screen("tool-wrong", "tool", _treat("refund_order", within="soon")),
    Screen("tool-change", "tool_change", _treat("refund_order", within="2", risk="dangerous")),
    Screen("tool-loosen", "tool_change", _treat("delete_files", requires_approval="no")),
    Screen("people", "people", at("/people")),
    Screen("people-add", "people", _adding),
    Screen("people-add-wrong", "people", _taken),
    Screen("person", "person", at("/people/grace")),
    Screen("person-link", "person", _person("Make a sign-in link")),
    Screen("person-disable", "person_confirm", _person("Disable…")),
    Screen("person-admin", "person_confirm", _made_admin),
    Screen("keys", "keys", at("/keys")),
    Screen("keys-made", "keys", _key),
    Screen("keys-wrong", "keys", _no_key),
    Screen("keys-revoke", "keys_revoke", _revoking),
    Screen("keys-revoked", "keys", _revoked),
    Screen("settings", "settings", at("/settings")),
    Screen("settings-preferences", "preferences", at("/settings/preferences")),
)
