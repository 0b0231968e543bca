"""Something of everything, so that every page has something to show."""

from assent import Assent, Field, FieldType, File, UserInput, answer, approve, reject, tool
from assent.engine.queries.snapshots import Turn
from tests.browser.office import Office, person, wants
from tests.browser.test_files import PNG

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
    opened = [await assent.send("agent", words, by=by) for words in OPEN]
    # The newest and most dangerous, so that a list which is cut off has them.
    picture = await assent.files.attach(PNG, by=by, name="shelf.png")
    await assent.send("agent", "what is this?", by=by, files=picture)
    turn = await assent.send("agent", wants("frame"), by=by)
    sent = await assent.files.upload(turn.pending[0], "picture", PNG, by=by, name="wall.png")
    await assent.decide(turn.pending[0], answer(picture=sent), by=by, channel="web")
    return opened


def tools() -> list[object]:
    """What the scene's agent can do."""
    form = UserInput("Which picture?", [Field("picture", type=FieldType.FILE, kinds="image/*")])

    @tool(risk="dangerous", user_input=form)
    async def frame(picture: File) -> str:
        """Frame a picture."""
        return f"framed {picture.name}"

    return [*Office().tools, frame]
