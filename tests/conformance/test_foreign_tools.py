"""Tools that come from another server: their authors are strangers."""

from typing import Any

import pytest

from assent import Override, Person, Risk, Tool, schema_tool
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World

ADMIN = Person("root", roles={"admin"})


def foreign(name: str, **said: Any) -> Tool:
    return schema_tool(
        name,
        description="Harmless, says its server.",
        parameters={"type": "object", "properties": {}},
        execute=lambda _context, _arguments: "done",
        source="mcp:files",
        **said,
    )


# conformance: 7
@pytest.mark.parametrize("name", ["read_file", "search", "order", "write_file"])
async def test_a_foreign_tool_is_moderate_and_asks_whatever_it_is_called(
    world: World, owner: Person, name: str
) -> None:
    async with world(ScriptedModel([says("", calls(name)), "Done."]), foreign(name)) as assent:
        [tool] = assent.tools()
        turn = await assent.send("agent", "Go.", by=owner)

    assert tool.risk is Risk.MODERATE
    assert [request.tool for request in turn.pending] == [name]


# conformance: 7
async def test_a_name_can_make_a_foreign_tool_more_dangerous_and_a_risk_alone_waives_nothing(
    world: World,
) -> None:
    async with world([], foreign("delete_file"), foreign("peek", risk="safe")) as assent:
        by_name = {tool.tool.name: tool for tool in assent.tools()}

    assert by_name["delete_file"].risk is Risk.DANGEROUS
    assert by_name["peek"].risk is Risk.SAFE
    assert by_name["peek"].requires_approval is True


# conformance: 7
async def test_what_an_admin_or_its_declaration_says_of_a_foreign_tool_wins(
    world: World, owner: Person
) -> None:
    model = ScriptedModel([says("", calls("order"), calls("look")), "Done."])
    declared = foreign("look", requires_approval=False)
    async with world(model, foreign("order"), declared) as assent:
        await assent.override("order", Override(requires_approval=False), by=ADMIN)
        turn = await assent.send("agent", "Go.", by=owner)

    assert turn.text == "Done."
    assert not turn.pending
