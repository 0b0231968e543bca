"""Chat accounts: linked with proof from both sides, unlinked at once, one account for each."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from assent import Assent, Audience, Effect, Person, Risk, Rule, approve, tool
from assent.channels import Reference, Reply, Tell
from assent.domain.notifications import NotificationSettings
from assent.domain.people import PersonKind
from assent.domain.verdicts import Verb
from assent.engine.people.chat_accounts import ALPHABET, WRONG_CODES
from assent.errors import LinkRefused, NotAllowed, NotFound, NotLinked
from assent.testing import VirtualClock, calls, says
from tests.conftest import World
from tests.engine.deliveries.wall import Wall

ROOT = Person("root", roles=frozenset({"admin"}))
ADA = Person("ada")
GRACE = Person("grace", roles=frozenset({"approver"}))
JOAN = Person("joan", roles=frozenset({"approver"}))
ROBOT = Person("robot", kind=PersonKind.SERVICE)


def script(prompt: Any) -> Any:
    said = prompt.history[-1]
    return says("", calls("pay", {"amount": 7})) if hasattr(said, "text") else "Done."


@asynccontextmanager
async def opened(world: World, *channels: Wall, **options: Any) -> AsyncIterator[Assent]:
    """An engine with an agent that wants to pay, and some people."""
    ran: list[int] = []

    @tool(risk=Risk.MODERATE, requires_approval=True, approvers=Audience.of("approver"))
    async def pay(amount: int) -> str:
        """Pay something."""
        ran.append(amount)
        return "paid"

    async with world(script, pay, channels=channels, **options) as assent:
        for person in (ADA, GRACE, JOAN, ROBOT):
            await assent.people.add(person, by=ROOT)
        yield assent


async def refused(attempt: Awaitable[object]) -> str:
    with pytest.raises(LinkRefused) as caught:
        await attempt
    return str(caught.value)


async def link(assent: Assent, person: Person, channel: str, chat_id: str) -> None:
    chats = assent.people.chats
    code = await chats.code_for_person(person, channel)
    await chats.link_chat(code, channel, chat_id, person.id)


# requirement: W13
async def test_a_code_of_the_web_is_redeemed_in_the_chat(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        code = await chats.code_for_person(GRACE, "slack")
        assert re.fullmatch(f"[{ALPHABET}]{{5}}-[{ALPHABET}]{{5}}", code)
        made = await chats.link_chat(code, "slack", "U1", "grace.h")
        assert (made.person, made.channel, made.chat_id, made.name) == (
            "grace",
            "slack",
            "U1",
            "grace.h",
        )
        assert (await chats.person_of("slack", "U1")).id == "grace"
        assert await chats.of("grace") == [made]


# requirement: W13
async def test_a_code_of_the_chat_is_entered_on_the_web(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        code = await chats.code_for_chat("slack", "U1", "grace.h")
        made = await chats.link_person(f"  {code.lower().replace('-', ' ')} ", GRACE)
        assert (made.person, made.chat_id) == ("grace", "U1")


# requirement: W13
async def test_who_is_not_linked_or_comes_from_elsewhere_is_nobody(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        await link(assent, GRACE, "slack", "T1/U1")
        for channel, chat_id in (("slack", "T2/U1"), ("slack", "U1"), ("discord", "T1/U1")):
            with pytest.raises(NotLinked):
                await chats.person_of(channel, chat_id)


async def test_a_code_works_once(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        code = await chats.code_for_person(GRACE, "slack")
        attempts = [chats.link_chat(code, "slack", f"U{n}", "x") for n in range(8)]
        ended = await asyncio.gather(*attempts, return_exceptions=True)
        assert sum(not isinstance(each, LinkRefused) for each in ended) == 1
        assert len(await chats.of("grace")) == 1
        assert "used" in await refused(chats.link_chat(code, "slack", "U9", "x"))


async def test_of_several_codes_of_one_side_the_newest_counts(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        first, second = [await chats.code_for_person(GRACE, "slack") for _ in range(2)]
        # Those of others and of other channels are not touched.
        other, elsewhere = (
            await chats.code_for_person(JOAN, "slack"),
            await chats.code_for_person(GRACE, "discord"),
        )
        assert "wrong" in await refused(chats.link_chat(first, "slack", "U1", "x"))
        assert (await chats.link_chat(second, "slack", "U1", "x")).person == "grace"
        assert (await chats.link_chat(other, "slack", "U2", "x")).person == "joan"
        assert (await chats.link_chat(elsewhere, "discord", "1", "x")).person == "grace"
        codes = [await chats.code_for_chat("slack", "U3", "x") for _ in range(2)]
        assert "wrong" in await refused(chats.link_person(codes[0], GRACE))
        assert (await chats.link_person(codes[1], GRACE)).chat_id == "U3"


async def test_a_code_is_valid_for_ten_minutes(world: World, clock: VirtualClock) -> None:
    async with opened(world, clock=clock) as assent:
        chats = assent.people.chats
        code = await chats.code_for_person(GRACE, "slack")
        clock.advance(timedelta(minutes=10))
        assert "ten minutes" in await refused(chats.link_chat(code, "slack", "U1", "x"))
        in_time = await chats.code_for_person(GRACE, "slack")
        clock.advance(timedelta(minutes=10, microseconds=-1))
        await chats.link_chat(in_time, "slack", "U1", "x")


async def test_a_code_is_for_one_channel_and_one_direction(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        for_slack = await chats.code_for_person(GRACE, "slack")
        assert "not for here" in await refused(chats.link_chat(for_slack, "discord", "1", "x"))
        for_chat = await chats.code_for_person(GRACE, "slack")
        # Whoever looks over a shoulder cannot take the account with it.
        assert "in the chat" in await refused(chats.link_person(for_chat, JOAN))
        for_web = await chats.code_for_chat("slack", "U1", "x")
        assert "not for here" in await refused(chats.link_chat(for_web, "slack", "U2", "x"))
        assert await chats.of("grace") == await chats.of("joan") == []


@pytest.mark.parametrize("together", [False, True])
async def test_codes_cannot_be_guessed(world: World, clock: VirtualClock, together: bool) -> None:
    async with opened(world, clock=clock) as assent:
        chats = assent.people.chats
        code = await chats.code_for_person(GRACE, "slack")
        wrong = [chats.link_chat(f"AAAAA-AAAA{n}", "slack", "U1", "x") for n in range(2, 10)]
        if together:
            said = list(map(str, await asyncio.gather(*wrong, return_exceptions=True)))
        else:
            said = [await refused(each) for each in wrong]
        assert sum("Too many" in each for each in said) == len(wrong) - WRONG_CODES
        # The right one no longer helps, here: others are not kept from linking.
        assert "Too many" in await refused(chats.link_chat(code, "slack", "U1", "x"))
        other = await chats.code_for_person(JOAN, "slack")
        assert (await chats.link_chat(other, "slack", "U2", "x")).person == "joan"
        clock.advance(timedelta(minutes=10))
        fresh = await chats.code_for_person(GRACE, "slack")
        assert (await chats.link_chat(fresh, "slack", "U1", "x")).person == "grace"


async def test_right_codes_do_not_count_as_wrong(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        for number in range(WRONG_CODES + 2):
            code = await chats.code_for_chat("slack", f"U{number}", "x")
            await chats.link_person(code, GRACE)
        assert len(await chats.of("grace")) == WRONG_CODES + 2


async def test_one_chat_account_belongs_to_one_person(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        await link(assent, GRACE, "slack", "U1")
        code = await chats.code_for_person(JOAN, "slack")
        assert "another account" in await refused(chats.link_chat(code, "slack", "U1", "x"))
        entered = await chats.code_for_chat("slack", "U1", "x")
        assert "another account" in await refused(chats.link_person(entered, JOAN))
        assert (await chats.person_of("slack", "U1")).id == "grace"
        # The same person once more changes nothing.
        await link(assent, GRACE, "slack", "U1")
        assert len(await chats.of("grace")) == 1


async def test_only_people_link_accounts(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        with pytest.raises(NotAllowed):
            await chats.code_for_person(ROBOT, "slack")
        code = await chats.code_for_chat("slack", "U1", "x")
        with pytest.raises(NotAllowed):
            await chats.link_person(code, ROBOT)
        await assent.people.change("joan", disabled=True, by=ROOT)
        assert "disabled" in await refused(chats.link_person(code, JOAN))


async def test_a_disabled_account_has_no_chat(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        await link(assent, GRACE, "slack", "U1")
        await assent.people.change("grace", disabled=True, by=ROOT)
        with pytest.raises(NotLinked):
            await chats.person_of("slack", "U1")
        await assent.people.change("grace", disabled=False, by=ROOT)
        assert (await chats.person_of("slack", "U1")).id == "grace"


# requirement: W18
async def test_unlinking_is_for_its_owner_and_for_admins(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        await link(assent, GRACE, "slack", "U1")
        for channel, chat_id in (("slack", "U1"), ("slack", "U2")):
            with pytest.raises(NotFound) as caught:
                await chats.unlink(channel, chat_id, by=JOAN)
            assert str(caught.value) == f"There is no chat account {chat_id!r}"
        await chats.unlink("slack", "U1", by=GRACE)
        assert await chats.of("grace") == []
        await link(assent, GRACE, "slack", "U1")
        await chats.unlink("slack", "U1", by=ROOT)
        assert await chats.of("grace") == []


def approving(request: Any) -> Reference:
    return Reference.to(request, Verb.APPROVE)


def words(reply: Reply) -> str:
    assert isinstance(reply, Tell)
    return reply.words


# requirement: W13
# conformance: 134
async def test_unlinking_ends_the_power_to_decide_at_once(world: World) -> None:
    wall = Wall()
    async with opened(world, wall) as assent:
        turn = await assent.send("agent", "pay", by=ADA)
        press = approving(turn.pending[0])
        assert "not linked" in words(await wall.desk.press("@g", press, interaction="1"))
        await link(assent, GRACE, "wall", "@g")
        await assent.people.chats.unlink("wall", "@g", by=GRACE)
        assert "not linked" in words(await wall.desk.press("@g", press, interaction="2"))
        assert (await assent.request(turn.pending[0].id)).is_open
        await link(assent, GRACE, "wall", "@g")
        await wall.desk.press("@g", press, interaction="3")
        assert not (await assent.request(turn.pending[0].id)).is_open


# requirement: T5
async def test_one_human_with_two_chats_and_the_web_counts_once(world: World) -> None:
    rule = Rule.of(Effect.ASK, "pay", audience=Audience.of("approver"), quorum=2)
    chat, other = Wall("chat"), Wall("other")
    async with opened(world, chat, other, rules=[rule]) as assent:
        await link(assent, GRACE, "chat", "@g")
        await link(assent, GRACE, "chat", "@grace-at-home")
        await link(assent, GRACE, "other", "7")
        turn = await assent.send("agent", "pay", by=ADA)
        id, press = turn.pending[0].id, approving(turn.pending[0])
        await chat.desk.press("@g", press, interaction="1")
        for desk, who in ((chat.desk, "@grace-at-home"), (other.desk, "7"), (chat.desk, "@g")):
            await desk.press(who, press, interaction=f"again {who}")
        # The same decision repeated by the same person gets the first answer again.
        await assent.decide(id, approve(), by=GRACE, channel="web")
        request = await assent.request(id)
        assert (request.is_open, request.votes) == (True, 1)
        await link(assent, JOAN, "other", "8")
        await other.desk.press("8", approving(request), interaction="2")
        assert not (await assent.request(id)).is_open


async def test_the_record_says_who_linked_what_and_never_a_code(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        code = await chats.code_for_person(GRACE, "slack")
        await chats.link_chat(code, "slack", "U1", "x")
        await chats.change_settings(NotificationSettings(digest=timedelta(seconds=60)), by=GRACE)
        await chats.unlink("slack", "U1", by=ROOT)
        entries = [e for e in await assent.audit() if e.action.endswith(("chat", "notifications"))]
        assert [(each.action, each.actor) for each in entries] == [
            ("link_chat", "grace"),
            ("set_notifications", "grace"),
            ("unlink_chat", "root"),
        ]
        assert entries[0].data == {"channel": "slack", "chat_id": "U1", "person": "grace"}
        plain = code.replace("-", "")
        assert not [each for each in await assent.audit() if plain in str(each.data)]


async def test_names_from_chats_are_kept_short_and_printable(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        code = await chats.code_for_chat("slack", "U1", "gr\x00ace\x1b[2J\u202e" + "x" * 1_000)
        made = await chats.link_person(code, GRACE)
        assert made.name.startswith("grace[2J")
        assert len(made.name) == 100


async def test_wishes_are_ones_own(world: World) -> None:
    async with opened(world) as assent:
        chats = assent.people.chats
        assert await chats.settings(GRACE) == NotificationSettings()
        wishes = NotificationSettings(least={"slack": "never"}, digest=timedelta(hours=1))
        await chats.change_settings(wishes, by=GRACE)
        assert await chats.settings(GRACE) == wishes
        assert await chats.settings(JOAN) == NotificationSettings()
        with pytest.raises(NotAllowed):
            await chats.change_settings(wishes, by=ROBOT)
