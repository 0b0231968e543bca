"""How a client is told of a call that waits: in the best way that it speaks."""

import asyncio
import json
import logging
import math
from asyncio import FIRST_COMPLETED
from dataclasses import dataclass
from typing import Any, Final, cast

from mcp import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ElicitRequest,
    ElicitRequestParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequiredResult,
)

from assent.adapters.mcp.gateway.answers import question, result_of, waiting
from assent.adapters.mcp.gateway.clients import ClientSide
from assent.adapters.mcp.gateway.open_calls import OpenCall, OpenCalls
from assent.guard import GuardedCall

log = logging.getLogger(__name__)
Answer = CallToolResult | InputRequiredResult
# Many clients give up a request after 60 seconds.
WAIT_SECONDS: Final = 50.0
BEAT_SECONDS: Final = 5.0
# Clients repeat a request at most ten times.
_ROUNDS: Final = 8
_REVIEW: Final = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The state that a client carries from one round of a request to the next, sealed."""

    ticket: str
    number: int

    def sealed(self) -> str:
        """Return it as the text that the SDK seals: bound to person, tool and arguments."""
        return json.dumps({"ticket": self.ticket, "round": self.number})

    @classmethod
    def opened(cls, state: str) -> "Round":
        """Read a state that the SDK has opened."""
        match json.loads(state):
            case {"ticket": str(ticket), "round": int(number)}:
                return cls(ticket=ticket, number=number)
            case _:
                raise MCPError(INVALID_PARAMS, "Invalid or expired requestState")


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Waits for one call on behalf of a client, up to a bound, and answers it."""

    calls: OpenCalls
    seconds: float = WAIT_SECONDS
    beat_seconds: float = BEAT_SECONDS

    async def answer(self, opened: OpenCall, client: ClientSide, *, number: int = 0) -> Answer:
        """Return the result of a call, or what the client can do until there is one."""
        if number == 0 and client.repeats and _is_showable(opened, client):
            return _again(opened, 1, **{_REVIEW: _review(opened)})
        try:
            if await self._ended(opened, client, seconds=self.seconds):
                self.calls.deliver(opened)
                return result_of(opened.call, opened.answer)
        except asyncio.CancelledError:
            if client.asked_to_stop:
                await asyncio.shield(self.calls.give_up(opened))
            raise
        if client.repeats and number < _ROUNDS:
            return _again(opened, number + 1)
        return waiting(opened.call, opened.ticket)

    async def again(
        self, opened: OpenCall, client: ClientSide, past: Round, params: CallToolRequestParams
    ) -> Answer:
        """Answer a repeated request; a user who did not open the page is not waited for."""
        responses = params.input_responses or {}
        opened.take(responses)
        given = responses.get(_REVIEW)
        if isinstance(given, ElicitResult) and given.action != "accept" and opened.call.is_waiting:
            return waiting(opened.call, opened.ticket)
        return await self.answer(opened, client, number=past.number)

    async def _ended(self, opened: OpenCall, client: ClientSide, *, seconds: float) -> bool:
        """Wait until the call has ended, telling the client now and then; False if it has not."""
        if opened.call.is_settled:
            return True
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        async with _Page(opened, client) as page:
            while not opened.task.done() and (left := deadline - loop.time()) > 0:
                page.show()
                limit = min(self.beat_seconds, left)
                await asyncio.wait(page.ends, timeout=limit, return_when=FIRST_COMPLETED)
                if client.repeats and opened.question is not None:
                    break
                if not opened.task.done():
                    await client.beat(question(opened.call))
        if opened.task.done():
            opened.call = opened.task.result()
        return opened.task.done()

    async def ended(self, opened: OpenCall, client: ClientSide) -> None:
        """Wait until a call has ended, however long that takes."""
        # Not by the gateway's own seconds: with 0 of them this would never let others run.
        while not await self._ended(opened, client, seconds=math.inf):
            pass


class _Page:
    """The review page on the screen of a client that servers may still ask for it.

    `ends` is what such a client, or one that repeats its request, waits for.
    """

    def __init__(self, opened: OpenCall, client: ClientSide) -> None:
        self._opened, self._client = opened, client
        self._shown: GuardedCall | None = None
        self._task: asyncio.Task[None] | None = None
        self.ends: set[asyncio.Task[Any]] = {opened.task}
        if client.repeats:
            # It has to come back with the answer to what a server asks.
            name = "assent-gateway-asked"
            self._asked = asyncio.create_task(opened.has_question.wait(), name=name)
            self.ends.add(self._asked)

    async def __aenter__(self) -> "_Page":
        return self

    def show(self) -> None:
        """Have the client show the page, once, if the call waits for people."""
        is_due = self._task is None and not self._client.repeats
        if is_due and _is_showable(self._opened, self._client):
            self._shown = self._opened.call
            self._task = asyncio.create_task(self._show(self._opened.call))

    async def _show(self, call: GuardedCall) -> None:
        # Whatever the user says to the client, people decide on the page.
        try:
            await self._client.open_url(call, question(call))
        except MCPError as error:
            log.warning("the client did not show the review page: %s", error)

    async def __aexit__(self, *_: object) -> None:
        if self._client.repeats:
            self._asked.cancel()
        if self._task is None or self._shown is None:
            return
        if not self._task.done():
            self._task.cancel()
        elif self._opened.task.done():
            await self._client.url_done(self._shown)


def _is_showable(opened: OpenCall, client: ClientSide) -> bool:
    call = opened.call
    return client.opens_urls and call.is_waiting and None not in (call.review_url, call.request_id)


def _again(opened: OpenCall, number: int, **asked: ElicitRequestParams) -> InputRequiredResult:
    """Ask for the next round, in which the client brings answers to this and to its server."""
    if opened.question is not None:
        asked[opened.question.key] = opened.question.asked
    requests: dict[str, Any] = {key: ElicitRequest(params=each) for key, each in asked.items()}
    state = Round(ticket=opened.ticket, number=number).sealed()
    return InputRequiredResult(input_requests=requests or None, request_state=state)


def _review(opened: OpenCall) -> ElicitRequestURLParams:
    url = cast("str", opened.call.review_url)
    return ElicitRequestURLParams(message=question(opened.call), url=url)
