"""Every route that changes something, asked by a page of another site: a browser is no consent."""

import httpx

from assent.server.access import ACCESS
from tests.browser.office import script
from tests.conftest import World
from tests.server.api.dumps import dump
from tests.server.auth.test_sessions import csrf
from tests.server.conftest import Serve, Served
from tests.server.web.addresses import Addresses
from tests.server.web.scene import tools
from tests.server.web.test_crawl import SQLITE, signed_in

ELSEWHERE = {
    "another site": {"sec-fetch-site": "cross-site", "origin": "https://evil.example"},
    "another site that hides": {"sec-fetch-site": "cross-site"},
    "another origin": {"origin": "https://evil.example"},
    "no origin": {"origin": "null"},
}


async def refused(
    client: httpx.AsyncClient, method: str, path: str, headers: dict[str, str]
) -> bool:
    """Whether a form that comes so is refused."""
    fields = {"verdict": "approve", "text": "go", "do": "save", "confirmed": "yes"}
    answer = await client.request(method, path, data=fields, headers=headers)
    return answer.status_code == 403 and "set-cookie" not in answer.headers


async def browsers(served: Served) -> tuple[httpx.AsyncClient, str, str]:
    """An admin's browser with its token, and somebody else's token."""
    admin, other = await signed_in(served, "admin"), await signed_in(served, "user")
    return admin, await csrf(admin), await csrf(other)


# requirement: W4
@SQLITE
async def test_without_its_own_token_no_route_changes_anything(serve: Serve, world: World) -> None:
    async with serve(script, *tools()) as served:
        addresses = await Addresses.of(served, "admin")
        client, _, of_another = await browsers(served)
        own = {"sec-fetch-site": "same-origin", "origin": served.base}
        before = await dump(world.url)
        for name, method, path in addresses.changing():
            # Whoever is nobody yet has no token: only where it comes from can be asked.
            if ACCESS[name].public:
                continue
            for token in ({}, {"x-csrf-token": "x"}, {"x-csrf-token": of_another}):
                assert await refused(client, method, path, own | token), (name, token)
        assert await dump(world.url) == before


# requirement: W4
@SQLITE
async def test_from_elsewhere_no_route_changes_anything(serve: Serve, world: World) -> None:
    async with serve(script, *tools()) as served:
        addresses = await Addresses.of(served, "admin")
        client, token, _ = await browsers(served)
        before = await dump(world.url)
        for name, method, path in addresses.changing():
            for case, headers in ELSEWHERE.items():
                given = headers | {"x-csrf-token": token}
                assert await refused(client, method, path, given), (name, case)
        assert await dump(world.url) == before


# requirement: W4
@SQLITE
async def test_with_its_token_and_from_a_page_of_ours_every_route_answers(serve: Serve) -> None:
    async with serve(script, *tools()) as served:
        nowhere = Addresses({})
        client, token, _ = await browsers(served)
        own = {"sec-fetch-site": "same-origin", "origin": served.base, "x-csrf-token": token}
        for name, method, path in nowhere.changing():
            if not ACCESS[name].public and path != "/sign-out":
                assert not await refused(client, method, path, own), name
        # All of that as the one they are, which the last of them ends.
        assert (await client.get("/api/me")).json()["id"] == "admin"
        assert not await refused(client, "POST", "/sign-out", own)
        assert (await client.get("/api/me")).status_code == 401
