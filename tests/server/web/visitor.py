"""A person with a browser and no script: pages, links and forms."""

import re
from html.parser import HTMLParser
from typing import Any

import httpx

from tests.server.conftest import Served


class Forms(HTMLParser):
    """The forms of a page, each with its fields and what they hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[dict[str, str]] = []
        self._area: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append({"action": given.get("action", "")})
        elif self.found and tag == "input" and "name" in given:
            if given.get("type") not in ("checkbox", "radio") or "checked" in given:
                self.found[-1][given["name"]] = given.get("value", "")
        elif self.found and tag == "textarea" and "name" in given:
            self._area = given["name"]
            self.found[-1][self._area] = ""

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self.found[-1][self._area] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._area = None


class Visitor:
    """Follows links and sends forms as a browser does."""

    def __init__(self, served: Served) -> None:
        self._client = served.client(None)
        self._client.follow_redirects = True
        self._base = served.base
        self.page: httpx.Response

    @classmethod
    async def signed_in(cls, served: Served, account: str = "user") -> "Visitor":
        """Somebody who has signed in with their key."""
        visitor = cls(served)
        await visitor.open("/sign-in")
        await visitor.send({"key": served.keys[account]})
        return visitor

    async def open(self, path: str) -> httpx.Response:
        """Go to an address."""
        self.page = await self._client.get(path, headers={"Sec-Fetch-Site": "none"})
        return self.page

    async def send(self, fields: dict[str, Any], verdict: str | None = None) -> httpx.Response:
        """Fill a form of the page in and send it: the one for this verdict, else the first."""
        forms = [each for each in Forms(self.page.text).found if each["action"] != "/sign-out"]
        wanted = [each for each in forms if verdict is None or each.get("verdict") == verdict]
        form = wanted[0] | fields
        address = form.pop("action") or self.page.url.path
        headers = {"Sec-Fetch-Site": "same-origin", "Origin": self._base}
        self.page = await self._client.post(address, data=form, headers=headers)
        return self.page

    @property
    def text(self) -> str:
        """The page as it reads, without its markup."""
        plain = re.sub(r"<[^>]+>", " ", self.page.text)
        return re.sub(r"\s+", " ", plain)

    @property
    def requests(self) -> list[str]:
        """The addresses of the requests that the page links to."""
        return list(dict.fromkeys(re.findall(r'href="(/requests/[^"?#]+)"', self.page.text)))
