"""A process dies at every step of every story; whoever starts again finds all of it, done once."""

import asyncio
import re
from pathlib import Path

import pytest

import assent.engine
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.engine.failpoints import POINTS, POSTING, UPLOADING
from tests.faults.deaths import Death, die
from tests.faults.nursery import DEADLINE_SECONDS, Nursery
from tests.faults.worker_program import (
    AFTER_EFFECT,
    BEFORE_EFFECT,
    KINDS,
    Counter,
    play,
)

EFFECT = (BEFORE_EFFECT, AFTER_EFFECT)
_DECISION = ("before_decision", "inside_decision", "after_decision")
# A story that does not pass a point, and why.
SKIPS: dict[str, frozenset[str]] = {
    "gated": frozenset({"before_claim"}),  # claimed in the commit of the decision
    "edited": frozenset({"before_claim"}),
    "idempotent": frozenset({"before_claim"}),
    "ungated": frozenset({*_DECISION, "before_claim", "inside_claim"}),  # claimed when proposed
    "elsewhere": frozenset(),
    "hitl": frozenset({"before_claim"}),
}
# The hook of a HITL tool runs under a second claim, after the answer.
AGAIN = {"hitl": ("after_claim", "before_body", "after_body", "inside_outcome", "after_outcome")}
# What only a second worker does is reached through a first death.
PRELUDE = {point: "before_body" for point in POINTS if point.endswith("_doubt")} | {
    point: "before_answer" for point in POINTS if point.endswith("_resume")
}


def deaths() -> list[Death]:
    made: list[Death] = []
    for kind, skipped in SKIPS.items():
        again = tuple(f"{point}:2" for point in AGAIN.get(kind, ()))
        for point in (*POINTS, *EFFECT, *again):
            if point not in skipped:
                first = (PRELUDE[point],) if point in PRELUDE else ()
                made.append(Death(kind, (*first, point)))
    return made


DEATHS = deaths()
# On PostgreSQL a lease has to run out after each death: the stories whose commits differ.
ON_POSTGRES = [death for death in DEATHS if death.kind in ("gated", "elsewhere")]


async def recover(url: str, death: Death, counter: Counter) -> None:
    """Whatever state the dead left, people lead it to its end; the world was changed once."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        turn = await play(url, death.kind, counter)
    assert (turn.status, turn.text) == (TurnStatus.DONE, "Done.")
    [call] = turn.calls
    effect = KINDS[death.kind].effect
    if death.kind == "idempotent":
        assert set(counter.lines()) == {effect}
        assert len(counter.lines()) <= 1 + len(death.places)
    elif call.status is CallStatus.FAILED:
        # A hook that died is not run again: the model gets the person's own words and an error.
        assert death.kind == "hitl"
        assert effect in (call.output or "")
        assert counter.lines() in ([], [effect])
        return
    else:
        assert counter.lines() == [effect]
    assert call.status is CallStatus.SUCCEEDED


# requirement: R8
# conformance: 61
@pytest.mark.parametrize("death", DEATHS, ids=str)
async def test_a_death_anywhere_costs_no_call_and_repeats_none(
    nursery: Nursery, tmp_path: Path, counter: Counter, death: Death
) -> None:
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    die(nursery, url, death, counter)
    await recover(url, death, counter)


# requirement: R8
# conformance: 61
@pytest.mark.postgres
@pytest.mark.parametrize("death", ON_POSTGRES, ids=str)
async def test_a_death_anywhere_costs_no_call_and_repeats_none_on_postgres(
    nursery: Nursery, postgres_url: str, counter: Counter, death: Death
) -> None:
    die(nursery, postgres_url, death, counter)
    await recover(postgres_url, death, counter)


def test_every_point_is_in_the_engine_and_every_one_there_is_listed() -> None:
    [folder] = assent.engine.__path__
    sources = [path.read_text() for path in sorted(Path(folder).rglob("*.py"))]
    used = {name for text in sources for name in re.findall(r"\bpoint\(\"(\w+)\"\)", text)}
    assert used == {*POINTS, *POSTING, *UPLOADING}


def test_every_point_kills_in_some_story() -> None:
    assert {death.places[-1] for death in DEATHS} >= set(POINTS)
    assert {death.places[-1] for death in ON_POSTGRES} >= set(POINTS)
