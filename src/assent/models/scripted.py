"""A model that follows a script, for tests and the demo, without a network."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from datetime import timedelta
from itertools import count
from typing import Final, cast

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.copies import changed
from assent.domain.messages import (
    Answer,
    Delta,
    FinishReason,
    Prompt,
    Proposal,
    ReasoningDelta,
    TextDelta,
)
from assent.domain.parameters import Check, taken
from assent.errors import ModelFailed

KEPT_PROMPTS = 100
ScriptStep = Answer | str | Exception
Script = Callable[[Prompt], ScriptStep]


def says(text: str = "", *proposals: Proposal, reasoning: str = "") -> Answer:
    """Return an answer for a script: text, and calls if any."""
    taken("says()", {"text": text, "proposals": proposals, "reasoning": reasoning}, _SAYS)
    finish = FinishReason.CALLS if proposals else FinishReason.STOP
    return Answer(text=text, reasoning=reasoning, proposals=proposals, finish=finish)


_numbers = count(1)


def calls(
    tool: str, arguments: Mapping[str, Json] | str | None = None, /, **more: Json
) -> Proposal:
    """Return a call for a script; arguments are keywords, a mapping, or raw text."""
    taken("calls()", {"tool": tool, "arguments": arguments}, _CALLS)
    raw = arguments if isinstance(arguments, str) else json.dumps({**(arguments or {}), **more})
    return Proposal(provider_id=f"scripted_{next(_numbers)}", tool=tool, arguments=raw)


_SAYS: Final = {
    "text": parameters.text,
    "proposals": parameters.several(
        parameters.instance(Proposal), tuple, "calls, each made by calls(…)"
    ),
    "reasoning": parameters.text,
}
_CALLS: Final = {
    "tool": parameters.text,
    "arguments": parameters.optional(
        parameters.either(parameters.mapping, Check("JSON text", parameters.text.read))
    ),
}


def _script(given: object) -> object:
    if isinstance(given, ScriptStep):
        return (given,)
    if isinstance(given, list | tuple):
        steps = tuple(cast("Iterable[object]", given))
        return steps if all(isinstance(step, ScriptStep) for step in steps) else parameters.unfit()
    # An iterator may never end, so its steps are not checked: a wrong one fails when it is used.
    if isinstance(given, Iterable) and not isinstance(given, bytes | Mapping):
        return cast("object", given)
    return _JUDGE.read(given)


_JUDGE: Final = parameters.function_of(1, "a function of the prompt")
_MODEL: Final = {
    "script": Check(
        f"a step or several steps (text, says(…) or an exception), or {_JUDGE.allowed}",
        _script,
    ),
    "word_delay": parameters.duration(zero=True),
}


class ScriptedModel:
    """A model that answers by a list of steps, one per request, or by a function of the prompt.

    `prompts` keeps the latest requests. A step that is an exception is raised.
    """

    name = "scripted (offline, no real model)"

    def __init__(
        self,
        script: ScriptStep | Iterable[ScriptStep] | Script,
        *,
        word_delay: timedelta = timedelta(0),
    ) -> None:
        said = taken("ScriptedModel", {"script": script, "word_delay": word_delay}, _MODEL)
        self._next: Script = script if callable(script) else _in_order(said["script"])
        self._word_delay: float = said["word_delay"].total_seconds()
        self.prompts: list[Prompt] = []

    async def request(self, prompt: Prompt) -> Answer:
        self.prompts.append(prompt)
        # Only the latest: a demo may run for days.
        del self.prompts[:-KEPT_PROMPTS]
        step = self._next(prompt)
        if isinstance(step, Exception):
            raise step
        answer = says(step) if isinstance(step, str) else step
        return changed(answer, model=self.name)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        answer = await self.request(prompt)
        if answer.reasoning:
            yield ReasoningDelta(answer.reasoning)
        for word in _words(answer.text):
            if self._word_delay:
                await asyncio.sleep(self._word_delay)
            yield TextDelta(word)
        yield answer


def _in_order(steps: Iterable[ScriptStep]) -> Script:
    left = iter(steps)
    return lambda _: next(left, ModelFailed("the script has no further step"))


def _words(text: str) -> list[str]:
    pieces = text.split(" ")
    return [piece if last else f"{piece} " for piece, last in _flagged(pieces) if piece or not last]


def _flagged(pieces: list[str]) -> list[tuple[str, bool]]:
    return [(piece, index == len(pieces) - 1) for index, piece in enumerate(pieces)]
