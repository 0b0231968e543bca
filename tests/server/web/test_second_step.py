"""The second step: asked for by a rule or by what a call holds, and not for what is over."""

from datetime import timedelta

import pytest

from assent import Confirmation, Rule
from assent.domain.decisions import reject
from assent.domain.policy import Effect
from assent.server import Settings
from tests.server.conftest import Serve, Served
from tests.server.web.office import USER, Office, ask, script
from tests.server.web.test_one_click import PICTURE
from tests.server.web.visitor import Visitor

AT_ONCE = Settings(dwell=timedelta(0))
SURE = "Yes, run it once"


async def looking(served: Served, said: str) -> tuple[Visitor, str]:
    """The user, looking at the request that came of this; and its address."""
    [id] = await ask(served, said)
    visitor = await Visitor.signed_in(served)
    await visitor.open(f"/requests/{id}")
    return visitor, f"/requests/{id}"


async def test_a_rule_may_ask_for_a_second_step(serve: Serve) -> None:
    office, firm = Office(), Rule.of(Effect.ASK, "refund", confirmation=Confirmation.STEP)
    async with serve(script, *office.tools, rules=[firm]) as served:
        visitor, _ = await looking(served, "refund a")
        await visitor.send({}, "approve")
        assert SURE in visitor.text
        assert office.ran == []
        await visitor.send({}, "approve")
        assert "Recorded" in visitor.text
    assert office.ran == [("refund", "a")]


# requirement: F5
async def test_a_rule_may_ask_for_a_typed_value(serve: Serve) -> None:
    office, firm = Office(), Rule.of(Effect.ASK, "refund", confirmation=Confirmation.TYPED)
    async with serve(script, *office.tools, rules=[firm], settings=AT_ONCE) as served:
        visitor, _ = await looking(served, "refund a")
        await visitor.send({}, "approve")
        assert 'name="typed"' in visitor.page.text
        await visitor.send({"typed": "refun"}, "approve")
        assert visitor.page.status_code == 422
        assert office.ran == []
        await visitor.send({"typed": "refund"}, "approve")
        assert "Recorded" in visitor.text
    assert office.ran == [("refund", "a")]


# requirement: D18
async def test_bytes_that_nobody_can_read_are_asked_about_twice(serve: Serve) -> None:
    office = Office()
    async with serve(script, *office.tools) as served:
        visitor, _ = await looking(served, f"refund {PICTURE}")
        assert "uninspectable" in visitor.text
        await visitor.send({}, "approve")
        assert SURE in visitor.text
        assert office.ran == []
        await visitor.send({}, "approve")
        assert "Recorded" in visitor.text
    assert office.ran == [("refund", PICTURE)]


async def test_who_was_too_slow_is_told_before_the_second_step(serve: Serve) -> None:
    async with serve(script, *Office().tools) as served:
        visitor, address = await looking(served, "erase a")
        await served.assent.decide(address.rpartition("/")[2], reject("no"), by=USER)
        await visitor.send({}, "approve")
        assert visitor.page.status_code == 409
        assert "already rejected by user" in visitor.text
        assert SURE not in visitor.text


# requirement: D14
@pytest.mark.parametrize("digest", ["", "0" * 64], ids=["none", "another"])
async def test_what_was_not_shown_never_gets_as_far_as_the_second_step(
    serve: Serve, digest: str
) -> None:
    async with serve(script, *Office().tools) as served:
        visitor, _ = await looking(served, "erase a")
        await visitor.send({"digest": digest}, "approve")
        assert visitor.page.status_code == 409
        assert 'role="alert"' in visitor.page.text
        assert SURE not in visitor.text
