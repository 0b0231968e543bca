"""Pages stay light: everything a browser loads for one, uncompressed; and little script in all."""

from importlib.resources import files
from urllib.parse import urlencode, urljoin, urlsplit

import httpx

from tests.browser.office import person, script, wants
from tests.server.conftest import Serve
from tests.server.web.crawler import Crawler, Page, imports
from tests.server.web.scene import furnish, tools
from tests.server.web.test_crawl import SQLITE, signed_in

MAX_PAGE_BYTES = 160_000
MAX_SCRIPT_LINES = 2_200
ROWS = 30


def weight(path: str, seen: dict[str, httpx.Response]) -> int:
    """Bytes of a page with its styles, scripts, what those import, and pictures; each once."""
    by_path = {urlsplit(each).path: answer for each, answer in seen.items()}
    parts, waiting = set[str](), Page(seen[path].text).parts
    while waiting:
        name = urlsplit(waiting.pop()).path
        if name not in parts:
            parts.add(name)
            waiting += [urljoin(name, each) for each in imports(by_path[name])]
    return len(seen[path].content) + sum(len(by_path[name].content) for name in parts)


@SQLITE
async def test_every_page_with_thirty_rows_is_light(serve: Serve) -> None:
    async with serve(script, *tools()) as served:
        await furnish(served.assent, "admin")
        asked = [wants("pay", to=f"Somebody {n}", amount=n, note="for March") for n in range(ROWS)]
        turns = [await served.assent.send("agent", each, by=person("admin")) for each in asked]
        ids = [("id", turn.pending[0].id) for turn in turns]
        crawler = Crawler(await signed_in(served, "admin"))
        seen = await crawler.crawl("/", f"/batch?{urlencode(ids)}")
        weights = {path: weight(path, seen) for path in crawler.pages}
        assert {path: size for path, size in weights.items() if size > MAX_PAGE_BYTES} == {}


def test_all_scripts_together_are_short() -> None:
    scripts = files("assent.server.web").joinpath("static").iterdir()
    lines = {
        each.name: len(each.read_text().splitlines())
        for each in scripts
        if each.name.endswith(".js")
    }
    assert sum(lines.values()) <= MAX_SCRIPT_LINES, lines
