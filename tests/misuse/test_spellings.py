"""What people write without reading is taken as they mean it, or refused when it is made."""

from datetime import timedelta
from typing import Any

import pytest

from assent import (
    Agent,
    Ask,
    Assent,
    Audience,
    BaseTool,
    Confirmation,
    Effect,
    Field,
    FieldType,
    Limits,
    Override,
    Person,
    PersonKind,
    Risk,
    Rule,
    approve,
    tool,
)
from assent.domain.declarations import declared
from assent.errors import InvalidParameter, InvalidTool, NotFound
from assent.server.settings import Settings
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import Bank
from tests.conftest import World


async def wipe(disk: str) -> str:
    """Wipe a disk."""
    return f"wiped {disk}"


def in_a_class(**said: Any) -> Any:
    """The class form of `wipe`, with these attributes."""

    async def execute(self: BaseTool, disk: str) -> str:
        return await wipe(disk)

    return type("Wipe", (BaseTool,), {"name": "wipe", "execute": execute, **said})


def in_a_decorator(**said: Any) -> Any:
    return tool(**said)(wipe)


FORMS = pytest.mark.parametrize("form", [in_a_decorator, in_a_class], ids=["decorator", "class"])


@FORMS
async def test_a_tool_that_is_dangerous_by_text_asks(
    form: Any, world: World, owner: Person
) -> None:
    script = [says("", calls("wipe", disk="a")), "Done."]

    async with world(script, form(risk="dangerous")) as assent:
        turn = await assent.send("agent", "wipe it", by=owner)
        [shown] = assent.tools()

    assert shown.risk is Risk.DANGEROUS
    assert [request.tool for request in turn.pending] == ["wipe"]


@FORMS
def test_an_unknown_risk_is_refused_with_those_there_are(form: Any) -> None:
    with pytest.raises(InvalidParameter) as refused:
        declared(form(risk="extreme"))

    for words in ("'wipe'", "risk", "'extreme'", "'safe'", "'moderate'", "'dangerous'"):
        assert words in str(refused.value)


@FORMS
@pytest.mark.parametrize("flag", ["requires_approval", "requires_confirmation", "hil"])
def test_dangerous_by_text_and_unasked_contradicts_itself(form: Any, flag: str) -> None:
    with pytest.raises(InvalidTool, match=r"'wipe'.*dangerous"):
        declared(form(risk="dangerous", **{flag: False}))


@FORMS
def test_two_names_of_the_flag_that_disagree_are_refused(form: Any) -> None:
    with pytest.raises(InvalidTool, match="mean the same and have different values"):
        declared(form(requires_approval=True, hil=False))


@FORMS
@pytest.mark.parametrize("wish", ["yes", "false", 1, 0, [], {}])
def test_a_flag_that_is_neither_yes_nor_no_is_refused(form: Any, wish: object) -> None:
    with pytest.raises(InvalidParameter, match=r"'wipe'.*requires_approval must be True or False"):
        declared(form(requires_approval=wish))


@FORMS
def test_one_approver_is_one_role_and_numbers_are_seconds(form: Any) -> None:
    made = declared(form(approvers="finance", caller_roles="staff", decide_within=300, timeout=1.5))

    assert made.audience == Audience.of("finance")
    assert made.caller_roles == frozenset({"staff"})
    assert made.decide_within == timedelta(minutes=5)
    assert made.timeout == timedelta(seconds=1.5)


@FORMS
@pytest.mark.parametrize("approvers", [[], set(), "", [""], 5, {"finance": 1}])
def test_approvers_that_name_nobody_are_refused(form: Any, approvers: object) -> None:
    with pytest.raises(InvalidParameter, match=r"'wipe'.*approvers"):
        declared(form(approvers=approvers))


