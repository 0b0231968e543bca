"""What a paused conversation costs the process: nothing but rows."""

import asyncio
import gc
from pathlib import Path
from typing import Any

import psutil

from assent import Assent
from assent.domain.copies import changed
from assent.domain.lifecycle import TurnStatus
from bench.cycle import OWNER, agent

WARM = 400
REAL = 1_000
AT_ONCE = 20
BATCH = 5_000


async def paused(path: Path, total: int) -> dict[str, float]:
    """Resident memory before and after `total` paused conversations, with the tasks left over."""
    process = psutil.Process()
    async with Assent(f"sqlite:///{path}", agents=[agent()]) as assent:
        # Warm in the same way: statements for many rows are prepared when many come at once.
        await _send(assent, WARM)
        gc.collect()
        before, tasks = process.memory_info().rss, len(asyncio.all_tasks())
        await _send(assent, REAL)
        gc.collect()
        after_real = process.memory_info().rss
        for first in range(REAL, total, BATCH):
            await multiply(assent, min(BATCH, total - first))
        gc.collect()
        after_all = process.memory_info().rss
        left = len(asyncio.all_tasks()) - tasks
    return {
        "bytes per paused conversation (sent for real)": (after_real - before) / REAL,
        "bytes per paused conversation (all rows)": (after_all - before) / total,
        "tasks left over": left,
    }


async def _send(assent: Assent, count: int) -> None:
    for _ in range(count // AT_ONCE):
        await asyncio.gather(*(assent.send("bench", "pay", by=OWNER) for _ in range(AT_ONCE)))


async def multiply(assent: Assent, count: int) -> None:
    """More paused conversations: copies of the rows of one, under new ids."""
    [request] = await assent.pending(limit=1)

    def copy(tx: Any) -> None:

        conversation = tx.conversations.get(request.conversation_id)
        turn = tx.turns.get(request.turn_id)
        [message] = [m for m in tx.messages.of_conversation(conversation.id) if m.open_calls]
        call = tx.calls.get(request.call_id)
        for _ in range(count):
            ids = {noun: assent.kernel.ids(noun) for noun in ("conv", "turn", "msg", "call", "req")}
            tx.conversations.add(changed(conversation, id=ids["conv"]))
            tx.turns.add(
                changed(
                    turn, id=ids["turn"], conversation_id=ids["conv"], status=TurnStatus.WAITING
                ),
                owner=OWNER.id,
                key=None,
                body=None,
                lease=assent.kernel.times.lease,
            )
            tx.messages.append(
                changed(message, id=ids["msg"], conversation_id=ids["conv"], turn_id=ids["turn"])
            )
            place = {"conversation_id": ids["conv"], "turn_id": ids["turn"]}
            tx.calls.add([changed(call, id=ids["call"], message_id=ids["msg"], **place)])
            tx.requests.add([changed(request, id=ids["req"], call_id=ids["call"], **place)])

    await assent.kernel.store.run(copy)
