"""The confirmation callback (`on_confirmation`): a decider like any other, in this process."""

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from assent.domain.author_functions import call_function
from assent.domain.calls import Call
from assent.domain.decisions import Approve, Reject
from assent.domain.lifecycle import RequestKind
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.engine.decisions.attempts import DecisionAttempt
from assent.engine.decisions.deciding import Deciding
from assent.engine.kernel import Kernel
from assent.engine.threads import is_ours
from assent.errors import AssentError

log = logging.getLogger(__name__)

OnConfirmation = Callable[[Call, EffectiveTool], bool | Awaitable[bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """Asks a function about approvals: only True approves, only False rejects.

    Any other answer, and any exception, leaves the call pending for people.
    """

    kernel: Kernel
    deciding: Deciding
    function: OnConfirmation
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock)

    def heard(self, requests: Sequence[Request]) -> None:
        """Ask about each new approval, in a task of its own."""
        for request in requests:
            if request.kind is RequestKind.APPROVAL:
                self.kernel.tasks.spawn(request.turn_id, "callback", self._ask(request))

    async def _ask(self, request: Request) -> None:
        call, conversation = await self.kernel.store.run(
            lambda tx: (
                tx.calls.get(request.call_id),
                tx.conversations.get(request.conversation_id),
            )
        )
        tool = self.kernel.catalogue.tool(request.agent, request.tool)
        if call is None or conversation is None or tool is None:
            return
        try:
            answer = await self._answered(call, tool)
        except BaseException as error:
            if is_ours(error):
                raise
            log.exception("on_confirmation failed; call %s stays pending", call.id)
            return
        if answer is not True and answer is not False:
            log.error("on_confirmation answered %r; call %s stays pending", answer, call.id)
            return
        # The callback acts for the owner, who passed it; it cannot decide for an audience of
        # others.
        by = replace(conversation.owner, roles=frozenset())
        verdict = Approve() if answer else Reject()
        attempt = DecisionAttempt(request_id=request.id, verdict=verdict, by=by, channel="callback")
        try:
            await self.deciding.decide(attempt)
        except AssentError as error:
            log.info("on_confirmation could not decide call %s: %s", call.id, error)

    async def _answered(self, call: Call, tool: EffectiveTool) -> object:
        if inspect.iscoroutinefunction(self.function):
            return await self.function(call, tool)
        # A plain function may prompt at a terminal: one call at a time, and without blocking the
        # loop.
        async with self._alone:
            return await call_function(self.function, call, tool)
