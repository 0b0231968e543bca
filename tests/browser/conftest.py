"""One Chromium for all journeys of a process; a context of its own for every person in them."""

import os
import shutil
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from assent.server import Settings, create_app
from tests.browser.house import House
from tests.browser.office import Office, script
from tests.browser.watch import Watch
from tests.conftest import World
from tests.server.conftest import accounts, listening

_WHOLE = ("chromium", "chromium-browser", "google-chrome")
# The same engine without windows and what belongs to them: a third less work for a page.
_SHELL = ("chromium-headless-shell", "chrome-headless-shell")
_OPTIONS = (
    "--no-sandbox",  # containers and CI run as root
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Whatever is not loopback cannot even be looked up.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)

OpenHouse = Callable[..., AbstractAsyncContextManager[House]]


# First: xdist reads the groups in a hook of the same name.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All on one loop, Chromium's, and in one process: two would wait for each other's."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            item.add_marker(pytest.mark.xdist_group("browser"))


def chromium(*, whole: bool = False) -> str:
    """Where Chromium is; skips where there is none, and fails where there must be one.

    `whole`: with what only a browser with windows has, such as notifications.
    """
    names = _WHOLE if whole else (*_SHELL, *_WHOLE)
    found = next(filter(None, map(shutil.which, names)), None)
    if found is None:
        reason = f"none of {', '.join(names)} found: pages cannot be tried in a browser"
        if os.environ.get("ASSENT_REQUIRE_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@asynccontextmanager
async def launched(path: str) -> AsyncGenerator[Browser]:
    """A real Chromium."""
    async with async_playwright() as playwright:
        running = await playwright.chromium.launch(executable_path=path, args=list(_OPTIONS))
        yield running
        await running.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncGenerator[Browser]:
    """The browser of all journeys, unless a module has its own."""
    async with launched(chromium()) as running:
        yield running


@pytest.fixture
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """SQLite, unless a journey asks for PostgreSQL, too."""
    if getattr(request, "param", "sqlite") == "sqlite":
        return f"sqlite:///{tmp_path / 'assent.db'}"
    return request.getfixturevalue("postgres_url")


@pytest.fixture
def open_house(world: World, browser: Browser) -> OpenHouse:
    """`async with open_house() as house`; nothing foreign was asked for when it closes."""

    @asynccontextmanager
    async def opening(
        model: Any = script,
        *tools: Any,
        settings: Settings | None = None,
        **options: Any,
    ) -> AsyncGenerator[House]:
        office = Office()
        assent = world(model, *office.tools, *tools, **options)
        async with listening(create_app(assent, settings)) as base:
            house = House(
                base=base,
                assent=assent,
                keys=await accounts(assent),
                office=office,
                browser=browser,
                watch=Watch(base),
            )
            try:
                yield house
            finally:
                await house.close()
            assert house.watch.trouble == []

    return opening


@pytest_asyncio.fixture(loop_scope="session")
async def house(open_house: OpenHouse) -> AsyncGenerator[House]:
    """A service with the office's agent."""
    async with open_house() as opened:
        yield opened
