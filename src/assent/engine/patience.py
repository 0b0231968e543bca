"""How long somebody waits for a worker that may not be there."""

import asyncio
from datetime import timedelta

from assent.engine.queries.snapshots import Turn
from assent.errors import NoWorker


class Patience:
    """Ends where a turn lies for a while that any worker would have taken up at once."""

    def __init__(self, takeup: timedelta) -> None:
        self._seconds = takeup.total_seconds()
        self._since: float | None = None

    def look(self, turn: Turn) -> None:
        """Raise `NoWorker` once nobody has held it for too long."""
        now = asyncio.get_running_loop().time()
        if not turn.is_unclaimed:
            self._since = None
        elif self._since is None:
            self._since = now
        elif now - self._since > self._seconds:
            raise NoWorker(turn.id, self._seconds)
