"""`GET /api/events`: everybody hears of what is theirs, at once, and nobody of anything else."""

import asyncio
import json
import time
from datetime import timedelta
from typing import Any

import httpx
import pytest

from assent import Assent, Audience, Person, Risk, approve, tool
from assent.domain.credentials import SignIn
from assent.domain.people import Scope
from assent.server import Settings
from assent.testing import calls, says
from tests.server.conftest import ROLES, Serve, Served
from tests.server.listener import Listener, listening_to

ROOT = Person("root", roles=frozenset({"admin"}))
CANARY = "canary-7f3a"
STORY_OF_CALL = ["call", "pending", "decided", "call", "call", "result"]
WHOLE_STORY = ["started", *STORY_OF_CALL[:2], "waiting", *STORY_OF_CALL[2:], "finished"]


def person(name: str) -> Person:
    return Person(name, roles=ROLES[name])


@tool(risk=Risk.DANGEROUS, requires_approval=True)
async def pay(note: str) -> str:
    """Pay somebody."""
    return f"paid {CANARY}"


@tool(
    risk=Risk.DANGEROUS,
    requires_approval=True,
    approvers=Audience.of("approver", exclude_requester=True),
)
async def run_command(note: str) -> str:
    """Run a command."""
    return f"ran {CANARY}"


def script(prompt: Any) -> Any:
    """Calls the tool that the message names, then answers."""
    last = prompt.history[-1]
    if hasattr(last, "outputs"):
        return f"Done, {CANARY}."
    return says("", calls(last.text, note=CANARY))


async def play(assent: Assent, by: str = "user", name: str = "pay", decider: str = "") -> str:
    """One whole turn; its id."""
    turn = await assent.send("agent", name, by=person(by))
    [request] = turn.pending
    await assent.decide(request.id, approve(), by=person(decider or by))
    return (await assent.wait(turn.id)).id


def finished(turn_id: str) -> Any:
    return lambda listener: turn_id in [data["turn_id"] for data in listener.of("finished")]


async def test_the_owner_hears_the_whole_story_in_order(serve: Serve) -> None:
    async with serve(script, pay) as served, listening_to(served.client()) as heard:
        turn_id = await play(served.assent)
        await heard.until(finished(turn_id))

    assert heard.kinds == WHOLE_STORY
    assert {data["turn_id"] for data in (each.data for each in heard.sent)} == {turn_id}
    [pending], [decided] = heard.of("pending"), heard.of("decided")
    assert pending["request_id"] == decided["request_id"]
    assert (pending["tool"], pending["kind"]) == ("pay", "approval")
    assert (decided["status"], decided["by"]) == ("approved", "user")
    assert [data["status"] for data in heard.of("result")] == ["succeeded"]


async def test_it_is_an_event_stream_of_lines_with_lf(serve: Serve) -> None:
    async with serve(script, pay) as served, listening_to(served.client()) as heard:
        await heard.until(finished(await play(served.assent)))

    assert heard.headers["content-type"] == "text/event-stream"
    assert "no-cache" in heard.headers["cache-control"]
    assert heard.headers["x-accel-buffering"] == "no"
    assert heard.headers["x-content-type-options"] == "nosniff"
    assert int(heard.retry) > 0
    assert b"\r" not in heard.raw
    assert max(len(line) for line in heard.raw.split(b"\n")) < 2_000
    assert len({each.id for each in heard.sent}) == len(WHOLE_STORY)


async def test_no_words_arguments_or_outputs_are_in_it(serve: Serve) -> None:
    async with serve(script, pay) as served, listening_to(served.client("admin")) as heard:
        await heard.until(finished(await play(served.assent)))

    assert CANARY.encode() not in heard.raw


