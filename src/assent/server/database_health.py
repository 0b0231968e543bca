"""Whether the database answers."""

import asyncio
from typing import Final

from assent.engine.assent import Assent
from assent.errors import NotReady

# Shorter than whoever asks for health usually waits.
PULSE_SECONDS: Final = 3.0


class Pulse:
    """One look at the database at a time: who asks meanwhile waits for the same one."""

    def __init__(self, assent: Assent) -> None:
        self._assent = assent
        self._look: asyncio.Task[Exception | None] | None = None

    async def feel(self) -> None:
        """Return if it answers, raise if it does not, soon in either case."""
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._answer(), name="assent-pulse")
        # Not cancelled: to leave a silent server takes longer than to say that it is one.
        done, _ = await asyncio.wait({self._look}, timeout=PULSE_SECONDS)
        if not done:
            raise NotReady(f"its database did not answer within {PULSE_SECONDS:g} s")
        if (error := self._look.result()) is not None:
            raise error

    async def _answer(self) -> Exception | None:
        try:
            await self._assent.queries.record.now()
        except Exception as error:  # noqa: BLE001 - it belongs to whoever asks
            return error
        return None
