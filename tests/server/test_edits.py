"""An edit is whole or a patch, on every channel: what is left out of a whole one is left out."""

import json
from collections.abc import Awaitable, Callable
from html import unescape
from typing import Any

import httpx
import pytest

from assent import Hint, Person, Tool, approve, tool
from assent.domain.decisions import Approve
from assent.domain.requests import Request
from assent.errors import InvalidArguments, NotAsShown
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import actions, call_of, votes
from tests.conftest import World
from tests.server.conftest import ROLES, Serve, Served
from tests.server.streams.agui_runs import Thread, approved
from tests.server.web.visitor import Visitor

USER = Person("user", roles=ROLES["user"])
THREAD = "thread-1"
ASKED = {"lawn": "back", "height": 3, "edges": {"left": True, "right": True}}


class Garden:
    """A tool that can do without arguments, and remembers with which it ran."""

    def __init__(self) -> None:
        self.mown: list[Any] = []

    @property
    def mow(self) -> Tool:
        """The tool."""

        @tool(requires_approval=True)
        async def mow(
            lawn: str = "front", height: int = 5, edges: dict[str, bool] | None = None
        ) -> str:
            """Mow a lawn."""
            self.mown.append((lawn, height, edges))
            return f"mown {lawn}"

        return mow


def asking() -> ScriptedModel:
    return ScriptedModel([says("", calls("mow", ASKED)), "Done."])


async def asked(served: Served) -> Request:
    turn = await served.assent.send("agent", "mow", by=USER, conversation_id=THREAD, create=True)
    [request] = turn.pending
    return request


async def library(served: Served, request: Request) -> None:
    await served.assent.decide(request.id, approve({}), by=USER)


async def library_text(served: Served, request: Request) -> None:
    await served.assent.decide(request.id, approve("{}"), by=USER)


async def api(served: Served, request: Request) -> None:
    said = {"verdict": "edit", "digest": request.digest, "arguments": {}}
    answer = await served.client().post(f"/api/requests/{request.id}/decide", json=said)
    assert answer.status_code == 200, answer.text


async def batch(served: Served, request: Request) -> None:
    said = {"verdict": "edit", "digest": request.digest, "arguments": {}}
    body = {"decisions": [{"request_id": request.id, "decision": said}]}
    answer = await served.client().post("/api/decisions", json=body)
    assert answer.json()["outcomes"][0]["problem"] is None


async def validate_tool(served: Served, request: Request) -> None:
    said = {"toolCallId": request.call_id, "isValidated": True, "validatedInputs": {}}
    answer = await served.client().post("/api/qa/validate_tool", json=said)
    assert answer.json()["success"] is True


async def execute(served: Served, request: Request) -> None:
    path = f"/tools/{THREAD}/execute/{request.call_id}"
    answer = await served.client().patch(path, json={"validation": "accepted", "args": "{}"})
    assert answer.json()["status"] == "done"


async def agui(served: Served, request: Request) -> None:
    thread = Thread(served, id=THREAD)
    run = await thread.resume(approved({"id": request.id}, editedArgs={}))
    assert run.text == "Done."


async def page_json(served: Served, request: Request) -> None:
    visitor = await Visitor.signed_in(served)
    await visitor.open(f"/requests/{request.id}?do=edit")
    await visitor.send({}, "edit", press="view:json")
    await visitor.send({"arguments": "{}"}, "edit")
    assert_shows_the_defaults(visitor)
    await visitor.send({})


async def page_fields(served: Served, request: Request) -> None:
    visitor = await Visitor.signed_in(served)
    await visitor.open(f"/requests/{request.id}?do=edit")
    left_out = {f"is/{name}": "absent" for name in ASKED}
    await visitor.send(left_out, "edit")
    assert_shows_the_defaults(visitor)
    await visitor.send({})


def assert_shows_the_defaults(visitor: Visitor) -> None:
    shown = unescape(visitor.text).partition("It will run with")[2].partition("The request")[0]
    assert shown.split() == ["lawn", '"front"', "height", "5", "edges", "null"]


CHANNELS = [
    *(library, library_text, api, batch, validate_tool, execute, agui, page_json, page_fields),
]
Channel = Callable[[Served, Request], Awaitable[None]]


@pytest.mark.parametrize("channel", CHANNELS, ids=lambda channel: channel.__name__)
async def test_an_edit_that_leaves_everything_out_runs_the_defaults(
    serve: Serve, channel: Channel
) -> None:
    garden = Garden()
    async with serve(asking(), garden.mow) as served:
        request = await asked(served)
        await channel(served, request)
        await served.assent.wait(request.turn_id)
        call = await call_of(served.assent, request.call_id)

    assert garden.mown == [("front", 5, None)]
    assert call.arguments.thaw() == {"lawn": "front", "height": 5, "edges": None}


