"""The confirmation callback (`on_confirmation`): a channel to a function of this process."""

import asyncio
import inspect
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from assent.domain.author_functions import call_function
from assent.domain.calls import Call
from assent.domain.decisions import Approve, Reject
from assent.domain.deliveries import ChannelTerms, Post, PostItem
from assent.domain.lifecycle import RequestKind
from assent.domain.tools import EffectiveTool
from assent.engine.decisions.attempts import DecisionAttempt
from assent.engine.decisions.deciding import Deciding
from assent.engine.deliveries.channel import OnConfirmation
from assent.engine.kernel import Kernel
from assent.engine.threads import is_ours
from assent.errors import AssentError

if TYPE_CHECKING:
    from assent.engine.assent import Assent

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Callback:
    """Asks a function about approvals: only True approves, only False rejects.

    Any other answer, and any exception, leaves the call pending for people.
    """

    kernel: Kernel
    deciding: Deciding
    function: OnConfirmation
    name: str = "callback"
    terms: ChannelTerms = field(
        default_factory=lambda: ChannelTerms(groups=False, reaches_people=False)
    )
    _alone: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def open(self, assent: "Assent") -> None: ...

    async def connect(self) -> None: ...

    async def disconnect(self) -> None: ...

    async def close(self) -> None: ...

    async def announce(self, post: Post) -> str:
        for item in post.items:
            if item.request.kind is RequestKind.APPROVAL and item.tool is not None:
                await self._ask(item, item.tool)
        return post.key

    async def update(self, post: Post, message: str) -> None: ...

    async def _ask(self, item: PostItem, tool: EffectiveTool) -> None:
        call = item.call
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
        await self._decide(item, Approve() if answer else Reject())

    async def _decide(self, item: PostItem, verdict: Approve | Reject) -> None:
        request = item.request
        conversation = await self.kernel.store.run(
            lambda tx: tx.conversations.get(request.conversation_id)
        )
        if conversation is None:
            return
        # The callback acts for the owner, who passed it; it cannot decide for an audience of
        # others.
        by = replace(conversation.owner, roles=frozenset())
        attempt = DecisionAttempt(request_id=request.id, verdict=verdict, by=by, channel=self.name)
        try:
            await self.deciding.decide(attempt)
        except AssentError as error:
            log.info("on_confirmation could not decide call %s: %s", item.call.id, error)

    async def _answered(self, call: Call, tool: EffectiveTool) -> object:
        if inspect.iscoroutinefunction(self.function):
            return await self.function(call, tool)
        # A plain function may prompt at a terminal: one call at a time, and without blocking the
        # loop.
        async with self._alone:
            return await call_function(self.function, call, tool)
