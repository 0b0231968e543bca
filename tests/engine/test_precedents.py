"""Earlier calls like one, for those who may see them; and how often the same was rejected."""

from typing import Any

from assent import Assent, Audience, Hint, Person, approve, reject, tool
from assent.domain.cards import NamedValue, Secret, Text
from assent.domain.lifecycle import CallStatus
from assent.domain.messages import Answer, Prompt
from assent.domain.requests import Request
from assent.engine.queries.review import SIMILAR_MAX, Background, read_background
from assent.testing import calls, says
from tests.conftest import World

ADA, BOB = Person("ada"), Person("bob")
JUDGE = Person("judge", roles=frozenset({"judge"}))
OTHER_JUDGE = Person("other", roles=frozenset({"judge"}))
AUDITOR = Person("auditor", roles=frozenset({"auditor"}))


@tool(
    requires_approval=True,
    approvers=Audience(owner=True, roles=frozenset({"judge"})),
    hints={"pin": Hint(secret=True)},
)
async def pay(to: str, pin: str = "") -> str:
    """Pay."""
    return "paid"


@tool(requires_approval=True)
async def mail(to: str) -> str:
    """Send a mail."""
    return "sent"


def script(prompt: Prompt) -> Answer | str:
    """ "<tool> <to>" calls it."""
    last = prompt.history[-1]
    if getattr(last, "outputs", None):
        return "Done."
    name, _, to = str(getattr(last, "text", "")).partition(" ")
    more = {"pin": "1234"} if name == "pay" else {}
    return says("", calls(name, {"to": to, **more}))


async def asked(assent: Assent, text: str, by: Person, conversation: str | None = None) -> Request:
    turn = await assent.send("agent", text, by=by, conversation_id=conversation)
    [request] = turn.pending
    return request


async def settled(assent: Assent, text: str, by: Person, verdict: Any, judge: Person) -> Request:
    request = await asked(assent, text, by)
    await assent.decide(request.id, verdict, by=judge)
    await assent.wait(request.turn_id)
    return request


async def background(
    assent: Assent, request: Request, person: Person, *, everything: bool = False
) -> Background:
    tool = assent.kernel.catalogue.tool(request.agent, request.tool)

    def read(tx: Any) -> Background:
        call = tx.calls.get(request.call_id)
        return read_background(tx, request, call, tool, person, everything=everything)

    return await assent.kernel.store.run(read)


def told(found: Background) -> list[tuple[str, str]]:
    return [(past.call_id, past.by) for past in found.similar]


async def test_the_newest_come_first_with_how_they_ended_and_who_decided(world: World) -> None:
    async with world(script, pay, mail) as assent:
        first = await settled(assent, "pay x", ADA, approve(), ADA)
        second = await settled(assent, "pay y", ADA, reject("no"), JUDGE)
        await settled(assent, "mail z", ADA, approve(), ADA)
        here = await asked(assent, "pay z", ADA)
        await asked(assent, "pay later", ADA)
        found = await background(assent, here, ADA)
    assert told(found) == [(second.call_id, "judge"), (first.call_id, "ada")]
    assert [past.status for past in found.similar] == [CallStatus.REJECTED, CallStatus.SUCCEEDED]
    assert [past.request_id for past in found.similar] == [second.id, first.id]
    assert found.similar[0].arguments == (
        NamedValue(name="pin", value=Secret()),
        NamedValue(name="to", value=Text("y")),
    )


async def test_others_calls_are_shown_to_who_decided_them_and_who_sees_everything(
    world: World,
) -> None:
    async with world(script, pay) as assent:
        bobs = await settled(assent, "pay x", BOB, approve(), JUDGE)
        here = await asked(assent, "pay z", ADA)
        assert told(await background(assent, here, ADA)) == []
        assert told(await background(assent, here, OTHER_JUDGE)) == []
        assert told(await background(assent, here, JUDGE)) == [(bobs.call_id, "judge")]
        everything = await background(assent, here, AUDITOR, everything=True)
        assert told(everything) == [(bobs.call_id, "judge")]


async def test_no_more_than_a_few_are_shown(world: World) -> None:
    async with world(script, pay) as assent:
        for number in range(SIMILAR_MAX + 1):
            await settled(assent, f"pay {number}", ADA, reject(), ADA)
        here = await asked(assent, "pay z", ADA)
        found = await background(assent, here, ADA)
    newest = [Text(str(number)) for number in range(SIMILAR_MAX, 0, -1)]
    assert [past.arguments[1].value for past in found.similar] == newest


# requirement: F3
async def test_it_is_said_how_often_the_same_call_was_rejected_in_this_conversation(
    world: World,
) -> None:
    async with world(script, pay) as assent:
        first = await asked(assent, "pay x", ADA)
        talk = first.conversation_id
        await assent.decide(first.id, reject(), by=ADA)
        await assent.wait(first.turn_id)
        other = await asked(assent, "pay y", ADA, talk)
        assert (await background(assent, other, ADA)).rejected == 0
        await assent.decide(other.id, reject(), by=ADA)
        await assent.wait(other.turn_id)
        again = await asked(assent, "pay x", ADA, talk)
        assert (await background(assent, again, ADA)).rejected == 1
        elsewhere = await asked(assent, "pay x", ADA)
        assert (await background(assent, elsewhere, ADA)).rejected == 0


async def test_what_was_imported_is_no_precedent(world: World) -> None:
    admin = Person("ada", roles=frozenset({"admin"}))
    async with world(script, pay) as assent:
        gone = await settled(assent, "pay x", ADA, approve(), ADA)
        text = await assent.export(gone.conversation_id, by=ADA)
        await assent.import_(text, by=admin, owner=BOB)
        here = await asked(assent, "pay z", BOB)
        found = await background(assent, here, AUDITOR, everything=True)
    assert told(found) == [(gone.call_id, "ada")]
