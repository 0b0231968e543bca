"""Where the processes of a story die, and their dying."""

import signal
from dataclasses import dataclass

from tests.faults.nursery import Nursery
from tests.faults.worker_program import Counter, Order


@dataclass(frozen=True, slots=True)
class Death:
    """A story and where its processes die, one after the other."""

    kind: str
    places: tuple[str, ...]

    def __str__(self) -> str:
        return "-".join((self.kind, *self.places))


def die(nursery: Nursery, url: str, death: Death, counter: Counter) -> None:
    """Play it until each of them is dead."""
    for place in death.places:
        child = nursery.start(Order(url=url, counter=counter.path, kind=death.kind, dies=place))
        assert child.end() == -signal.SIGKILL, f"{place} was not reached"
