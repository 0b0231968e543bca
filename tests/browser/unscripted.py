"""Pages as a browser without scripts reads, shows and sends them, and yet axe can run there."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from playwright.async_api import Page

_SWITCH = "Emulation.setScriptExecutionDisabled"
# Read as elements, they would be hidden as soon as scripts may run.
_UNWRAP = """for (const each of document.querySelectorAll("body noscript")) {
  each.replaceWith(...each.childNodes);
}"""


@asynccontextmanager
async def unscripted(page: Page) -> AsyncGenerator[None]:
    """No script runs on what is opened in here, nor later on the page that is open at the end.

    A context with `java_script_enabled=False` is so for good: axe's own promises never settle.
    """
    session = await page.context.new_cdp_session(page)
    await session.send(_SWITCH, {"value": True})
    yield
    await page.evaluate(_UNWRAP)
    await session.send(_SWITCH, {"value": False})
    await session.detach()
