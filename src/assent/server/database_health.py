"""A health check of the database."""

import asyncio
from typing import Final

from assent.engine.assent import Assent
from assent.errors import NotReady

# Shorter than health checks usually wait.
PULSE_SECONDS: Final = 3.0


class Pulse:
    """Checks the database, one check at a time; callers that come meanwhile share its result."""

    def __init__(self, assent: Assent) -> None:
        self._assent = assent
        self._look: asyncio.Task[Exception | None] | None = None

    async def feel(self) -> None:
        """Return if the database answers, raise if it does not, soon in either case."""
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._answer(), name="assent-pulse")
        # The check is not cancelled: leaving a silent database takes longer than reporting it.
        done, _ = await asyncio.wait({self._look}, timeout=PULSE_SECONDS)
        if not done:
            raise NotReady(f"its database did not answer within {PULSE_SECONDS:g} s")
        if (error := self._look.result()) is not None:
            raise error

    async def _answer(self) -> Exception | None:
        try:
            await self._assent.queries.record.ping()
        except Exception as error:  # noqa: BLE001 - it is raised to every caller
            return error
        return None
