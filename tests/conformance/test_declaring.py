"""Conformance A: what a tool says about itself, and what it may not say."""

from typing import Any

import pytest

from assent import (
    Agent,
    BaseTool,
    Override,
    Person,
    Risk,
    Tool,
    approve,
    hitl,
    is_auto_resolvable_tool,
    is_hitl_tool,
    is_manual_tool,
    manual,
    requires_approval,
    tool,
)
from assent.domain.declarations import declared
from assent.domain.tools import Hitl, Manual
from assent.errors import InvalidTool
from assent.testing import calls, says
from tests.conftest import World


async def ask_the_boss(question: str) -> str | None:
    """Ask the boss."""
    return None


@tool
async def lookup(key: str) -> str:
    """Look a key up."""
    return key


class Hooked(BaseTool):
    """Asks a person."""

    name = "hooked"
    output = str

    async def on_tool_called(self, question: str) -> str | None:
        return None


class Bare(BaseTool):
    """Nobody runs this."""

    name = "bare"


# conformance: 1
@pytest.mark.parametrize(
    "declaration",
    [hitl("ask", output=str, on_tool_called=ask_the_boss), Hooked, Hooked()],
    ids=["function", "class", "instance"],
)
def test_a_decide_hook_with_an_output_schema_makes_a_hitl_tool(declaration: Any) -> None:
    made = declared(declaration)

    assert is_hitl_tool(made)
    assert is_auto_resolvable_tool(made)
    assert not is_manual_tool(made)
    assert isinstance(made.kind, Hitl)
    assert not hasattr(made.kind, "body")
    assert made.output is not None
    assert made.output.schema == {"type": "string"}


# conformance: 1
def test_a_tool_cannot_have_both_a_body_and_a_decide_hook() -> None:
    class Both(Hooked):
        async def execute(self, question: str) -> str:
            return question

    with pytest.raises(InvalidTool, match="both execute and on_tool_called"):
        Both.declaration()


# conformance: 2
def test_a_decide_hook_without_an_output_schema_is_refused_by_name() -> None:
    class Schemaless(BaseTool):
        async def on_tool_called(self, question: str) -> str | None:
            return None

    with pytest.raises(InvalidTool, match=r"'Schemaless'.*output schema"):
        Schemaless.declaration()
    with pytest.raises(InvalidTool, match=r"'ask'.*output schema"):
        hitl("ask", output=None, on_tool_called=ask_the_boss)


# conformance: 3
@pytest.mark.parametrize("declaration", [manual("bare", description="By hand."), Bare])
def test_a_tool_with_neither_body_nor_hook_is_manual(declaration: Any) -> None:
    made = declared(declaration)

    assert is_manual_tool(made)
    assert isinstance(made.kind, Manual)
    assert not is_auto_resolvable_tool(made)
    assert not is_hitl_tool(made)


# conformance: 3
def test_hitl_and_regular_tools_are_not_manual() -> None:
    assert not is_manual_tool(declared(Hooked))
    assert not is_manual_tool(lookup)
    assert is_auto_resolvable_tool(lookup)


# conformance: 4
def test_a_tool_without_an_approval_flag_does_not_require_approval() -> None:
    assert lookup.requires_approval is False
    assert not requires_approval(lookup)
    assert not requires_approval(declared(Hooked))
    assert not requires_approval(manual("bare", description="By hand."))


# conformance: 4
async def test_the_metadata_view_has_a_boolean_flag_for_every_tool(world: World) -> None:
    @tool(requires_approval=True)
    async def pay(amount: int) -> str:
        return "paid"

    @tool(hil=lambda args: args["amount"] > 100)
    async def refund(amount: int) -> str:
        return "refunded"

    async with world(["Hi."], lookup, pay, refund, Bare) as assent:
        shown = {item.tool.name: requires_approval(item) for item in assent.tools()}

    assert shown == {"lookup": False, "pay": True, "refund": True, "bare": False}


# conformance: 4
@pytest.mark.parametrize("name", ["requires_approval", "requires_confirmation", "hil"])
def test_the_flag_has_three_names_and_one_meaning(name: str) -> None:
    async def pay(amount: int) -> str:
        return "paid"

    yes: dict[str, Any] = {name: True}
    no: dict[str, Any] = {name: False}

    assert requires_approval(tool(**yes)(pay))
    assert not requires_approval(tool(**no)(pay))


# conformance: 4
def test_names_of_the_flag_that_disagree_are_refused() -> None:
    with pytest.raises(InvalidTool, match="mean the same and have different values"):
        tool(hil=True, requires_approval=False)(ask_the_boss)