# requirement: W17
async def test_each_event_goes_to_whom_it_concerns_and_to_nobody_else(serve: Serve) -> None:
    names = ("user", "stranger", "approver", "auditor", "admin", "agent")
    async with serve(script, pay, run_command) as served:
        contexts = [listening_to(served.client(name)) for name in names]
        heard: dict[str, Listener] = dict(
            zip(names, [await c.__aenter__() for c in contexts], strict=True)
        )
        own = await play(served.assent, "user", "pay")
        routed = await play(served.assent, "user", "run_command", "approver")
        # Whoever hears of this last one has heard whatever else they will.
        for name in names:
            last = await play(served.assent, name, "run_command", "boss")
            await heard[name].until(finished(last))
        await heard["approver"].until(lambda listener: len(listener.of("result")) >= 7)
        for context in contexts:
            await context.__aexit__(None, None, None)

    def about(name: str, turn_id: str) -> list[str]:
        return [each.event for each in heard[name].sent if each.data["turn_id"] == turn_id]

    assert about("user", own) == about("user", routed) == WHOLE_STORY
    for name in ("auditor", "admin"):
        assert about(name, own) == about(name, routed) == WHOLE_STORY
    # Roles do not make an agent see more than it owns.
    for name in ("stranger", "agent"):
        assert about(name, own) == about(name, routed) == []
        assert len({each.data["turn_id"] for each in heard[name].sent}) == 1
    assert about("approver", own) == []
    assert about("approver", routed) == STORY_OF_CALL


@pytest.fixture(autouse=True)
def boss(monkeypatch: pytest.MonkeyPatch) -> None:
    """One more approver, whom no test listens as."""
    monkeypatch.setitem(ROLES, "boss", frozenset({"requester", "approver"}))


# requirement: R21
async def test_who_comes_back_with_the_last_id_misses_nothing(serve: Serve) -> None:
    async with serve(script, pay) as served:
        async with listening_to(served.client()) as heard:
            first = await play(served.assent)
            await heard.until(finished(first))
        third = heard.sent[2]
        second = await play(served.assent)
        async with listening_to(served.client(), last_id=third.id) as again:
            await again.until(finished(second))

    assert again.kinds == WHOLE_STORY[3:] + WHOLE_STORY
    # A repeated event has the same id: whoever got it before knows it again.
    assert [each.id for each in again.sent[: -len(WHOLE_STORY)]] == [
        each.id for each in heard.sent[3:]
    ]


async def test_a_place_is_known_before_anything_happened(serve: Serve) -> None:
    async with serve(script, pay) as served:
        async with listening_to(served.client()) as heard:
            assert heard.sent == []
        turn_id = await play(served.assent)
        async with listening_to(served.client(), last_id=heard.last_id) as again:
            await again.until(finished(turn_id))

    assert again.kinds == WHOLE_STORY


async def test_the_header_is_newer_than_the_address(serve: Serve) -> None:
    async with serve(script, pay) as served:
        turn_id = await play(served.assent)
        async with listening_to(served.client(), "/api/events?after=0-0") as heard:
            await heard.until(finished(turn_id))
        last = heard.sent[-2].id
        async with listening_to(served.client(), "/api/events?after=0-0", last_id=last) as again:
            await again.until(finished(turn_id))

    assert heard.kinds == WHOLE_STORY
    assert again.kinds == ["finished"]


@pytest.mark.parametrize("place", ["x", "1", "-1-2", "1-2-3", "1-99999999999999999999"])
async def test_a_place_that_was_never_given_out_is_refused(serve: Serve, place: str) -> None:
    async with serve(script, pay) as served:
        by_header = await served.client().get("/api/events", headers={"Last-Event-ID": place})
        by_query = await served.client().get("/api/events", params={"after": place})

    for answer in (by_header, by_query):
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "urn:assent:problem:bad_cursor"


async def test_a_place_from_another_database_is_told_as_a_reset(serve: Serve) -> None:
    async with serve(script, pay) as served:
        foreign = f"{2**62}-{2**62}"
        async with listening_to(served.client(), last_id=foreign) as heard:
            turn_id = await play(served.assent)
            await heard.until(finished(turn_id))

    assert heard.sent[0].event == "reset"
    assert heard.kinds[1:] == WHOLE_STORY


