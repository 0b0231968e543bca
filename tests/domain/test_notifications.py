"""When a person hears of a request: risks, quiet hours, digests, and what is urgent."""

from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assent.domain.notifications import NEVER, NotificationSettings, QuietHours
from assent.domain.tools import Risk
from assent.errors import InvalidParameter

BERLIN = ZoneInfo("Europe/Berlin")
NIGHT = QuietHours(start=time(22), end=time(7), zone="Europe/Berlin")
HOUR = timedelta(hours=1)


def berlin(*parts: int, fold: int = 0) -> datetime:
    """A moment by the clocks of Berlin."""
    return datetime(*parts, tzinfo=BERLIN, fold=fold).astimezone(UTC)  # type: ignore[misc,arg-type] - a date and a time


@pytest.mark.parametrize(
    ("now", "end"),
    [
        (berlin(2030, 1, 10, 21, 59), None),
        (berlin(2030, 1, 10, 22, 0), berlin(2030, 1, 11, 7, 0)),
        (berlin(2030, 1, 10, 23, 59), berlin(2030, 1, 11, 7, 0)),
        (berlin(2030, 1, 11, 0, 0), berlin(2030, 1, 11, 7, 0)),
        (berlin(2030, 1, 11, 6, 59), berlin(2030, 1, 11, 7, 0)),
        (berlin(2030, 1, 11, 7, 0), None),
        # The last day of a month and of a year.
        (berlin(2030, 12, 31, 23, 0), berlin(2031, 1, 1, 7, 0)),
    ],
)
def test_quiet_hours_may_reach_over_midnight(now: datetime, end: datetime | None) -> None:
    assert NIGHT.end_after(now) == end


def test_quiet_hours_within_a_day_end_on_that_day() -> None:
    lunch = QuietHours(start=time(12), end=time(13, 30), zone="Europe/Berlin")
    assert lunch.end_after(berlin(2030, 5, 1, 11, 59)) is None
    assert lunch.end_after(berlin(2030, 5, 1, 12, 0)) == berlin(2030, 5, 1, 13, 30)
    assert lunch.end_after(berlin(2030, 5, 1, 13, 30)) is None


def test_quiet_hours_end_by_the_clock_on_the_wall_when_clocks_change() -> None:
    # The night of 2030-03-31 is an hour shorter, that of 2030-10-27 an hour longer.
    spring, autumn = berlin(2030, 3, 30, 23, 0), berlin(2030, 10, 26, 23, 0)
    assert NIGHT.end_after(spring) == berlin(2030, 3, 31, 7, 0)
    assert NIGHT.end_after(autumn) == berlin(2030, 10, 27, 7, 0)
    assert berlin(2030, 3, 31, 7, 0) - spring == 7 * HOUR
    assert berlin(2030, 10, 27, 7, 0) - autumn == 9 * HOUR


def test_an_hour_that_comes_twice_is_quiet_twice() -> None:
    early = QuietHours(start=time(22), end=time(2, 30), zone="Europe/Berlin")
    first, second = (berlin(2030, 10, 27, 2, 10, fold=fold) for fold in (0, 1))
    assert second - first == HOUR
    assert early.end_after(first) == berlin(2030, 10, 27, 2, 30)
    assert early.end_after(second) == berlin(2030, 10, 27, 2, 30, fold=1)


def test_an_end_that_the_clocks_leave_out_comes_after_the_change() -> None:
    early = QuietHours(start=time(22), end=time(2, 30), zone="Europe/Berlin")
    end = early.end_after(berlin(2030, 3, 31, 1, 0))
    assert end is not None
    assert berlin(2030, 3, 31, 3, 0) <= end <= berlin(2030, 3, 31, 4, 0)