async def test_a_patch_over_the_api_changes_only_what_it_names(serve: Serve) -> None:
    garden = Garden()
    async with serve(asking(), garden.mow) as served:
        request = await asked(served)
        client, path = served.client(), f"/api/requests/{request.id}/decide"
        said = {"verdict": "edit", "digest": request.digest}
        for wrong in (
            {},
            {"edit": {}, "arguments": {}},
            {"edit": None},
            {"edit": {"tree": 1}},
            {"edit": {"height": "tall"}},
        ):
            answer = await client.post(path, json=said | wrong)
            assert answer.status_code == 422, answer.text
        patch = {"height": 0, "edges": {"left": False}}
        answer = await client.post(path, json=said | {"edit": patch})
        assert answer.status_code == 200
        await served.assent.wait(request.turn_id)

    # A value is replaced as a whole: what it has inside is not merged.
    assert garden.mown == [("back", 0, {"left": False})]


@pytest.mark.parametrize(
    ("said", "ran"),
    [
        (approve(edit={"height": 0}), ("back", 0, ASKED["edges"])),
        (approve(edit={"lawn": ""}), ("", 3, ASKED["edges"])),
        (approve(edit={"edges": None}), ("back", 3, None)),
        (approve(edit='{"edges": {}}'), ("back", 3, {})),
        (approve(edit={}), ("back", 3, ASKED["edges"])),
        (approve({"height": 0}), ("front", 0, None)),
        (approve(None), ("back", 3, ASKED["edges"])),
    ],
    ids=["zero", "empty text", "null", "empty object", "nothing", "whole", "none"],
)
async def test_a_patch_keeps_the_rest_and_a_whole_edit_does_not(
    world: World, owner: Person, said: Approve, ran: tuple[Any, ...]
) -> None:
    garden = Garden()
    async with world(asking(), garden.mow) as assent:
        turn = await assent.send("agent", "mow", by=owner)
        await assent.decide(turn.pending[0].id, said, by=owner)
        turn = await assent.wait(turn.id)

    assert garden.mown == [ran]
    assert turn.calls[0].revision == (1 if ran == tuple(ASKED.values()) else 2)


async def test_a_patch_that_does_not_fit_changes_nothing(world: World, owner: Person) -> None:
    garden = Garden()
    async with world(asking(), garden.mow) as assent:
        turn = await assent.send("agent", "mow", by=owner)
        [request] = turn.pending
        for wrong in ({"tree": 1}, {"height": None}, "[1]"):
            with pytest.raises(InvalidArguments):
                await assent.decide(request.id, approve(edit=wrong), by=owner)
        assert await votes(assent, request.id) == []
        assert (await assent.request(request.id)).is_open
    assert garden.mown == []


async def test_an_edit_that_nobody_can_check_does_not_approve_the_original(
    world: World, owner: Person
) -> None:
    garden = Garden()
    async with world(asking(), garden.mow) as assent:
        turn = await assent.send("agent", "mow", by=owner)
        [request] = turn.pending
        async with world(asking(), worker=False) as elsewhere:
            for edit in (approve({"height": 1}), approve(edit={"height": 1}), approve({})):
                with pytest.raises(InvalidArguments, match="not known here"):
                    await elsewhere.decide(request.id, edit, by=owner)
        assert (await assent.request(request.id)).is_open
    assert garden.mown == []


async def test_two_patches_that_differ_are_two_decisions(world: World, owner: Person) -> None:
    garden = Garden()
    async with world(asking(), garden.mow) as assent:
        turn = await assent.send("agent", "mow", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, approve(edit={"height": 1}), by=owner)
        again = await assent.decide(request.id, approve(edit='{"height": 1}'), by=owner)
        with pytest.raises(Exception, match="already"):
            await assent.decide(request.id, approve({"height": 1}), by=owner)
        await assent.wait(turn.id)
    assert again.replayed
    assert garden.mown == [("back", 1, ASKED["edges"])]


# What was shown


