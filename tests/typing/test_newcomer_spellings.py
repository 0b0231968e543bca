"""What newcomers write: the runtime takes it, and a type checker agrees (`make check` runs one)."""

from collections.abc import AsyncGenerator
from datetime import timedelta

from assent import (
    NO_DEADLINE,
    Agent,
    Assent,
    Audience,
    Confirmation,
    Context,
    Effect,
    Override,
    Person,
    PersonKind,
    Risk,
    Rule,
    allow,
    ask,
    deny,
    did_not_run,
    fail,
    ran,
    run_again,
    tool,
)
from assent.domain.policy import HookAnswer
from assent.domain.tools import EffectiveTool
from assent.models import Answer, ChatModel, Delta, Prompt, TextDelta

OPS = frozenset({"ops"})


def test_people_have_roles_in_a_set_a_list_or_alone() -> None:
    people = [
        Person("ada", roles={"ops"}),
        Person("ada", roles=["ops"]),
        Person("ada", roles="ops"),
    ]

    assert people == [Person("ada", roles=OPS)] * 3
    assert Person("bot", kind="service").kind is PersonKind.SERVICE


def test_audiences_name_roles_and_people_as_people_do() -> None:
    assert Audience(owner=False, roles=["ops"]) == Audience.of("ops") == Audience.of(["ops"])
    assert Audience(people="eve").people == {"eve"}
    assert (Audience.of("ops") & Audience.of("legal")).parts == (
        Audience.of("legal"),
        Audience.of("ops"),
    )


def test_rules_take_one_name_or_several_text_for_enums_and_seconds() -> None:
    rule = Rule(
        effect="ask",
        tools="wipe",
        risks={"dangerous"},
        categories=["files"],
        sources="local",
        audience="ops",
        decide_within=600,
        confirmation="typed",
        quorum=2,
        when=lambda args: args["cents"] > 1_000,
    )

    assert (rule.effect, rule.tools, rule.risks) == (Effect.ASK, ("wipe",), {Risk.DANGEROUS})
    assert (rule.audience, rule.confirmation) == (Audience.of("ops"), Confirmation.TYPED)
    assert rule.decide_within == timedelta(minutes=10)
    assert Rule.of("deny", "wipe", "drop_*").tools == ("wipe", "drop_*")
    assert Rule.of("ask", ["wipe"], audience=["ops"], decide_within="none").tools == ("wipe",)


def test_predicates_annotate_arguments_as_they_like() -> None:
    def large(args: dict[str, int]) -> bool:
        return args["cents"] > 1_000

    async def of_a_customer(args: dict[str, str], ctx: Context) -> bool:
        return args["customer"] == ctx.owner.id

    rules = [Rule.of("ask", "refund", when=large), Rule.of("deny", "refund", when=of_a_customer)]

    assert [rule.is_synchronous for rule in rules] == [True, False]


def test_hooks_answer_with_functions() -> None:
    def hook(tool: EffectiveTool, args: dict[str, int], ctx: Context) -> HookAnswer:
        if args["cents"] > 50_000:
            return deny("by hand")
        if args["cents"] > 10_000:
            return ask("large", audience="finance", quorum=2, decide_within=NO_DEADLINE)
        return allow() if tool.risk is Risk.SAFE else None

    agent = Agent("shop", model=Echo(), suggestions=["refund A7"])
    rules = Rule.of("ask", "*", confirmation="step")
    assent = Assent("sqlite:///:memory:", agents=agent, policy=hook, rules=rules, decide_within=60)

    assert assent.kernel.policy.hook is hook


def test_every_verdict_is_a_function() -> None:
    names = [type(each).__name__ for each in (ran("7"), did_not_run(), run_again(), fail("no"))]

    assert names == ["Ran", "DidNotRun", "RunAgain", "Fail"]
    assert (ran().output, ran({"id": 7}).output) == (None, {"id": 7})
    assert (did_not_run("never").reason, run_again(typed="A7").typed) == ("never", "A7")


def test_overrides_take_text_and_seconds() -> None:
    said = Override(risk="dangerous", decide_within=60, audience="ops", confirmation="step")

    assert (said.risk, said.decide_within) == (Risk.DANGEROUS, timedelta(minutes=1))


def test_tools_take_text_seconds_and_names() -> None:
    @tool(
        risk="dangerous",
        requires_approval=lambda args: args["path"] != "/tmp",
        confirmation="typed",
        timeout=300,
        decide_within=NO_DEADLINE,
        approvers=["ops", "admin"],
        caller_roles="staff",
    )
    async def wipe(path: str) -> str:
        """Wipe a folder."""
        return path

    assert (wipe.risk, wipe.timeout, wipe.decide_within) == (
        Risk.DANGEROUS,
        timedelta(minutes=5),
        None,
    )
    assert wipe.audience == Audience.of("ops", "admin")


class Echo:
    """A model of one's own, from the public module alone."""

    name = "echo"

    async def request(self, prompt: Prompt) -> Answer:
        return Answer(text=prompt.instructions, model=self.name)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        answer = await self.request(prompt)
        yield TextDelta(answer.text)
        yield answer


def test_a_model_of_ones_own_is_a_chat_model() -> None:
    model: ChatModel = Echo()

    assert model.name == "echo"