MINUTES = st.integers(0, 24 * 60 - 1).map(lambda each: time(each // 60, each % 60))
MOMENTS = st.integers(1_780_000_000, 2_000_000_000).map(lambda at: datetime.fromtimestamp(at, UTC))
ZONES = st.sampled_from(("UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu"))


@given(start=MINUTES, end=MINUTES, zone=ZONES, now=MOMENTS)
def test_the_end_of_quiet_hours_is_ahead_and_not_quiet(
    start: time, end: time, zone: str, now: datetime
) -> None:
    quiet = QuietHours(start=start, end=end, zone=zone)
    found = quiet.end_after(now)
    if found is None:
        return
    # An hour more: on one day of the year an hour comes twice.
    assert now < found <= now + timedelta(hours=25)
    if start != end:
        again = quiet.end_after(found)
        assert again is None or again <= found + HOUR


def test_without_wishes_everything_is_told_at_once() -> None:
    wishes, now = NotificationSettings(), berlin(2030, 1, 11, 3, 0)
    assert all(wishes.wants("slack", risk) for risk in (*Risk, "unheard of"))
    assert wishes.hold_until("safe", None, now) == now


def test_each_channel_has_a_risk_from_which_on_it_tells() -> None:
    wishes = NotificationSettings(least={"slack": "moderate", "email": NEVER})
    assert [wishes.wants("slack", risk) for risk in Risk] == [False, True, True]
    assert not any(wishes.wants("email", risk) for risk in (*Risk, "unheard of"))
    assert all(wishes.wants("discord", risk) for risk in Risk)
    # A risk that nobody knows is no reason to say less.
    assert wishes.wants("slack", "unheard of")


def test_what_is_not_urgent_waits_until_quiet_hours_are_over() -> None:
    wishes, now = NotificationSettings(quiet=NIGHT), berlin(2030, 1, 11, 3, 0)
    assert wishes.hold_until("moderate", None, now) == berlin(2030, 1, 11, 7, 0)
    assert wishes.hold_until("dangerous", None, now) == now
    assert wishes.hold_until("unheard of", None, now) == now
    by_day = berlin(2030, 1, 11, 15, 0)
    assert wishes.hold_until("moderate", None, by_day) == by_day


def test_what_would_expire_before_it_is_told_comes_at_once() -> None:
    wishes, now = NotificationSettings(quiet=NIGHT), berlin(2030, 1, 11, 3, 0)
    end = berlin(2030, 1, 11, 7, 0)
    assert wishes.hold_until("safe", end, now) == now
    assert wishes.hold_until("safe", end + timedelta(seconds=1), now) == end


def test_a_digest_gathers_for_a_while_and_not_into_the_quiet_hours() -> None:
    wishes = NotificationSettings(quiet=NIGHT, digest=HOUR)
    by_day, late = berlin(2030, 1, 10, 15, 0), berlin(2030, 1, 10, 21, 30)
    assert wishes.hold_until("safe", None, by_day) == by_day + HOUR
    assert wishes.hold_until("safe", None, late) == berlin(2030, 1, 11, 7, 0)
    assert wishes.hold_until("dangerous", None, by_day) == by_day
    assert wishes.hold_until("safe", by_day + HOUR, by_day) == by_day
    # Asked an hour before the end: the digest is due with it, not an hour after.
    assert wishes.hold_until("safe", None, berlin(2030, 1, 11, 6, 0)) == berlin(2030, 1, 11, 7, 0)


def test_what_is_urgent_is_chosen() -> None:
    wishes = NotificationSettings(digest=HOUR, urgent=Risk.MODERATE)
    now = berlin(2030, 1, 10, 15, 0)
    held = [wishes.hold_until(risk, None, now) > now for risk in Risk]
    assert held == [True, False, False]


@pytest.mark.parametrize(
    "wrong",
    [
        {"least": {"slack": "sometimes"}},
        {"least": {"": "safe"}},
        {"least": "safe"},
        {"quiet": "22:00"},
        {"digest": -1},
        {"digest": 8 * 24 * 3600},
        {"digest": "an hour"},
        {"urgent": "never"},
    ],
)
def test_wishes_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        NotificationSettings(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": "25:00"},
        {"end": "7"},
        {"end": "07:00:00"},
        {"start": time(7, tzinfo=UTC)},
        {"zone": "Europe/Atlantis"},
        {"zone": "Europe"},
        {"zone": "../../etc/passwd"},
        {"zone": "/etc/localtime"},
        {"zone": "tzdata.zi"},
        {"zone": ""},
        {"zone": "Europe/Berlin\x00"},
        {"zone": "x" * 100_000},
        {"zone": 1},
    ],
)
def test_hours_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {"start": "22:00", "end": "07:00", "zone": "Europe/Berlin"}
    QuietHours(**right)
    with pytest.raises(InvalidParameter):
        QuietHours(**right | wrong)


def test_wishes_are_stored_and_read_back() -> None:
    for wishes in (
        NotificationSettings(),
        NotificationSettings(
            least={"slack": "dangerous", "email": NEVER},
            quiet=NIGHT,
            digest=timedelta(minutes=15),
            urgent=Risk.MODERATE,
        ),
    ):
        assert NotificationSettings.from_json(wishes.to_json()) == wishes


def test_a_zone_that_a_machine_lacks_makes_nothing_quiet() -> None:
    stored = NotificationSettings(quiet=NIGHT).to_json()
    stored["quiet"]["zone"] = "Europe/Atlantis"
    assert NotificationSettings.from_json(stored).quiet is None
