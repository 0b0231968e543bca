"""Answers that are lost, late or said again: what is known only here reaches the record, once."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest

from assent import approve, did_not_run
from assent.client import AsyncClient, Client, external
from assent.client.transport import Server
from assent.domain.lifecycle import CallStatus
from assent.engine.settings import Times
from assent.errors import (
    AssentError,
    InvalidIdentifier,
    InvalidJson,
    LeaseLost,
    NotFound,
    ServerUnreachable,
)
from assent.guard import GuardedCall, Returned, new_token
from assent.server import create_app
from tests.client.conftest import Guarded, Open, eventually
from tests.conftest import QUICK, World
from tests.server.conftest import accounts, listening

PING = external("ping", requires_approval=False)
ASKED = external("asked")
SHORT = Times(lease=timedelta(milliseconds=300), look=QUICK.look)


class Outage:
    """A gateway before the app that loses requests for a while: reports of outcomes, or looks."""

    def __init__(self, app: Any, lost: int, *, looks: bool = False) -> None:
        self._app, self.lost, self._looks = app, lost, looks

    def _is_hit(self, scope: Any) -> bool:
        if scope["type"] != "http":
            return False
        return scope["method"] == "GET" if self._looks else scope["path"].endswith("/outcome")

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if not self.lost or not self._is_hit(scope):
            await self._app(scope, receive, send)
            return
        self.lost -= 1
        await send({"type": "http.response.start", "status": 502, "headers": []})
        await send({"type": "http.response.body", "body": b"Bad gateway"})


@asynccontextmanager
async def behind_gateway(world: World, *, lost: int = 0) -> AsyncGenerator[tuple[str, str]]:
    """A server whose first reports of outcomes are lost: its address, and a key."""
    assent = world([])
    async with listening(Outage(create_app(assent), lost)) as url:
        yield url, (await accounts(assent))["user"]


async def doubtful(held: Guarded, call: GuardedCall) -> GuardedCall:
    async def look() -> GuardedCall | None:
        found = await held.guard.look(call.id)
        return found if found.status is CallStatus.IN_DOUBT else None

    return await eventually(look)


@pytest.mark.parametrize("wait", [20, None])
async def test_a_wait_for_people_survives_a_short_outage(world: World, wait: float | None) -> None:
    assent = world([])
    outage = Outage(create_app(assent), 2, looks=True)
    async with listening(outage) as url:
        key = (await accounts(assent))["user"]
        async with AsyncClient(url, key=key) as guard:
            waiting = asyncio.create_task(guard.propose(ASKED, {}, wait=wait))

            async def pending() -> Any:
                return next(iter(await assent.pending()), None)

            await assent.decide(await eventually(pending), approve(), by="user")
            assert (await waiting).is_cleared
    assert outage.lost == 0


async def test_a_wait_that_is_over_reports_an_outage(world: World) -> None:
    assent = world([])
    async with listening(Outage(create_app(assent), 99, looks=True)) as url:
        key = (await accounts(assent))["user"]
        async with AsyncClient(url, key=key) as guard:
            with pytest.raises(ServerUnreachable):
                await guard.propose(ASKED, {}, wait=0.5)


@pytest.mark.parametrize("seconds", [0, 3])
async def test_an_outcome_survives_a_short_outage(world: World, seconds: float) -> None:
    """The body of three seconds is longer than its lease, which was renewed meanwhile."""

    async def body(_: Mapping[str, Any]) -> str:
        await asyncio.sleep(seconds)
        return "done"

    # The client tries each request three times by itself.
    async with behind_gateway(world, lost=5) as (url, key), AsyncClient(url, key=key) as guard:
        assert (await guard.run(PING, {}, body)).output == "done"


async def test_a_cancellation_stays_one_though_it_cannot_be_recorded(world: World) -> None:
    begun = asyncio.Event()

    async def body(_: Mapping[str, Any]) -> None:
        begun.set()
        await asyncio.Event().wait()

    async with behind_gateway(world, lost=99) as (url, key), AsyncClient(url, key=key) as guard:
        running = asyncio.create_task(guard.run(PING, {}, body))
        await begun.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running


async def test_an_outage_that_does_not_end_is_raised(world: World) -> None:
    async with behind_gateway(world, lost=99) as (url, key), AsyncClient(url, key=key) as guard:
        with pytest.raises(ServerUnreachable):
            await guard.run(PING, {}, lambda _: "done")


async def test_an_output_that_is_no_json_ran_all_the_same(guarded: Open) -> None:
    async with guarded() as held:
        call = await held.guard.run(PING, {}, lambda _: object())
    assert call.status is CallStatus.FAILED
    assert "It ran, but its output could not be kept" in call.error


async def test_arguments_that_are_no_json_are_refused_alike(guarded: Open) -> None:
    async with guarded() as held:
        with pytest.raises(InvalidJson):
            await held.guard.propose(PING, {"x": object()})


@pytest.mark.parametrize("id", ["", "call_none", "..", "../conversations", "a/b", "a?b=c", "ä"])
async def test_a_call_that_is_not_there_is_named(guarded: Open, id: str) -> None:
    async with guarded() as held:
        for ask in (held.guard.look, held.guard.claim, held.guard.withdraw, held.guard.release):
            with pytest.raises(NotFound) as refused:
                await ask(id)
            assert (refused.value.noun, refused.value.id) == ("call", id)


async def test_an_empty_key_or_token_is_not_a_missing_one(guarded: Open) -> None:
    async with guarded() as held:
        with pytest.raises(InvalidIdentifier):
            await held.guard.propose(PING, {}, key="")
        with pytest.raises(AssentError):
            await held.guard.propose(PING, {}, token="")
        call = await held.guard.propose(PING, {})
        with pytest.raises(AssentError):
            await held.guard.claim(call.id, token="")


async def test_a_report_after_a_person_has_said_what_happened_is_late(guarded: Open) -> None:
    async with guarded(times=SHORT) as held:
        call = await held.guard.propose(PING, {}, token=new_token())
        assert call.claim is not None
        await held.decide(await doubtful(held, call), did_not_run("I looked"))
        with pytest.raises(LeaseLost):
            await held.guard.settle(call.claim, Returned("it did"))
        record = await held.assent.audit(call_id=call.id)
        assert "late_outcome" in [entry.action for entry in record]
        assert (await held.guard.look(call.id)).error == "I looked"


async def test_a_proposal_said_again_does_not_claim_what_is_in_doubt(guarded: Open) -> None:
    runs = list[object]()
    async with guarded(times=SHORT) as held:
        token = new_token()
        call = await held.guard.propose(PING, {}, key="k", token=token)
        assert call.claim is not None
        await doubtful(held, call)
        again = await held.guard.propose(PING, {}, key="k", token=token)
        assert (again.status, again.claim) == (CallStatus.IN_DOUBT, None)
        with pytest.raises(AssentError):
            await held.guard.finish(again, runs.append)
    assert runs == []


async def test_a_claim_is_not_handed_out_again_once_its_lease_is_over(guarded: Open) -> None:
    # Without a worker nobody has put it in doubt yet.
    async with guarded(times=SHORT, worker=False) as held:
        call, token = await held.guard.propose(PING, {}), new_token()
        first = await held.guard.claim(call.id, token=token)
        await asyncio.sleep(2 * first.lease_seconds)
        with pytest.raises(AssentError):
            await held.guard.claim(call.id, token=token)


async def test_a_proposal_said_again_at_once_is_the_same_claim(guarded: Open) -> None:
    async with guarded() as held:
        token = new_token()
        first = await held.guard.propose(PING, {}, key="k", token=token)
        again = await held.guard.propose(PING, {}, key="k", token=token)
        assert first.claim == again.claim is not None


async def test_a_body_that_runs_out_of_items_has_failed_and_does_not_hang(world: World) -> None:
    async with behind_gateway(world) as (url, key):

        def run() -> GuardedCall:
            with Client(url, key=key) as client:
                return client.run(PING, {}, lambda _: next(iter(())))

        async with asyncio.timeout(20):
            call = await asyncio.to_thread(run)
    assert call.status is CallStatus.FAILED
    assert "StopIteration" in call.error


GARBAGE = [
    (200, b"hello"),
    (200, b"[]"),
    (201, b"[" * 100_000),
    (200, b"\xff"),
    (204, b""),
    (302, b""),
]


async def test_an_answer_that_is_none_is_no_answer() -> None:
    async def garbage(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            while (await receive())["type"] != "lifespan.shutdown":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        status, body = GARBAGE[int(scope["path"][1:])]
        await send({"type": "http.response.start", "status": status, "headers": []})
        await send({"type": "http.response.body", "body": body})

    async with listening(garbage) as url, Server(url, "key") as server:
        for number in range(len(GARBAGE)):
            with pytest.raises(ServerUnreachable):
                await server.get(f"/{number}")


class Requests:
    """A gateway before the app that counts what passes."""

    def __init__(self, app: Any) -> None:
        self._app, self.count = app, 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.count += scope["type"] == "http"
        await self._app(scope, receive, send)


async def test_a_call_that_nobody_is_asked_about_takes_two_requests(world: World) -> None:
    assent = world([])
    requests = Requests(create_app(assent))
    async with listening(requests) as url:
        key = (await accounts(assent))["user"]

        def run() -> GuardedCall:
            with Client(url, key=key) as client:
                return client.run(PING, {}, lambda _: "pong")

        async with AsyncClient(url, key=key) as guard:
            assert (await guard.run(PING, {}, lambda _: "pong")).succeeded
        assert requests.count == 2
        assert (await asyncio.to_thread(run)).succeeded
        assert requests.count == 4


async def test_an_interrupted_body_is_in_doubt_at_once(world: World) -> None:
    async with behind_gateway(world) as (url, key):

        def interrupt(_: Mapping[str, Any]) -> None:
            raise KeyboardInterrupt

        def run() -> GuardedCall:
            with Client(url, key=key) as client, pytest.raises(KeyboardInterrupt):
                client.run(PING, {}, interrupt, key="k")
            client.close()
            with Client(url, key=key) as client:
                return client.propose(PING, {}, key="k")

        call = await asyncio.to_thread(run)
    assert call.status is CallStatus.IN_DOUBT
