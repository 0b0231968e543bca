"""Forms in steps by API: steps beside the fields, drafts by number, answers from elsewhere."""

from typing import Any

import pytest

from tests.browser.office import person, script, wants
from tests.server.conftest import Serve, Served
from tests.server.web.parcels import CARD, Carrier

WHO = {"name": "Bea", "country": "DE"}


async def asked(served: Served) -> str:
    turn = await served.assent.send("agent", wants("ship", parcel="p1"), by=person("user"))
    return f"/api/requests/{turn.pending[0].id}"


async def answer(served: Served, at: str, values: Any, **more: Any) -> Any:
    body = {"verdict": "answer", "values": values, **more}
    return await served.client("user").post(f"{at}/decide", json=body)


async def test_a_form_is_filled_in_step_by_step(serve: Serve) -> None:
    carrier = Carrier()
    async with serve(script, carrier.tool) as served:
        at = await asked(served)
        first = (await served.client("user").get(f"{at}/card")).json()
        assert (first["draft_number"], first["draft_at"]) == (0, None)
        assert [step["title"] for step in first["form"]["steps"]] == [
            *("Who gets it", "Customs", "Payment")
        ]
        kept = await answer(served, at, WHO, partial=True, seen=0)
        assert (kept.status_code, kept.json()["status"]) == (200, "open")
        last = await answer(served, at, {"card": CARD}, partial=True, seen=1)
        assert last.status_code == 200
        card = (await served.client("user").get(f"{at}/card")).json()
        assert (card["draft_number"], card["kept_secrets"]) == (2, ["card"])
        assert CARD not in str(card)
        done = await answer(served, at, {}, seen=2)
        assert done.json()["status"] == "answered"
        await served.assent.wait(done.json()["turn_id"])
    assert carrier.shipped == [("Bea", "DE", "", "", 0, CARD)]


async def test_an_answer_from_elsewhere_is_told_by_field(serve: Serve) -> None:
    async with serve(script, Carrier().tool) as served:
        at = await asked(served)
        await answer(served, at, WHO, partial=True)
        clash = await answer(served, at, {"name": "Carl"}, partial=True, seen=0)
        unseen = await answer(served, at, {"card": CARD}, seen=0)
        known = await answer(served, at, {"name": "Carl"}, partial=True, seen=1)

    told = clash.json()
    assert (clash.status_code, told["code"]) == (409, "draft_changed")
    assert (told["fields"], told["number"]) == (["name"], 1)
    assert "Bea" not in clash.text
    assert (unseen.status_code, unseen.json()["fields"]) == (409, ["name", "country"])
    assert known.status_code == 200


@pytest.mark.parametrize("seen", [-1, "1", True, 1.5, [], {}, 2**40])
async def test_what_is_no_number_of_a_draft_is_refused(serve: Serve, seen: Any) -> None:
    async with serve(script, Carrier().tool) as served:
        refused = await answer(served, await asked(served), WHO, partial=True, seen=seen)
    assert refused.status_code == 422