async def test_a_timeout_in_seconds_holds_when_a_call_comes(world: World, owner: Person) -> None:
    quick = tool(timeout=300, decide_within=300)(wipe)

    async with world([says("", calls("wipe", disk="a")), "Done."], quick) as assent:
        turn = await assent.send("agent", "wipe it", by=owner)

    assert (turn.text, [call.status for call in turn.calls]) == ("Done.", ["succeeded"])


async def test_an_agent_by_text_is_an_agent_and_does_not_approve(
    world: World, owner: Person
) -> None:
    bank = Bank()
    bot = Person("bot", kind="agent", roles="ops")  # pyright: ignore[reportArgumentType]
    script = [says("", calls("pay", to="eve", amount=5)), "Paid."]

    async with world(script, bank.pay(approvers="ops")) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        with pytest.raises(NotFound):
            await assent.decide(turn.pending[0].id, approve(), by=bot)

    assert (bot.kind, bot.roles) == (PersonKind.AGENT, frozenset({"ops"}))
    assert bank.paid == []


async def test_a_rule_by_text_for_one_tool_denies_it(world: World, owner: Person) -> None:
    rule: Any = Rule(effect="deny", tools="wipe")  # pyright: ignore[reportArgumentType]
    script = [says("", calls("wipe", disk="a")), "Done."]

    async with world(script, wipe, rules=rule) as assent:
        turn = await assent.send("agent", "wipe it", by=owner)

    assert [call.status for call in turn.calls] == ["denied"]


def test_a_rule_takes_text_names_and_seconds() -> None:
    said: Any = {
        "effect": "ask",
        "risks": "dangerous",
        "categories": "files",
        "sources": ["local"],
        "audience": "finance",
        "decide_within": 60,
        "confirmation": "typed",
    }
    rule = Rule(**said)

    assert rule.effect is Effect.ASK
    assert rule.risks == frozenset({Risk.DANGEROUS})
    assert rule.categories == frozenset({"files"})
    assert rule.sources == frozenset({"local"})
    assert rule.audience == Audience.of("finance")
    assert rule.decide_within == timedelta(minutes=1)
    assert rule.confirmation is Confirmation.TYPED


@pytest.mark.parametrize("empty", [[], set()])
def test_a_rule_for_an_empty_list_of_tools_is_not_one_for_all(empty: Any) -> None:
    with pytest.raises(InvalidParameter, match="tools must be"):
        Rule(effect=Effect.ALLOW, tools=empty)
    with pytest.raises(InvalidParameter, match="tools must be"):
        Rule.of(Effect.ALLOW, *empty)


@pytest.mark.parametrize("several", [["wipe", "format"], ("wipe", "format"), {"wipe", "format"}])
def test_a_rule_of_several_tools_takes_a_list_too(several: Any) -> None:
    assert sorted(Rule.of(Effect.DENY, several).tools) == ["format", "wipe"]
    with pytest.raises(InvalidParameter, match="tools must be"):
        Rule.of(Effect.DENY, several, "count")
    with pytest.raises(InvalidParameter, match="tools must be"):
        Rule.of(Effect.ALLOW, type(several)())


@pytest.mark.parametrize("nobody", [(), ([],), ((),), (set(),), (frozenset(),), (None,), ("",)])
def test_an_audience_of_no_roles_is_refused_when_made(nobody: Any) -> None:
    with pytest.raises(InvalidParameter, match="Audience: roles must be"):
        Audience.of(*nobody)


async def test_an_answer_of_the_hook_takes_the_same_spellings(world: World, owner: Person) -> None:
    def hook(*_: object) -> Any:
        said: Any = {"audience": "finance", "decide_within": 60, "confirmation": "step"}
        return Ask(**said)

    async with world([says("", calls("wipe", disk="a"))], wipe, policy=hook) as assent:
        turn = await assent.send("agent", "wipe it", by=owner)

    [request] = turn.pending
    assert request.audience == Audience.of("finance")
    assert request.confirmation is Confirmation.STEP


