"""The gate by its precedence: deny over ask over allow, and nothing that goes wrong allows."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from assent import (
    Allow,
    Ask,
    Audience,
    Context,
    Deny,
    Effect,
    Override,
    OwnRule,
    Person,
    Risk,
    Rule,
    Tool,
    tool,
)
from assent.domain.own_rules import ListedRule, OwnRules
from assent.domain.policy import Policy, Ruling, strongest
from assent.domain.tools import EffectiveTool, effective
from assent.engine.gate.gate import Gate

STRENGTH = {Allow: 0, Ask: 1, Deny: 2}
COOK = Person("ada", roles=frozenset({"cook"}))
CONTEXT = Context(call_id="c", conversation_id="v", agent="a", tool="t", owner=COOK)
NAMES = ("read_file", "read_file_now", "bash", "bash_admin")


@dataclass(frozen=True)
class Reply:
    """What a predicate does when it is asked; repr is what a failing example shows."""

    answer: object
    is_async: bool = False

    def __call__(self, *_: object) -> Any:
        return self._later() if self.is_async else self._now()

    def _now(self) -> object:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def _later(self) -> object:
        return self._now()

    @property
    def raises(self) -> bool:
        return isinstance(self.answer, Exception)


FAULTS = [RuntimeError("broken"), KeyError("n"), AssertionError()]
clear = st.builds(Reply, st.booleans(), st.booleans())
odd = st.builds(Reply, st.sampled_from([None, 0, 1, "no", ""]), st.booleans())
broken = st.builds(Reply, st.sampled_from(FAULTS), st.booleans())
# Faults are rare, or nearly every judgement would be a denial and the rest go unseen.
replies = st.one_of(clear, clear, clear, odd, broken)


@cache
def _tool(name: str, risk: Risk, callers: frozenset[str]) -> Tool:
    async def body() -> None: ...

    said: dict[str, Any] = {"risk": risk, "requires_approval": True, "caller_roles": callers}
    return tool(name=name, description="", category="files", **said)(body)


def declared(
    name: str = "bash",
    risk: Risk = Risk.MODERATE,
    wish: bool | Reply = False,
    callers: frozenset[str] = frozenset(),
) -> EffectiveTool:
    return replace(effective(_tool(name, risk, callers), None), requires_approval=wish)


tools = st.builds(
    declared,
    st.sampled_from(NAMES),
    st.sampled_from(Risk),
    st.booleans() | replies,
    st.sampled_from([*[frozenset[str]()] * 4, frozenset({"cook"}), frozenset({"guard"})]),
)


EFFECTS, WHEN = st.sampled_from(Effect), st.none() | replies


def rules(
    effects: st.SearchStrategy[Effect] = EFFECTS,
    when: st.SearchStrategy[Reply | None] = WHEN,
) -> st.SearchStrategy[Rule]:
    return st.builds(
        Rule,
        name=st.sampled_from(["r1", "r2", "r3"]),
        effect=effects,
        tools=st.sampled_from([(), ("bash",), ("bash*",), ("read_file", "bash_admin"), ("*",)]),
        categories=st.sampled_from([frozenset[str](), frozenset({"files"}), frozenset({"web"})]),
        risks=st.sampled_from([frozenset[Risk](), frozenset({Risk.SAFE, Risk.MODERATE})]),
        when=when,
        audience=st.sampled_from([None, Audience.of("boss")]),
    )


said = [None, *Effect, Ask(by="?"), Deny(by="?"), Allow(by="?")]
hooks = st.one_of(
    st.none(),
    st.none(),
    st.builds(Reply, st.sampled_from(said), st.booleans()),
    st.builds(Reply, st.sampled_from(["allow!", *FAULTS]), st.booleans()),
)
policies = st.builds(
    Policy,
    rules=st.lists(rules(), max_size=4).map(tuple),
    hook=hooks,
    approvals=st.sampled_from([True, True, True, False]),
    people_may_allow=st.frozensets(st.sampled_from(Risk)),
)
abouts = st.sampled_from(
    [
        {"tool": "bash"},
        {"tool": "read_file"},
        {"category": "files"},
        {"category": "web"},
        *({"risk": risk} for risk in Risk),
    ]
)
# The call's only argument is `n`, and it is 1.
limits = st.sampled_from(
    [
        {},
        {},
        {"argument": "n", "at_least": 1},
        {"argument": "n", "at_least": "1.01"},
        {"argument": "m", "at_least": 5},
    ]
)
own_asks = st.builds(lambda about, limit: OwnRule("ask", **about, **limit), abouts, limits)
own_allows = st.builds(lambda about: OwnRule("allow", **about), abouts)


def listed(rules: Iterable[OwnRule], name: str) -> tuple[ListedRule, ...]:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return tuple(ListedRule(id=f"{name}_{n}", rule=rule, at=at) for n, rule in enumerate(rules))


own = st.lists(own_asks | own_allows, max_size=3).map(
    lambda rules: OwnRules(version=1, rules=listed(rules, "old"))
)
gates = st.builds(Gate, policy=policies, per_run=st.none() | replies, own=own)
# The same without faults and without matchers: here it is precedence alone that decides.
sound_gates = st.builds(
    Gate,
    policy=st.builds(
        Policy,
        rules=st.lists(
            st.builds(Rule, name=st.just("r"), effect=EFFECTS, when=st.none() | clear | odd),
            max_size=2,
        ).map(tuple),
        hook=st.none() | st.builds(Reply, st.sampled_from(said)),
        people_may_allow=st.frozensets(st.sampled_from(Risk)),
    ),
    per_run=st.none() | clear,
    own=own,
)
sound_tools = st.builds(declared, wish=st.booleans() | clear | odd)


def judge(gate: Gate, item: EffectiveTool) -> Ruling:
    return asyncio.run(gate.rule_on(item, {"n": 1}, CONTEXT))


def strength(ruling: Ruling) -> int:
    return STRENGTH[type(ruling)]


def with_rules(gate: Gate, *more: Rule, at: int = 0) -> Gate:
    old = gate.policy.rules
    at = at % (len(old) + 1)
    return replace(gate, policy=replace(gate.policy, rules=(*old[:at], *more, *old[at:])))


def with_own(gate: Gate, *more: OwnRule) -> Gate:
    """The gate with these rules of the owner before the others, under ids of their own."""
    return replace(gate, own=OwnRules(version=2, rules=(*listed(more, "new"), *gate.own.rules)))


def matches(rule: Rule, item: EffectiveTool) -> bool:
    """By the words of the design: an allow needs a yes, the others anything but a no."""
    if not rule.covers(item) or not isinstance(rule.when, Reply):
        return rule.covers(item)
    said = rule.when.answer
    return said is True if rule.effect is Effect.ALLOW else said is not False


def wants(gate: Gate, item: EffectiveTool, effect: Effect) -> bool:
    """By the words of the design: a person's rule is about one thing, and may have a limit."""
    about = (item.tool.name, "", None), ("", item.category, None), ("", "", item.risk)
    return any(
        rule.effect is effect
        and (rule.tool, rule.category, rule.risk) in about
        and (rule.argument != "n" or rule.at_least == 1)
        for rule in (each.rule for each in gate.own.rules)
    )


