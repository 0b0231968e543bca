"""A body that outlives its time, as the API and the pages tell of it."""

import threading
from datetime import timedelta

from assent import Person, tool
from assent.testing import calls, says
from tests.faults.nursery import until
from tests.server.conftest import Serve

SECONDS = 20


async def test_a_call_that_still_runs_is_refused_by_name_and_its_page_shows_how_it_ended(
    serve: Serve,
) -> None:
    go_on = threading.Event()

    @tool(requires_approval=False, timeout=timedelta(milliseconds=500))
    def pay() -> str:
        """Pay."""
        assert go_on.wait(SECONDS)
        return "paid after all"

    try:
        async with serve([says("", calls("pay")), "Done."], pay) as served:
            turn = await served.assent.send("agent", "pay", by=Person("user"))
            [call], [request] = turn.calls, turn.pending
            client = served.client()
            again = {"verdict": "run_again", "digest": request.digest}
            refused = await client.post(f"/api/requests/{request.id}/decide", json=again)
            assert refused.status_code == 409
            told = refused.json()
            assert (told["code"], told["call_id"]) == ("still_running", call.id)
            assert "Wait until it ends" in told["detail"]

            go_on.set()

            async def is_asked_anew() -> bool:
                [now] = (await served.assent.turn(turn.id)).pending
                return now.id != request.id

            await until(is_asked_anew)
            story = (await client.get(f"/history/{call.id}")).text
            [anew] = (await served.assent.turn(turn.id)).pending
            page = (await client.get(f"/requests/{anew.id}")).text
    finally:
        go_on.set()

    for shown in (story, page):
        assert "paid after all" in shown
