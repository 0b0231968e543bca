"""How each state of a call looks in each protocol: the table of docs/frontends.md, cell by cell."""

from datetime import timedelta
from typing import Any

import pytest

from assent import (
    Assent,
    Audience,
    Effect,
    Field,
    OutcomeUnknown,
    Person,
    Rule,
    UserInput,
    approve,
    cancel,
    tool,
)
from assent.domain.requests import Request
from assent.server import Settings
from assent.server.settings import AiSdk
from assent.testing import VirtualClock, calls, says
from tests.server.conftest import Serve, Served
from tests.server.streams.agui_runs import Run, Thread
from tests.server.streams.lines import Chunk, Shop, chunks, eventually, parts, user

# What a stream says does not depend on the database.
pytestmark = pytest.mark.parametrize("url", ["sqlite"], indirect=True)
MAJORS = pytest.mark.parametrize("major", ["5", "6", "7"])
CHAT = "chat-1"
OTHER = Person("other", roles=frozenset({"requester"}))
FOLLOW = {"id": CHAT, "messages": [{"id": "m", "role": "assistant", "parts": []}]}


class Views:
    """What each protocol makes of one conversation."""

    def __init__(self, served: Served) -> None:
        self._served = served

    async def say(self) -> list[Chunk]:
        posted = {"id": CHAT, "messages": [user("go")]}
        return chunks((await self._served.client().post("/api/chat", json=posted)).text)

    async def request(self) -> Request:
        return (await self._served.assent.conversation(CHAT)).pending[0]

    async def ui(self, *, live: bool) -> list[Chunk]:
        client = self._served.client()
        if live:
            return chunks((await client.get(f"/api/chat/{CHAT}/stream")).text)
        return chunks((await client.post("/api/chat", json=FOLLOW)).text)

    async def data(self, *, live: bool) -> list[tuple[str, Any]]:
        client, url = self._served.client(), f"/api/qa/chat_streamed/{CHAT}"
        if live:
            return parts((await client.get(url)).text)
        body = {"messages": [{"role": "assistant", "content": ""}]}
        return parts((await client.post(url, json=body)).text)

    async def agui(self) -> Run:
        return await Thread(self._served, id=CHAT).run()


def of(told: list[Chunk], kind: str) -> list[Chunk]:
    return [chunk for chunk in told if chunk["type"] == kind]


def asked(told: list[Chunk]) -> Chunk:
    """The last data part: a question, as it stands."""
    return [chunk for chunk in told if chunk["type"].startswith("data-")][-1]["data"]


def deletes() -> Any:
    return says("", calls("delete", target="a"))


def told_to(major: str) -> Settings:
    versions: dict[str, AiSdk] = {"5": "5", "6": "6", "7": "7"}
    return Settings(ai_sdk=versions[major])


@MAJORS
async def test_a_vote_of_several(serve: Serve, major: str) -> None:
    two = Rule(
        name="two",
        effect=Effect.ASK,
        tools=("delete",),
        audience=Audience.of("requester"),
        quorum=2,
    )
    settings = told_to(major)
    script = [deletes(), "Gone."]
    async with serve(script, Shop().delete(), rules=[two], settings=settings) as served:
        views, client = Views(served), served.client()
        await views.say()
        request = await views.request()
        body = {"toolCallId": request.call_id, "isValidated": True}
        four = await client.post("/api/qa/validate_tool", json=body)
        ui = await views.ui(live=True)
        [interrupt] = (await views.agui()).interrupts
        native = (await client.get(f"/api/requests/{request.id}")).json()
        await served.assent.decide(request.id, approve(), by=OTHER)
        await eventually(lambda: is_done(served.assent))
        after = await views.ui(live=False)

    assert (four.status_code, four.json()["status"]) == (202, "awaiting_approval")
    assert not of(ui, "tool-approval-request")
    for said in (asked(ui), interrupt["metadata"]):
        assert (said["votes"], said["quorum"], said["mine"]) == (1, 2, False)
    assert (native["status"], native["quorum"]) == ("open", 2)
    assert asked(after)["status"] == "approved"


@MAJORS
async def test_what_expired(serve: Serve, major: str, clock: VirtualClock) -> None:
    quick, script = Shop().delete(decide_within=timedelta(hours=1)), [deletes(), "Too late."]
    async with serve(script, quick, settings=told_to(major), clock=clock) as served:
        views = Views(served)
        told = await views.say()
        clock.advance(timedelta(hours=1))
        await eventually(lambda: is_done(served.assent))
        ui, data = await views.ui(live=False), await views.data(live=False)
        agui = await views.agui()
        thread = await served.client().get(f"/api/conversations/{CHAT}")

    assert told
    text = "Approval request timed out."
    assert of(ui, "tool-output-error")[0]["errorText"] == text
    if major == "5":
        assert asked(ui)["status"] == "expired"
    assert [value["result"] for code, value in data if code == "a"] == [{"error": text}]
    assert text in next(iter(agui.results.values()))
    assert [call["status"] for call in thread.json()["calls"]] == ["expired"]


