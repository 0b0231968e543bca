"""What the tests about deciding share: a tool that counts what it did, and short ways to look."""

import json
from collections.abc import Sequence
from typing import Any

from assent import Assent, Person, Risk, Tool, tool
from assent.domain.calls import Call, Revision
from assent.domain.canonical import Json
from assent.domain.decisions import Decision, Verdict
from assent.domain.requests import Request
from assent.engine.decisions.attempts import Decided
from assent.engine.queries.snapshots import Turn
from assent.testing import ScriptedModel


class Bank:
    """Remembers every payment that its `pay` tool made."""

    def __init__(self) -> None:
        self.paid: list[tuple[str, int]] = []

    def pay(self, **said: Any) -> Tool:
        """The tool; it asks unless something else is said about it."""

        async def pay(to: str, amount: int) -> str:
            """Pay somebody."""
            self.paid.append((to, amount))
            return f"paid {amount} to {to}"

        wanted: dict[str, Any] = {"risk": Risk.MODERATE, "requires_approval": True, **said}
        return tool(**wanted)(pay)


def told(model: ScriptedModel) -> list[Any]:
    """What the newest request to the model says about the calls of its last message."""
    said: Any = model.prompts[-1].history[-1]
    return [output.content for output in said.outputs]


async def decide_only(assent: Assent, turn: Turn, verdict: Verdict, by: Person) -> Turn:
    """Decide the one request that a turn waits for, and let the turn come to rest."""
    [request] = turn.pending
    await assent.decide(request.id, verdict, by=by)
    return await assent.wait(turn.id)


async def call_of(assent: Assent, call_id: str) -> Call:
    """The call's row."""
    call = await assent.kernel.store.run(lambda tx: tx.calls.get(call_id))
    assert call is not None
    return call


async def votes(assent: Assent, request_id: str) -> list[Decision]:
    """The decisions on record for a request."""
    return await assent.kernel.store.run(lambda tx: tx.decisions.of_request(request_id))


async def requests_of(assent: Assent, call_id: str) -> list[Request]:
    """Every request there ever was about a call, oldest first."""
    return await assent.kernel.store.run(lambda tx: tx.requests.of_call(call_id))


async def revisions_of(assent: Assent, call_id: str) -> list[Revision]:
    """Every version of a call's arguments, the model's first."""
    return await assent.kernel.store.run(lambda tx: tx.calls.revisions(call_id))


async def actions(assent: Assent, call_id: str) -> list[str]:
    """The audit of a call, as the names of what happened."""
    return [entry.action for entry in await assent.audit(call_id=call_id)]


def output_of(call: Call) -> Json:
    """What came of a call."""
    assert call.output is not None
    return json.loads(call.output)


def statuses(turn: Turn) -> list[str]:
    """The statuses of a turn's calls, in the model's order."""
    return [call.status for call in turn.calls]


def split(results: Sequence[object]) -> tuple[list[Decided], list[BaseException]]:
    """What gathered decisions came to: those that counted, and those that were refused."""
    won = [result for result in results if isinstance(result, Decided)]
    lost = [result for result in results if isinstance(result, BaseException)]
    return won, lost


# A tool that is dangerous by its name says that it is not before it runs unasked.
UNASKED: dict[str, Any] = {"requires_approval": False, "risk": "moderate"}
