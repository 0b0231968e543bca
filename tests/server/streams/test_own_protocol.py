"""A stream protocol of somebody else: built from public names, served like those built in."""

import asyncio
import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest
from pydantic import BaseModel

from assent import Audience, Person, approve, reject, tool
from assent.errors import InvalidParameter
from assent.server import Settings, create_app
from assent.server.access import ACCESS
from assent.server.app import ROUTES
from assent.server.streams import (
    CallSettled,
    DecideRequests,
    Requested,
    SendMessage,
    StreamAction,
    StreamEncoder,
    StreamProtocol,
    StreamReader,
    StreamRequest,
    TextSaid,
    TurnErrored,
    TurnFinished,
    TurnStep,
    TurnWaiting,
)
from assent.testing import calls, says
from tests.conftest import World
from tests.server.conftest import Serve, Served
from tests.server.streams.lines import Shop, eventually


class Post(BaseModel):
    """A message, or decisions by request id."""

    text: str = ""
    approved: dict[str, bool] = {}
    digests: dict[str, str] = {}


class Lines(StreamProtocol):
    """Newline-delimited JSON, at `/lines/{id}`."""

    posts = follows = ("/lines/{id}",)

    def read(self, given: StreamRequest) -> StreamAction:
        post, id = given.json_as(Post), given.path["id"]
        if not post.approved:
            return SendMessage(conversation_id=id, text=post.text)
        said = [(key, approve() if yes else reject()) for key, yes in post.approved.items()]
        return DecideRequests(conversation_id=id, decisions=said, digests=post.digests)

    def encoder(self, reader: StreamReader) -> StreamEncoder:
        return LineEncoder(reader)


class LineEncoder(StreamEncoder):
    """One JSON object on each line."""

    headers: Mapping[str, str] = {"content-type": "application/x-ndjson"}
    beat = b"\n"

    def __init__(self, reader: StreamReader) -> None:
        self._reader = reader

    def encode(self, step: TurnStep) -> Iterator[bytes]:
        match step:
            case TextSaid(text=text):
                yield line({"text": text})
            case Requested(request=request, call=call):
                mine = self._reader.may_decide(request)
                yield line({"ask": request.id, "of": call.arguments.thaw(), "mine": mine})
            case CallSettled(output=output):
                yield line({"output": output})
            case TurnWaiting():
                yield line({"end": "waiting"})
            case TurnFinished():
                yield line({"end": "finished"})
            case TurnErrored(message=message):
                yield line({"error": message})
            case _:
                pass

    def broken(self, message: str) -> Iterator[bytes]:
        yield line({"error": message})


def line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


class Clumsy(Lines):
    """Its encoder fails at the first call that people are asked about."""

    def encoder(self, reader: StreamReader) -> StreamEncoder:
        class Encoder(LineEncoder):
            def encode(self, step: TurnStep) -> Iterator[bytes]:
                if isinstance(step, Requested):
                    raise ZeroDivisionError
                return super().encode(step)

        return Encoder(reader)


SCRIPT = [says("Let me.", calls("delete", target="b")), "Done."]
CHAT = "/lines/chat-1"


def told(answer: httpx.Response) -> list[dict[str, Any]]:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(each) for each in answer.text.splitlines() if each]


async def asked(served: Served) -> tuple[str, list[dict[str, Any]]]:
    """A message that pauses: the id of the request, and all that was streamed."""
    lines = told(await served.client().post(CHAT, json={"text": "delete b"}))
    [id] = [each["ask"] for each in lines if "ask" in each]
    return id, lines


async def test_a_message_pauses_a_decision_goes_on_and_the_answer_comes(serve: Serve) -> None:
    shop = Shop()
    async with serve(SCRIPT, shop.delete(), protocols=[Lines()]) as served:
        id, lines = await asked(served)
        assert lines == [
            {"text": "Let me."},
            {"ask": id, "of": {"target": "b"}, "mine": True},
            {"end": "waiting"},
        ]
        assert shop.ran == []

        answer = await served.client().post(CHAT, json={"approved": {id: True}})
        assert told(answer) == [
            {"output": "deleted b"},
            {"text": "Done."},
            {"end": "finished"},
        ]
        assert shop.ran == ["delete b"]


async def test_a_rejected_call_does_not_run(serve: Serve) -> None:
    shop = Shop()
    async with serve(SCRIPT, shop.delete(), protocols=[Lines()]) as served:
        id, _ = await asked(served)
        answer = await served.client().post(CHAT, json={"approved": {id: False}})
        assert told(answer)[-1] == {"end": "finished"}
        assert shop.ran == []


async def test_who_comes_back_is_told_all_of_the_turn_and_nothing_if_none_goes_on(
    serve: Serve,
) -> None:
    async with serve(SCRIPT, Shop().delete(), protocols=[Lines()]) as served:
        client = served.client()
        assert (await client.get(CHAT)).status_code == 204
        id, lines = await asked(served)
        assert told(await client.get(CHAT)) == lines
        head = await client.head(CHAT)
        assert (head.status_code, head.headers["content-type"]) == (200, "application/x-ndjson")
        await client.post(CHAT, json={"approved": {id: True}})
        assert (await client.get(CHAT)).status_code == 204