async def test_a_predicate_of_a_rule_may_take_the_arguments_alone(
    world: World, owner: Person
) -> None:
    rule: Any = Rule.of("deny", "wipe", when=lambda args: args["disk"] == "a")  # pyright: ignore[reportArgumentType]
    script = [says("", calls("wipe", disk="a"), calls("wipe", disk="b")), "Done."]

    async with world(script, wipe, rules=[rule]) as assent:
        turn = await assent.send("agent", "wipe both", by=owner)

    assert [call.status for call in turn.calls] == ["denied", "succeeded"]


async def test_an_override_by_text_asks(world: World, owner: Person) -> None:
    admin = Person("root", roles="admin")  # pyright: ignore[reportArgumentType]
    said: Any = {"risk": "dangerous", "decide_within": 60, "audience": "finance"}

    async with world([says("", calls("wipe", disk="a"))], wipe) as assent:
        await assent.override("wipe", Override(**said), by=admin)
        turn = await assent.send("agent", "wipe it", by=owner)
        [shown] = assent.tools()

    assert [request.tool for request in turn.pending] == ["wipe"]
    assert shown.confirmation is Confirmation.STEP
    assert (shown.risk, shown.audience) == (Risk.DANGEROUS, Audience.of("finance"))


def test_a_field_by_text_is_of_that_type_or_refused_when_made() -> None:
    kind: Any = "select"

    assert Field("env", type=kind, options=["a", "b"]).type is FieldType.SELECT
    assert [each.value for each in Field("env", type=kind, options="prod").choices] == ["prod"]
    with pytest.raises(InvalidTool, match="select needs options"):
        Field("env", type=kind)
    with pytest.raises(InvalidParameter, match="type must be 'text', 'number'"):
        Field("env", type="dropdown")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("given", ["OFF", "no", False, None, 0, ""])
def test_approvals_are_on_or_off_and_nothing_else(given: Any) -> None:
    agent = Agent("agent", model=ScriptedModel([]))

    with pytest.raises(InvalidParameter, match="approvals must be 'on' or 'off'"):
        Assent("sqlite:///:memory:", agents=agent, approvals=given)


def test_one_agent_or_several_are_taken() -> None:
    one, other = (Agent(name, model=ScriptedModel([])) for name in ("one", "other"))

    assert Assent("sqlite:///:memory:", agents=one).kernel.catalogue.names() == ["one"]
    assert Assent("sqlite:///:memory:", agents=[one, other]).kernel.catalogue.names() == [
        "one",
        "other",
    ]
    with pytest.raises(InvalidParameter, match="agents must be"):
        Assent("sqlite:///:memory:", agents="one")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("steps", [0, -1, "16", None, True, 1.5])
def test_a_limit_is_a_whole_number_above_zero(steps: Any) -> None:
    with pytest.raises(InvalidParameter, match="Limits: steps must be a whole number"):
        Limits(steps=steps)


def test_settings_take_seconds_and_one_frontend() -> None:
    said: Any = {"patience": 5, "frontends": "https://app.example"}
    settings = Settings(**said)

    assert settings.patience == timedelta(seconds=5)
    assert settings.frontends == ("https://app.example",)
    with pytest.raises(InvalidParameter, match="ai_sdk must be '5', '6' or '7', not 6"):
        Settings(ai_sdk=6)  # pyright: ignore[reportArgumentType]


def test_a_rule_for_a_tool_that_no_agent_has_is_told_of(caplog: pytest.LogCaptureFixture) -> None:
    rules = [
        Rule(name="no wiping", effect="deny", tools=["wpie", "wip*", "wipe"]),
        Rule(name="all", effect="ask"),
    ]

    @tool(risk="dangerous")
    def wipe(disk: str) -> None:
        """Wipe a disk."""

    agent = Agent("one", model=ScriptedModel([]), tools=[wipe])
    Assent("sqlite:///:memory:", agents=agent, rules=rules)
    [record] = caplog.records
    assert "rule 'no wiping' names the tool 'wpie', which no agent here has" in record.getMessage()