async def test_nobody_and_who_may_not_read_get_no_stream(serve: Serve) -> None:
    async with serve(script, pay) as served:
        _, key = await served.assent.people.issue_key("user", scopes=[Scope.CHAT], by=ROOT)
        nobody = await served.client(None).get("/api/events")
        bearer = {"Authorization": f"Bearer {key}"}
        narrow = await served.client(None, **bearer).get("/api/events")

    assert (nobody.status_code, nobody.json()["code"]) == (401, "not_authenticated")
    assert (narrow.status_code, narrow.json()["code"]) == (403, "not_allowed")


async def test_a_head_is_answered_and_over(serve: Serve) -> None:
    async with serve(script, pay) as served:
        answer = await served.client().head("/api/events")

    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/event-stream"


async def test_signs_of_life_carry_the_place_and_nothing_else(serve: Serve) -> None:
    settings = Settings(keep_alive=timedelta(milliseconds=100))
    async with (
        serve(script, pay, settings=settings) as served,
        listening_to(served.client("stranger")) as heard,
    ):
        await play(served.assent)
        before = heard.blocks
        await heard.until(lambda listener: listener.blocks >= before + 2)

    assert heard.sent == []
    # Coming back there, the stranger has not to pass everybody's events again.
    assert heard.last_id > heard.raw.split(b"id: ")[1].split(b"\n")[0].decode()


async def closed(heard: Listener, since: float) -> str:
    """The reason that a stream gave, which must be there within a second."""
    await heard.until(lambda listener: listener.ended, 5)
    [last] = [each for each in heard.sent if each.event == "closing"]
    assert last.at - since < 1.0
    return last.data["reason"]


# requirement: W17
@pytest.mark.parametrize("change", ["revoke", "disable", "roles"])
async def test_a_credential_that_falls_takes_its_streams_with_it(serve: Serve, change: str) -> None:
    async with serve(script, pay) as served:
        people = served.assent.people
        async with (
            listening_to(served.client("approver")) as fallen,
            listening_to(served.client("user")) as other,
        ):
            since = time.monotonic()
            if change == "revoke":
                [key] = await people.keys("approver", by=ROOT)
                await people.revoke_key(key.id, by=ROOT)
            elif change == "disable":
                await people.change("approver", disabled=True, by=ROOT)
            else:
                await people.change("approver", roles=["requester"], by=ROOT)

            assert await closed(fallen, since) == "signed_out"
            await other.until(finished(await play(served.assent)))


# requirement: W5
async def test_signing_out_ends_the_streams_of_that_session_only(serve: Serve) -> None:
    async with serve(script, pay) as served:
        one, two = [await signed_in(served) for _ in range(2)]
        async with listening_to(one) as leaving, listening_to(two) as staying:
            page = (await one.get("/api/session")).json()
            since = time.monotonic()
            headers = {"X-CSRF-Token": page["csrf_token"], "Origin": str(one.base_url)}
            answer = await one.post("/sign-out", headers=headers)
            assert answer.status_code in (200, 204, 303), answer.text

            assert await closed(leaving, since) == "signed_out"
            await staying.until(finished(await play(served.assent)))


async def signed_in(served: Served) -> httpx.AsyncClient:
    client = served.client(None)
    _, token = await served.assent.people.sessions.open("user", SignIn.LINK)
    client.cookies.set("assent", token)
    return client


async def test_one_person_has_only_so_many_streams(serve: Serve) -> None:
    async with serve(script, pay, settings=Settings(streams_per_person=2)) as served:
        client = served.client()
        async with listening_to(client), listening_to(client):
            refused = await client.get("/api/events")
            async with listening_to(served.client("stranger")):
                pass
        # Who has left counts no more, as soon as the server has noticed.
        async with asyncio.timeout(5):
            while (answer := await _status(client)) != 200:
                assert answer == 429

    assert refused.status_code == 429
    assert refused.json()["code"] == "over_quota"
    assert json.loads(refused.text)["limit"] == 2


async def _status(client: httpx.AsyncClient) -> int:
    async with client.stream("GET", "/api/events") as answer:
        return answer.status_code
