"""What servers ask of people: forms and addresses, before a call goes on and while it runs."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest
from mcp_types import ElicitResult

from assent import Agent, Assent, McpServer, Person, answer, approve, cancel, draft
from assent.adapters.mcp.connection import McpConnection
from assent.domain.requests import Request
from assent.errors import InvalidAnswer
from assent.testing import ScriptedModel, calls, says
from tests.adapters.mcp.conftest import Done, command, returned
from tests.conftest import QUICK


def asking(done: Done, *, version: str = "", **tools: Any) -> McpServer:
    return command(
        f"asking{version}.py",
        name="asking",
        env={"ASKING_DONE": str(done)},
        tools={name: {"requires_approval": False, **said} for name, said in tools.items()},
    )


def engine(url: str, model: ScriptedModel, server: McpServer, **options: Any) -> Assent:
    agent = Agent("agent", model=model, mcp=server)
    return Assent(url, agents=agent, times=QUICK, **options)


def told(model: ScriptedModel) -> str:
    return str(model.prompts[-1])


# 2026-07-28: the call ends, waits as any call does, and is made again with the answers.


# conformance: 104
async def test_a_form_is_asked_durably_and_the_call_goes_on_in_another_process(
    url: str, done: Done, owner: Person
) -> None:
    first = ScriptedModel([says("", calls("asking__deliver", what="tea"))])
    async with engine(url, first, asking(done)) as assent:
        turn = await assent.send("agent", "Deliver.", by=owner)
        [approval] = turn.pending
        await assent.decide(approval, approve(), by=owner)
        turn = await assent.wait(turn.id)
        [request] = turn.pending
        card = await assent.card(request)
    form: Any = request.question.form
    fields = {each["name"]: each for each in form["fields"]}
    second = ScriptedModel(["Delivered."])
    async with engine(url, second, asking(done)) as assent:
        with pytest.raises(InvalidAnswer):
            await assent.decide(request, answer({"city": "Bonn", "floor": 1.5}), by=owner)
        await assent.decide(request, draft({"city": "Bonn"}), by=owner)
        given = {"floor": 0, "size": "m", "password": "hunter2"}
        await assent.decide(request, answer(given), by=owner)
        turn = await assent.wait(turn.id)
        entries = [entry.action for entry in await assent.audit(call_id=request.call_id)]

    assert request.kind == "input"
    assert "mcp:asking asks: Where to?" in card
    assert fields["password"]["type"] == "secret"
    assert fields["field"]["label"] == "door-code"
    assert turn.text == "Delivered."
    assert done.text == "deliver None\ndeliver sealed by the server\n"
    for said in ('"city":"Bonn"', '"floor":0', '"size":"m"', '"fragile":false', "accept"):
        assert said in told(second).replace("\\", "")
    assert "need_input" in entries
    assert entries.count("claim") == 2


async def test_the_state_of_a_server_is_stored_sealed_and_purged(
    url: str, done: Done, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("asking__deliver")), "Done."])
    async with engine(url, model, asking(done, deliver={})) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        [request] = turn.pending
        store = assent.kernel.store
        call = await store.run(lambda tx: tx.calls.get(request.call_id))
        assert call is not None
        assert "sealed by the server" not in (call.metadata or "")
        await assent.decide(request, answer({"city": "Bonn", "floor": 1}), by=owner)
        await assent.wait(turn.id)
        left = await store.run(lambda tx: tx.values.sealed([request.id]))

    assert left == []


async def test_an_address_is_shown_as_text_and_confirmed(
    url: str, done: Done, owner: Person
) -> None:
    for said, heard in ((True, "accept"), (False, "decline")):
        model = ScriptedModel([says("", calls("asking__sign")), "Done."])
        async with engine(url, model, asking(done, sign={})) as assent:
            turn = await assent.send("agent", "Go.", by=owner)
            [request] = turn.pending
            card = await assent.card(request)
            await assent.decide(request, answer({"confirm": said}), by=owner)
            await assent.wait(turn.id)

        assert "https://sign.example/doc?id=5" in card
        assert heard in told(model)


async def test_several_questions_at_once_are_one_form(url: str, done: Done, owner: Person) -> None:
    model = ScriptedModel([says("", calls("asking__both")), "Done."])
    async with engine(url, model, asking(done, both={})) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        [request] = turn.pending
        given = {"n": 0, "n_2": 2.5, "confirm": False}
        await assent.decide(request, answer(given), by=owner)
        await assent.wait(turn.id)

    said = told(model)
    assert "'a': ('accept', {'n': 0" in said
    assert "'b': ('accept', {'n': 2.5" in said
    assert "'c': ('decline', None)" in said


async def test_a_question_that_is_turned_down_ends_the_call_and_nothing_is_sent(
    url: str, done: Done, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("asking__deliver")), "Done."])
    async with engine(url, model, asking(done, deliver={})) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        await assent.decide(turn.pending[0], cancel(), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.text == "Done."
    assert done.text == "deliver None\n"


async def test_a_server_that_asks_for_ever_is_given_up(url: str, done: Done, owner: Person) -> None:
    model = ScriptedModel([says("", calls("asking__endless")), "Done."])
    async with engine(url, model, asking(done, endless={})) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        for _ in range(10):
            await assent.decide(turn.pending[0], answer({"confirm": True}), by=owner)
            turn = await assent.wait(turn.id)

    assert turn.text == "Done."
    assert "given up" in told(model)


# conformance: 104
@pytest.mark.parametrize(
    ("tool", "why"), [("sample", "sampling/createMessage, which is refused"), ("nested", "object")]
)
async def test_what_people_are_not_asked_fails_the_call(
    url: str, done: Done, owner: Person, tool: str, why: str
) -> None:
    model = ScriptedModel([says("", calls(f"asking__{tool}")), "Done."])
    tools: Any = {tool: {}}
    async with engine(url, model, asking(done, **tools)) as assent:
        turn = await assent.send("agent", "Go.", by=owner)

    assert turn.text == "Done."
    assert why in told(model)


async def test_a_server_that_only_wants_to_be_called_again_is(
    url: str, done: Done, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("asking__patient")), "Done."])
    async with engine(url, model, asking(done, patient={})) as assent:
        await assent.send("agent", "Go.", by=owner)

    assert "ready" in told(model)
    assert done.text == "patient None\npatient 1\npatient 2\npatient 3\n"


# 2025-11-25: the call runs on, and the question is open beside it.


async def beside(assent: Assent, owner: Person) -> Request:
    found: list[Request] = []

    async def look() -> None:
        while not found:
            found.extend(await assent.pending(person=owner))
            await asyncio.sleep(0.02)

    await asyncio.wait_for(look(), 20)
    return found[0]


# conformance: 104
async def test_an_answer_goes_back_to_the_call_that_runs(
    url: str, done: Done, owner: Person
) -> None:
    # The time that people take is not the tool's.
    server = asking(done, version="_2025", size={"timeout": 0.5})
    model = ScriptedModel([says("", calls("asking__size")), "Done."])
    async with engine(url, model, server) as assent:
        turn_id = await assent.start("agent", "Go.", by=owner)
        request = await beside(assent, owner)
        call = await assent.kernel.store.run(lambda tx: tx.calls.get(request.call_id))
        await asyncio.sleep(1)
        await assent.decide(request, draft({}), by=owner)
        with pytest.raises(InvalidAnswer):
            await assent.decide(request, answer({"size": "large"}), by=owner)
        await assent.decide(request, answer({"size": 0}), by=owner)
        turn = await assent.wait(turn_id)

    assert request.kind == "input"
    assert call is not None
    assert call.status == "running"
    assert turn.text == "Done."
    assert done.text == '{"action": "accept", "content": {"size": 0}}\n'


# conformance: 104
async def test_a_question_that_a_person_withdraws_is_declined(
    url: str, done: Done, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("asking__size")), "Done."])
    async with engine(url, model, asking(done, version="_2025", size={})) as assent:
        turn_id = await assent.start("agent", "Go.", by=owner)
        request = await beside(assent, owner)
        decided = await assent.decide(request, cancel("not now"), by=owner)
        turn = await assent.wait(turn_id)

    assert decided.call_status == "running"
    assert turn.text == "Done."
    assert done.text == '{"action": "decline"}\n'


# conformance: 104
async def test_a_question_beside_a_call_expires_and_the_call_goes_on(
    url: str, done: Done, owner: Person
) -> None:
    server = asking(done, version="_2025", size={"decide_within": 0.3})
    model = ScriptedModel([says("", calls("asking__size")), "Done."])
    async with engine(url, model, server) as assent:
        turn = await assent.send("agent", "Go.", by=owner)

    assert turn.text == "Done."
    assert done.text == '{"action": "cancel"}\n'


async def test_a_server_that_does_not_wait_for_its_answer_leaves_no_question(
    url: str, done: Done, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("asking__eager")), "Done."])
    async with engine(url, model, asking(done, version="_2025", eager={})) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        left = await assent.pending(person=owner)

    assert turn.text == "Done."
    assert left == []


async def test_an_address_of_2025_is_confirmed_too(url: str, done: Done, owner: Person) -> None:
    server = asking(done, version="_2025", url={}, gated={})
    model = ScriptedModel(
        [says("", calls("asking__url")), says("", calls("asking__gated")), "Done."]
    )
    async with engine(url, model, server) as assent:
        turn_id = await assent.start("agent", "Go.", by=owner)
        request = await beside(assent, owner)
        await assent.decide(request, answer({"confirm": True}), by=owner)
        turn = await assent.wait(turn_id)
        [request] = turn.pending
        await assent.decide(request, answer({"confirm": True}), by=owner)
        turn = await assent.wait(turn_id)

    assert turn.text == "Done."
    assert done.text == '{"action": "accept"}\ngated\ngated\nsigned\n'


async def test_a_worker_that_ends_withdraws_what_it_asked_beside_a_call(
    url: str, done: Done, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("asking__size"))])
    times = QUICK.__class__(
        lease=QUICK.lease, look=QUICK.look, flush=QUICK.flush, grace=timedelta(seconds=0.2)
    )
    server = asking(done, version="_2025", size={})
    agent = Agent("agent", model=model, mcp=server)
    async with Assent(url, agents=agent, times=times) as assent:
        turn_id = await assent.start("agent", "Go.", by=owner)
        await beside(assent, owner)
    async with engine(url, ScriptedModel([]), server, worker=False) as assent:
        turn = await assent.turn(turn_id)

    assert [request.kind for request in turn.pending] == ["outcome"]


# conformance: 104
async def test_without_a_handler_a_question_is_declined(done: Done) -> None:
    async with McpConnection(asking(done, version="_2025")) as connection:
        said = returned(await connection.call("size", {}))

    assert said == '{"action": "decline"}'


# conformance: 104
async def test_a_question_that_may_belong_to_several_calls_is_declined(done: Done) -> None:
    asked: list[object] = []

    async def ask(_params: object, token: object) -> Any:
        asked.append(token)

    async with McpConnection(asking(done, version="_2025"), on_elicit=ask) as connection:
        await connection.wait()
        connection._calls.append("another")
        said = returned(await connection.call("size", {}))

    assert said == '{"action": "decline"}'
    assert asked == []


async def test_a_server_that_floods_people_with_questions_is_declined(done: Done) -> None:
    asked: list[object] = []

    async def ask(params: object, _token: object) -> ElicitResult:
        asked.append(params)
        return ElicitResult(action="accept", content={"size": 1})

    async with McpConnection(asking(done, version="_2025"), on_elicit=ask) as connection:
        said = [returned(await connection.call("many", {})) for _ in range(2)]

    # Each call has questions of its own.
    assert said == ['{"accept": 10, "decline": 290}'] * 2
    assert len(asked) == 20


async def test_a_form_that_was_left_empty_is_answered_with_no_values(
    url: str, done: Done, owner: Person
) -> None:
    text = {"type": "string"}
    for properties, given in (({"note": text}, {}), ({}, {"confirm": True})):
        schema = {"type": "object", "properties": properties}
        model = ScriptedModel([says("", calls("asking__form", schema=schema)), "Done."])
        async with engine(url, model, asking(done, version="_2025", form={})) as assent:
            sending = asyncio.create_task(assent.send("agent", "Go.", by=owner))
            request = await beside(assent, owner)
            await assent.decide(request, answer(given), by=owner)
            await assent.wait((await sending).id)
        assert json.loads(done.text.splitlines()[-1]) == {"action": "accept", "content": {}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"type": "string", "maxLength": "5"}}},
        {"type": "object", "properties": {"a": {"type": "string", "enum": ["b"], "enumNames": 5}}},
        {"type": "object", "properties": {"a": {"type": "string", "oneOf": [5]}}},
    ],
)
async def test_what_is_no_schema_is_declined_and_the_call_goes_on(
    url: str, done: Done, owner: Person, schema: dict[str, Any]
) -> None:
    model = ScriptedModel([says("", calls("asking__form", schema=schema)), "Done."])
    async with engine(url, model, asking(done, version="_2025", form={})) as assent:
        turn = await assent.wait((await assent.send("agent", "Go.", by=owner)).id)
    assert turn.text == "Done."
    assert json.loads(done.text.splitlines()[-1]) == {"action": "decline"}
