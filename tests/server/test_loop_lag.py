"""Whatever one caller reads or sends, the server's event loop comes round for everybody else."""

import json
from typing import Any

import pytest

from assent import Person, tool
from assent.domain.canonical import Json
from assent.domain.messages import Proposal
from assent.engine.queries.snapshots import Turn
from assent.server import Settings
from assent.testing import ScriptedModel, calls, says
from tests.lag import nobody_held_up
from tests.server.conftest import ROLES, Serve, Served
from tests.server.streams.agui_runs import Thread
from tests.server.streams.lines import ask

USER = Person("user", roles=ROLES["user"])
PAGE = {"accept": "text/html"}
JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
# Close to what the arguments of one call, and one output, may come to.
LARGE: list[Json] = [{} for _ in range(60_000)]
OUTPUT: list[Json] = [[{"a": number}] for number in range(45_000)]


@tool(requires_approval=True)
async def keep(value: Any) -> int:
    return len(value)


@tool
async def give() -> Any:
    return OUTPUT


async def asked(served: Served) -> Turn:
    return await served.assent.send("agent", "a", by=USER)


async def given(served: Served) -> Turn:
    return await served.assent.wait((await served.assent.send("agent", "b", by=USER)).id)


def asking() -> ScriptedModel:
    return ScriptedModel([says("", calls("keep", value=LARGE)), "Done."])


def giving() -> ScriptedModel:
    return ScriptedModel([says("", calls("give")), "Done."])


async def read(served: Served, *paths: str) -> None:
    """Read each once before it is watched: templates are compiled the first time."""
    client = served.client()
    for path in paths:
        assert (await client.get(path, headers=PAGE)).status_code == 200, path
        with nobody_held_up():
            await client.get(path, headers=PAGE)


async def test_reading_about_a_large_call_holds_up_nobody(serve: Serve) -> None:
    async with serve(asking(), keep) as served:
        turn = await asked(served)
        request, call, conversation = turn.pending[0], turn.calls[0], turn.conversation_id
        await read(served, "/", f"/requests/{request.id}", f"/chat/{conversation}", "/history")
        await read(served, f"/history/{call.id}", "/history/export", f"/api/requests/{request.id}")
        await read(served, f"/api/conversations/{conversation}", f"/api/turns/{turn.id}")


async def test_reading_a_large_output_holds_up_nobody(serve: Serve) -> None:
    async with serve(giving(), give) as served:
        turn = await given(served)
        await read(served, f"/history/{turn.calls[0].id}", f"/chat/{turn.conversation_id}")
        await read(served, f"/api/conversations/{turn.conversation_id}", f"/api/turns/{turn.id}")


# Bodies that carry a whole history may be larger.
@pytest.mark.parametrize(
    ("path", "count"),
    [("/api/decisions", 240_000), ("/api/chat", 600_000), ("/agui", 600_000)],
)
async def test_a_large_body_holds_up_nobody(serve: Serve, path: str, count: int) -> None:
    body = {"messages": [{}] * count, "threadId": "one", "runId": "two"}
    content = json.dumps(body, separators=(",", ":"))
    async with serve(["Done."]) as served:
        client = served.client()
        await client.post(path, json={"messages": []})
        with nobody_held_up():
            await client.post(path, content=content, headers=JSON)


@pytest.mark.parametrize("path", ["/sign-in", "/chat"])
async def test_a_large_form_holds_up_nobody(serve: Serve, path: str) -> None:
    settings = Settings(max_body_bytes=4_000_000)
    async with serve(["Done."], settings=settings) as served:
        client = served.client()
        await client.post(path, content="a=b", headers=PAGE | FORM)
        with nobody_held_up():
            # Letter by letter, as a browser never writes it: the slowest to read.
            await client.post(path, content="a=" + "%41" * 1_300_000, headers=PAGE | FORM)


@pytest.mark.parametrize("proposal", [calls("keep", value=LARGE), calls("give")])
async def test_a_stream_of_large_values_holds_up_nobody(serve: Serve, proposal: Proposal) -> None:
    script = ["Warm.", "Warm.", says("", proposal), "Done.", says("", proposal), "Done."]
    model = ScriptedModel(script if proposal.tool == "give" else [*script[:3], script[4]])
    async with serve(model, keep, give) as served:
        client = served.client()
        await ask(client, "warm")
        thread = Thread(served)
        await thread.say("warm")
        with nobody_held_up():
            answer = await ask(client, "go", id="chat-2")
        assert len(answer.content) > 100_000
        thread = Thread(served)
        thread.messages.append({"id": "one", "role": "user", "content": "go"})
        with nobody_held_up():
            answer = await thread.post(thread.body())
        assert len(answer.content) > 100_000
