"""Waiting a while for what comes of a call."""

import asyncio
from datetime import timedelta

from assent.domain.calls import Call
from assent.domain.lifecycle import CallStatus
from assent.engine.assent import POLL_SECONDS, Assent
from assent.errors import NotFound
from assent.server.open_streams import Live

_AT_WORK = frozenset({CallStatus.PROPOSED, CallStatus.CLEARED, CallStatus.RUNNING})


async def outcome_of(
    assent: Assent, call_id: str, turn_id: str, patience: timedelta, live: Live
) -> Call:
    """The call once it rests, settled or waiting for people; as it is when patience ends.

    Nobody's patience outlasts the process.
    """
    clock = asyncio.get_running_loop().time
    until = clock() + patience.total_seconds()
    bus = assent.kernel.bus
    while True:
        ticket = bus.ticket(turn_id)
        try:
            call = await assent.kernel.store.run(lambda tx: tx.calls.get(call_id))
            if call is None:
                raise NotFound("call", call_id)
            left = until - clock()
            if call.status not in _AT_WORK or left <= 0 or live.is_over:
                return call
            await bus.wait(turn_id, ticket, min(left, POLL_SECONDS))
        finally:
            bus.drop(turn_id, ticket)
