"""Something of everything, so that every page has something to show."""

from assent import Assent, approve, reject
from assent.engine.queries.snapshots import Turn
from tests.browser.office import Office, person, wants

OPEN = (
    wants("erase", path="/srv/reports/2025", recursive=True),
    wants("pay", to="Ada", amount=40, note="for March"),
    wants("connect", command="uptime"),
    wants("weigh"),
    wants("restart", service="mail"),
)


async def furnish(assent: Assent, owner: str) -> list[Turn]:
    """Requests of all kinds, waiting and decided; calls that ran by themselves; an answer."""
    by = person(owner)
    for word in ("hello", wants("look_up", word="assent")):
        await assent.send("agent", word, by=by)
    for verdict in (approve(), reject(reason="not that much")):
        turn = await assent.send("agent", wants("pay", to="Bob", amount=7), by=by)
        await assent.decide(turn.pending[0].id, verdict, by=by, channel="web")
        await assent.wait(turn.id)
    return [await assent.send("agent", words, by=by) for words in OPEN]


def tools() -> list[object]:
    """What the scene's agent can do."""
    return Office().tools
