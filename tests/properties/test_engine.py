"""A state machine over the whole engine: people, models, tools and crashes, in any order.

`ASSENT_MACHINE_EXAMPLES` runs more of it, `ASSENT_MACHINE_SEED` runs one again.
"""

import os
import secrets
from inspect import getmembers

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RULE_MARKER, run_state_machine_as_test

from tests.properties.decisions import Decisions
from tests.properties.messages import Messages
from tests.properties.processes import Processes

EXAMPLES = int(os.environ.get("ASSENT_MACHINE_EXAMPLES", "72"))
STEPS_EACH = 75
WANTED_STEPS, WANTED_RULES = 5_000, 20
# Shrinking takes minutes: the seed is printed, and with this set it can be shrunk at leisure.
SHRINK = "ASSENT_MACHINE_SHRINK" in os.environ
PHASES = (Phase.generate, Phase.shrink) if SHRINK else (Phase.generate,)


class EngineMachine(Messages, Decisions, Processes):
    """All rules together."""


# requirement: R22
@pytest.mark.slow
def test_laws_hold_whatever_happens_in_any_order(capsys: pytest.CaptureFixture[str]) -> None:
    number = int(os.environ.get("ASSENT_MACHINE_SEED", secrets.randbits(32)))
    machine = seed(number)(EngineMachine)
    with capsys.disabled():
        print(f"\nstate machine: {EXAMPLES} runs, ASSENT_MACHINE_SEED={number}")  # noqa: T201

    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS_EACH,
            deadline=None,
            database=None,
            print_blob=True,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
            phases=PHASES,
        ),
    )

    with capsys.disabled():
        print(f"state machine: {machine.steps} steps, {machine.acted} acts")  # noqa: T201
    rules = [name for name, item in getmembers(machine) if hasattr(item, RULE_MARKER)]
    assert len(rules) >= WANTED_RULES
    assert machine.steps >= min(WANTED_STEPS, EXAMPLES * STEPS_EACH // 2)
