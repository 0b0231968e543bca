"""Channels: how soon a decision in one is shown in another, and what a long queue costs."""

import asyncio
import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

import psutil

import assent
from assent import Person
from assent.channels import Assent, ChannelError, ChannelTerms, Desk, Post, Reference, Room, Tell
from assent.domain.people import SYSTEM
from assent.presentation.surfaces import SURFACES
from bench.cycle import OWNER, agent
from bench.memory import multiply

# More than Discord allows a bot in all, so that the measured part does not take minutes.
PER_SECOND = 100.0


@dataclass
class Wall:
    """A channel whose platform takes everything at once, or nothing."""

    name: str
    is_down: bool = False
    per_second: float = 1000.0
    desk: Desk | None = None
    posts: int = 0
    updates: dict[str, float] = field(default_factory=dict)

    @property
    def terms(self) -> ChannelTerms:
        room = Room(address="room", everything=True)
        return ChannelTerms(rooms=(room,), groups=False, per_second=self.per_second)

    async def open(self, assent: Assent) -> None:
        self.desk = Desk(assent, self.name, SURFACES["slack"])

    async def connect(self) -> None: ...

    async def disconnect(self) -> None: ...

    async def close(self) -> None: ...

    async def announce(self, post: Post) -> str:
        if self.is_down:
            raise ChannelError("down", whole=True)
        self.posts += 1
        return post.items[0].request.id

    async def update(self, post: Post, message: str) -> None:
        assert message
        self.updates[post.items[0].request.id] = time.perf_counter()


async def updates(url: str, count: int) -> float:
    """The median of the seconds from a press in one channel until another shows its outcome."""
    here, there = Wall("here"), Wall("there")
    async with assent.Assent(url, agents=[agent()], channels=[here, there]) as engine:
        await engine.people.add(Person(OWNER.id), by=SYSTEM)
        await engine.people.chats.welcome(OWNER.id, "here", "u1", "u1")
        await _served(engine, here, there)
        taken = [await _press(engine, here, there, number) for number in range(count)]
    return median(taken)


async def _press(assent: Assent, here: Wall, there: Wall, number: int) -> float:
    turn = await assent.send("bench", "pay", by=OWNER)
    [request] = turn.pending
    await _until(lambda: here.posts > number and there.posts > number)
    assert here.desk is not None
    reference, began = Reference.to(request, "approve").second_step(), time.perf_counter()
    reply = await here.desk.press("u1", reference, interaction=f"p{number}")
    assert isinstance(reply, Tell), reply
    await _until(lambda: request.id in there.updates)
    return there.updates[request.id] - began


async def queue(url: str, total: int, drained: int) -> dict[str, float]:
    """What `total` queued deliveries cost while the platform is down, and how fast they drain."""
    wall, process = Wall("wall", is_down=True, per_second=PER_SECOND), psutil.Process()
    async with assent.Assent(url, agents=[agent()], channels=[wall]) as engine:
        await _served(engine, wall)
        await engine.send("bench", "pay", by=OWNER)
        gc.collect()
        before = process.memory_info().rss
        await multiply(engine, total)
        gc.collect()
        grown = process.memory_info().rss - before
        wall.is_down = False
        await _until(lambda: wall.posts > 0)
        first, began = wall.posts, time.perf_counter()
        await _until(lambda: wall.posts >= first + drained)
        rate = (wall.posts - first) / (time.perf_counter() - began)
    return {"bytes each": grown / total, "share of the rate limit": rate / PER_SECOND}


async def _served(assent: Assent, *walls: Wall) -> None:
    await _until(lambda: all(assent.channels.is_serving(wall.name) for wall in walls))


async def _until(is_so: Callable[[], bool]) -> None:
    while not is_so():  # noqa: ASYNC110 - what is measured must not know that it is
        await asyncio.sleep(0.002)