@MAJORS
async def test_what_was_cancelled(serve: Serve, major: str) -> None:
    async with serve([deletes(), "Fine."], Shop().delete(), settings=told_to(major)) as served:
        views = Views(served)
        await views.say()
        request = await views.request()
        await served.assent.decide(request.id, cancel("never mind"), by=await owner(served))
        await eventually(lambda: is_done(served.assent))
        ui, data = await views.ui(live=False), await views.data(live=False)
        agui = await views.agui()
        native = (await served.client().get(f"/api/requests/{request.id}")).json()

    assert "never mind" in of(ui, "tool-output-error")[0]["errorText"]
    if major == "5":
        assert asked(ui)["status"] == "cancelled"
    assert "never mind" in str([value for code, value in data if code == "a"])
    assert "never mind" in next(iter(agui.results.values()))
    assert native["status"] == "cancelled"


@MAJORS
async def test_what_is_in_doubt(serve: Serve, major: str) -> None:
    @tool
    async def pay() -> str:
        """Pay."""
        raise OutcomeUnknown("the connection broke")

    async with serve([says("", calls("pay"))], pay, settings=told_to(major)) as served:
        views = Views(served)
        told = await views.say()
        data, agui = await views.data(live=True), await views.agui()
        request = await views.request()
        thread = (await served.client().get(f"/api/conversations/{CHAT}")).json()

    assert (asked(told)["kind"], asked(told)["status"]) == ("outcome", "open")
    assert of(told, "data-request")
    [[pending]] = [value for code, value in data if code == "8"]
    assert (pending["kind"], pending["requestId"]) == ("outcome", request.id)
    assert not [value for code, value in data if code == "a"]
    assert [each["reason"] for each in agui.interrupts] == ["confirmation"]
    assert [call["status"] for call in thread["calls"]] == ["in_doubt"]


@MAJORS
async def test_what_waits_for_input(serve: Serve, major: str) -> None:
    @tool(user_input=UserInput("Which company?", [Field("company")]))
    async def report(company: str) -> str:
        """Report."""
        return company

    async with serve([says("", calls("report"))], report, settings=told_to(major)) as served:
        views = Views(served)
        told = await views.say()
        data, agui = await views.data(live=True), await views.agui()

    assert (asked(told)["kind"], asked(told)["fields"][0]["name"]) == ("input", "company")
    [[pending]] = [value for code, value in data if code == "8"]
    assert (pending["kind"], pending["requires_user_input"]) == ("input", True)
    assert [each["reason"] for each in agui.interrupts] == ["input_required"]


@MAJORS
async def test_what_a_newer_message_superseded(serve: Serve, major: str) -> None:
    script = [deletes(), "Something else."]
    async with serve(script, Shop().delete(), settings=told_to(major)) as served:
        views, client = Views(served), served.client()
        told = await views.say()
        request = await views.request()
        newer = {"id": CHAT, "messages": [user("else", "u2")], "onPending": "supersede"}
        await client.post("/api/chat", json=newer)
        answer = {"state": "approval-responded", "type": "tool-delete"}
        part = {**answer, "approval": {"id": request.id, "approved": True}}
        late = {"id": CHAT, "messages": [{"id": "m", "role": "assistant", "parts": [part]}]}
        ui = chunks((await client.post("/api/chat", json=late)).text)
        native = (await client.get(f"/api/requests/{request.id}")).json()

    assert told
    assert native["status"] == "superseded"
    assert of(ui, "tool-output-error")
    assert of(ui, "abort")


@MAJORS
async def test_what_is_somebody_elses(serve: Serve, major: str) -> None:
    routed = Shop().delete(approvers=Audience.of("approver", exclude_requester=True))
    async with serve([deletes()], routed, settings=told_to(major)) as served:
        views, client = Views(served), served.client()
        told = await views.say()
        request = await views.request()
        data, agui = await views.data(live=True), await views.agui()
        body = {"toolCallId": request.call_id, "isValidated": True}
        four = await client.post("/api/qa/validate_tool", json=body)
        boss = Person("approver", roles=frozenset({"approver"}))
        await served.assent.decide(request.id, approve(), by=boss)

    kind = "data-approval" if major == "5" else "data-request"
    [part] = of(told, kind)
    assert (part["data"]["kind"], part["data"]["mine"]) == ("approval", False)
    [[pending]] = [value for code, value in data if code == "8"]
    assert (pending["toolName"], pending["parameters"]) == ("delete", {"target": "a"})
    assert four.status_code == 403
    assert [each["metadata"]["mine"] for each in agui.interrupts] == [False]


async def owner(served: Served) -> Person:
    return (await served.assent.conversation(CHAT)).conversation.owner


async def is_done(assent: Assent) -> bool:
    thread = await assent.conversation(CHAT)
    turn = await assent.turn(thread.messages[0].turn_id)
    return turn.status == "done"
