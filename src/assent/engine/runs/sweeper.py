"""The sweeper: expires requests after their deadline; of several workers a guard lets one win."""

import logging

from assent.domain.conversations import TurnRow
from assent.engine.decisions.apply import DEADLINE, expire
from assent.engine.decisions.checks import open_case
from assent.engine.kernel import Kernel
from assent.engine.runs.runner import Runner
from assent.engine.transitions import Moves, Raced
from assent.errors import NotFound
from assent.ports import Tx

log = logging.getLogger(__name__)
BATCH = 200


class Sweeper:
    """Expires due requests by the database's clock."""

    def __init__(self, kernel: Kernel, runner: Runner) -> None:
        self._kernel, self._runner = kernel, runner

    async def sweep(self) -> int:
        """Expire everything that is due; returns how many requests were."""
        due = await self._kernel.store.run(lambda tx: tx.requests.due(BATCH))
        swept = 0
        for request_id in due:
            try:
                turn, expired = await self._kernel.store.run(
                    lambda tx, id=request_id: self._expire(tx, id)
                )
            except (Raced, NotFound):
                continue
            swept += expired
            if turn is not None:
                self._runner.on_ready(turn)
        return swept

    def _expire(self, tx: Tx, request_id: str) -> tuple[TurnRow | None, bool]:
        case = open_case(tx, request_id)
        moves = Moves(tx, self._kernel.ids, actor=DEADLINE)
        done = expire(moves, case, self._kernel.texts.expired)
        worker = self._kernel.worker if self._kernel.is_worker else None
        return moves.wake(worker, self._kernel.times.lease), done
