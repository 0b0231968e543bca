"""The version of a policy: what an approval was given under."""

from datetime import timedelta

import pytest

from assent import Audience, Confirmation, Effect, Risk, Rule
from assent.domain.policy import Policy, PolicyHook
from assent.domain.tools import Predicate

PLAIN = (
    Rule.of(
        Effect.ASK,
        "pay",
        audience=Audience.of("boss"),
        quorum=2,
        confirmation=Confirmation.TYPED,
        reason="big",
    ),
    Rule.of(Effect.DENY, "rm*", risks=frozenset({Risk.DANGEROUS})),
)


def above(limit: int) -> Predicate:
    return lambda args, _: args["amount"] > limit  # pyright: ignore[reportOperatorIssue, reportOptionalOperand, reportUnknownLambdaType]


def hooked(effect: Effect) -> PolicyHook:
    return lambda *_: effect


@pytest.mark.parametrize(
    ("policy", "version"),
    [
        (Policy(), "b84b57865c0177b0"),
        (Policy(approvals=False), "bf2fa95fed81fdd1"),
        (Policy(rules=PLAIN), "7371b9a2f2880e99"),
    ],
)
def test_a_policy_that_is_all_data_keeps_its_version_through_releases(
    policy: Policy, version: str
) -> None:
    assert policy.version == version


CHANGES: dict[str, tuple[Policy, Policy]] = {
    "predicate": (
        Policy(rules=(Rule.of(Effect.ASK, "pay", when=above(100)),)),
        Policy(rules=(Rule.of(Effect.ASK, "pay", when=above(10)),)),
    ),
    "hook": (Policy(hook=hooked(Effect.ASK)), Policy(hook=hooked(Effect.ALLOW))),
    "decide_within": (
        Policy(rules=(Rule.of(Effect.ASK, "pay", decide_within=timedelta(hours=1)),)),
        Policy(rules=(Rule.of(Effect.ASK, "pay", decide_within=timedelta(hours=2)),)),
    ),
    "no decide_within": (
        Policy(rules=(Rule.of(Effect.ASK, "pay"),)),
        Policy(rules=(Rule.of(Effect.ASK, "pay", decide_within=timedelta(hours=2)),)),
    ),
    "said by hand": (Policy(named="7"), Policy(named="8")),
}


# requirement: T1
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_of_what_it_says_is_another_version(change: str) -> None:
    before, after = CHANGES[change]
    assert before.version != after.version


def test_what_a_hook_comes_to_remember_is_no_other_policy() -> None:
    seen: list[int] = []

    def counting(*_: object) -> None:
        seen.append(1)

    policy, before = Policy(hook=counting), Policy(hook=counting).version
    counting()

    assert policy.version == before


def test_a_version_said_by_hand_counts_instead_of_the_code() -> None:
    before, after = (Policy(hook=hooked(each), named="7") for each in (Effect.ASK, Effect.ALLOW))
    assert before.version == after.version
