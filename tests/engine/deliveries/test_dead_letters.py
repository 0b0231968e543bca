"""What an admin sees of channels, and does about what could not be delivered; on both databases."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from assent import Assent, Person, Risk, tool
from assent.channels import ChannelError, Room
from assent.domain.deliveries import DeliveryCounts, DeliveryStatus
from assent.errors import ChannelInUse, LinkRefused, NotAllowed, NotFound
from assent.testing import calls, says
from tests.conftest import World
from tests.engine.deliveries.wall import PATIENCE_SECONDS, Letters, Wall

ROOT = Person("root", roles=frozenset({"admin"}))
ADA = Person("ada")
ROOM = (Room(address="room:1", everything=True),)
GONE = ChannelError("The room does not exist any more", permanent=True)


@tool(risk=Risk.MODERATE, requires_approval=True)
async def pay(amount: int) -> str:
    """Pay something."""
    return "paid"


def script(prompt: Any) -> Any:
    said = prompt.history[-1]
    return says("", calls("pay", {"amount": 7})) if hasattr(said, "text") else "Done."


@asynccontextmanager
async def opened(world: World, *channels: Wall) -> AsyncIterator[Assent]:
    async with world(script, pay, channels=channels) as assent:
        await assent.people.add(ADA, by=ROOT)
        yield assent


async def buried(assent: Assent, wall: Wall, number: int = 1) -> list[str]:
    """Requests of which the wall could not tell."""
    made = list[str]()
    for _ in range(number):
        wall.errors.append(GONE)
        turn = await assent.send("agent", "pay", by=ADA)
        await wall.until(lambda: not wall.errors)
        made.append(turn.pending[0].id)
    return made


async def dead(assent: Assent, number: int, **options: Any) -> list[Any]:
    """The dead letters, once there are as many: the courier records a failure after it."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(found := await assent.channels.dead_letters(by=ROOT, **options)) != number:  # noqa: ASYNC110 - rows have no event
            await asyncio.sleep(0.02)
    return found


async def test_a_dead_letter_says_what_could_not_be_told_where_and_why(world: World) -> None:
    wall = Wall(rooms=ROOM, reaches_people=False)
    async with opened(world, wall) as assent:
        [id] = await buried(assent, wall)
        [letter] = await dead(assent, 1)
        assert (letter.request.id, letter.request.tool) == (id, "pay")
        found = letter.delivery
        assert (found.channel, found.address) == ("wall", "room:1")
        assert found.error == "The room does not exist any more"
        assert (await assent.channels.counts(by=ROOT))["wall"] == DeliveryCounts(
            due=0, told=0, dead=1
        )


async def test_a_dead_letter_is_sent_again_once_on_record(world: World) -> None:
    wall = Wall(rooms=ROOM, reaches_people=False)
    async with opened(world, wall) as assent:
        [id] = await buried(assent, wall)
        await dead(assent, 1)
        await assent.channels.send_again(id, "wall", "room:1", by=ROOT)
        await wall.until(lambda: wall.told("room:1") == {id})
        with pytest.raises(NotFound):
            await assent.channels.send_again(id, "wall", "room:1", by=ROOT)
        await dead(assent, 0)
        [entry] = [each for each in await assent.audit() if each.action == "send_again"]
        assert (entry.actor, entry.request_id, entry.data) == ("root", id, {"channel": "wall"})


async def test_all_dead_letters_of_one_channel_are_sent_again(world: World) -> None:
    wall, other = (Wall(name, rooms=ROOM, reaches_people=False) for name in ("wall", "other"))
    async with opened(world, wall, other) as assent:
        other.errors += [GONE] * 3
        ids = await buried(assent, wall, 3)
        await dead(assent, 6)
        assert {each.delivery.channel for each in await dead(assent, 3, channel="other")} == {
            "other"
        }
        assert await assent.channels.send_all_again("wall", by=ROOT) == 3
        await wall.until(lambda: wall.told("room:1") == set(ids))
        assert await assent.channels.send_all_again("wall", by=ROOT) == 0
        await dead(assent, 3)
        entries = [each for each in await assent.audit() if each.action == "send_again"]
        assert [each.data for each in entries] == [{"channel": "wall", "number": 3}]


