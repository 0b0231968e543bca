"""A process dies at every step of what people answer, not only of what they approve."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.engine.failpoints import POINTS
from tests.conformance.records import everything
from tests.faults import story_program, worker_program
from tests.faults.deaths import Death, die
from tests.faults.nursery import DEADLINE_SECONDS, Nursery
from tests.faults.story_program import PIN, STORIES, play
from tests.faults.worker_program import AFTER_EFFECT, BEFORE_EFFECT, Counter

_START = ("inside_send", "after_send", "before_proposal", "inside_proposal", "after_proposal")
_DECISION = ("before_decision", "inside_decision", "after_decision")
_RUN = ("after_claim", "before_body", "after_body")
_OUTCOME = ("before_outcome", "inside_outcome", "after_outcome")
_ANSWER = ("before_answer", "inside_answer", "after_answer")
_EFFECT = (BEFORE_EFFECT, AFTER_EFFECT)


def _again(points: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{point}:2" for point in points)


# Where each story can die, in the order of its commits.
PLACES: dict[str, tuple[str, ...]] = {
    "form": (*_START, *_DECISION, "inside_claim", *_RUN, *_EFFECT, *_OUTCOME, *_ANSWER),
    "gated_form": (*_DECISION, *_again(_DECISION), "inside_claim", *_RUN, *_EFFECT, *_OUTCOME),
    "asks": (*_RUN, *_OUTCOME, *_DECISION, *_again(_RUN), *_EFFECT, *_again(_OUTCOME)),
    "deferred": (*_RUN, *_EFFECT, *_OUTCOME, *_DECISION, *_ANSWER),
    "manual": (*_START, *_DECISION, *_ANSWER),
    "batch": (
        *(*_START, *_DECISION, *_again(_DECISION), "inside_claim", *_again(("inside_claim",))),
        *(*_RUN, *_again(_RUN), *_EFFECT, *_OUTCOME, *_again(_OUTCOME), *_ANSWER),
    ),
}
# Who says what became of a call in doubt dies while saying it; one it did not run, the other did.
RESOLVING = {
    BEFORE_EFFECT: (*_DECISION, "inside_claim", *_RUN, *_OUTCOME, *_ANSWER),
    AFTER_EFFECT: (*_DECISION, *_ANSWER),
}

DEATHS = [Death(story, (place,)) for story, places in PLACES.items() for place in places]
DOUBTS = [
    Death("gated", (first, second)) for first, places in RESOLVING.items() for second in places
]


def on_postgres(deaths: list[Death]) -> list[Death]:
    """There a lease has to run out after each death: those in the middle of a commit or a body."""
    return [d for d in deaths if d.places[-1].startswith("inside_") or d.places[-1] in _EFFECT]


@pytest.fixture(scope="module")
def stories() -> Iterator[Nursery]:
    """One for all stories of this module."""
    with Nursery(story_program) as nursery:
        yield nursery


async def recover(url: str, death: Death, counter: Counter) -> None:
    """Whatever state the dead left, people lead it to its end; the world was changed once."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        turn = await play(url, death.kind, counter)

    assert (turn.status, turn.text) == (TurnStatus.DONE, "Done.")
    assert {call.status for call in turn.calls} == {CallStatus.SUCCEEDED}
    assert sorted(counter.lines()) == sorted(STORIES[death.kind].effects.values())
    # Whoever died in between left no secret behind, in the clear or sealed.
    rows = await everything(url)
    assert rows["secrets"] == []
    assert PIN not in repr(rows)


async def recover_from_doubt(url: str, counter: Counter) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        turn = await worker_program.play(url, "gated", counter)
    assert (turn.status, turn.text) == (TurnStatus.DONE, "Done.")
    assert [call.status for call in turn.calls] == [CallStatus.SUCCEEDED]
    assert counter.lines() == ["paid 5"]


# requirement: R8
# conformance: 61
@pytest.mark.parametrize("death", DEATHS, ids=str)
async def test_a_death_while_people_answer_costs_nothing_and_repeats_nothing(
    stories: Nursery, tmp_path: Path, counter: Counter, death: Death
) -> None:
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    die(stories, url, death, counter)
    await recover(url, death, counter)


# requirement: R8
# conformance: 61
@pytest.mark.postgres
@pytest.mark.parametrize("death", on_postgres(DEATHS), ids=str)
async def test_a_death_while_people_answer_costs_and_repeats_nothing_on_postgres(
    stories: Nursery, postgres_url: str, counter: Counter, death: Death
) -> None:
    die(stories, postgres_url, death, counter)
    await recover(postgres_url, death, counter)


# requirement: R8
# conformance: 61
@pytest.mark.parametrize("death", DOUBTS, ids=str)
async def test_a_death_while_a_doubt_is_resolved_repeats_nothing(
    nursery: Nursery, tmp_path: Path, counter: Counter, death: Death
) -> None:
    url = f"sqlite:///{tmp_path / 'assent.db'}"
    die(nursery, url, death, counter)
    await recover_from_doubt(url, counter)


# requirement: R8
# conformance: 61
@pytest.mark.postgres
@pytest.mark.parametrize("death", on_postgres(DOUBTS), ids=str)
async def test_a_death_while_a_doubt_is_resolved_repeats_nothing_on_postgres(
    nursery: Nursery, postgres_url: str, counter: Counter, death: Death
) -> None:
    die(nursery, postgres_url, death, counter)
    await recover_from_doubt(postgres_url, counter)


def test_every_step_that_a_story_takes_is_one_of_the_points() -> None:
    places = {place.partition(":")[0] for death in DEATHS for place in death.places}
    assert places - set(_EFFECT) <= set(POINTS)
