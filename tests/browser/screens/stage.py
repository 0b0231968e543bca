"""The company's service as it runs, and what has to happen before a screen can be seen."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser, BrowserContext

from assent import Assent
from assent.domain.events import Entry
from assent.engine.queries.snapshots import Turn
from assent.server import Settings, create_app
from tests.browser.channels import channels, furnish_channels
from tests.browser.company import ERRANDS, RULES, Company, furnish, somebody
from tests.server.conftest import listening

_PATIENCE_MILLISECONDS = 20_000


@dataclass(frozen=True, slots=True)
class Stage:
    """One service with a month behind it; whatever a screen needs happens there."""

    base: str
    assent: Assent
    keys: dict[str, str]

    async def context(
        self, browser: Browser, account: str | None, **options: Any
    ) -> BrowserContext:
        """A browser of somebody's own, signed in; None for nobody."""
        context = await browser.new_context(base_url=self.base, **options)
        context.set_default_timeout(_PATIENCE_MILLISECONDS)
        if account is not None:
            answer = await context.request.post(
                "/sign-in",
                form={"key": self.keys[account]},
                headers={"Origin": self.base},
                max_redirects=0,
            )
            assert answer.status == 303, await answer.text()
        return context

    async def waiting(self, tool: str) -> str:
        """A request for this tool that has been waiting; screens only look at it."""
        requests = await self.assent.pending(limit=100)
        return next(each.id for each in requests if each.tool == tool)

    async def ask(self, *tools: str, by: str = "linus") -> Turn:
        """The agent asks anew, for one call of each."""
        said = ". ".join(text for text, name, _ in ERRANDS if name in tools)
        return await self.assent.send("shop", said, by=somebody(by))

    async def asked(self, tool: str, *, by: str = "linus") -> str:
        """A request of its own for a screen that changes it."""
        return (await self.ask(tool, by=by)).pending[0].id

    async def decide(self, id: str, verdict: Any, by: str = "grace") -> None:
        """Somebody decides elsewhere."""
        await self.assent.decide(id, verdict, by=somebody(by), channel="web")

    async def entry(self, action: str) -> Entry:
        """The newest entry of the record that says this was done to a request."""
        entries = [each for each in await self.assent.audit() if each.action == action]
        return next(each for each in reversed(entries) if each.request_id)

    async def link(self, id: str) -> str:
        """A link to this request, for Grace."""
        links = self.assent.people.links
        _, token = await links.to_decide("grace", id, by=somebody("ada"))
        return token


@asynccontextmanager
async def staged(url: str, settings: Settings | None = None) -> AsyncGenerator[Stage]:
    """The company on this database, open for visitors."""
    company = Company()
    assent = Assent(
        url,
        agents=[company.agent()],
        rules=RULES,
        channels=channels(),
        people_may_allow={"safe", "moderate"},
    )
    async with listening(create_app(assent, settings)) as base:
        try:
            keys = await furnish(assent)
            await furnish_channels(assent)
            yield Stage(base, assent, keys)
        finally:
            # What was left in the middle comes to its end, so that nobody waits for it.
            company.go_on.set()
