"""Who is told of a request, where and when, on both databases."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from assent import Assent, Audience, Effect, Person, Risk, Rule, approve, tool
from assent.channels import ChatThread, Room
from assent.domain.notifications import NEVER, NotificationSettings, QuietHours
from assent.domain.requests import Request
from assent.engine.deliveries import courier
from assent.engine.deliveries.routing import Route, routes_of
from assent.testing import VirtualClock, calls, says
from tests.conftest import World
from tests.engine.deliveries.wall import Wall

ROOT = Person("root", roles=frozenset({"admin"}))
ADA = Person("ada")
GRACE = Person("grace", roles=frozenset({"approver"}))
JOAN = Person("joan", roles=frozenset({"approver"}))
DANA = Person("dana", roles=frozenset({"auditor"}))
# Three in the morning in Berlin, in winter.
NIGHT = datetime(2030, 1, 11, 2, tzinfo=UTC)
MORNING = datetime(2030, 1, 11, 6, tzinfo=UTC)
QUIET = QuietHours(start=time(22), end=time(7), zone="Europe/Berlin")


@tool(risk=Risk.MODERATE, requires_approval=True)
async def own(n: int) -> str:
    """Something that its owner confirms."""
    return "done"


@tool(risk=Risk.MODERATE, requires_approval=True, approvers=Audience.of("approver"))
async def routed(n: int) -> str:
    """Something that approvers confirm."""
    return "done"


@tool(risk=Risk.MODERATE, requires_approval=True, approvers=Audience.of("approver"))
async def by_two(n: int) -> str:
    """Something that two approvers confirm."""
    return "done"


@tool(risk=Risk.DANGEROUS, requires_approval=True, approvers=Audience.of("approver"))
async def danger(n: int) -> str:
    """Something that cannot wait for the morning."""
    return "done"


@tool(
    risk=Risk.MODERATE,
    requires_approval=True,
    approvers=Audience.of("approver"),
    decide_within=timedelta(hours=2),
)
async def short(n: int) -> str:
    """Something that nobody can confirm in the morning any more."""
    return "done"


TOOLS = (own, routed, by_two, danger, short)
RULES = (Rule.of(Effect.ASK, "by_two", audience=Audience.of("approver"), quorum=2),)


def script(prompt: Any) -> Any:
    said = prompt.history[-1]
    return says("", calls(said.text, {"n": 1})) if hasattr(said, "text") else "Done."


Open = Callable[..., AbstractAsyncContextManager[Assent]]


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NIGHT)


@pytest.fixture
def opened(world: World, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> Open:
    """`async with opened(wall) as assent`: with four people, all but Dana linked to the wall."""
    # The rows are looked at often: these tests move the clock of the database, not the loop's.
    monkeypatch.setattr(courier, "LOOK_SECONDS", 0.05)

    @asynccontextmanager
    async def opening(*channels: Wall) -> AsyncIterator[Assent]:
        async with world(script, *TOOLS, rules=RULES, channels=channels, clock=clock) as assent:
            for person in (ADA, GRACE, JOAN, DANA):
                await assent.people.add(person, by=ROOT)
            for person in (ADA, GRACE, JOAN):
                await link(assent, person)
            yield assent

    return opening


async def link(assent: Assent, person: Person, channel: str = "wall") -> None:
    chats = assent.people.chats
    code = await chats.code_for_person(person, channel)
    await chats.link_chat(code, channel, f"@{person.id}", person.id.title())


async def wish(assent: Assent, person: Person, **wishes: Any) -> None:
    await assent.people.chats.change_settings(NotificationSettings(**wishes), by=person)


async def asked(assent: Assent, tool: str, by: Person = ADA) -> Request:
    turn = await assent.send("agent", tool, by=by)
    return turn.pending[0]


async def routes(assent: Assent, request: Request, wall: Wall) -> dict[str, Route]:
    found = await assent.kernel.store.run(lambda tx: routes_of(tx, request, wall.name, wall.terms))
    assert len({route.address for route in found}) == len(found)
    return {route.address: route for route in found}


async def test_the_people_who_may_decide_are_told_and_nobody_else(opened: Open) -> None:
    wall = Wall()
    async with opened() as assent:
        assert set(await routes(assent, await asked(assent, "own"), wall)) == {"@ada"}
        assert set(await routes(assent, await asked(assent, "routed"), wall)) == {
            "@grace",
            "@joan",
        }


async def test_who_is_disabled_or_unlinked_is_told_nothing(opened: Open) -> None:
    wall = Wall()
    async with opened() as assent:
        request = await asked(assent, "routed")
        await assent.people.change("grace", disabled=True, by=ROOT)
        await assent.people.chats.unlink("wall", "@joan", by=JOAN)
        assert await routes(assent, request, wall) == {}


async def test_who_lost_the_role_is_told_nothing(opened: Open) -> None:
    wall = Wall()
    async with opened() as assent:
        request = await asked(assent, "routed")
        await assent.people.change("grace", roles=["auditor"], by=ROOT)
        assert set(await routes(assent, request, wall)) == {"@joan"}


async def test_a_room_hears_of_what_concerns_more_than_the_owner(opened: Open) -> None:
    wall = Wall(rooms=(Room(address="room:all", everything=True), Room(address="room:team")))
    async with opened() as assent:
        mine = await routes(assent, await asked(assent, "own"), wall)
        assert {each for each in mine if each.startswith("room:")} == {"room:all"}
        theirs = await routes(assent, await asked(assent, "routed"), wall)
        assert {each for each in theirs if each.startswith("room:")} == {"room:all", "room:team"}
        assert theirs["room:team"].recipient is None


async def test_a_channel_without_people_tells_rooms_alone(opened: Open) -> None:
    wall = Wall(rooms=(Room(address="room:all", everything=True),), reaches_people=False)
    async with opened() as assent:
        assert set(await routes(assent, await asked(assent, "routed"), wall)) == {"room:all"}


async def test_the_owner_is_told_in_the_thread_and_not_beside_it(opened: Open) -> None:
    wall = Wall()
    async with opened() as assent:
        thread = ChatThread(channel="wall", address="thread:1")
        held = await assent.open("agent", by=ADA, thread=thread)
        turn = await assent.send("agent", "own", by=ADA, conversation_id=held.id)
        found = await routes(assent, turn.pending[0], wall)
        assert set(found) == {"thread:1"}
        # What a person is asked where they talk cannot wait for the morning.
        await wish(assent, ADA, quiet=QUIET, digest=3600)
        again = await routes(assent, turn.pending[0], wall)
        assert again["thread:1"].at == NIGHT


async def test_wishes_say_from_which_risk_on_a_channel_tells(opened: Open) -> None:
    wall = Wall()
    async with opened() as assent:
        await wish(assent, GRACE, least={"wall": "dangerous"})
        await wish(assent, JOAN, least={"wall": NEVER, "slack": "safe"})
        assert await routes(assent, await asked(assent, "routed"), wall) == {}
        assert set(await routes(assent, await asked(assent, "danger"), wall)) == {"@grace"}


async def test_quiet_hours_hold_what_is_not_urgent(opened: Open) -> None:
    wall = Wall()
    async with opened() as assent:
        await wish(assent, GRACE, quiet=QUIET)
        usual = await routes(assent, await asked(assent, "routed"), wall)
        assert (usual["@grace"].at, usual["@joan"].at) == (MORNING, NIGHT)
        assert usual["@grace"].digest
        for tool in ("danger", "short"):
            at_once = await routes(assent, await asked(assent, tool), wall)
            assert (at_once["@grace"].at, at_once["@grace"].digest) == (NIGHT, False)


async def test_what_was_held_comes_as_one_message_in_the_morning(
    opened: Open, clock: VirtualClock
) -> None:
    wall = Wall()
    async with opened(wall) as assent:
        await wish(assent, GRACE, quiet=QUIET)
        held = {(await asked(assent, "routed")).id for _ in range(3)}
        urgent = await asked(assent, "danger")
        await wall.until(lambda: wall.told("@joan") == {*held, urgent.id})
        await wall.until(lambda: wall.told("@grace"))
        assert wall.told("@grace") == {urgent.id}
        clock.advance(timedelta(hours=5))
        await wall.until(lambda: wall.told("@grace") == {*held, urgent.id})
        [digest] = [post for post in wall.at("@grace") if post.is_digest]
        assert {item.request.id for item in digest.items} == held


async def test_a_single_one_that_was_held_is_shown_in_full(
    opened: Open, clock: VirtualClock
) -> None:
    wall = Wall()
    async with opened(wall) as assent:
        await wish(assent, GRACE, digest=1800)
        await asked(assent, "routed")
        await wall.until(lambda: wall.told("@joan"))
        clock.advance(timedelta(hours=1))
        await wall.until(lambda: wall.at("@grace"))
        assert [post.is_digest for post in wall.at("@grace")] == [False]


async def test_a_vote_in_the_night_wakes_nobody(opened: Open, clock: VirtualClock) -> None:
    wall = Wall()
    async with opened(wall) as assent:
        await wish(assent, GRACE, quiet=QUIET)
        request = await asked(assent, "by_two")
        await wall.until(lambda: wall.told("@joan"))
        await assent.decide(request.id, approve(), by=JOAN)
        # Joan's message shows her vote: whatever the vote makes due has been told by now.
        await wall.until(lambda: wall.at("@joan")[0].items[0].request.votes == 1)
        assert wall.told("@grace") == set()
        clock.advance(timedelta(hours=5))
        await wall.until(lambda: wall.told("@grace") == {request.id})


@pytest.mark.parametrize("why", ["unlinked", "disabled", "another role", "never", "decided"])
async def test_what_was_held_is_not_told_if_it_is_no_longer_wanted(
    opened: Open, clock: VirtualClock, why: str
) -> None:
    wall = Wall()
    async with opened(wall) as assent:
        await wish(assent, GRACE, quiet=QUIET)
        request = await asked(assent, "routed")
        await wall.until(lambda: wall.told("@joan"))
        match why:
            case "unlinked":
                await assent.people.chats.unlink("wall", "@grace", by=GRACE)
            case "disabled":
                await assent.people.change("grace", disabled=True, by=ROOT)
            case "another role":
                await assent.people.change("grace", roles=["auditor"], by=ROOT)
            case "never":
                await wish(assent, GRACE, least={"wall": NEVER})
            case _:
                await assent.decide(request.id, approve(), by=JOAN)
        clock.advance(timedelta(hours=5))
        if why != "decided":
            later = await asked(assent, "routed")
            await wall.until(lambda: later.id in wall.told("@joan"))
        else:
            await wall.until(lambda: not wall.at("@joan")[0].is_open)
        assert request.id not in wall.told("@grace")


async def test_unlinking_and_linking_to_another_person_tells_them_nothing_of_before(
    opened: Open, clock: VirtualClock
) -> None:
    wall = Wall()
    async with opened(wall) as assent:
        await wish(assent, GRACE, quiet=QUIET)
        request = await asked(assent, "routed")
        await wall.until(lambda: wall.told("@joan"))
        chats = assent.people.chats
        await chats.unlink("wall", "@grace", by=GRACE)
        await chats.link_chat(await chats.code_for_person(DANA, "wall"), "wall", "@grace", "Dana")
        clock.advance(timedelta(hours=5))
        later = await asked(assent, "routed")
        await wall.until(lambda: later.id in wall.told("@joan"))
        assert request.id not in wall.told("@grace")


async def test_what_was_told_is_brought_up_to_date_in_quiet_hours_too(opened: Open) -> None:
    wall = Wall()
    async with opened(wall) as assent:
        request = await asked(assent, "danger")
        await wish(assent, GRACE, quiet=QUIET)
        await wall.until(lambda: wall.told("@grace") and wall.told("@joan"))
        await assent.decide(request.id, approve(), by=JOAN)
        await wall.until(lambda: not any(post.is_open for post in wall.shown.values()))


async def test_linking_later_brings_what_comes_later(opened: Open) -> None:
    wall = Wall()
    dana = Person("dana", roles=frozenset({"approver"}))
    async with opened(wall) as assent:
        first = await asked(assent, "routed")
        await wall.until(lambda: wall.told("@joan"))
        await assent.people.change("dana", roles=["approver"], by=ROOT)
        await link(assent, dana)
        second = await asked(assent, "routed")
        await wall.until(lambda: wall.told("@dana"))
        assert wall.told("@dana") == {second.id}
        assert first.id in wall.told("@joan")


async def test_two_channels_with_equal_addresses_both_tell(opened: Open) -> None:
    rooms = (Room(address="everybody", everything=True),)
    walls = [Wall(name, rooms=rooms, reaches_people=False) for name in ("wall", "other")]
    async with opened(*walls) as assent:
        request = await asked(assent, "own")
        for wall in walls:
            await wall.until(lambda: wall.told("everybody") == {request.id})  # noqa: B023 - awaited
