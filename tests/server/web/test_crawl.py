"""Looking at pages, all of them and twice: nothing changes, and nothing is inline."""

import re

import httpx
import pytest

from assent.server.access import ACCESS
from tests.browser.office import script
from tests.conftest import World
from tests.server.api.dumps import dump
from tests.server.conftest import Serve, Served
from tests.server.web.crawler import Crawler, shape
from tests.server.web.scene import furnish, tools

_INLINE = re.compile(
    r"<style|\sstyle=|\son[a-z]+=|href=.?javascript:|<script(?! (?:type=.module. )?src=)"
)


# What only looks at pages need not look at them on both databases.
SQLITE = pytest.mark.parametrize("url", ["sqlite"], indirect=True)


async def signed_in(served: Served, account: str) -> httpx.AsyncClient:
    """A client with a session's cookie, as a browser has it."""
    client = served.client(None, Accept="text/html")
    await client.post("/sign-in", data={"key": served.keys[account]})
    # When a session was last used is noted, at most once a minute.
    await client.get("/")
    await served.assent.kernel.tasks.quiet("people")
    return client


# requirement: W1
async def test_following_every_link_twice_changes_nothing(serve: Serve, world: World) -> None:
    async with serve(script, *tools()) as served:
        await furnish(served.assent, "admin")
        client = await signed_in(served, "admin")
        before = await dump(world.url)
        for _ in range(2):
            await Crawler(client).crawl("/", "/sign-in", "/waiting")
        await served.assent.kernel.tasks.quiet("people")
        assert await dump(world.url) == before


@SQLITE
async def test_every_page_can_be_reached_from_the_inbox(serve: Serve) -> None:
    async with serve(script, *tools()) as served:
        await furnish(served.assent, "admin")
        seen = await Crawler(await signed_in(served, "admin")).crawl("/")
        reached = {shape(path).partition("?")[0] for path in seen}
        # What scripts ask for, and what only follows a decision: no link leads there.
        reached |= {"/waiting", "/chat/{id}/events", "/batch/done"}
        pages = {
            name.partition(" ")[2] for name, need in ACCESS.items() if need.page and "GET " in name
        }
        assert (
            sorted(page for page in pages if not any(_fits(page, each) for each in reached)) == []
        )


def _fits(pattern: str, path: str) -> bool:
    """Whether an address is one of this route's."""
    return re.fullmatch(re.sub(r"\\{\w+(:path)?\\}", "[^/]+", re.escape(pattern)), path) is not None


# requirement: W6
@SQLITE
async def test_no_page_has_anything_inline(serve: Serve) -> None:
    async with serve(script, *tools()) as served:
        await furnish(served.assent, "admin")
        crawler = Crawler(await signed_in(served, "admin"))
        await crawler.crawl("/")
        for path, answer in crawler.pages.items():
            assert "unsafe" not in answer.headers["content-security-policy"]
            assert _INLINE.findall(answer.text) == [], path
