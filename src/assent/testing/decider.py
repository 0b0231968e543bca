"""A person for tests, who decides open requests until there are none."""

from collections.abc import Callable, Mapping
from typing import Final, cast

from assent.domain import parameters
from assent.domain.decisions import Verdict
from assent.domain.parameters import Check, either, function_of, instance, taken
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.engine.assent import Assent
from assent.engine.queries.snapshots import Turn

Choice = Verdict | Mapping[str, Verdict] | Callable[[Request], Verdict]


def _verdict(given: object) -> object:
    return given if isinstance(given, Verdict) else parameters.unfit()


def _by_tool(given: object) -> object:
    found = parameters.mapping.read(given)
    if found is parameters.unfit():
        return found
    verdicts = cast("Mapping[str, object]", found).values()
    return found if all(_verdict(each) is each for each in verdicts) else parameters.unfit()


_VERDICT: Final = "a verdict such as approve(), verdicts by tool, or a function of the request"
_DECIDER: Final = {
    "assent": instance(Assent, "an Assent"),
    "verdict": Check(
        _VERDICT,
        either(
            Check("a verdict", _verdict),
            Check("verdicts by tool", _by_tool),
            function_of(1, "a function of the request"),
        ).read,
    ),
    "by": either(instance(Person), parameters.name),
}


class Decider:
    """Decides every request of a turn, and those that follow, as a test says.

    `verdict` is one verdict for all, a verdict by the tool's name, or a function of the request.
    `decided` keeps each request with the verdict on it, in order.
    """

    def __init__(self, assent: Assent, verdict: Choice, *, by: Person | str) -> None:
        taken("Decider", {"assent": assent, "verdict": verdict, "by": by}, _DECIDER)
        self._assent, self._verdict, self._by = assent, verdict, by
        self.decided: list[tuple[Request, Verdict]] = []

    async def settle(self, turn: Turn) -> Turn:
        """Decide until nothing is pending; return the turn after that.

        A request that one verdict does not close, as with a quorum of two, is an `AssertionError`.
        """
        done: set[str] = set()
        while turn.pending:
            for request in turn.pending:
                if request.id in done:
                    raise AssertionError(_still_open(request))
                done.add(request.id)
                verdict = self._about(request)
                await self._assent.decide(request, verdict, by=self._by)
                self.decided.append((request, verdict))
            turn = await self._assent.wait(turn)
        return turn

    def _about(self, request: Request) -> Verdict:
        if callable(self._verdict):
            return self._verdict(request)
        if isinstance(self._verdict, Mapping):
            if request.tool not in self._verdict:
                known = ", ".join(map(repr, self._verdict)) or "no tool"
                raise AssertionError(f"Nothing is said about {request.tool!r}, only about {known}")
            return self._verdict[request.tool]
        return self._verdict


def _still_open(request: Request) -> str:
    needs = f"it needs {request.quorum} approvals" if request.quorum > 1 else "it stayed open"
    return f"Request {request.id!r} about {request.tool!r} was decided once, but {needs}"
