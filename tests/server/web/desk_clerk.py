"""Somebody with a browser who presses the buttons of pages that manage."""

import re
from html import unescape
from typing import Any

import httpx

from tests.server.conftest import Served
from tests.server.web.visitor import Forms, Visitor, as_sent


class Clerk(Visitor):
    """Chooses a form by where it goes, and a button by what it does."""

    def __init__(self, served: Served) -> None:
        super().__init__(served)
        self.served = served

    @classmethod
    async def of(cls, served: Served, account: str = "admin") -> "Clerk":
        """Somebody who has signed in with their key."""
        clerk = cls(served)
        await clerk.open("/sign-in")
        await clerk.send({"key": served.keys[account]})
        return clerk

    async def press(self, action: str, do: str | None = None, **fields: Any) -> httpx.Response:
        """Send the form that goes there and has that button, filled in as given."""
        forms = [form for form in Forms(self.page.text).found if form.action == action]
        wanted = [form for form in forms if do is None or ("do", do) in form.buttons]
        assert wanted, f"no form goes to {action} with {do}"
        button = [] if do is None else [("do", do)]
        return await self.post(action, [*wanted[0].filled(fields), *button])

    async def post(self, action: str, pairs: list[tuple[str, str]]) -> httpx.Response:
        """Send any form as a page of ours would."""
        headers = {
            "Sec-Fetch-Site": "same-origin",
            "Origin": self.served.base,
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self.page = await self._client.post(action, content=as_sent(pairs), headers=headers)
        return self.page

    @property
    def secret(self) -> str:
        """The secret that the page shows."""
        found = re.search(r'<code id="secret"[^>]*>([^<]+)</code>', self.page.text)
        assert found, "the page shows no secret"
        return unescape(found[1])

    @property
    def csrf(self) -> str:
        """The token that every form of the page carries."""
        return Forms(self.page.text).found[-1].value("csrf_token") or ""
