"""A state machine over the whole engine: people, models, tools and crashes, in any order.

`ASSENT_MACHINE_EXAMPLES` runs more of it, `ASSENT_MACHINE_SEED` runs one again.
"""

import os
import secrets
from collections.abc import Callable
from inspect import getmembers
from math import ceil

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RULE_MARKER, run_state_machine_as_test

from tests.properties.decisions import Decisions
from tests.properties.messages import Messages
from tests.properties.processes import Processes

USUAL_EXAMPLES, STEPS_EACH = 72, 75
EXAMPLES = int(os.environ.get("ASSENT_MACHINE_EXAMPLES", USUAL_EXAMPLES))
WANTED_STEPS, WANTED_RULES = 5_000, 20
MOST_ROUNDS = 10
# Shrinking takes minutes: the seed is printed, and with this set it can be shrunk at leisure.
SHRINK = "ASSENT_MACHINE_SHRINK" in os.environ
PHASES = (Phase.generate, Phase.shrink) if SHRINK else (Phase.generate,)


class EngineMachine(Messages, Decisions, Processes):
    """All rules together."""


def play(examples: int, number: int) -> None:
    """Run that many examples, the same ones for the same number."""
    run_state_machine_as_test(
        seed(number)(EngineMachine),
        settings=settings(
            max_examples=examples,
            stateful_step_count=STEPS_EACH,
            deadline=None,
            database=None,
            print_blob=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
            phases=PHASES,
        ),
    )


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Tell whoever watches, also if all goes well."""

    def say(text: str) -> None:
        with capsys.disabled():
            print(f"\nstate machine: {text}")  # noqa: T201

    return say


def test_the_machine_has_many_rules() -> None:
    rules = [name for name, item in getmembers(EngineMachine) if hasattr(item, RULE_MARKER)]
    assert len(rules) >= WANTED_RULES


# requirement: R22
@pytest.mark.slow
def test_laws_hold_whatever_happens_in_any_order(say: Callable[[str], None]) -> None:
    number = int(os.environ.get("ASSENT_MACHINE_SEED", secrets.randbits(32)))
    # Whoever asks for fewer examples wants fewer steps, too.
    wanted = WANTED_STEPS if EXAMPLES >= USUAL_EXAMPLES else 0

    examples = EXAMPLES
    for again in range(MOST_ROUNDS):
        say(f"{examples} runs, ASSENT_MACHINE_SEED={number + again}")
        play(examples, number + again)
        # Some runs end early: a few more make up for them.
        if (examples := ceil((wanted - EngineMachine.steps) / STEPS_EACH)) <= 0:
            break

    say(f"{EngineMachine.steps} steps, {EngineMachine.acted} acts")
    assert EngineMachine.steps >= wanted
