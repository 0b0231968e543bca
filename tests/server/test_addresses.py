"""Addresses that nothing has: a refusal on either database, never a fault."""

from tests.server.conftest import Serve
from tests.server.web.office import Office, script

PLACES = (
    "/?q=a%00b",
    "/?tool=a%00",
    "/requests/a%00b",
    "/history/a%00",
    "/history?person=a%00",
    "/chat/a%00",
    "/batch?id=a%00",
    "/batch/done?decided=a%00",
    "/api/requests/a%00",
    "/api/history?tool=a%00",
)


async def test_a_nul_in_an_address_is_refused(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        client = served.client("admin")
        for place in PLACES:
            answer = await client.get(place)
            refusal = (422, "bad_address") if "?" in place else (404, "not_found")
            assert (answer.status_code, answer.json()["code"]) == refusal, place