async def test_a_stranger_gets_nothing_and_changes_nothing(serve: Serve) -> None:
    shop = Shop()
    async with serve(SCRIPT, shop.delete(), protocols=[Lines()]) as served:
        id, _ = await asked(served)
        for account, refusal in ((None, 401), ("auditor", 403), ("stranger", 404)):
            client = served.client(account)
            for body in ({"text": "hi"}, {"approved": {id: True}}):
                answer = await client.post(CHAT, json=body)
                assert answer.status_code == refusal, answer.text
                assert answer.headers["content-type"] == "application/problem+json"
        # The same as for a conversation that does not exist.
        assert (await served.client("stranger").get(CHAT)).status_code == 204
        assert (await served.client(None).get(CHAT)).status_code == 401
        assert shop.ran == []
        assert [each["ask"] for each in told(await served.client().get(CHAT)) if "ask" in each]


async def test_an_owner_who_is_not_asked_cannot_decide(serve: Serve) -> None:
    shop = Shop()
    delete = shop.delete(approvers=Audience(owner=False, roles=frozenset({"approver"})))
    async with serve(SCRIPT, delete, protocols=[Lines()]) as served:
        id, lines = await asked(served)
        assert [each["mine"] for each in lines if "ask" in each] == [False]
        answer = await served.client().post(CHAT, json={"approved": {id: True}})
        assert (answer.status_code, shop.ran) == (403, [])


async def test_a_decision_about_another_digest_does_not_count(serve: Serve) -> None:
    shop = Shop()
    async with serve(SCRIPT, shop.delete(), protocols=[Lines()]) as served:
        id, _ = await asked(served)
        body = {"approved": {id: True}, "digests": {id: "0" * 64}}
        answer = await served.client().post(CHAT, json=body)
        assert (answer.status_code, answer.json()["code"]) == (409, "stale_digest")
        assert shop.ran == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no json",
        b'{"text": 5}',
        b'{"text": ""}',
        b'{"approved": {"x": "yes"}}',
        b'{"approved": {"x": false, "x": true}}',
    ],
)
async def test_a_body_that_does_not_fit_is_a_problem_and_has_no_effect(
    serve: Serve, body: bytes
) -> None:
    async with serve(SCRIPT, protocols=[Lines()]) as served:
        client = served.client()
        answer = await client.post(CHAT, content=body)
        assert answer.status_code == 422, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert (await client.get("/api/conversations")).json()["items"] == []


async def test_limits_hold_for_it_as_for_every_stream(serve: Serve) -> None:
    settings = Settings(max_history_bytes=1_000, max_json_depth=5)
    async with serve(SCRIPT, settings=settings, protocols=[Lines()]) as served:
        client = served.client()
        assert (await client.post(CHAT, json={"text": "x" * 1_000})).status_code == 413
        assert (await client.post(CHAT, content=b"[" * 6 + b"]" * 6)).status_code == 422
        wrong_id = await client.post("/lines/a b", json={"text": "hi"})
        assert wrong_id.status_code == 422


async def test_an_encoder_that_raises_ends_the_stream_with_an_error_and_the_turn_goes_on(
    serve: Serve, caplog: pytest.LogCaptureFixture
) -> None:
    shop = Shop()
    async with serve(SCRIPT, shop.delete(), protocols=[Clumsy()]) as served:
        client = served.client()
        lines = told(await client.post(CHAT, json={"text": "delete b"}))
        assert lines[0] == {"text": "Let me."}
        assert lines[-1] == {
            "error": "The stream broke. The turn goes on and can be followed again."
        }
        assert "ZeroDivisionError" in caplog.text

        [request] = (await client.get("/api/requests")).json()["items"]
        verdict = {"verdict": "approve", "digest": request["digest"]}
        await client.post(f"/api/requests/{request['id']}/decide", json=verdict)

        async def has_run() -> bool:
            return shop.ran == ["delete b"]

        await eventually(has_run)


async def test_a_silent_stream_beats_and_ends_with_its_key(serve: Serve) -> None:
    go = asyncio.Event()

    @tool
    async def ponder() -> str:
        """Think for long."""
        await go.wait()
        return "well"

    settings = Settings(keep_alive=timedelta(milliseconds=20))
    script = [says("", calls("ponder")), "Done."]
    root = Person("root", roles=frozenset({"admin"}))
    async with serve(script, ponder, settings=settings, protocols=[Lines()]) as served:
        async with served.client().stream("POST", CHAT, json={"text": "hi"}) as answer:
            pieces = answer.aiter_bytes()
            assert await anext(pieces) == b"\n"
            [key] = await served.assent.people.keys("user", by=root)
            await served.assent.people.revoke_key(key.id, by=root)
            rest = b"".join([piece async for piece in pieces])
        assert json.loads(rest.strip()) == {"error": "You are no longer signed in."}
        go.set()


class Greedy(Lines):
    posts = ("/api/requests/{id}/decide",)
    follows = ()


class Hidden(Lines):
    posts = ("/chat/{id}",)
    follows = ()


@pytest.mark.parametrize("protocols", [[Greedy()], [Hidden()], [Lines(), Lines()], ["lines"]])
async def test_a_path_that_is_taken_or_no_protocol_at_all_stops_the_start(
    world: World, protocols: Any
) -> None:
    with pytest.raises(InvalidParameter):
        create_app(world(SCRIPT), protocols=protocols)


def test_an_encoder_without_words_for_a_broken_stream_cannot_be_made() -> None:
    class Silent(StreamEncoder):
        def encode(self, step: TurnStep) -> Iterator[bytes]:
            del step
            yield b""

    with pytest.raises(TypeError, match="broken"):
        Silent()  # pyright: ignore[reportAbstractUsage]


def test_built_in_streams_want_what_their_rows_in_the_access_table_say() -> None:
    needs = {
        f"{method} {getattr(route, 'path', '')}": need
        for route in ROUTES
        for method, need in getattr(route, "needs", {}).items()
        if method != "HEAD"
    }
    assert needs == {row: need for row, need in ACCESS.items() if row in needs}