def by_the_book(gate: Gate, item: EffectiveTool) -> type[Ruling]:
    """The design's steps, written down once more."""
    if item.tool.caller_roles and item.tool.caller_roles.isdisjoint(COOK.roles):
        return Deny
    covering = [rule for rule in gate.policy.rules if rule.covers(item)]
    asked = [item.requires_approval, gate.per_run, gate.policy.hook, *(r.when for r in covering)]
    replied = [each.answer for each in asked if isinstance(each, Reply)]
    hook = gate.policy.hook.answer if isinstance(gate.policy.hook, Reply) else None
    effects = {rule.effect for rule in covering if matches(rule, item)}
    if any(isinstance(answer, Exception) for answer in replied) or hook == "allow!":
        return Deny
    if Effect.DENY in effects or hook is Effect.DENY or isinstance(hook, Deny):
        return Deny
    asks_me = wants(gate, item, Effect.ASK)
    if asks_me or Effect.ASK in effects or hook is Effect.ASK or isinstance(hook, Ask):
        return Ask if gate.policy.approvals else Allow
    waived = Effect.ALLOW in effects or hook is Effect.ALLOW or isinstance(hook, Allow)
    wish = item.requires_approval if gate.per_run is None else gate.per_run
    asks = wish.answer is not False if isinstance(wish, Reply) else bool(wish)
    permitted = item.risk in gate.policy.people_may_allow and gate.per_run is None
    if permitted and wants(gate, item, Effect.ALLOW):
        asks = False
    return Ask if asks and not waived and gate.policy.approvals else Allow