async def test_only_admins_see_and_do_any_of_it(world: World) -> None:
    wall = Wall(rooms=ROOM, reaches_people=False)
    async with opened(world, wall) as assent:
        [id] = await buried(assent, wall)
        await dead(assent, 1)
        channels = assent.channels
        for attempt in (
            channels.dead_letters(by=ADA),
            channels.counts(by=ADA),
            channels.of_request(id, by=ADA),
            channels.send_again(id, "wall", "room:1", by=ADA),
            channels.send_all_again("wall", by=ADA),
            channels.remove("wall", by=ADA),
        ):
            with pytest.raises(NotAllowed):
                await attempt
        await dead(assent, 1)


async def test_a_channel_that_no_process_serves_is_removed_with_what_waits(world: World) -> None:
    wall = Wall(rooms=ROOM, reaches_people=False)
    async with opened(world, wall) as assent:
        turn = await assent.send("agent", "pay", by=ADA)
        told = turn.pending[0].id
        await wall.until(lambda: wall.told("room:1"))
        await buried(assent, wall)
        await dead(assent, 1)
        with pytest.raises(ChannelInUse):
            await assent.channels.remove("wall", by=ROOT)
    async with opened_again(world) as assent:
        [status] = await assent.channels.status()
        assert (status.name, status.is_served, status.is_here) == ("wall", False, False)
        await assent.channels.remove("wall", by=ROOT)
        assert await assent.channels.status() == []
        await dead(assent, 0)
        # Where it was told of stays known.
        found = await assent.channels.of_request(told, by=ROOT)
        assert [(each.address, each.status) for each in found] == [("room:1", DeliveryStatus.TOLD)]
        turn = await assent.send("agent", "pay", by=ADA)
        assert await assent.channels.of_request(turn.pending[0].id, by=ROOT) == []
        with pytest.raises(NotFound):
            await assent.channels.remove("wall", by=ROOT)


@asynccontextmanager
async def opened_again(world: World, *, worker: bool = True) -> AsyncIterator[Assent]:
    async with world(script, pay, worker=worker) as assent:
        yield assent


async def test_every_process_knows_how_to_link_in_a_channel(world: World) -> None:
    chat = Wall("chat", link_words="!link {code}")
    async with (
        opened(world, chat, Wall("hook", rooms=ROOM, reaches_people=False)) as assent,
        opened_again(world, worker=False) as other,
    ):
        await wall_is_served(assent, 2)
        for engine in (assent, other):
            found = {each.name: each for each in await engine.channels.status()}
            assert (found["chat"].link_words, found["chat"].links) == ("!link {code}", True)
            assert (found["hook"].link_words, found["hook"].links) == (None, False)
            assert found["chat"].is_served
        assert [each.is_here for each in await other.channels.status()] == [False, False]


async def wall_is_served(assent: Assent, number: int) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while sum(each.is_here for each in await assent.channels.status()) != number:  # noqa: ASYNC110 - rows have no event
            await asyncio.sleep(0.02)


async def test_a_channel_without_a_chat_sends_the_code_to_the_address(world: World) -> None:
    letters = Letters()
    async with opened(world, letters) as assent:
        await assent.channels.invite("letters", "ada@example.org", by=ADA)
        made = await assent.people.chats.link_person(letters.sent["ada@example.org"], ADA)
        assert (made.channel, made.chat_id) == ("letters", "ada@example.org")
        with pytest.raises(LinkRefused):
            await assent.channels.invite("letters", "nowhere", by=ADA)
        with pytest.raises(NotFound):
            await assent.channels.invite("elsewhere", "ada@example.org", by=ADA)


async def test_nobody_is_flooded_with_codes(world: World) -> None:
    letters = Letters()
    async with opened(world, letters) as assent:
        for number in range(5):
            await assent.channels.invite("letters", f"victim{number}@example.org", by=ADA)
        with pytest.raises(LinkRefused, match="Too many"):
            await assent.channels.invite("letters", "victim@example.org", by=ADA)
        assert "victim@example.org" not in letters.sent
