"""Asking only for the head of a page, as scanners of mail and chats do, changes nothing either."""

from tests.browser.office import script
from tests.conftest import World
from tests.server.api.dumps import dump
from tests.server.conftest import Serve
from tests.server.web.addresses import Addresses
from tests.server.web.crawler import Crawler
from tests.server.web.scene import furnish, tools
from tests.server.web.test_crawl import signed_in


# requirement: W1
async def test_the_head_of_every_link_changes_nothing_and_is_that_of_the_page(
    serve: Serve, world: World
) -> None:
    async with serve(script, *tools()) as served:
        await furnish(served.assent, "admin")
        client = await signed_in(served, "admin")
        seen = await Crawler(client, most_of_a_kind=1).crawl("/", "/waiting")
        before = await dump(world.url)
        for _ in range(2):
            for address, page in seen.items():
                head = await client.head(address)
                assert (head.status_code, head.content) == (page.status_code, b""), address
                assert head.headers.get("content-type") == page.headers.get("content-type")
        await served.assent.kernel.tasks.quiet("people")
        assert await dump(world.url) == before


# requirement: W1
async def test_the_head_of_every_route_changes_nothing(serve: Serve, world: World) -> None:
    async with serve(script, *tools()) as served:
        addresses = await Addresses.of(served, "admin")
        client = await signed_in(served, "admin")
        before = await dump(world.url)
        for _ in range(2):
            for address in addresses.looking():
                head = await client.head(address)
                assert (head.status_code < 500, head.content) == (True, b""), address
                assert "set-cookie" not in head.headers, address
        await served.assent.kernel.tasks.quiet("people")
        assert await dump(world.url) == before
