"""Deliveries: written with the request, sent by one process, and never lost."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from assent import Person, approve, reject, tool
from assent.channels import ChannelError, ChannelTerms, Post, Room
from assent.domain.deliveries import Delivery, DeliveryStatus
from assent.domain.lifecycle import RequestStatus
from assent.engine.deliveries import courier
from assent.errors import MessageGone, NotAllowed, NotFound
from assent.ports import Tx
from assent.testing import calls, says
from assent.testing.channel_stage import WAIT_SECONDS
from assent.testing.channels import until
from tests.conftest import World

ADMIN = Person("root", roles={"admin"})
OLGA = Person("olga")


@tool(requires_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


class Recorder:
    """A channel that keeps the posts it is given, and fails as a test says."""

    name = "recorder"

    def __init__(self, **terms: Any) -> None:
        self.terms = ChannelTerms(
            **{"rooms": (Room(address="room", everything=True),), "per_second": 1000, **terms}
        )
        self.posts: list[tuple[str, Post]] = []
        self.errors: list[Exception] = []
        self.connected = 0

    async def open(self, assent: object) -> None: ...

    async def connect(self) -> None:
        self.connected += 1

    async def disconnect(self) -> None:
        self.connected -= 1

    async def close(self) -> None: ...

    async def announce(self, post: Post) -> str:
        return self._keep("announce", post)

    async def update(self, post: Post, message: str) -> None:
        assert message
        self._keep("update", post)

    def _keep(self, what: str, post: Post) -> str:
        if self.errors:
            raise self.errors.pop(0)
        self.posts.append((what, post))
        return f"m{len(self.posts)}"

    async def count(self, number: int) -> Sequence[tuple[str, Post]]:
        async def enough() -> bool:
            return len(self.posts) >= number

        await until(f"{number} posts", enough)
        return self.posts


def asking(*amounts: int) -> list[Any]:
    return [step for each in amounts for step in (says("", calls("pay", amount=each)), "Done.")]


async def rows_of(assent: Any) -> list[Delivery]:
    requests = await assent.pending(limit=100)
    return [row for each in requests for row in await assent.channels.of_request(each.id, by=ADMIN)]


async def served(assent: Any, channel: str = "recorder") -> None:
    async def serving() -> bool:
        return assent.channels.is_serving(channel)

    await until("the channel to be served", serving)


async def test_without_channels_nothing_is_written(world: World) -> None:
    async with world(asking(1), pay) as assent:
        await assent.send("agent", "Pay.", by=OLGA)

        assert await rows_of(assent) == []


async def test_a_delivery_changes_with_the_transaction_of_its_request_or_not_at_all(
    world: World,
) -> None:
    channel = Recorder()
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
        turn = await assent.send("agent", "Pay.", by=OLGA)
        [request] = turn.pending
        await channel.count(1)

        def closed(tx: Tx) -> None:
            assert tx.requests.close(request, RequestStatus.CANCELLED, by="olga")
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await assent.kernel.store.run(closed)
        [before] = await rows_of(assent)
        await assent.stop(turn, by=OLGA)
        [after] = await assent.channels.of_request(request.id, by=ADMIN)

    assert (before.wanted, after.wanted) == (1, 2)


async def test_an_abandoned_channel_gets_no_more_deliveries(world: World) -> None:
    channel = Recorder()
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
    async with world(asking(2), pay) as assent:

        def abandon(tx: Tx) -> None:
            from sqlalchemy import update

            from assent.store.channel_tables import channels

            tx.driver.rows(update(channels).values(lease_until=1), {})

        await assent.kernel.store.run(abandon)
        turn = await assent.send("agent", "Pay.", by=OLGA)
        [request] = turn.pending

        assert await assent.channels.of_request(request.id, by=ADMIN) == []


async def test_each_change_is_told_once_and_in_its_newest_state(world: World) -> None:
    channel = Recorder()
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
        turn = await assent.send("agent", "Pay.", by=OLGA)
        await channel.count(1)
        await assent.decide(turn.pending[0], approve(), by=OLGA)
        (first, opened), (second, closed) = await channel.count(2)
        await asyncio.sleep(0.2)

    assert (first, second) == ("announce", "update")
    assert len(channel.posts) == 2
    assert opened.items[0].request.is_open
    assert str(closed.items[0].request.status) == "approved"
    assert closed.key == opened.key
    assert closed.version > opened.version


async def test_several_requests_of_one_turn_are_one_post(world: World) -> None:
    channel = Recorder()
    script = [says("", calls("pay", amount=1), calls("pay", amount=2)), "Done."]
    async with world(script, pay, channels=[channel]) as assent:
        await served(assent)
        turn = await assent.send("agent", "Pay.", by=OLGA)
        [(_, post)] = await channel.count(1)
        await assent.decide(turn.pending[1], reject(), by=OLGA)
        _, (_, later) = await channel.count(2)

    assert len(post.items) == 2
    assert [item.request.is_open for item in later.items] == [True, False]


async def test_a_channel_without_groups_gets_one_post_for_each(world: World) -> None:
    channel = Recorder(groups=False)
    script = [says("", calls("pay", amount=1), calls("pay", amount=2)), "Done."]
    async with world(script, pay, channels=[channel]) as assent:
        await served(assent)
        await assent.send("agent", "Pay.", by=OLGA)
        posts = await channel.count(2)

    assert [len(post.items) for _, post in posts] == [1, 1]


async def test_a_repeated_attempt_says_so_and_keeps_its_key(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "DELAYS", (courier.timedelta(milliseconds=50),))
    channel, keys = Recorder(), list[tuple[str, bool]]()

    async def announce(post: Post) -> str:
        keys.append((post.key, post.is_repeated))
        if len(keys) == 1:
            raise ChannelError("cut off")
        return channel._keep("announce", post)

    monkeypatch.setattr(channel, "announce", announce)
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
        await assent.send("agent", "Pay.", by=OLGA)
        await channel.count(1)

    (first, was_repeated), (second, is_repeated) = keys
    assert first == second
    assert (was_repeated, is_repeated) == (False, True)


async def test_what_was_settled_after_an_attempt_that_left_nothing_is_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "DELAYS", (courier.timedelta(milliseconds=50),) * 20)
    channel, tried, decided = Recorder(), asyncio.Event(), asyncio.Event()

    async def announce(post: Post) -> str:
        if post.is_open:
            tried.set()
            raise ChannelError("cut off")
        assert post.is_repeated
        decided.set()
        raise MessageGone

    monkeypatch.setattr(channel, "announce", announce)
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
        turn = await assent.send("agent", "Pay.", by=OLGA)
        [request] = turn.pending
        async with asyncio.timeout(WAIT_SECONDS):
            await tried.wait()
            await assent.decide(request, reject(), by=OLGA)
            await decided.wait()

        async def done() -> bool:
            return not await assent.channels.is_behind("recorder")

        await until("nothing left to deliver", done)
        [row] = await assent.channels.of_request(request.id, by=ADMIN)

    assert (row.status, row.message, row.error) == (DeliveryStatus.TOLD, None, None)


async def test_after_enough_attempts_a_delivery_is_a_dead_letter(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "DELAYS", (courier.timedelta(milliseconds=10),) * 3)
    channel = Recorder()
    channel.errors = [ChannelError("no")] * 4
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
        await assent.send("agent", "Pay.", by=OLGA)

        async def dead() -> bool:
            return bool(await assent.channels.dead_letters(by=ADMIN))

        await until("a dead letter", dead)
        [row] = await rows_of(assent)

    assert row.status is DeliveryStatus.DEAD
    assert row.error == "no"
    assert not channel.errors


async def test_a_fault_of_the_channel_is_not_told_in_detail(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "DELAYS", (courier.timedelta(hours=1),))
    channel = Recorder()
    channel.errors = [RuntimeError("token=canary-123")]
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
        await assent.send("agent", "Pay.", by=OLGA)

        async def failed() -> bool:
            return any(row.error for row in await rows_of(assent))

        await until("the failure to be recorded", failed)
        [row] = await rows_of(assent)

    assert "canary" not in (row.error or "")


async def test_an_outage_is_seen_and_counts_against_no_delivery(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(courier, "LONGEST_PAUSE", 0.05)
    channel = Recorder()
    channel.errors = [ChannelError("down", whole=True)] * 30
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
        await assent.send("agent", "Pay.", by=OLGA)

        async def seen() -> bool:
            return any(each.error == "down" for each in await assent.channels.status())

        await until("the outage to be seen", seen)
        await channel.count(1)

        async def over() -> bool:
            return all(each.error is None for each in await assent.channels.status())

        await until("the outage to be over", over)
        [row] = await rows_of(assent)

    assert row.status is DeliveryStatus.TOLD


async def test_after_an_outage_posts_come_at_the_channels_pace(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "FIRST_PAUSE", 0.2)
    channel, times = Recorder(per_second=20, groups=False), list[float]()
    keep = channel._keep

    def timed(what: str, post: Post) -> str:
        found = keep(what, post)
        times.append(asyncio.get_running_loop().time())
        return found

    monkeypatch.setattr(channel, "_keep", timed)
    channel.errors = [ChannelError("down", whole=True)]
    script = [says("", *(calls("pay", amount=n) for n in range(10))), "Done."]
    async with world(script, pay, channels=[channel]) as assent:
        await served(assent)
        await assent.send("agent", "Pay.", by=OLGA)
        await channel.count(10)

    # Ten posts at twenty in a second take nine gaps of 50 ms, however late they begin.
    assert times[-1] - times[0] >= 9 * 0.05 * 0.9


async def test_one_process_serves_a_channel_until_it_ends(world: World) -> None:
    first, second = Recorder(), Recorder()
    async with world([], pay, channels=[first], worker=False) as one:
        await served(one)
        async with world([], pay, channels=[second], worker=False) as two:
            await asyncio.sleep(1.0)
            assert (first.connected, second.connected) == (1, 0)
            assert not two.channels.is_serving("recorder")
            await one.channels.stop()
            await served(two)

            assert (first.connected, second.connected) == (0, 1)


async def test_a_process_that_died_is_followed_when_its_lease_ends(world: World) -> None:
    async with world([], pay, channels=[Recorder()], worker=False) as one:
        await served(one)
        # As after a kill: nothing is released.
        [post] = one.channels._couriers
        assert post._task is not None
        post._task.cancel()
        async with world([], pay, channels=[second := Recorder()], worker=False) as two:
            await served(two)

            assert second.connected == 1


async def test_only_admins_see_and_send_dead_letters(world: World) -> None:
    async with world([], pay, channels=[Recorder()]) as assent:
        for by in (OLGA, Person("bot", kind="agent", roles={"admin"})):
            with pytest.raises(NotAllowed):
                await assent.channels.dead_letters(by=by)
            with pytest.raises(NotAllowed):
                await assent.channels.send_again("req", "recorder", "room", by=by)
        with pytest.raises(NotFound):
            await assent.channels.send_again("req_none", "recorder", "room", by=ADMIN)
