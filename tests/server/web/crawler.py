"""Follows every link of every page, as a browser's prefetching or a curious scanner would."""

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urljoin, urlsplit

import httpx

# Where an element says what else there is to get; a posted form is not followed.
_LEADS = {"a": "href", "link": "href", "script": "src", "img": "src", "use": "href"}
_IMPORT = re.compile(rb'(?:import|from)\s*\(?\s*"(\./[\w.-]+\.js)"')
_ID = re.compile(r"[a-z]{2,6}_[0-9a-f]{12,}")


class Page(HTMLParser):
    """The addresses that a page leads to, apart by whether they belong to the page itself."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.parts: list[str] = []
        self.forms: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form" and given.get("method", "get").lower() == "get":
            self.forms.append(given.get("action", ""))
        if address := given.get(_LEADS.get(tag, ""), ""):
            (self.links if tag == "a" else self.parts).append(address)


def shape(address: str) -> str:
    """What kind of address it is: pages of a kind differ in their ids and filters only."""
    parts = urlsplit(address)
    names = ",".join(sorted(name for name, _ in parse_qsl(parts.query)))
    return f"{_ID.sub('{id}', parts.path)}?{names}"


@dataclass
class Crawler:
    """Somebody signed in; `seen` are the answers to whatever was asked for, by address."""

    client: httpx.AsyncClient
    most_of_a_kind: int = 3
    seen: dict[str, httpx.Response] = field(default_factory=dict[str, httpx.Response])
    _kinds: Counter[str] = field(default_factory=Counter[str])
    _empty_forms: set[str] = field(default_factory=set[str])

    async def crawl(self, *starts: str) -> dict[str, httpx.Response]:
        """Get these addresses, and all that they lead to."""
        waiting = list(starts)
        while waiting:
            address = waiting.pop(0)
            if address in self.seen or self._kinds[shape(address)] >= self.most_of_a_kind:
                continue
            self._kinds[shape(address)] += 1
            answer = self.seen[address] = await self.client.get(address)
            # A form that somebody sends empty may be refused; a link leads somewhere.
            refused = 500 if address in self._empty_forms else 400
            assert answer.status_code < refused, (address, answer.status_code)
            waiting += self._next(address, answer)
        return self.seen

    @property
    def pages(self) -> dict[str, httpx.Response]:
        """Of what was seen, what people look at."""
        kinds = {path: got.headers.get("content-type", "") for path, got in self.seen.items()}
        return {path: self.seen[path] for path, kind in kinds.items() if kind[:9] == "text/html"}

    def _next(self, address: str, answer: httpx.Response) -> list[str]:
        if "location" in answer.headers:
            found = [answer.headers["location"]]
        elif answer.headers.get("content-type", "").startswith("text/html"):
            page = Page(answer.text)
            self._empty_forms.update(page.forms)
            found = page.links + page.parts + page.forms
        else:
            found = imports(answer)
        return [each for link in found if (each := self._own(address, link)) is not None]

    def _own(self, address: str, link: str) -> str | None:
        whole = urlsplit(urljoin(urljoin(str(self.client.base_url), address), link))
        if whole.netloc != self.client.base_url.netloc.decode():
            return None
        return whole.path + (f"?{whole.query}" if whole.query else "")


def imports(answer: httpx.Response) -> list[str]:
    """The modules that a script imports."""
    if "javascript" not in answer.headers.get("content-type", ""):
        return []
    return [each.decode() for each in _IMPORT.findall(answer.content)]
