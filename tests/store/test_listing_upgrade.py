"""A database from before there were lists by audience gets them for what it holds."""

from assent import Audience, Person, tool
from assent.domain.paging import RequestFilter
from assent.engine.queries.listing import Inbox
from assent.testing import calls, says
from tests.conftest import World
from tests.server.conftest import ROLES
from tests.store.rawsql import BEFORE_0005, RawSql, before_0006

BEFORE = [
    *BEFORE_0005,
    "DROP TABLE request_audience",
    "DROP INDEX ix_requests_open",
    "CREATE INDEX ix_requests_open ON requests (created_at, id) WHERE status = 'open'",
    "DROP INDEX ix_turns_owner_created",
    "DROP INDEX ix_conversations_created",
    "DROP INDEX ix_requests_created",
    "DROP INDEX ix_requests_owner",
    "DROP INDEX ix_requests_owner_open",
    "DROP INDEX ix_requests_agent_open",
    "DROP INDEX ix_audit_at",
    "ALTER TABLE requests DROP COLUMN confirmation",
    "ALTER TABLE requests DROP COLUMN votes",
    "ALTER TABLE decisions DROP COLUMN shown",
    "ALTER TABLE decisions DROP COLUMN human",
    "ALTER TABLE sessions DROP COLUMN request_id",
    "UPDATE alembic_version SET version_num = '0002'",
]


@tool(requires_approval=True, approvers=Audience.of("approver"))
async def pay(amount: int) -> str:
    """Pay."""
    return "paid"


async def test_an_older_database_shows_approvers_what_waits_for_them(world: World) -> None:
    user = Person("user", roles=ROLES["user"])
    approver = Person("approver", roles=ROLES["approver"])
    async with world([says("", calls("pay", amount=1))], pay) as assent:
        turn = await assent.send("agent", "pay", by=user)
    await RawSql(world.url).rows(*before_0006(world.url), *BEFORE)
    box = Inbox(person=approver, wanted=RequestFilter())
    async with world([], pay) as assent:
        page = await assent.kernel.store.run(lambda tx: box.page(tx, after=None, limit=10))
    assert [request.id for request in page.items] == [turn.pending[0].id]