class Gated(BaseTool):
    """Pays."""

    name = "pay"
    requires_approval = True

    async def execute(self, amount: int) -> str:
        return f"paid {amount}"


# conformance: 5
async def test_the_flag_is_the_same_before_and_after_a_run_and_when_registered_again(
    world: World, owner: Person
) -> None:
    script = [says("", calls("pay", amount=5)), "Paid.", says("", calls("pay", amount=5)), "Again."]
    seen: list[object] = []

    async with world(script[:2], Gated) as assent:
        seen += [item.requires_approval for item in assent.tools()]
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        assert turn.text == "Paid."
        seen += [item.requires_approval for item in assent.tools()]
    async with world(script[2:], Gated()) as assent:
        seen += [item.requires_approval for item in assent.tools()]
        turn = await assent.send("agent", "pay", by=owner)
        assert [request.tool for request in turn.pending] == ["pay"]

    assert seen == [True, True, True]


# conformance: 5
def test_the_flag_does_not_follow_a_class_that_changes_after_registration() -> None:
    class Pay(Gated):
        pass

    agent = Agent("agent", model="test:none", tools=[Pay, lookup])
    Pay.requires_approval = False
    [pay, _] = agent.declared

    assert isinstance(pay, Tool)
    assert [requires_approval(pay) for _ in range(3)] == [True, True, True]
    with pytest.raises(AttributeError):
        pay.requires_approval = False  # pyright: ignore[reportAttributeAccessIssue]


# conformance: 6
@pytest.mark.parametrize(
    ("name", "risk", "asks"),
    [
        ("search_files", Risk.SAFE, False),
        ("read_file", Risk.SAFE, False),
        ("write_file", Risk.MODERATE, True),
        ("run_command", Risk.DANGEROUS, True),
        ("delete_file", Risk.DANGEROUS, True),
        ("read_then_delete", Risk.DANGEROUS, True),
        ("thread_count", Risk.MODERATE, False),
    ],
)
def test_an_undeclared_tool_is_judged_by_the_words_of_its_name(
    name: str, risk: Risk, asks: bool
) -> None:
    made = tool(name=name)(ask_the_boss)

    assert (made.risk, made.requires_approval) == (risk, asks)


# conformance: 8
@pytest.mark.parametrize("flag", ["requires_approval", "requires_confirmation", "hil"])
def test_a_dangerous_tool_that_wants_no_confirmation_is_refused(flag: str) -> None:
    said: dict[str, Any] = {"risk": Risk.DANGEROUS, flag: False}

    with pytest.raises(InvalidTool, match=r"'ask_the_boss'.*dangerous"):
        tool(**said)(ask_the_boss)


# conformance: 8
def test_a_dangerous_tool_that_says_nothing_more_asks() -> None:
    assert tool(risk=Risk.DANGEROUS)(ask_the_boss).requires_approval is True


# conformance: 8
async def test_a_tool_that_a_deployment_calls_dangerous_asks(world: World, owner: Person) -> None:
    ran: list[str] = []

    @tool
    async def wipe(disk: str) -> str:
        ran.append(disk)
        return "wiped"

    admin = Person("root", roles=frozenset({"admin"}))
    async with world([says("", calls("wipe", disk="a")), "Done."], wipe) as assent:
        await assent.override("wipe", Override(risk=Risk.DANGEROUS), by=admin)
        turn = await assent.send("agent", "wipe it", by=owner)

    assert ran == []
    assert [request.tool for request in turn.pending] == ["wipe"]


# conformance: 8
@pytest.mark.parametrize(
    "override",
    [
        Override(requires_approval=False),
        Override(risk=Risk.SAFE),
        Override(risk=Risk.DANGEROUS, requires_approval=False),
    ],
    ids=["unasked", "harmless", "said so"],
)
async def test_loosening_a_dangerous_tool_is_reported_on_the_record(
    world: World, override: Override
) -> None:
    admin = Person("root", roles=frozenset({"admin"}))
    dangerous = tool(risk=Risk.DANGEROUS)(ask_the_boss)

    async with world(["Hi."], dangerous) as assent:
        await assent.override("ask_the_boss", override, by=admin)
        [entry] = [entry for entry in await assent.audit() if entry.action == "override"]

    assert entry.actor == "root"
    assert entry.data["loosens"] is True


# conformance: 8
def test_an_override_that_makes_a_tool_dangerous_and_silent_counts_as_loosening() -> None:
    assert Override(risk=Risk.DANGEROUS, requires_approval=False).loosens(lookup)
    assert not Override(risk=Risk.DANGEROUS).loosens(lookup)
    assert not Override(requires_approval=False).loosens(lookup)
