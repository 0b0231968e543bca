"""A database from before approvals had strengths: what waits in it goes on as it was."""

import pytest

from assent import Confirmation, Person, Risk, approve, tool
from assent.testing import calls, says
from tests.conftest import World
from tests.store.rawsql import BEFORE_0005, RawSql, before_0006

BEFORE = [
    *BEFORE_0005,
    "ALTER TABLE requests DROP COLUMN confirmation",
    "ALTER TABLE requests DROP COLUMN votes",
    "ALTER TABLE decisions DROP COLUMN shown",
    "ALTER TABLE decisions DROP COLUMN human",
    "ALTER TABLE sessions DROP COLUMN request_id",
    "UPDATE alembic_version SET version_num = '0003'",
]
ADA = Person("ada")


@pytest.mark.parametrize(
    ("risk", "wanted"),
    [(Risk.MODERATE, Confirmation.CLICK), (Risk.DANGEROUS, Confirmation.STEP)],
)
async def test_an_older_request_takes_what_its_risk_says_and_its_digest_still_holds(
    world: World, risk: Risk, wanted: Confirmation
) -> None:
    @tool(risk=risk, requires_approval=True)
    async def pay(amount: int) -> str:
        """Pay."""
        return "paid"

    async with world([says("", calls("pay", amount=1))], pay) as assent:
        turn = await assent.send("agent", "pay", by=ADA)
    await RawSql(world.url).rows(*before_0006(world.url), *BEFORE)
    async with world(["Done."], pay) as assent:
        request = await assent.request(turn.pending[0].id)
        assert request.confirmation is wanted
        await assent.decide(request.id, approve(), by=ADA, digest=turn.pending[0].digest)
        assert (await assent.wait(turn.id)).text == "Done."
