"""How many commits a pause and a resume take, and what a step writes in a long conversation."""

import sqlite3
from pathlib import Path
from typing import Any

from assent import Assent, approve
from assent.domain.conversations import Message, Role
from assent.store.sqlite import SqliteStore
from bench.cycle import OWNER, agent


class CountingStore(SqliteStore):
    """A store that counts the commits that changed rows, and the rows they changed."""

    commits = 0
    rows = 0

    def _transact(self, connection: sqlite3.Connection, batch: Any) -> None:
        before = connection.total_changes
        super()._transact(connection, batch)
        changed = connection.total_changes - before
        self.commits += changed > 0
        self.rows += changed


def _counting(assent: Assent, path: Path) -> CountingStore:
    store = CountingStore(str(path), clock=assent.kernel.clock)
    assent.kernel.store = store
    return store


async def per_cycle(path: Path) -> dict[str, int]:
    """Commits of one pause and of one resume."""
    assent = Assent(f"sqlite:///{path}", agents=[agent()])
    store = _counting(assent, path)
    async with assent:
        opened = store.commits
        turn = await assent.send("bench", "pay", by=OWNER)
        paused = store.commits
        await assent.decide(turn.pending[0].id, approve(), by=OWNER)
        await assent.wait(turn.id)
        return {"pause": paused - opened, "resume": store.commits - paused}


async def per_length(path: Path, lengths: tuple[int, ...]) -> dict[int, tuple[int, int]]:
    """Rows and bytes one cycle writes after so many messages."""
    assent = Assent(f"sqlite:///{path}", agents=[agent()])
    store = _counting(assent, path)
    found: dict[int, tuple[int, int]] = {}
    async with assent:
        first = await assent.send("bench", "pay", by=OWNER)
        await assent.decide(first.pending[0].id, approve(), by=OWNER)
        await assent.wait(first.id)
        written = 3
        for length in lengths:
            await _lengthen(assent, first.conversation_id, first.id, length - written)
            written = length
            before, size = store.rows, _log_size(path)
            turn = await assent.send(
                "bench", "pay", by=OWNER, conversation_id=first.conversation_id
            )
            await assent.decide(turn.pending[0].id, approve(), by=OWNER)
            await assent.wait(turn.id)
            written += 3
            found[length] = (store.rows - before, _log_size(path) - size)
    return found


async def _lengthen(assent: Assent, conversation_id: str, turn_id: str, count: int) -> None:
    def add(tx: Any) -> None:
        for number in range(count):
            tx.messages.append(
                Message(
                    id=assent.kernel.ids("msg"),
                    conversation_id=conversation_id,
                    turn_id=turn_id,
                    position=0,
                    role=Role.USER,
                    text=f"message {number}",
                    created_at=tx.now(),
                )
            )

    await assent.kernel.store.run(add)
    await assent.kernel.store.run(lambda tx: tx.settings.fact("x"))
    # A fresh log, so that its growth is what the next cycle writes.
    connection = sqlite3.connect(assent.url.removeprefix("sqlite:///"))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def _log_size(path: Path) -> int:
    log = Path(f"{path}-wal")
    return log.stat().st_size if log.exists() else 0
