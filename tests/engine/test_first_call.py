"""The shortest story: a call waits, a person approves, it runs once, the turn goes on."""

from assent import Person, Risk, approve, tool
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.messages import ModelSaid
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World


# conformance: 47
async def test_an_approved_call_runs_once_and_the_turn_goes_on(world: World, owner: Person) -> None:
    ran: list[str] = []

    @tool(risk=Risk.DANGEROUS, requires_approval=True)
    async def delete_file(path: str) -> str:
        """Delete a file."""
        ran.append(path)
        return f"deleted {path}"

    model = ScriptedModel([says("I will.", calls("delete_file", path="a.txt")), "Done."])
    async with world(model, delete_file) as assent:
        turn = await assent.send("agent", "delete a.txt", by=owner)
        assert turn.status is TurnStatus.WAITING
        assert ran == []
        [request] = turn.pending

        await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert ran == ["a.txt"]
    assert turn.status is TurnStatus.DONE
    assert turn.text == "Done."
    assert turn.pending == ()
    assert [call.status for call in turn.calls] == [CallStatus.SUCCEEDED]
    said = model.prompts[1].history[-1]
    assert isinstance(said, ModelSaid)
    assert said.outputs[0].content == "deleted a.txt"