async def test_an_approval_of_something_else_than_was_shown_is_refused(
    world: World, owner: Person
) -> None:
    garden = Garden()
    shown = "0" * 64
    async with world(asking(), garden.mow) as assent:
        turn = await assent.send("agent", "mow", by=owner)
        [request] = turn.pending
        for verdict in (
            Approve(runs=shown),
            Approve(arguments={}, runs=shown),
            Approve(edit={"height": 1}, runs=shown),
            Approve(edit={}, runs=shown),
        ):
            with pytest.raises(NotAsShown, match="Nothing was changed"):
                await assent.decide(request.id, verdict, by=owner)
        assert await votes(assent, request.id) == []
        assert (await actions(assent, request.call_id)).count("refused") == 4
        assert (await assent.request(request.id)).is_open
        call = await call_of(assent, request.call_id)
        await assent.decide(request.id, Approve(runs=call.arguments.digest), by=owner)
        await assent.wait(turn.id)
    assert garden.mown == [tuple(ASKED.values())]


async def test_the_page_of_an_edit_approves_only_what_it_showed(serve: Serve) -> None:
    garden = Garden()
    async with serve(asking(), garden.mow) as served:
        request = await asked(served)
        visitor = await Visitor.signed_in(served)
        for forged in ({"runs": "0" * 64}, {"runs": ""}, {"arguments": '{"lawn":"all"}'}):
            await visitor.open(f"/requests/{request.id}?do=edit")
            await visitor.send({"arg/height": "1"}, "edit")
            await visitor.send(forged)
            assert visitor.page.status_code == 409
        assert garden.mown == []
        await visitor.open(f"/requests/{request.id}?do=edit")
        await visitor.send({"arg/height": "1"}, "edit")
        await visitor.send({})
        await served.assent.wait(request.turn_id)
    assert garden.mown == [("back", 1, ASKED["edges"])]


async def test_the_api_takes_the_digest_of_what_its_user_was_shown(serve: Serve) -> None:
    garden = Garden()
    async with serve(asking(), garden.mow) as served:
        request = await asked(served)
        path = f"/api/requests/{request.id}/decide"
        said = {"verdict": "edit", "digest": request.digest, "edit": {"height": 1}}
        answer = await served.client().post(path, json=said | {"runs": "0" * 64})
        assert (answer.status_code, answer.json()["code"]) == (409, "not_as_shown")
    assert garden.mown == []


# Masks


async def mask_by_validate_tool(served: Served, request: Request, said: Any) -> httpx.Response:
    body = {"toolCallId": request.call_id, "isValidated": True, "validatedInputs": said}
    return await served.client().post("/api/qa/validate_tool", json=body)


async def mask_by_execute(served: Served, request: Request, said: Any) -> httpx.Response:
    body = {"validation": "accepted", "args": json.dumps(said)}
    path = f"/tools/{THREAD}/execute/{request.call_id}"
    return await served.client().patch(path, json=body)


async def mask_by_agui(served: Served, request: Request, said: Any) -> httpx.Response:
    thread = Thread(served, id=THREAD)
    resume = [approved({"id": request.id}, editedArgs=said)]
    return await thread.post({**thread.body(), "resume": resume})


async def mask_by_api(served: Served, request: Request, said: Any) -> httpx.Response:
    body = {"verdict": "edit", "digest": request.digest, "arguments": said}
    return await served.client().post(f"/api/requests/{request.id}/decide", json=body)


async def mask_by_api_patch(served: Served, request: Request, said: Any) -> httpx.Response:
    body = {"verdict": "edit", "digest": request.digest, "edit": said}
    return await served.client().post(f"/api/requests/{request.id}/decide", json=body)


MASKS = (mask_by_validate_tool, mask_by_execute, mask_by_agui, mask_by_api, mask_by_api_patch)


@pytest.mark.parametrize("channel", MASKS, ids=lambda channel: channel.__name__)
async def test_a_mask_that_is_sent_back_runs_in_place_of_nothing(
    serve: Serve, channel: Callable[..., Awaitable[httpx.Response]]
) -> None:
    ran: list[Any] = []

    @tool(requires_approval=True, hints={"key": Hint(secret=True)})
    async def sign(text: str, key: Any) -> str:
        """Sign a text."""
        ran.append((text, key))
        return "signed"

    steps = ScriptedModel([says("", calls("sign", text="a", key="k")), "Signed."])
    async with serve(steps, sign) as served:
        request = await asked(served)
        sheet = await served.client().get(f"/api/requests/{request.id}")
        shown = sheet.json()["call"]["arguments"]
        assert shown["key"] == {"$masked": True}
        refused = await channel(served, request, shown | {"text": "b"})
        assert "key: it is masked here" in refused.text
        assert (await served.assent.request(request.id)).is_open
    assert ran == []
