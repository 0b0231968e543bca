"""A decision that was acknowledged is on record, whenever the process is killed."""

import asyncio
import random
import signal

from assent.domain.lifecycle import RequestStatus
from tests.faults.nursery import Nursery, until
from tests.faults.worker_program import ADA, Counter, Order, engine

# More than a round can decide before it is killed, however fast the disk.
REQUESTS = 1000
# A hundred kills over both databases.
ROUNDS = 50


# requirement: R7
async def test_every_acknowledged_decision_survives_a_kill(
    nursery: Nursery, url: str, counter: Counter
) -> None:
    chance = random.Random(7)
    acknowledged = Counter(f"{counter.path}.acknowledged")
    async with engine(url, counter) as assent:
        sent = [assent.send("agent", f"gated {n}", by=ADA) for n in range(REQUESTS)]
        turns = await asyncio.gather(*sent)

    for _ in range(ROUNDS):
        before = len(acknowledged.lines())
        child = nursery.start(Order(url=url, counter=counter.path, program="decide"))
        enough = before + chance.randint(1, 3)
        await until(lambda enough=enough: len(acknowledged.lines()) >= enough)
        await asyncio.sleep(chance.uniform(0, 0.005))  # anywhere between two acknowledgements
        child.send(signal.SIGKILL)
        assert await asyncio.to_thread(child.end) == -signal.SIGKILL

    decided = acknowledged.lines()
    assert len(decided) >= ROUNDS
    assert len(set(decided)) == len(decided)
    async with engine(url, counter, worker=False) as reader:
        for request_id in decided:
            request = await reader.request(request_id)
            assert (request.status, request.closed_by) == (RequestStatus.APPROVED, ADA.id)
        open_still = {request.id for request in await reader.pending(person=ADA, limit=1000)}
    # And what was not acknowledged is either on record or still open: nothing is lost in between.
    assert open_still.isdisjoint(decided)
    assert len(turns) == REQUESTS
    assert len(set(counter.lines())) == len(counter.lines())
