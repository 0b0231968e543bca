"""What a page says about calls is what the gate does with them."""

import asyncio
from datetime import timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent import (
    NO_DEADLINE,
    Audience,
    Confirmation,
    Effect,
    Field,
    Person,
    Risk,
    Rule,
    UserInput,
    manual,
)
from assent.domain.canonical import Json
from assent.domain.declarations import declared, tool
from assent.domain.policy import Allow, Ask, Deny, Policy, Ruling
from assent.domain.tools import Context, EffectiveTool, Override, effective
from assent.engine.gate.gate import Gate
from assent.server.web.admin.tool_treatment import (
    Forecast,
    facts,
    length,
    lowered,
    meaning,
    outcomes,
    sources,
    treatment,
)

# Whether a rule or a wish holds: always, never, or as the arguments say at this place.
PLACES = ("a", "b", "c")
CONTEXT = Context(
    call_id="call_1", conversation_id="conv_1", agent="agent", tool="act", owner=Person("ada")
)


def act(wish: object, override: Override | None = None) -> EffectiveTool:
    @tool(name="act", risk=Risk.MODERATE, requires_approval=wish)  # pyright: ignore[reportArgumentType]
    async def body(a: bool, b: bool, c: bool) -> str:
        return "done"

    return effective(declared(body), override)


def rule(number: int, effect: Effect, place: str | None) -> Rule:
    if place is None:
        return Rule(name=f"rule {number}", effect=effect)
    return Rule(name=f"rule {number}", effect=effect, when=lambda given, _: given[place] is True)


def course(ruling: Ruling) -> Forecast:
    match ruling:
        case Allow():
            return Forecast.RUNS
        case Ask():
            return Forecast.ASKS
        case Deny():
            return Forecast.DENIED


async def judged(subject: EffectiveTool, policy: Policy) -> set[Forecast]:
    """What the gate says to every call that there can be."""
    found: set[Forecast] = set()
    for values in product((True, False), repeat=len(PLACES)):
        arguments: dict[str, Json] = dict(zip(PLACES, values, strict=True))
        found.add(course(await Gate(policy=policy).rule_on(subject, arguments, CONTEXT)))
    return found


@given(
    wish=st.sampled_from([True, False]),
    rules=st.lists(
        st.tuples(st.sampled_from(Effect), st.sampled_from([None, *PLACES])), max_size=4
    ),
    approvals=st.booleans(),
)
def test_the_gate_never_does_what_the_page_does_not_say(
    wish: bool, rules: list[tuple[Effect, str | None]], approvals: bool
) -> None:
    made = tuple(rule(number, *each) for number, each in enumerate(rules))
    subject, policy = act(wish), Policy(rules=made, approvals=approvals)
    assert asyncio.run(judged(subject, policy)) <= outcomes(subject, policy)


@given(
    effects=st.lists(st.sampled_from(Effect), max_size=3, unique=True),
    always=st.sets(st.sampled_from(Effect)),
    approvals=st.booleans(),
)
def test_where_nothing_hangs_together_the_page_says_no_more_than_the_gate_does(
    effects: list[Effect], always: set[Effect], approvals: bool
) -> None:
    given = [rule(n, effect, PLACES[n]) for n, effect in enumerate(effects)]
    given += [rule(n + 3, effect, None) for n, effect in enumerate(sorted(always))]
    policy = Policy(rules=tuple(given), approvals=approvals)
    for wish in (True, False):
        subject = act(wish)
        assert asyncio.run(judged(subject, policy)) == outcomes(subject, policy)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (Override(requires_approval=False), "may run without it"),
        (Override(risk=Risk.SAFE), "safe instead of moderate"),
        (Override(risk=Risk.DANGEROUS), None),
        (Override(impact="more"), None),
        (Override(requires_approval=True), None),
    ],
)
def test_only_what_protects_less_is_a_lowering(change: Override, words: str | None) -> None:
    found = lowered(act(True), act(True, change), Policy())
    assert (words is None) == (not found)
    assert words is None or any(words in line for line in found)


