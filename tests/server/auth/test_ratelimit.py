"""Guessing is slow, and nobody is locked out by somebody else's guesses."""

from datetime import timedelta

import httpx
import pytest

from assent import Person
from assent.errors import TooManyRequests
from assent.server import Settings
from assent.server.auth.modes import Rate, Rates, TrustedProxy
from assent.server.auth.ratelimit import Buckets, CredentialAttempt, Throttle, network_of
from assent.testing import VirtualClock
from tests.server.conftest import Serve, Served

ROOT = Person("root", roles=frozenset({"admin"}))
FEW = Rates(failures=Rate(burst=5, per_second=0.1))
PROXY = TrustedProxy(peers=("127.0.0.1",))


def wrong_key(n: int) -> str:
    return f"assent_{n:012x}_{'0' * 40}"


async def tried(served: Served, key: str, **headers: str) -> httpx.Response:
    return await served.client(None, Authorization=f"Bearer {key}", **headers).get("/api/me")


# requirement: W16
async def test_wrong_keys_from_one_address_are_soon_refused_unseen(
    serve: Serve, clock: VirtualClock
) -> None:
    async with serve([], settings=Settings(rates=FEW), clock=clock) as served:
        got = [(await tried(served, wrong_key(n))).status_code for n in range(8)]
        assert got == [401] * 5 + [429] * 3
        refused = await tried(served, wrong_key(99))
        assert refused.headers["retry-after"] == "10"
        assert refused.json()["code"] == "too_many_requests"
        # Also the right one, unless it was used just now: that is what slow means.
        assert (await tried(served, served.keys["user"])).status_code == 429
        clock.advance(timedelta(seconds=10))
        assert (await tried(served, served.keys["user"])).status_code == 200


# requirement: W16
async def test_whoever_is_known_is_not_locked_out_by_guesses_from_the_same_address(
    serve: Serve,
) -> None:
    async with serve([], settings=Settings(rates=FEW)) as served:
        assert (await tried(served, served.keys["user"])).status_code == 200
        for n in range(10):
            await tried(served, wrong_key(n))
        assert (await tried(served, wrong_key(99))).status_code == 429
        assert (await tried(served, served.keys["user"])).status_code == 200


# requirement: W16
async def test_guesses_of_one_key_from_many_addresses_are_refused_too(serve: Serve) -> None:
    async with serve([], settings=Settings(rates=FEW, proxy=PROXY)) as served:
        prefix = served.keys["user"][:20]
        got: list[int] = []
        for n in range(8):
            key, address = f"{prefix}{n:040x}", f"203.0.113.{n}"
            answer = await tried(served, key, **{"X-Forwarded-For": address})
            got.append(answer.status_code)
        assert got == [401] * 5 + [429] * 3
        other = await tried(served, wrong_key(1), **{"X-Forwarded-For": "203.0.113.200"})
        assert other.status_code == 401


async def test_an_address_that_the_client_makes_up_does_not_help(serve: Serve) -> None:
    async with serve([], settings=Settings(rates=FEW)) as served:
        got: list[int] = []
        for n in range(8):
            answer = await tried(served, wrong_key(n), **{"X-Forwarded-For": f"203.0.113.{n}"})
            got.append(answer.status_code)
        assert got == [401] * 5 + [429] * 3


# requirement: W16
async def test_guessing_at_the_sign_in_page_is_slow(serve: Serve) -> None:
    async with serve([], settings=Settings(rates=FEW)) as served:
        client = served.client(None)
        answers = [await client.post("/sign-in", data={"key": wrong_key(n)}) for n in range(7)]
        assert [answer.status_code for answer in answers] == [401] * 5 + [429] * 2
        assert answers[-1].headers["retry-after"]
        assert "try again in" in answers[-1].text


# requirement: W16
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_guessing_links_is_slow(serve: Serve, method: str) -> None:
    async with serve([], settings=Settings(rates=FEW)) as served:
        client, got = served.client(None), list[int]()
        for n in range(7):
            token = f"link_{n:032x}.{'A' * 43}"
            path = f"/sign-in/link/{token}" if method == "GET" else "/sign-in/link"
            data = None if method == "GET" else {"token": token}
            got.append((await client.request(method, path, data=data)).status_code)
        assert got == [404] * 5 + [429] * 2


# requirement: W16
async def test_guessing_sessions_is_slow_and_costs_nobody_their_sign_in(serve: Serve) -> None:
    async with serve([], settings=Settings(rates=FEW)) as served:
        got: list[int] = []
        for n in range(7):
            client = served.client(None, Cookie=f"assent={n:043}")
            got.append((await client.get("/api/me")).status_code)
        assert got == [401] * 5 + [429] * 2
        answer = await served.client(None).post("/sign-in", data={"key": served.keys["user"]})
        assert answer.status_code == 303


# requirement: W16
async def test_somebody_who_asks_too_much_is_told_to_wait_and_others_are_not(
    serve: Serve, clock: VirtualClock
) -> None:
    rates = Rates(requests=Rate(burst=10, per_second=2))
    async with serve([], settings=Settings(rates=rates), clock=clock) as served:
        client = served.client("user")
        got = [(await client.get("/api/me")).status_code for _ in range(12)]
        assert got == [200] * 10 + [429] * 2
        assert (await client.get("/api/me")).headers["retry-after"] == "1"
        assert (await served.client("approver").get("/api/me")).status_code == 200
        clock.advance(timedelta(seconds=1))
        got = [(await client.get("/api/me")).status_code for _ in range(3)]
        assert got == [200, 200, 429]


def test_a_bucket_fills_up_again_but_not_over(clock: VirtualClock) -> None:
    buckets = Buckets(Rate(burst=2, per_second=1), clock.monotonic)
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 1]
    clock.advance(timedelta(seconds=100))
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 1]
    assert buckets.wait("b") == 0


def test_the_number_of_buckets_is_bounded(clock: VirtualClock) -> None:
    buckets = Buckets(Rate(burst=1, per_second=0.001), clock.monotonic, max_names=100)
    for n in range(1_000):
        buckets.take(f"address {n}")
    assert len(buckets) == 100
    assert buckets.wait("address 999") > 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:203.0.113.5", "203.0.113.5", True),
        ("203.0.113.5", "203.0.113.6", False),
        ("", "", True),
    ],
)
def test_who_shares_an_address(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same


def test_failures_of_one_kind_do_not_count_for_another(clock: VirtualClock) -> None:
    throttle = Throttle(FEW, clock.monotonic)
    for _ in range(10):
        throttle.failed(CredentialAttempt(kind="session", address="a"))
    with pytest.raises(TooManyRequests):
        throttle.begin(CredentialAttempt(kind="session", address="a"))
    throttle.begin(CredentialAttempt(kind="key", address="a"))
