"""A company's past month with its agents, in a few seconds."""

import os
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, Final

from assent import Assent, approve, reject, supply
from assent.domain.decisions import Verdict
from tests.browser.company import ERRANDS, Company, somebody

DAYS: Final = 26
WEEKEND: Final = timedelta(days=2)
# What anybody may have asked for on any day.
USUAL: Final = (
    *("refund_order", "send_mail", "delete_files", "restart_service"),
    *("weigh_parcel", "find_orders", "import_orders"),
)


@dataclass
class Calendar:
    """A clock, for the database too, that goes through the past month."""

    moment: datetime
    _numbers: Any = field(default_factory=count)

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return self.moment.timestamp()

    def id(self, prefix: str) -> str:
        """Ids sort by age, so they are of that day, too."""
        nanoseconds = int(self.moment.timestamp() * 1e9) + next(self._numbers)
        return f"{prefix}_{(nanoseconds.to_bytes(8) + os.urandom(8)).hex()}"


async def past(url: str, *, days: int = DAYS, busy: int = 14) -> None:
    """Many days of work: most approved, some rejected or left to expire."""
    calendar, chance = Calendar(datetime.now(UTC) - timedelta(days=days)), random.Random(7)
    first, last = calendar.moment, datetime.now(UTC) - timedelta(hours=1)
    company = Company()
    company.go_on.set()
    engine = Assent(url, agents=[company.agent()], clock=calendar, ids=calendar.id)
    async with engine as assent:
        await _forgotten(assent, calendar)
        for day in range(days):
            calendar.moment = max(calendar.moment, first + timedelta(days=day))
            for _ in range(chance.randint(1, busy) if day % 7 < 5 else 1):
                calendar.moment += timedelta(minutes=chance.randint(5, 60))
                if calendar.moment < last:
                    await _errand(assent, calendar, chance, late=calendar.moment < last - WEEKEND)


async def _forgotten(assent: Assent, calendar: Calendar) -> None:
    """Something that nobody decided in time."""
    await assent.send("shop", ERRANDS[0][0], by=somebody("linus"))
    calendar.moment += timedelta(hours=25)
    await assent.sweeper.sweep()


async def _errand(assent: Assent, calendar: Calendar, chance: random.Random, *, late: bool) -> None:
    text = chance.choice([text for text, name, _ in ERRANDS if name in USUAL])
    turn = await assent.send("shop", text, by=somebody(chance.choice(("linus", "ada"))))
    for request in turn.pending:
        calendar.moment += timedelta(seconds=chance.lognormvariate(4, 1.3))
        by = somebody(chance.choice(("ada", "grace", "grace")))
        if late and chance.random() < 0.04:
            calendar.moment += timedelta(hours=25)
            await assent.sweeper.sweep()
        else:
            await assent.decide(request.id, _verdict(request, chance), by=by, channel="web")
    await assent.wait(turn.id)


def _verdict(request: Any, chance: random.Random) -> Verdict:
    if request.kind == "result":
        return supply(chance.randint(200, 4_000))
    if chance.random() < 0.15:
        return reject(reason=chance.choice(("Wrong customer", "Not this month", "Ask me first")))
    return approve(typed="checkout" if request.tool == "restart_service" else None)