# requirement: R22
@settings(max_examples=400)
@given(gates | sound_gates, tools | sound_tools)
def test_the_gate_judges_by_its_one_precedence(gate: Gate, item: EffectiveTool) -> None:
    assert type(judge(gate, item)) is by_the_book(gate, item)


@given(gates, tools, own_asks)
def test_an_own_rule_that_asks_never_loosens_anything(
    gate: Gate, item: EffectiveTool, rule: OwnRule
) -> None:
    before = judge(gate, item)

    after = judge(with_own(gate, rule), item)

    assert strength(after) >= strength(before)
    if rule.matches(item, {"n": 1}) and gate.policy.approvals:
        assert strength(after) >= strength(Ask())


@given(gates, tools, own_allows)
def test_an_own_rule_that_allows_waives_only_a_wish_of_a_permitted_risk(
    gate: Gate, item: EffectiveTool, rule: OwnRule
) -> None:
    before = judge(gate, item)

    after = judge(with_own(gate, rule), item)

    if strength(after) < strength(before):
        assert isinstance(before, Ask)
        assert before.by == "tool"
        assert item.risk in gate.policy.people_may_allow
        assert rule.covers(item)
        assert after == Allow(by="own:new_0", waived=True)


@given(gates, tools, st.lists(own_allows, min_size=1))
def test_without_leave_of_the_deployment_rules_that_allow_change_nothing(
    gate: Gate, item: EffectiveTool, rules: list[OwnRule]
) -> None:
    strict = replace(gate, policy=replace(gate.policy, people_may_allow=frozenset()))

    assert judge(with_own(strict, *rules), item) == judge(strict, item)


@given(gates, tools, rules(st.sampled_from([Effect.ASK, Effect.DENY])), st.integers(0, 4))
def test_a_rule_that_is_no_allow_never_loosens_anything(
    gate: Gate, item: EffectiveTool, rule: Rule, at: int
) -> None:
    before = judge(gate, item)

    after = judge(with_rules(gate, rule, at=at), item)

    assert strength(after) >= strength(before)


@given(gates, tools, rules(st.just(Effect.ALLOW)), st.integers(0, 4))
def test_an_allow_rule_waives_only_what_the_tool_or_the_run_wished(
    gate: Gate, item: EffectiveTool, rule: Rule, at: int
) -> None:
    before = judge(gate, item)

    after = judge(with_rules(gate, rule, at=at), item)

    if isinstance(before, Deny):
        assert isinstance(after, Deny)
    if isinstance(before, Ask) and before.by not in ("tool", "override", "run"):
        assert not isinstance(after, Allow)


@given(gates, tools, rules(when=broken), st.integers(0, 4))
def test_a_predicate_that_raises_denies(
    gate: Gate, item: EffectiveTool, rule: Rule, at: int
) -> None:
    ruling = judge(with_rules(gate, rule, at=at), item)

    if rule.covers(item):
        assert isinstance(ruling, Deny)


@given(gates, tools, broken, st.sampled_from(["wish", "run", "hook"]))
def test_a_wish_a_run_or_a_hook_that_raises_denies(
    gate: Gate, item: EffectiveTool, reply: Reply, where: str
) -> None:
    match where:
        case "wish":
            item = replace(item, requires_approval=reply)
        case "run":
            gate = replace(gate, per_run=reply)
        case _:
            gate = replace(gate, policy=replace(gate.policy, hook=reply))

    assert isinstance(judge(gate, item), Deny)


@given(gates, tools, st.randoms(use_true_random=False))
def test_the_order_of_rules_does_not_matter(gate: Gate, item: EffectiveTool, random: Any) -> None:
    shuffled = list(gate.policy.rules)
    random.shuffle(shuffled)

    other = replace(gate, policy=replace(gate.policy, rules=tuple(shuffled)))

    assert strength(judge(other, item)) == strength(judge(gate, item))


