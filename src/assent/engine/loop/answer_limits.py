"""Limits of a model's answer."""

from assent.domain.messages import CALL_CHARS, Answer, ArgumentsDelta, Delta
from assent.engine.agents import Limits
from assent.errors import ModelFailed


def most_calls(limits: Limits) -> int:
    """Return how many calls of an answer are read: one beyond the cap stands for all the rest."""
    return limits.calls_per_answer + 1


class Room:
    """The room left for an answer under way: a stream, or a list of calls, need not end."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._left = limits.answer_chars
        self._begun = 0

    def take(self, delta: Delta) -> None:
        """Count a piece; raises `ModelFailed` if there is no room for it."""
        self._left -= len(delta.text)
        if isinstance(delta, ArgumentsDelta) and delta.index >= self._begun:
            self._begun = delta.index + 1
            # A call without arguments takes room, too.
            self._left -= CALL_CHARS
        if self._left < 0:
            self._refuse()

    def whole(self, answer: Answer) -> Answer:
        """Return a complete answer without the calls beyond the cap."""
        if answer.length > self._limits.answer_chars:
            self._refuse()
        return answer.cut(most_calls(self._limits))

    def _refuse(self) -> None:
        raise ModelFailed(f"its answer is longer than {self._limits.answer_chars:,} characters")
