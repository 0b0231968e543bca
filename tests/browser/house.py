"""A running service and the browsers of the people who visit it."""

from dataclasses import dataclass, field
from typing import Any, Literal

from playwright.async_api import Browser, BrowserContext, Page, ViewportSize, expect

from assent import Assent
from assent.domain.events import Entry
from assent.engine.queries.snapshots import Turn
from tests.browser.office import Office, person
from tests.browser.watch import Watch

DESKTOP = ViewportSize(width=1280, height=860)
PHONE = ViewportSize(width=390, height=844)
# Of pages and of what is expected on them: a machine may be busy with something else.
_PATIENCE_MILLISECONDS = 30_000
expect.set_options(timeout=_PATIENCE_MILLISECONDS)


@dataclass
class House:
    """One service, its engine, and who is in it."""

    base: str
    assent: Assent
    keys: dict[str, str]
    office: Office
    browser: Browser
    watch: Watch
    _contexts: list[BrowserContext] = field(default_factory=list[BrowserContext])

    async def visit(
        self,
        account: str | None = "user",
        *,
        path: str = "",
        phone: bool = False,
        theme: Literal["light", "dark"] = "light",
        script: bool = True,
        **options: Any,
    ) -> Page:
        """A page of somebody's own browser, signed in; None for nobody."""
        context = await self.browser.new_context(
            base_url=self.base,
            viewport=PHONE if phone else DESKTOP,
            has_touch=phone,
            color_scheme=theme,
            java_script_enabled=script,
            **options,
        )
        self._contexts.append(context)
        self.watch.attach(context)
        context.set_default_timeout(_PATIENCE_MILLISECONDS)
        if account is not None:
            await self._sign_in(context, account)
        page = await context.new_page()
        if path:
            await page.goto(path)
        return page

    async def _sign_in(self, context: BrowserContext, account: str) -> None:
        answer = await context.request.post(
            "/sign-in",
            form={"key": self.keys[account]},
            headers={"Origin": self.base},
            max_redirects=0,
        )
        assert answer.status == 303, await answer.text()

    async def ask(self, text: str, *, by: str = "user") -> str:
        """Somebody says this to the agent; the address of the one request that comes of it."""
        turn = await self.say(text, by=by)
        [request] = turn.pending
        return f"/requests/{request.id}"

    async def say(self, text: str, *, by: str = "user") -> Turn:
        """Somebody says this to the agent, and the turn comes to rest."""
        return await self.assent.send("agent", text, by=person(by))

    async def record(self, action: str) -> list[Entry]:
        """What the record says was done."""
        return [entry for entry in await self.assent.audit() if entry.action == action]

    async def close(self) -> None:
        """Close every browser that was opened."""
        for context in self._contexts:
            await context.close()