def test_a_risk_that_no_rule_covers_any_more_is_a_lowering() -> None:
    asks = Rule(name="risky", effect=Effect.ASK, risks=frozenset({Risk.MODERATE}))
    denies = Rule(name="never", effect=Effect.DENY, risks=frozenset({Risk.MODERATE}))
    change = Override(risk=Risk.DANGEROUS, requires_approval=False)
    assert lowered(act(False), act(False, change), Policy(rules=(asks,)))
    assert lowered(act(True), act(True, Override(risk=Risk.DANGEROUS)), Policy(rules=(denies,)))


def test_lengths_of_time_are_read_as_people_say_them() -> None:
    said = {0: "no time", 60: "1 minute", 5_400: "1 hour 30 minutes", 172_801: "2 days 1 second"}
    assert {seconds: length(timedelta(seconds=seconds)) for seconds in said} == said
    assert length(None) == "no limit"


def test_what_needs_people_is_not_said_to_run_by_itself() -> None:
    form = UserInput("Where?", fields=[Field("host")])

    @tool(name="fill", user_input=form)
    async def fill(host: str) -> str:
        return host

    weigh = manual("weigh", description="Weigh it.", approvers=Audience.of("clerk"))
    for each, words in (
        (fill, "run once the owner of the conversation has filled in a form"),
        (weigh, "wait for anyone with the role clerk to supply a result"),
    ):
        subject = effective(declared(each), None)
        assert treatment(subject, Policy()).words == "No approval"
        [said] = meaning(subject, Policy())
        assert words in said
        assert "No approval is needed" in said
    alone = act(wish=False)
    assert treatment(alone, Policy()).words == "Runs without asking"
    assert "run at once" in meaning(alone, Policy())[0]


def test_a_quorum_is_said() -> None:
    two = Rule(name="two", effect=Effect.ASK, quorum=2, audience=Audience.of("approver"))
    said = meaning(act(wish=False), Policy(rules=(two,)))
    assert said[1] == "Approving one takes a click from each of 2 people."


def test_the_terms_of_several_rules_are_said_as_the_gate_merges_them() -> None:
    money = Rule.of(Effect.ASK, "*", audience="finance", decide_within=600, quorum=2)
    contracts = Rule.of(Effect.ASK, "*", audience="legal", decide_within=60)
    subject = act(wish=False)
    said = facts(subject, Policy(rules=(money, contracts)))
    whom = "anyone with the role finance, who also has to be anyone with the role legal"
    assert (said["Who decides"], said["Time to decide"]) == (whom, "1 minute")
    patient = Rule.of(Effect.ASK, "*", decide_within=NO_DEADLINE)
    assert facts(subject, Policy(rules=(patient,)))["Time to decide"] == "no limit"


def test_a_page_says_what_comes_from_a_tool_s_name() -> None:
    @tool(impact="Changes a file")
    async def write_file(path: str) -> str:
        return path

    subject = effective(write_file, None)

    assert "The tool's name requires approval." in treatment(subject, Policy()).reasons
    assert facts(subject, Policy())["Risk"] == "Moderate"
    assert sources(subject, Policy())["Risk"] == "by the tool's name"


def test_a_page_says_who_says_each_fact() -> None:
    @tool(decide_within=60, idempotent=True)
    async def write_file(path: str) -> str:
        return path

    rules = (Rule(effect=Effect.ASK, audience=Audience.of("ops"), confirmation=Confirmation.TYPED),)
    subject = effective(write_file, Override(impact="Changes a file"))

    assert sources(subject, Policy()) == {
        "Risk": "by the tool's name",
        "Approving takes": "by its risk",
        "Who decides": "default",
        "Time to decide": "declared",
        "Impact": "an admin's setting",
        "Category": "default",
        "Who may use it": "default",
        "Retries": "declared",
    }
    ruled = sources(subject, Policy(rules=rules))
    assert (ruled["Who decides"], ruled["Approving takes"]) == ("a rule", "a rule")
    assert ruled["Time to decide"] == "declared"
