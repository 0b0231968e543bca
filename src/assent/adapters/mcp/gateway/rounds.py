"""Rounds of a call: what its server asks before it goes on, and the client that answers."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Final

import mcp_types as types

from assent.adapters.mcp.connection import Answer
from assent.errors import McpToolFailed
from assent.guard import new_token

log = logging.getLogger(__name__)
# A client that was told of a question has this long to come back with the answer.
ANSWER_SECONDS: Final = 600.0
_FIRST_PAUSE_SECONDS: Final = 0.05
_LONGEST_PAUSE_SECONDS: Final = 1.0
Ask = Callable[[types.ElicitRequestParams], Awaitable[types.ElicitResult]]


async def all_rounds(
    call: Callable[..., Awaitable[Answer]], ask: Ask, *, most: int
) -> types.CallToolResult:
    """Call a tool, again after what its server asks is answered, until it returns a result.

    It may be called again `most` times, and ask no more than so many questions.
    """
    given: dict[str, Any] = {}
    pause, asked = _FIRST_PAUSE_SECONDS, 0
    for number in range(most + 1):
        answer = await call(**given)
        if isinstance(answer, types.CallToolResult):
            return answer
        questions = answer.input_requests or {}
        asked += len(questions)
        if number == most or asked > most:
            break
        given = {"state": answer.request_state}
        if questions:
            given["responses"] = {
                key: await ask(_wanted(request)) for key, request in questions.items()
            }
        else:
            # Nothing to ask: it wants to be called again a little later.
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_SECONDS)
    raise McpToolFailed(f"Its server asked more than {most} times: given up.")


def _wanted(request: types.InputRequest) -> types.ElicitRequestParams:
    if not isinstance(request, types.ElicitRequest):
        raise McpToolFailed(f"Its server asks for {request.method}, which is refused here.")
    return request.params


@dataclass(eq=False, slots=True)
class Question:
    """A question of a server, until a client that repeats its request brings the answer."""

    asked: types.ElicitRequestParams
    # Names it in one round: an answer to another question is none.
    key: str = field(default_factory=new_token)
    _answer: "asyncio.Future[types.ElicitResult]" = field(
        default_factory=lambda: asyncio.get_running_loop().create_future()
    )

    def answered(self, given: object) -> bool:
        """Take what a client brought under this question's key; return True if it is an answer."""
        if not isinstance(given, types.ElicitResult) or self._answer.done():
            return False
        self._answer.set_result(given)
        return True

    async def answer(self) -> types.ElicitResult:
        """Wait for the answer; a client that does not come back has dismissed it."""
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await self._answer
        except TimeoutError:
            log.warning("no client came back with the answer to a question; cancelled")
            return types.ElicitResult(action="cancel")
