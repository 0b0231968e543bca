"""The number of requests that wait for a person, shown beside the inbox on every page."""

from dataclasses import dataclass
from typing import Final

from assent.domain.people import Person
from assent.engine.assent import Assent

LIMIT: Final = 99


@dataclass(frozen=True, slots=True)
class Waiting:
    """A count that stops at a limit beyond which its exact value does not matter."""

    number: int

    def __str__(self) -> str:
        return str(self.number) if self.number <= LIMIT else f"{LIMIT}+"

    def __bool__(self) -> bool:
        return self.number > 0

    @property
    def words(self) -> str:
        """The count as a sentence, also for screen readers."""
        return "1 request waits for you" if self.number == 1 else f"{self} requests wait for you"


async def waiting_for(assent: Assent, person: Person) -> Waiting:
    """Count the requests that this person may decide now."""
    return Waiting(await assent.queries.requests.waiting_for(person, limit=LIMIT + 1))
