"""The courier: keeps to what a platform asks for, and lets no message wait for another."""

import asyncio
from typing import Any

import pytest

from assent import reject
from assent.channels import ChannelError, Post
from assent.domain.deliveries import DeliveryStatus
from assent.engine.deliveries import courier
from assent.errors import MessageGone, StoreUnavailable
from assent.store.deliveries import StoredDeliveries
from assent.testing import calls, says
from assent.testing.channels import until
from tests.conftest import World
from tests.engine.test_deliveries import ADMIN, OLGA, Recorder, asking, pay, served


def several(count: int) -> list[Any]:
    return [says("", *(calls("pay", amount=number) for number in range(count))), "Done."]


async def test_a_rate_limit_stops_also_what_was_taken_with_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel, tried = Recorder(groups=False, per_second=50), list[str]()

    async def announce(post: Post) -> str:
        tried.append(post.key)
        raise ChannelError("slow down", whole=True, retry_after=600.0)

    monkeypatch.setattr(channel, "announce", announce)
    async with world(several(10), pay, channels=[channel]) as assent:
        await served(assent)
        turn = await assent.send("agent", "Pay.", by=OLGA)
        requests = [request.id for request in turn.pending]

        async def is_over() -> bool:
            rows = [(await assent.channels.of_request(id, by=ADMIN))[0] for id in requests]
            return any(row.error for row in rows) and all(
                row.error or not row.batch for row in rows
            )

        await until("every message that was taken to be put back", is_over)
        rows = [(await assent.channels.of_request(id, by=ADMIN))[0] for id in requests]

    assert len(tried) == 1
    # Only the one that was tried may have arrived.
    assert sum(row.batch is not None for row in rows) == 1


async def test_after_an_outage_nobody_hears_of_what_was_settled_and_never_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "FIRST_PAUSE", 0.05)
    channel = Recorder()
    channel.errors = [ChannelError("down", whole=True, unsent=True)] * 10_000
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
        turn = await assent.send("agent", "Pay.", by=OLGA)

        async def failed() -> bool:
            return len(channel.errors) < 10_000

        await until("a failure", failed)
        await assent.decide(turn.pending[0], reject(), by=OLGA)

        async def told() -> bool:
            return not await assent.channels.is_behind("recorder")

        await until("nothing left to tell", told)
        [row] = await assent.channels.of_request(turn.pending[0].id, by=ADMIN)

    assert row.status is DeliveryStatus.TOLD
    assert [what for what, post in channel.posts if not post.is_open] == []


async def test_what_is_settled_while_it_fails_unsent_counts_as_never_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "FIRST_PAUSE", 0.05)
    channel, trying, settled = Recorder(), asyncio.Event(), asyncio.Event()

    async def announce(post: Post) -> str:
        assert post.is_open
        trying.set()
        await settled.wait()
        raise ChannelError("down", whole=True, unsent=True)

    monkeypatch.setattr(channel, "announce", announce)
    async with world(asking(1), pay, channels=[channel]) as assent:
        await served(assent)
        turn = await assent.send("agent", "Pay.", by=OLGA)
        await until("the first attempt", lambda: _true(trying.is_set()))
        await assent.decide(turn.pending[0], reject(), by=OLGA)
        settled.set()

        async def told() -> bool:
            return not await assent.channels.is_behind("recorder")

        await until("nothing left to tell", told)
        [row] = await assent.channels.of_request(turn.pending[0].id, by=ADMIN)

    assert (row.status, row.message) == (DeliveryStatus.TOLD, None)


async def test_a_message_that_hangs_holds_up_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel, hanging = Recorder(), asyncio.Event()

    async def announce(post: Post) -> str:
        if not hanging.is_set():
            hanging.set()
            await asyncio.sleep(3600)
        return channel._keep("announce", post)

    monkeypatch.setattr(channel, "announce", announce)
    script = [says("", calls("pay", amount=1)), says("", calls("pay", amount=2)), "Done."]
    async with world(script, pay, channels=[channel]) as assent:
        await served(assent)
        await assent.send("agent", "Pay.", by=OLGA)
        await until("the first to hang", lambda: _true(hanging.is_set()))
        await assent.send("agent", "Pay.", by=OLGA)
        [(_, post)] = await channel.count(1)

    assert post.items[0].call.arguments["amount"] == 2


async def test_a_deleted_message_of_several_is_shown_again_with_what_is_open(world: World) -> None:
    channel = Recorder()
    async with world(several(2), pay, channels=[channel]) as assent:
        await served(assent)
        turn = await assent.send("agent", "Pay.", by=OLGA)
        await channel.count(1)
        channel.errors = [MessageGone()]
        first, second = turn.pending
        await assent.decide(second, reject(), by=OLGA)
        posts = await channel.count(2)
        [row] = await assent.channels.of_request(first.id, by=ADMIN)

    what, post = posts[-1]
    assert what == "announce"
    assert [item.request.id for item in post.items] == [first.id]
    assert row.message == "m2"


async def test_a_failure_after_connecting_leaves_no_second_connection(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "FIRST_PAUSE", 0.01)
    channel, real, failures = Recorder(), StoredDeliveries.catch_up, [1, 2]

    def catch_up(self: StoredDeliveries, name: str) -> None:
        if failures:
            failures.pop()
            raise StoreUnavailable("gone for a moment")
        real(self, name)

    monkeypatch.setattr(StoredDeliveries, "catch_up", catch_up)
    async with world([], pay, channels=[channel]) as assent:
        await served(assent)
        assert not failures
        assert channel.connected == 1

    assert channel.connected == 0


async def test_connecting_that_takes_too_long_is_seen(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(courier, "CONNECT_SECONDS", 0.05)
    channel = Recorder()
    monkeypatch.setattr(channel, "connect", lambda: asyncio.sleep(3600))
    async with world([], pay, channels=[channel]) as assent:

        async def seen() -> bool:
            return any(
                "to connect" in (each.error or "") for each in await assent.channels.status()
            )

        await until("the reason to be seen", seen)


async def _true(value: bool) -> bool:
    return value
