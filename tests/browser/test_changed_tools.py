"""A tool that its server changed: what the page shows of it, and accepting it there."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import expect

from assent.testing import ScriptedModel, calls, says
from tests.adapters.mcp.conftest import Moody, eventually
from tests.browser.axe import serious
from tests.browser.conftest import OpenHouse
from tests.browser.house import House
from tests.browser.office import person

PAGE = "/tools/moody__send"
LONG = "Sends it to everybody. " + "x" * 700
pytestmark = pytest.mark.asyncio(loop_scope="session")


@asynccontextmanager
async def changed(open_house: OpenHouse, folder: Path) -> AsyncIterator[House]:
    """A house whose server describes one of its tools differently since it was first seen."""
    moody = Moody(folder)
    model = ScriptedModel([says("", calls("moody__announce")), "Said."])
    async with open_house(model, mcp=[moody.server()]) as house:
        moody.define(send=LONG)
        # The server says that its tools changed when this one is called.
        await house.assent.send("agent", "Announce.", by=person("user"))
        await eventually(lambda: _is_changed(house))
        yield house


def _is_changed(house: House) -> bool:
    tools = {item.tool.name: item for item in house.assent.tools()}
    return tools["moody__send"].change is not None


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("phone", [False, True], ids=["desktop", "phone"])
async def test_the_difference_can_be_read_by_everybody_on_every_screen(
    open_house: OpenHouse, tmp_path: Path, phone: bool, theme: str
) -> None:
    async with changed(open_house, tmp_path) as house:
        page = await house.visit("admin", path=PAGE, phone=phone, theme=theme)  # pyright: ignore[reportArgumentType]
        panel = page.locator("#definition")
        await expect(panel).to_contain_text("Sends a note.")
        await expect(panel).to_contain_text("Sends it to everybody.")
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

        assert await serious(page) == []
        assert await page.evaluate(wide) == 0


async def test_it_is_accepted_without_javascript(open_house: OpenHouse, tmp_path: Path) -> None:
    async with changed(open_house, tmp_path) as house:
        page = await house.visit("admin", path=PAGE, phone=True, script=False)
        await page.get_by_role("button", name="Accept this definition").click()

        await expect(page.locator("#definition")).to_have_count(0)
        assert not _is_changed(house)
        assert len(await house.record("accept_definition")) == 1


async def test_who_is_no_admin_sees_it_and_cannot_accept_it(
    open_house: OpenHouse, tmp_path: Path
) -> None:
    async with changed(open_house, tmp_path) as house:
        page = await house.visit("user", path=PAGE)

        await expect(page.locator("#definition")).to_contain_text("Its definition has changed")
        await expect(page.get_by_role("button", name="Accept this definition")).to_have_count(0)
