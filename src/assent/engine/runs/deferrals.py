"""Deferred tasks: any process settles them, once, by task id or call id."""

from assent.domain.calls import Call
from assent.domain.decisions import Supply, Verdict
from assent.domain.identifiers import want_findable
from assent.domain.lifecycle import RequestKind
from assent.domain.people import SYSTEM
from assent.domain.requests import Request
from assent.engine.decisions.attempts import Decided, DecisionAttempt, lock_request
from assent.engine.decisions.deciding import Deciding
from assent.engine.kernel import Kernel
from assent.errors import AlreadySettled, NotFound, NothingAwaited, WrongTool
from assent.ports import Tx

CHANNEL = "task"


class Deferrals:
    """Settles deferred calls for the processes that did their work."""

    def __init__(self, kernel: Kernel, deciding: Deciding) -> None:
        self._kernel, self._deciding = kernel, deciding

    async def settle(
        self, id: str, verdict: Verdict, *, tool: str | None, tolerant: bool
    ) -> Decided:
        """Settle a task; with `tolerant`, one that is already settled is returned as it is."""
        want_findable("task", id)
        call, request = await self._kernel.store.run(lambda tx: _find(tx, id))
        self._check(id, call, verdict, tool)
        attempt = DecisionAttempt(
            request_id=request.id, verdict=verdict, by=SYSTEM, channel=CHANNEL
        )
        try:
            done = await self._deciding.decide(attempt)
        except AlreadySettled:
            if not tolerant:
                raise
            return await self._kernel.store.run(lambda tx: _as_it_is(tx, request.id))
        # A person may give the same answer twice, but a task that ends twice is a fault.
        if done.replayed and not tolerant:
            raise AlreadySettled.of(request.id, done.status, by=SYSTEM.id)
        return done

    def _check(self, id: str, call: Call, verdict: Verdict, tool: str | None) -> None:
        if tool is not None and tool != call.tool:
            raise WrongTool(id, tool)
        # Without the tool, its output cannot be validated.
        missing = self._kernel.catalogue.tool(call.agent, call.tool) is None
        if missing and isinstance(verdict, Supply):
            raise NotFound("tool", call.tool)


def _find(tx: Tx, id: str) -> tuple[Call, Request]:
    call = tx.calls.by_task(id) or tx.calls.get(id)
    if call is None:
        raise NotFound("task", id)
    waiting = [r for r in tx.requests.of_call(call.id) if r.kind is RequestKind.RESULT]
    if call.task_id is None or not waiting:
        raise NothingAwaited("Call", call.id, call.status)
    return call, waiting[-1]


def _as_it_is(tx: Tx, request_id: str) -> Decided:
    request, call, _ = lock_request(tx, request_id)
    return Decided.of(request_id, request.status, call, replayed=True)
