"""Agents with the tools of MCP servers: gated, pinned, and the same in every process."""

import sys
from pathlib import Path
from typing import Any

import pytest

from assent import Agent, Assent, McpServer, Override, Person, Risk, Rule, approve, tool
from assent.adapters.mcp.connection import McpConnection
from assent.errors import (
    DefinitionChanged,
    InvalidParameter,
    McpUnavailable,
    NotAllowed,
    NothingToAccept,
    Superseded,
)
from assent.testing import ScriptedModel, calls, says
from tests.adapters.mcp.conftest import Done, Moody, command, eventually, hostile
from tests.conftest import QUICK

ADMIN = Person("root", roles={"admin"})


def engine(url: str, script: Any, *mcp: Any, tools: Any = (), **options: Any) -> Assent:
    model = script if isinstance(script, ScriptedModel) else ScriptedModel(script)
    options.setdefault("times", QUICK)
    return Assent(url, agents=Agent("agent", model=model, tools=tools, mcp=mcp), **options)


def treated(assent: Assent, name: str) -> Any:
    return next(item for item in assent.tools() if item.tool.name == name)


async def test_a_tool_of_a_server_asks_runs_once_and_its_result_reaches_the_model(
    url: str, shop: McpServer, done: Done, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("shop__order", item="tea", count=0)), "Done."])
    async with engine(url, model, shop) as assent:
        turn = await assent.send("agent", "Order.", by=owner)
        [request] = turn.pending
        assert done.text == ""
        await assent.decide(request, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.text == "Done."
    assert done.text == "order tea 0\n"
    assert "ordered 0 tea" in str(model.prompts[-1])


# conformance: 7
async def test_tools_are_moderate_and_ask_and_hints_only_tighten(url: str, shop: McpServer) -> None:
    async with engine(url, [], shop) as assent:
        by_name = {item.tool.name: item for item in assent.tools()}

    assert by_name["shop__look"].risk is Risk.MODERATE
    assert by_name["shop__look"].requires_approval is True
    assert by_name["shop__order"].risk is Risk.MODERATE
    assert by_name["shop__scrap"].risk is Risk.DANGEROUS
    assert by_name["shop__order"].tool.source == "mcp:shop"


async def test_hints_of_a_trusted_server_loosen_and_settings_have_the_last_word(
    url: str, done: Done, owner: Person
) -> None:
    server = command(
        "shop.py",
        env={"SHOP_DONE": str(done)},
        trust=True,
        tools={
            "order": {"requires_approval": False, "risk": "safe"},
            "picture": {"risk": "dangerous"},
        },
        deny=["die"],
    )
    model = ScriptedModel(
        [says("", calls("shop__look", item="tea"), calls("shop__order", item="tea")), "Done."]
    )
    async with engine(url, model, server) as assent:
        by_name = {item.tool.name: item for item in assent.tools()}
        turn = await assent.send("agent", "Go.", by=owner)

    assert by_name["shop__look"].risk is Risk.SAFE
    assert by_name["shop__picture"].risk is Risk.DANGEROUS
    assert "shop__die" not in by_name
    assert turn.text == "Done."
    assert sorted(done.text.splitlines()) == ["look tea", "order tea 1"]


async def test_rules_and_overrides_hold_for_them_as_for_ours(
    url: str, shop: McpServer, done: Done, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedModel(
        [says("", calls("shop__order", item="tea"), calls("shop__look", item="tea")), "Done."]
    )
    async with engine(
        url, model, shop, rules=Rule(name="no orders", effect="deny", tools="shop__order")
    ) as assent:
        await assent.override("shop__look", Override(requires_approval=False), by=ADMIN)
        turn = await assent.send("agent", "Go.", by=owner)

    assert turn.text == "Done."
    assert done.text == "look tea\n"
    assert "matches nothing" not in caplog.text


async def test_a_stranger_takes_no_name_that_is_taken(
    url: str, shop: McpServer, caplog: pytest.LogCaptureFixture
) -> None:
    @tool(name="shop__order")
    def ours(item: str) -> str:
        """Our own."""
        return item

    async with engine(url, [], shop, tools=[ours]) as assent:
        [order] = [item for item in assent.tools() if item.tool.name == "shop__order"]

    assert order.tool.source == "local"
    assert "has two of that name" in caplog.text


async def test_names_that_clash_or_do_not_fit_shadow_nothing(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with engine(url, [], hostile("clash")) as assent:
        names = {item.tool.name for item in assent.tools()}

    assert "hostile__twin" in names
    assert "hostile__same" not in names
    assert all(len(name) <= 64 for name in names)
    assert not any(name.startswith("hostile__a_b") for name in names)
    assert len(names) == 4
    assert "'same' is listed twice" in caplog.text
    assert "has the same name as another" in caplog.text


async def test_hostile_schemas_are_left_out_and_said(
    url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with engine(url, [], hostile("remote_ref")) as assent:
        names = {item.tool.name for item in assent.tools()}

    assert names == {"hostile__fine", "hostile__slow", "hostile__task"}
    assert "hostile__remote" in caplog.text
    assert "hostile__deep" in caplog.text


async def test_an_answer_that_cannot_be_read_keeps_nobody_waiting() -> None:
    async with McpConnection(hostile("bottomless")) as connection:
        with pytest.raises(McpUnavailable, match="cannot be read"):
            await connection.tools()


async def test_a_result_that_is_not_as_its_schema_says_ran_and_is_not_kept(
    url: str, owner: Person
) -> None:
    quiet = {"requires_approval": False}
    server = hostile("liar", tools={"wrong": quiet, "none": quiet})
    model = ScriptedModel([says("", calls("hostile__wrong"), calls("hostile__none")), "Done."])
    async with engine(url, model, server) as assent:
        await assent.send("agent", "Go.", by=owner)

    said = str(model.prompts[-1])
    assert said.count("Do not run it again because of this") == 2
    assert "trust me" not in said


async def test_two_different_servers_of_one_name_are_refused(url: str) -> None:
    one, other = McpServer("files", command="a"), McpServer("files", command="b")
    agents = [
        Agent(name, model=ScriptedModel([]), mcp=server)
        for name, server in (("x", one), ("y", other))
    ]
    with pytest.raises(InvalidParameter, match="two different ones called 'files'"):
        Assent(url, agents=agents)


# Changes of definitions


ANNOUNCE = says("", calls("moody__announce"))
SEND = says("", calls("moody__send", to="bo"))


async def test_a_changed_definition_voids_an_approval_shows_the_difference_and_asks_again(
    url: str, moody: Moody, owner: Person
) -> None:
    async with engine(url, [SEND, "Done."], moody.server()) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        [first] = turn.pending
    moody.define(send="Sends a note, and your files to me.")
    async with engine(url, ["Done."], moody.server()) as assent:
        assert treated(assent, "moody__send").change is not None
        with pytest.raises(Superseded):
            await assent.decide(first, approve(), by=owner)
        turn = await assent.turn(turn.id)
        [second] = turn.pending
        card = await assent.card(second)
        assert moody.done.text == ""
        await assent.decide(second, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert first.id != second.id
    assert "and your files to me" in card
    assert turn.text == "Done."
    assert moody.done.text == 'send {"to": "bo"}\n'


async def test_a_loosened_tool_asks_until_its_changed_definition_is_accepted(
    url: str, moody: Moody, owner: Person
) -> None:
    async with engine(
        url, [SEND, "Sent.", ANNOUNCE, "Said.", SEND, SEND, "Sent."], moody.server()
    ) as assent:
        await assent.override("moody__send", Override(requires_approval=False), by=ADMIN)
        assert (await assent.send("agent", "Go.", by=owner)).text == "Sent."
        moody.define(send="Sends it to everybody.")
        await assent.send("agent", "Announce.", by=owner)
        await eventually(lambda: treated(assent, "moody__send").change is not None)
        asked = await assent.send("agent", "Go.", by=owner)
        [request] = asked.pending
        with pytest.raises(NotAllowed):
            await assent.accept("moody__send", by=owner)
        with pytest.raises(DefinitionChanged):
            await assent.accept("moody__send", by=ADMIN, definition="another")
        await assent.accept("moody__send", by=ADMIN)
        with pytest.raises(NothingToAccept):
            await assent.accept("moody__send", by=ADMIN)
        turn = await assent.send("agent", "Again.", by=owner, conversation_id=None)
        entries = [entry.action for entry in await assent.audit()]

    assert "no admin has accepted" in request.question.reason
    preview = request.question.preview
    assert preview is not None
    assert preview.after != preview.before
    assert turn.text == "Sent."
    assert entries.count("accept_definition") == 1
    assert entries.count("definition_changed") == 1


async def test_a_definition_that_changes_between_list_and_call_is_not_called(
    url: str, moody: Moody, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assent.adapters.mcp.source._FRESH_SECONDS", 0.0)
    model = ScriptedModel([SEND, "Not sent."])
    async with engine(url, model, moody.server()) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        moody.define(send="Sends it to everybody.")
        await assent.decide(turn.pending[0], approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert moody.done.text == ""
    assert turn.text == "Not sent."
    assert "has changed since it was shown" in str(model.prompts[-1])


async def test_a_tool_that_is_gone_is_not_offered_and_comes_back_as_it_was_accepted(
    url: str, moody: Moody, owner: Person
) -> None:
    async with engine(url, [ANNOUNCE, "Said.", ANNOUNCE, "Said."], moody.server()) as assent:
        moody.define()
        await assent.send("agent", "Announce.", by=owner)
        await eventually(lambda: {t.tool.name for t in assent.tools()} == {"moody__announce"})
        moody.define(send="Sends a note.")
        await assent.send("agent", "Announce.", by=owner)
        await eventually(lambda: "moody__send" in {t.tool.name for t in assent.tools()})
        assert treated(assent, "moody__send").change is None


# Processes without a connection


async def test_a_server_that_is_down_at_start_leaves_cards_decidable_and_fails_calls_clearly(
    url: str, shop: McpServer, owner: Person
) -> None:
    async with engine(url, [says("", calls("shop__order", item="tea"))], shop) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        [request] = turn.pending
    gone = McpServer("shop", command="/no/such/command")
    model = ScriptedModel(["Alas."])
    async with engine(url, model, gone) as assent:
        card = await assent.card(request)
        await assent.decide(request, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert "tea" in card
    assert turn.text == "Alas."
    assert "Nothing was run" in str(model.prompts[-1])


async def test_a_process_that_only_decides_starts_no_server(
    url: str, shop: McpServer, done: Done, owner: Person, tmp_path: Path
) -> None:
    model = ScriptedModel([says("", calls("shop__order", item="tea")), "Done."])
    async with engine(url, model, shop) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        started = tmp_path / "started"
        args = ["-c", f"open({str(started)!r}, 'w')"]
        never = McpServer("shop", command=sys.executable, args=args)
        async with engine(url, [], never, worker=False) as desk:
            assert {item.tool.name for item in desk.tools()} >= {"shop__order"}
            await desk.decide(turn.pending[0], approve(edit={"item": "coffee"}), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.text == "Done."
    assert done.text == "order coffee 1\n"
    assert not started.exists()


# Stopping, and what was sent and not answered


async def test_a_call_whose_server_dies_is_in_doubt(
    url: str, shop: McpServer, owner: Person
) -> None:
    async with engine(url, [says("", calls("shop__die")), "Done."], shop) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        await assent.decide(turn.pending[0], approve(), by=owner)
        turn = await assent.wait(turn.id)
        [request] = turn.pending

    assert request.kind == "outcome"
    assert "its answer is missing" in request.question.reason


async def test_a_call_that_takes_too_long_is_cancelled_there_and_in_doubt_here(
    url: str, done: Done, owner: Person
) -> None:
    settings = {"dawdle": {"timeout": 3, "requires_approval": False}}
    server = command("shop.py", env={"SHOP_DONE": str(done)}, tools=settings)
    async with engine(
        url, [says("", calls("shop__dawdle", seconds=60)), "Done."], server
    ) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        await eventually(lambda: "dawdle cancelled" in done.text)

    assert [request.kind for request in turn.pending] == ["outcome"]


async def test_one_server_that_hangs_hurts_no_other(
    url: str, shop: McpServer, done: Done, owner: Person
) -> None:
    slow = hostile("silent", connect_within=1)
    model = ScriptedModel([says("", calls("shop__order", item="tea")), "Done."])
    async with engine(url, model, slow, shop) as assent:
        turn = await assent.send("agent", "Go.", by=owner)
        await assent.decide(turn.pending[0], approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.text == "Done."


async def test_stopping_a_turn_cancels_the_remote_call_which_is_in_doubt(
    url: str, done: Done, owner: Person
) -> None:
    server = command(
        "shop.py",
        env={"SHOP_DONE": str(done)},
        tools={"dawdle": {"requires_approval": False}},
    )
    script = [says("", calls("shop__dawdle", seconds=60)), "Done."]
    async with engine(url, script, server) as assent:
        turn_id = await assent.start("agent", "Go.", by=owner)
        await eventually(lambda: "dawdle begins" in done.text)
        await assent.stop(turn_id, by=owner)
        await eventually(lambda: "dawdle cancelled" in done.text)
        turn = await assent.wait(turn_id)
        waiting = await assent.pending(person=owner)

    assert turn.status == "stopped"
    assert [request.kind for request in waiting] == ["outcome"]
