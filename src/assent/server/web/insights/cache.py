"""Cached statistics of the record: one is computed at a time, costly ones are kept for a minute."""

import asyncio
from collections.abc import Callable
from typing import Final

from assent.domain.insights import Insights, Period, Survey, Window
from assent.engine.queries.record import RecordQueries
from assent.engine.ttl_cache import TtlCache

KEPT_SECONDS: Final = 60
# Up to this many rows counting is quick, so that every page counts again.
COSTLY: Final = 10_000
_FILTERS: Final = 32


class Surveys:
    """Computes the statistics of a page, one at a time, so that plots take one core at most."""

    def __init__(
        self, record: RecordQueries, monotonic: Callable[[], float], *, costly: int = COSTLY
    ) -> None:
        self._record, self._costly = record, costly
        self._kept = TtlCache[Insights](monotonic, KEPT_SECONDS, limit=_FILTERS)
        self._one = asyncio.Lock()

    async def of(
        self, period: Period, *, tool: str | None, agent: str | None, concerning: str | None
    ) -> Insights:
        """Return the statistics of a period up to now, or up to a minute ago if they are costly."""
        name = repr((period, tool, agent, concerning))
        async with self._one:
            found = self._kept.get(name)
            if found is None:
                now = await self._record.now()
                survey = Survey(
                    window=Window.of(period, now), tool=tool, agent=agent, concerning=concerning
                )
                found = await self._record.insights(survey)
                if self.is_costly(found):
                    self._kept.put(name, found)
            return found

    def is_costly(self, found: Insights) -> bool:
        """Return True if there were so many rows that the result is kept for the next page."""
        return found.asked + (found.total.count if found.total else 0) > self._costly
