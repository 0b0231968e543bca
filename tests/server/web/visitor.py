"""A person with a browser and no script: pages, links and forms."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode

import httpx

from tests.server.conftest import Served


@dataclass
class Form:
    """A form of a page: where it goes, and what it would send as it is."""

    action: str
    pairs: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    buttons: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def value(self, name: str) -> str | None:
        """The last value of a name."""
        return next((value for key, value in reversed(self.pairs) if key == name), None)

    def filled(self, fields: dict[str, Any]) -> list[tuple[str, str]]:
        """What it sends with these fields filled in; a list stands for several of one name."""
        kept = [pair for pair in self.pairs if pair[0] not in fields]
        for name, value in fields.items():
            kept += [(name, each) for each in (value if isinstance(value, list) else [value])]
        return kept


def as_sent(pairs: list[tuple[str, str]]) -> bytes:
    """As a browser sends a form: it makes every line break a CRLF, whatever was typed."""
    broken = [(name, re.sub("\r\n|\r|\n", "\r\n", value)) for name, value in pairs]
    return urlencode(broken).encode()


class Forms(HTMLParser):
    """The forms of a page, each with its fields and what they hold."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[Form] = []
        self._area: str | None = None
        self._text = ""
        self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(given.get("action", "")))
        elif self.found and "disabled" not in given:
            self._control(tag, given)

    def _control(self, tag: str, given: dict[str, str]) -> None:
        form, name = self.found[-1], given.get("name", "")
        if tag == "input" and name:
            if given.get("type") not in ("checkbox", "radio") or "checked" in given:
                form.pairs.append((name, given.get("value", "")))
        elif tag == "button" and name:
            form.buttons.append((name, given.get("value", "")))
        elif tag == "textarea" and name:
            self._area, self._text = name, ""
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select:
            self._option(form, given)

    def _option(self, form: Form, given: dict[str, str]) -> None:
        # The first one counts until another is marked.
        if form.value(self._select) is None or "selected" in given:
            form.pairs = [pair for pair in form.pairs if pair[0] != self._select]
            form.pairs.append((self._select, given.get("value", "")))

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._area is not None:
            # The first line break after the tag is not part of the text.
            self.found[-1].pairs.append((self._area, self._text.removeprefix("\n")))
            self._area = None
        elif tag == "select":
            self._select = ""


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

    async def send(
        self,
        fields: dict[str, Any],
        verdict: str | None = None,
        *,
        press: str | None = None,
        to: str | None = None,
    ) -> httpx.Response:
        """Fill a form of the page in and send it: the one for this verdict, else the first.

        `press` is the value of the button that sends it, `to` the address of the form.
        """
        form = self.form(verdict, to)
        button = [] if press is None else [each for each in form.buttons if each[1] == press]
        assert press is None or button, form.buttons
        sent = as_sent([*form.filled(fields), *button[:1]])
        headers = {
            "Sec-Fetch-Site": "same-origin",
            "Origin": self._base,
            "Content-Type": "application/x-www-form-urlencoded",
        }
        address = form.action.partition("#")[0] or self.page.url.path
        self.page = await self._client.post(address, content=sent, headers=headers)
        return self.page

    def form(self, verdict: str | None = None, to: str | None = None) -> Form:
        """The form of the page for this verdict or address, else the first."""
        forms = [each for each in Forms(self.page.text).found if each.action != "/sign-out"]
        aimed = [each for each in forms if to in (None, each.action)]
        wanted = [each for each in aimed if verdict in (None, each.value("verdict"))]
        assert wanted, self.text
        return wanted[0]

    @property
    def text(self) -> str:
        """The page as it reads, without its markup."""
        plain = re.sub(r"<[^>]+>", " ", self.page.text)
        return re.sub(r"\s+", " ", plain)

    @property
    def requests(self) -> list[str]:
        """The addresses of the requests that the page links to."""
        return list(dict.fromkeys(re.findall(r'href="(/requests/[^"?#]+)["?]', self.page.text)))
