"""What was looked up a moment ago is bounded, in age and in number."""

from datetime import timedelta

from assent.engine.ttl_cache import TtlCache
from assent.testing import VirtualClock


def test_a_value_is_remembered_for_its_time_and_no_longer(clock: VirtualClock) -> None:
    kept = TtlCache[int](clock.monotonic, 1.0)
    kept.put("a", 1)
    clock.advance(timedelta(milliseconds=999))
    assert kept.get("a") == 1
    clock.advance(timedelta(milliseconds=1))
    assert kept.get("a") is None


def test_looking_does_not_make_it_last_longer(clock: VirtualClock) -> None:
    kept = TtlCache[int](clock.monotonic, 1.0)
    kept.put("a", 1)
    for _ in range(3):
        clock.advance(timedelta(milliseconds=300))
        assert kept.get("a") == 1
    clock.advance(timedelta(milliseconds=300))
    assert kept.get("a") is None


def test_the_oldest_goes_when_there_are_too_many(clock: VirtualClock) -> None:
    kept = TtlCache[int](clock.monotonic, 1.0, limit=2)
    for number, name in enumerate("abc"):
        kept.put(name, number)
    assert [kept.get(name) for name in "abc"] == [None, 1, 2]
    kept.clear()
    assert kept.get("c") is None
