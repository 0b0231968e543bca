"""Bad days for the Discord channel: nothing is lost or shown twice, and admins are told."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assent import Agent, Assent, Person, approve, reject, tool
from assent.channels.discord import Discord
from assent.demo.discord_sandbox import Permission
from assent.domain.deliveries import Post
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import ADMIN
from assent.engine.deliveries.channels import DeadLetter
from assent.engine.settings import Times
from assent.models.scripted import calls, says
from assent.testing.channels import until
from tests.channels.discord.bots import eventually
from tests.channels.discord.company import company, problem, scripted
from tests.channels.discord.faults import broken, lost, rate_limited
from tests.channels.discord.stage import POST, buttons_of, text_of
from tests.channels.discord.test_cards import item
from tests.presentation.samples import card

BOSS = Person("boss", roles={ADMIN})


@tool(requires_approval=True)
def wipe(path: str) -> str:
    """Delete a file."""
    return f"wiped {path}"


async def dead_letter(assent: Assent) -> DeadLetter:
    """Wait until a delivery was given up."""

    async def dead() -> DeadLetter | None:
        found = await assent.channels.dead_letters(by=BOSS)
        return found[0] if found else None

    return await until("a dead letter", dead)


async def idle(assent: Assent) -> None:
    """Wait until there is nothing to tell."""

    async def done() -> bool:
        return not await assent.channels.is_behind("discord")

    await until("nothing to be due", done)


async def test_presses_during_a_drop_arrive_when_the_session_is_resumed(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        await place.sandbox.gateway.drop(code=None)
        assert await place.press(place.ada, card, "approve") == "Approved."
        await place.settled(card)


async def test_a_session_that_is_gone_is_begun_anew_and_buttons_still_work(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        await place.sandbox.gateway.drop(resumable=False)
        await place.sandbox.world.until(lambda: place.sandbox.gateway.connected or None)
        assert await place.press(place.ada, card, "approve") == "Approved."


@pytest.mark.parametrize("everywhere", [False, True])
async def test_a_rate_limit_delays_a_card_and_loses_none(url: str, everywhere: bool):
    async with company(url, wipe) as place:
        place.faults.plan(POST, rate_limited(0.3, everywhere=everywhere), times=2)
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        posts = place.faults.sent(POST)

    assert [each.status for each in posts][:3] == [429, 429, 200]
    assert len([m for m in thread.messages.values() if buttons_of(m)]) == 1
    assert card.embeds


async def test_a_limit_longer_than_half_a_minute_pauses_the_whole_channel(url: str):
    async with company(url, wipe) as place:
        place.faults.plan(POST, rate_limited(40.0))
        place.script.append(says("", calls("wipe", path="a.txt")))
        await place.thread(place.mention("wipe a.txt"))

        assert "asks to wait" in await problem(place.assent)
        assert len(place.faults.sent(POST)) == 1


async def test_server_errors_are_an_outage_and_not_the_posts_fault(url: str):
    async with company(url, wipe) as place:
        place.faults.plan(POST, broken(503), times=2)
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        await place.card(thread)
        dead = await place.assent.channels.dead_letters(by=BOSS)

    assert dead == []


async def test_an_hour_of_outage_loses_nothing_and_ends_without_a_burst(
    url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _: 0.05)
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="0.txt")))
        thread = await place.thread(place.mention("wipe 0.txt"))
        await place.card(thread)
        place.faults.is_down = True
        await place.sandbox.gateway.drop()
        for number in range(1, 13):
            place.script.append(says("", calls("wipe", path=f"{number}.txt")))
            await place.assent.send("agent", "wipe it", by=Person("ada"))
        place.sandbox.world.now = lambda: datetime.now(UTC) + timedelta(hours=1)
        place.faults.is_down = False
        direct = place.sandbox.world.direct_channel(place.ada.user)

        def all_there() -> bool:
            found = [b for m in direct.messages.values() for b in buttons_of(m)]
            return sum(each.startswith("assent:approve:") for each in found) == 12

        await eventually(all_there, within=30)
        sent = [each.at for each in place.faults.sent(POST) if each.status == 200]

    # At most five in any second, and one more for the second's edge.
    assert all(sum(at <= each < at + 1 for each in sent) <= 6 for at in sent)


async def test_missing_permissions_become_a_dead_letter_with_a_reason(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        place.sandbox.world.deny(place.general, Permission.SEND_MESSAGES_IN_THREADS)
        thread = await place.thread(place.mention("wipe a.txt"))
        delivery = (await dead_letter(place.assent)).delivery
        assert "permission" in (delivery.error or "")
        place.sandbox.world.deny(place.general, Permission(0))
        await place.assent.channels.send_again(
            delivery.request_id, delivery.channel, delivery.address, by=BOSS
        )
        await place.card(thread)


async def test_a_person_who_takes_no_direct_messages_is_told_nowhere_and_an_admin_sees_why(
    url: str,
):
    async with company(url, wipe) as place:
        closed = replace(place.ada.user, takes_direct_messages=False)
        place.sandbox.world.users[closed.id] = closed
        place.script.append(says("", calls("wipe", path="a.txt")))
        await place.assent.send("agent", "wipe it", by=Person("ada"))
        letter = await dead_letter(place.assent)

    assert "takes no direct messages" in (letter.delivery.error or "")


async def test_a_deleted_card_of_an_open_request_comes_back_when_it_changes(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        [request] = await place.pending()
        place.sandbox.world.remove_message(card)
        await place.assent.decide(request, reject("no"), by=Person("ada"), channel="web")
        await place.said(thread, lambda text: text == "Done.")

    assert card.id not in thread.messages


async def test_an_archived_thread_is_opened_to_update_its_card(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        card = await place.card(thread)
        [request] = await place.pending()
        thread.is_archived = True
        await place.assent.decide(request, approve(), by=Person("ada"), channel="web")
        assert "Approved by ada" in await place.settled(card)


async def test_a_deleted_thread_leaves_a_dead_letter_and_no_loop(url: str):
    async with company(url, wipe) as place:
        place.script.append(says("", calls("wipe", path="a.txt")))
        thread = await place.thread(place.mention("wipe a.txt"))
        await place.card(thread)
        [request] = await place.pending()
        place.sandbox.world.remove_channel(thread)
        await place.assent.decide(request, approve(), by=Person("ada"), channel="web")
        await idle(place.assent)


# requirement: R18
@pytest.mark.postgres
async def test_two_replicas_have_one_gateway_and_the_other_takes_over(postgres_url: str):
    times = Times(lease=timedelta(seconds=3))
    async with company(postgres_url, wipe, times=times) as place:
        _, model = scripted()
        channel = Discord(place.sandbox.token, api_url=place.sandbox.api_url)
        agent = Agent("agent", model=model, tools=[wipe])
        second = Assent(postgres_url, agents=[agent], channels=[channel], times=times)
        async with second:
            place.script.append(says("", calls("wipe", path="a.txt")))
            thread = await place.thread(place.mention("wipe a.txt"))
            card = await place.card(thread)
            assert len(place.sandbox.gateway.connected) == 1
            await place.assent.channels.stop()
            await eventually(lambda: second.channels.is_serving("discord"), within=20)
            assert len(place.sandbox.gateway.connected) == 1
            assert await place.press(place.ada, card, "approve") == "Approved."
            assert "Approved by ada" in await place.settled(card)


async def test_a_lost_reply_and_a_long_pause_still_leave_one_card(url: str):
    async with company(url, wipe) as place:
        place.faults.plan(POST, lost())
        place.script.append(says("", calls("wipe", path="a.txt")))
        await place.assent.send("agent", "wipe it", by=Person("ada"))
        direct = place.sandbox.world.direct_channel(place.ada.user)
        await place.ada.sees(direct)
        # Longer than Discord remembers a nonce.
        place.sandbox.world.now = lambda: datetime.now(UTC) + timedelta(hours=1)
        await idle(place.assent)
        cards = [each for each in direct.messages.values() if buttons_of(each)]

    assert len(cards) == 1
    assert "wipe" in text_of(cards[0])


async def test_an_earlier_attempt_is_found_again_however_much_of_it_is_settled(url: str):
    async with company(url) as place:
        channel = place.assent.channels.named("discord")
        assert channel is not None
        key, here = "0123456789abcdef01234567", str(place.ada.id)

        async def post(*numbers: int, settled: int = 0, is_digest: bool = False) -> str:
            """Post requests of which the first are settled, long after an earlier attempt."""
            states = [RequestStatus.APPROVED] * settled + [RequestStatus.OPEN] * len(numbers)
            items = [item(card(), n, status) for n, status in zip(numbers, states, strict=False)]
            later = timedelta(hours=len(place.faults.sent(POST)))
            place.sandbox.world.now = lambda: datetime.now(UTC) + later
            return await channel.announce(
                Post(
                    key=key,
                    channel="discord",
                    address=here,
                    items=tuple(items),
                    version=1,
                    is_digest=is_digest,
                    is_repeated=True,
                )
            )

        other, ours = await post(11, 12), await post(1, 2)
        assert [await post(1, 2, settled=1) for _ in range(2)] == [ours, ours] != [other, other]
        assert await post(1, 2, settled=2) == ours
        digest = await post(3, 4, 5, is_digest=True)
        assert await post(3, 4, 5, settled=2, is_digest=True) == digest != ours
        assert await post(3, 4, 5, settled=3, is_digest=True) == digest
        # One of the list alone is a card.
        assert await post(5) == digest
        direct = place.sandbox.world.direct_channel(place.ada.user)

    assert len(direct.messages) == 3