@given(st.lists(rules(when=st.none() | clear | odd), max_size=5), st.booleans())
def test_matching_rules_decide_by_the_strongest(made: list[Rule], asks: bool) -> None:
    item = declared(wish=asks)
    effects = {rule.effect for rule in made if matches(rule, item)}

    ruling = judge(Gate(policy=Policy(rules=tuple(made))), item)

    if Effect.DENY in effects:
        assert isinstance(ruling, Deny)
    elif Effect.ASK in effects:
        assert isinstance(ruling, Ask)
    elif Effect.ALLOW in effects:
        assert isinstance(ruling, Allow)
    else:
        assert isinstance(ruling, Ask if asks else Allow)


@given(gates, tools)
def test_without_approvals_questions_are_waived_and_denials_stay(
    gate: Gate, item: EffectiveTool
) -> None:
    on = judge(replace(gate, policy=replace(gate.policy, approvals=True)), item)

    off = judge(replace(gate, policy=replace(gate.policy, approvals=False)), item)

    assert isinstance(off, Deny) == isinstance(on, Deny)
    assert not isinstance(off, Ask)
    if isinstance(on, Ask):
        assert off == Allow(by="approvals:off", waived=True)


@given(gates, tools, rules(st.just(Effect.DENY)))
def test_what_the_claim_denies_the_judgement_denied(
    gate: Gate, item: EffectiveTool, rule: Rule
) -> None:
    gate = with_rules(gate, rule)

    denied = gate.denies_now(item, {"n": 1}, CONTEXT)

    if denied is not None:
        assert isinstance(judge(gate, item), Deny)
        # The claim asks this first, and leaves the rest out.
        assert gate.judges_now(item)


@given(gates, tools)
def test_the_claim_looks_at_who_calls_whatever_the_rules_are(
    gate: Gate, item: EffectiveTool
) -> None:
    locked = replace(item, tool=replace(item.tool, caller_roles=frozenset({"guard"})))

    assert gate.judges_now(locked)
    assert gate.denies_now(locked, {"n": 1}, CONTEXT) is not None


@given(gates, tools)
def test_who_may_not_call_a_tool_is_denied_before_anything_is_asked(
    gate: Gate, item: EffectiveTool
) -> None:
    locked = replace(item, tool=replace(item.tool, caller_roles=frozenset({"guard"})))

    assert judge(gate, locked) == Deny(
        by="caller", reason="The owner of this conversation may not use this tool."
    )


@given(gates, tools, st.booleans())
def test_an_override_replaces_the_wish_and_nothing_else(
    gate: Gate, item: EffectiveTool, asks: bool
) -> None:
    override = Override(requires_approval=asks)

    changed = effective(item.tool, override)

    plain = replace(item, requires_approval=asks, overridden=True)
    assert judge(gate, changed) == judge(gate, plain)


names = st.text("abcdefgh_-", min_size=1, max_size=6).filter(lambda name: name[0] != "-")


@given(names, names)
def test_a_name_without_a_star_covers_that_tool_only(wanted: str, other: str) -> None:
    for name in (wanted, other, wanted + other, other + wanted):
        assert Rule.of(Effect.DENY, wanted).covers(declared(name)) == (wanted == name)


@given(names, names, names)
def test_a_star_stands_for_anything_between_what_is_written(a: str, b: str, c: str) -> None:
    item = declared(f"{a}{b}{c}")

    assert Rule.of(Effect.DENY, f"{a}*{c}").covers(item)
    assert not Rule.of(Effect.DENY, f"{a}*{c}x").covers(item)


rulings = st.lists(
    st.sampled_from([Allow(by="a"), Allow(by="b"), Ask(by="a"), Ask(by="b"), Deny(by="a")])
)


@given(rulings)
def test_the_strongest_of_rulings_is_the_first_of_the_strictest(given_: list[Ruling]) -> None:
    found = strongest(given_)

    if not given_:
        assert found is None
    else:
        top = max(strength(ruling) for ruling in given_)
        assert found == next(ruling for ruling in given_ if strength(ruling) == top)


def test_the_replies_of_these_tests_include_what_they_promise() -> None:
    """The strategies would prove nothing if coroutines were never awaited."""
    late: Callable[..., Awaitable[object]] = Reply(True, is_async=True)
    item = declared()
    rule = Rule(name="late", effect=Effect.DENY, when=late)  # pyright: ignore[reportArgumentType]

    assert isinstance(judge(Gate(policy=Policy(rules=(rule,))), item), Deny)
