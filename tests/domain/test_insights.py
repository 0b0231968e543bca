"""Windows in UTC, and hours that stand out."""

from datetime import UTC, datetime, timedelta

import pytest

from assent.domain.insights import AnswerFigures, DecisionRow, Hourly, Period, Window, surges

NOW = datetime(2030, 1, 8, 10, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


def hours(agent: str, *counts: int) -> list[Hourly]:
    """What an agent asked in successive hours."""
    begin = NOW.replace(minute=0) - len(counts) * HOUR
    return [
        Hourly(agent=agent, hour=begin + number * HOUR, count=count)
        for number, count in enumerate(counts)
        if count
    ]


def test_a_window_is_of_whole_days_and_the_last_is_not_over() -> None:
    window = Window.of(Period.WEEK, NOW)
    assert window.slots == tuple(datetime(2030, 1, day, tzinfo=UTC) for day in range(2, 9))
    assert (window.start, window.end) == (window.slots[0], NOW)


def test_the_shortest_window_is_of_whole_hours() -> None:
    window = Window.of(Period.DAY, NOW)
    assert window.start == datetime(2030, 1, 7, 11, tzinfo=UTC)
    assert len(window.slots) == 24
    assert window.slots[-1] == datetime(2030, 1, 8, 10, tzinfo=UTC)


@pytest.mark.parametrize(("period", "days"), [(Period.MONTH, 30), (Period.QUARTER, 90)])
def test_a_window_at_midnight_itself_has_begun_its_last_day(period: Period, days: int) -> None:
    midnight = NOW.replace(hour=0, minute=0)
    window = Window.of(period, midnight)
    assert len(window.slots) == days
    assert window.slots[-1] == midnight


def test_an_hour_far_above_the_usual_is_a_surge() -> None:
    [found] = surges(hours("desk", 5, 6, 25, 4), [])
    assert (found.count, found.usual, found.unusual, found.refused) == (25, 5, True, 0)


def test_four_times_the_usual_is_none_yet() -> None:
    assert surges(hours("desk", 5, 20, 5), []) == ()
    assert len(surges(hours("desk", 5, 21, 5), [])) == 1


def test_few_questions_are_no_surge_however_rare_they_are() -> None:
    assert surges(hours("desk", 1, 19, 1), []) == ()


def test_a_first_flood_does_not_make_itself_usual() -> None:
    assert [each.usual for each in surges(hours("desk", 500), [])] == [0]


def test_agents_are_measured_by_themselves() -> None:
    busy, quiet = hours("busy", 90, 100, 95), hours("quiet", 1, 30, 2)
    assert [each.agent for each in surges(busy + quiet, [])] == ["quiet"]


def test_a_refusal_stands_out_by_itself() -> None:
    refused = hours("desk", 3)
    [found] = surges([], refused)
    assert (found.count, found.refused, found.unusual) == (0, 3, False)
    [both] = surges(hours("desk", 2), refused)
    assert (both.count, both.refused) == (2, 3)


# requirement: F6
@pytest.mark.parametrize(
    ("quick", "slow", "is_hasty"), [(5, 5, True), (10, 0, True), (4, 6, False), (9, 0, False)]
)
def test_a_habit_is_half_of_ten_answers_that_nobody_can_have_read(
    quick: int, slow: int, is_hasty: bool
) -> None:
    waits = [timedelta(seconds=1)] * quick + [timedelta(seconds=2)] * slow
    rulings = [DecisionRow("mail", "grace", "approve", False, 0, wait) for wait in waits]
    assert AnswerFigures.of("grace", rulings).is_hasty is is_hasty
