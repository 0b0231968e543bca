"""What newcomers write: the runtime takes it, and a type checker agrees (`make check` runs one)."""

from datetime import timedelta

from assent import (
    NO_DEADLINE,
    Audience,
    Confirmation,
    Context,
    Effect,
    Override,
    Person,
    PersonKind,
    Risk,
    Rule,
    tool,
)

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
