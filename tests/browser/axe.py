"""axe-core, put into a page from outside: the page's own policy would let no such script in."""

import functools
from typing import Any

from playwright.async_api import Page

from tests.npm.install import installed

_SERIOUS = frozenset({"serious", "critical"})
_ALL = "axe.run(document, {resultTypes: ['violations']})"
_COLOURS = "axe.run(document, {resultTypes: ['violations'], runOnly: ['color-contrast']})"


@functools.cache
def _source() -> str:
    return (installed() / "node_modules" / "axe-core" / "axe.min.js").read_text()


async def serious(page: Page, *, only_colours: bool = False) -> list[str]:
    """What axe finds serious or critical on the page as it is now, one line each."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(_source())
    found: Any = await page.evaluate(_COLOURS if only_colours else _ALL)
    return [
        f"{each['id']} ({each['impact']}): {node['html'][:160]} {node['failureSummary'][:300]}"
        for each in found["violations"]
        if each["impact"] in _SERIOUS
        for node in each["nodes"]
    ]
