"""Task ids that bodies defer to: each stands for one call."""

import asyncio

from assent import Context, Deferred, Person, Tool, tool
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import call_of, output_of, statuses
from tests.conftest import World

SECONDS = 20


class Queue:
    """A system elsewhere that names its tasks as it likes."""

    def __init__(self) -> None:
        self.names: list[str | None] = []

    @property
    def tool(self) -> Tool:
        """Puts something into the queue; without a name it is called as the call is."""

        @tool(requires_approval=False)
        async def enqueue(ctx: Context, n: int) -> Deferred:
            """Enqueue something."""
            return Deferred(self.names.pop(0) or ctx.call_id)

        return enqueue


def enqueues(times: int) -> ScriptedModel:
    return ScriptedModel([says("", *(calls("enqueue", n=n) for n in range(times))), "Done."])


async def test_a_task_is_not_called_what_another_call_is_called(
    world: World, owner: Person
) -> None:
    queue = Queue()
    one = says("", calls("enqueue", n=1))
    model = ScriptedModel([one, one, "Not done.", "Done."])
    async with world(model, queue.tool) as assent, asyncio.timeout(SECONDS):
        queue.names = ["first"]
        first = await assent.send("agent", "go", by=owner)
        call_id = first.calls[0].id
        queue.names = [call_id]

        second = await assent.send("agent", "go", by=owner)
        assert statuses(second) == [CallStatus.FAILED]
        assert f"Another call has the task {call_id!r} already." in str(output_of(second.calls[0]))

        done = await assent.resolve(call_id, "here")
        assert done.call_id == call_id
        assert (await assent.wait(first.id)).status is TurnStatus.DONE
        assert output_of(await call_of(assent, call_id)) == "here"


async def test_one_task_id_stands_for_one_call(world: World, owner: Person) -> None:
    queue = Queue()
    queue.names = ["same", "same"]
    async with world(enqueues(2), queue.tool) as assent, asyncio.timeout(SECONDS):
        turn = await assent.send("agent", "go", by=owner)
        assert sorted(statuses(turn)) == [CallStatus.AWAITING_RESULT, CallStatus.FAILED]


async def test_a_task_may_be_called_as_its_own_call(world: World, owner: Person) -> None:
    queue = Queue()
    queue.names = [None]
    async with world(enqueues(1), queue.tool) as assent, asyncio.timeout(SECONDS):
        turn = await assent.send("agent", "go", by=owner)
        await assent.resolve(turn.calls[0].id, "here")
        turn = await assent.wait(turn.id)
        assert (statuses(turn), turn.text) == ([CallStatus.SUCCEEDED], "Done.")
