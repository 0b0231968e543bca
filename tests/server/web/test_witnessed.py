"""A decision on a page of ours is recorded with what that page showed, or there is none."""

from typing import Any

import pytest

from assent.engine.queries.review import Review, read_review
from assent.server.web.review.confirm_page import revised_of
from assent.server.web.review.request_page import rendered
from tests.server.conftest import Serve, Served
from tests.server.web.office import USER, Office, ask, script
from tests.server.web.test_one_click import conversing
from tests.server.web.visitor import Visitor

NOTHING_SHOWN = {"left out": "", "made up": "k|2026-01-01T00:00:00+00:00|0|html/3:0|" + "0" * 64}
SEALS = pytest.mark.parametrize("seal", NOTHING_SHOWN.values(), ids=NOTHING_SHOWN.keys())


async def looking(served: Served, said: str, do: str = "") -> tuple[Visitor, str]:
    """The user, looking at the request that came of this; and its id."""
    [id] = await ask(served, said)
    visitor = await Visitor.signed_in(served)
    await visitor.open(f"/requests/{id}{do}")
    return visitor, id


async def undecided(served: Served, visitor: Visitor, id: str) -> None:
    """The page was refused, and nothing is on record."""
    assert visitor.page.status_code == 409
    assert await served.assent.kernel.store.run(lambda tx: tx.decisions.of_request(id)) == []
    assert (await served.assent.request(id)).is_open


async def matter_of(served: Served, id: str) -> Review:
    kernel = served.assent.kernel
    drawn = await kernel.store.run(
        lambda tx: read_review(tx, kernel.catalogue, kernel.vault, USER, id)
    )
    return drawn()


# requirement: D13
@SEALS
@pytest.mark.parametrize("verdict", ["approve", "reject"])
async def test_a_form_that_does_not_say_what_was_shown_decides_nothing(
    serve: Serve, verdict: str, seal: str
) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        visitor, id = await looking(served, "refund a")
        await visitor.send({"seal": seal}, verdict)
        await undecided(served, visitor, id)
    assert office.ran == []


# requirement: D13
@SEALS
async def test_nor_does_it_in_the_chat(serve: Serve, seal: str) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        visitor = await conversing(served, "refund a")
        id = visitor.form("approve").action.rpartition("/")[2]
        await visitor.send({"seal": seal}, "approve")
        await undecided(served, visitor, id)
    assert office.ran == []


# requirement: D13, F4
@SEALS
async def test_nor_among_others(serve: Serve, seal: str) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        ids = await ask(served, "refund a", "refund b")
        visitor = await Visitor.signed_in(served)
        await visitor.open(f"/batch?id={ids[0]}&id={ids[1]}")
        await visitor.send({"id": ids, f"seal.{ids[0]}": seal, "verdict": "approve"}, to="/batch")
        assert "1 of 2 decided" in visitor.text
        assert (await served.assent.request(ids[0])).is_open
    assert office.ran == [("refund", "b")]


# requirement: D13
@pytest.mark.parametrize("keep", [True, False], ids=["that of the first page", "none"])
async def test_who_skips_the_second_step_was_not_shown_it(serve: Serve, keep: bool) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        visitor, id = await looking(served, "erase a")
        await visitor.send({"confirmed": "yes"} | ({} if keep else {"seal": ""}), "approve")
        await undecided(served, visitor, id)
    assert office.ran == []


# requirement: D13
@pytest.mark.parametrize(
    "changed",
    [{"seal": ""}, {"arguments": '{"word":"everything"}'}],
    ids=["no seal", "other arguments"],
)
async def test_an_edit_runs_as_its_difference_was_shown_or_not_at_all(
    serve: Serve, changed: dict[str, Any]
) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        visitor, id = await looking(served, "refund a", "?do=edit")
        await visitor.send({"arg/word": "b"}, "edit")
        assert "What you changed" in visitor.text
        await visitor.send(changed, "edit")
        await undecided(served, visitor, id)
    assert office.ran == []


# requirement: D13
async def test_an_edit_is_recorded_with_the_hash_of_its_difference(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        visitor, id = await looking(served, "refund a", "?do=edit")
        await visitor.send({"arg/word": "b"}, "edit")
        matter = await matter_of(served, id)
        again = revised_of(matter, {"word": "b"})
        assert again.difference in visitor.page.text
        assert again.whole in visitor.page.text
        await visitor.send({}, "edit")
        assert "Recorded" in visitor.text
        [decision] = await served.assent.kernel.store.run(lambda tx: tx.decisions.of_request(id))
        assert decision.shown == again.rendered.shown
        # Not that of the page where the edit began, which had other arguments.
        assert decision.shown != rendered(matter).shown
        [entry] = [each for each in await served.assent.audit() if each.action == "approve"]
        assert entry.data["shown"] == again.rendered.shown
    assert office.ran == [("refund", "b")]


# requirement: D13
async def test_an_edit_that_says_something_else_has_another_hash(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        visitor, id = await looking(served, "refund a")
        found: set[str] = set()
        for word in ("b", "c"):
            await visitor.open(f"/requests/{id}?do=edit")
            await visitor.send({"arg/word": word}, "edit")
            found.add((visitor.form("edit").value("seal") or "").split("|")[3])
        assert len(found) == 2
