"""Every verb by keyboard, over a database and over a server."""

from datetime import timedelta

from textual.widgets import Input

from assent.cli.inbox_app.pauses import Pauses
from tests.cli.inbox_app.office import BEN, SHORT, Office


async def test_the_list_says_risk_tool_arguments_owner_and_time(office: Office) -> None:
    await office.asks("note", text="hello")
    await office.asks("delete_file", path="notes.txt")
    async with office.seat() as seat:
        text = await seat.sees("delete_file", "note")
        first, second = text.index("▲ DANGEROUS"), text.index("◆ MODERATE")
        assert first < second
        assert 'path="notes.txt"' in text
        assert "for ana" in text
        assert "in 23 h" in text
        assert "2 waiting" in text
        await seat.sees("live")


# conformance: 47
async def test_a_simple_call_is_approved_with_one_key(office: Office) -> None:
    id = await office.asks("note", text="hello")
    async with office.seat() as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("Approved: note.", "Press j for the next one.")
        await seat.misses("◆ MODERATE")
        assert await office.rested(id) == "Done: noted"
    assert office.tools.ran == [("note", "hello")]


# requirement: D13
async def test_the_record_says_who_decided_where_and_what_was_shown(office: Office) -> None:
    id = await office.asks("note", text="hello")
    async with office.seat() as seat:
        await seat.read()
        card = await seat.backend.card(id, seat.view.columns)
        await seat.press("a")
        await seat.sees("Approved: note.")
    made = await office.assent.kernel.store.run(lambda tx: tx.decisions.of_request(id))
    assert [(each.person, each.channel, each.shown) for each in made] == [
        ("ana", office.channel, card.shown)
    ]
    assert card.shown.startswith("terminal/")


# conformance: 48, 49
async def test_a_rejection_tells_the_reason(office: Office) -> None:
    id = await office.asks("note", text="hello")
    async with office.seat() as seat:
        await seat.read()
        await seat.press("r")
        await seat.sees("Why not?")
        await seat.type("not today\n")
        await seat.sees("Rejected: note.")
    assert "not today" in await office.rested(id)
    assert office.tools.ran == []


async def test_a_rejection_can_be_given_up(office: Office) -> None:
    id = await office.asks("note", text="hello")
    async with office.seat() as seat:
        await seat.read()
        await seat.press("r")
        await seat.sees("Why not?")
        await seat.type("no")
        await seat.press("escape")
        await seat.misses("Why not?")
    assert await office.status(id) == "open"


async def test_a_dangerous_call_takes_the_whole_word_yes(office: Office) -> None:
    id = await office.asks("delete_file", path="notes.txt")
    async with office.seat() as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("Type yes and press Enter")
        assert isinstance(seat.app.focused, Input)
        await seat.type("y\n")
        await seat.sees("that was not yes")
        assert await office.status(id) == "open"
        await seat.press("backspace")
        await seat.type("yes\n")
        await seat.sees("Approved: delete_file.")
        assert await office.rested(id) == "Done: deleted"
    assert office.tools.ran == [("delete_file", "notes.txt", False)]


async def test_what_is_to_be_typed_is_compared(office: Office) -> None:
    id = await office.asks("drop", table="users")
    async with office.seat() as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("To approve this, type the value of 'table'", "users")
        await seat.type("user\n")
        await seat.sees("That is not it.")
        assert await office.status(id) == "open"
        await seat.type("s\n")
        await seat.sees("Approved: drop.")
        assert await office.rested(id) == "Done: dropped"
    assert office.tools.ran == [("drop", "users")]


async def test_a_value_is_not_typed_before_its_card_can_have_been_read(
    local_office: Office,
) -> None:
    id = await local_office.asks("drop", table="users")
    patient = Pauses(arming=SHORT.arming, dwell=timedelta(hours=1))
    async with local_office.seat(pauses=patient) as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("To approve this")
        await seat.type("users\n")
        await seat.sees("Read it first")
    assert await local_office.status(id) == "open"


# conformance: 76
async def test_a_result_is_checked_and_supplied(office: Office) -> None:
    id = await office.asks("count")
    async with office.seat() as seat:
        await seat.read()
        await seat.press("s")
        await seat.sees("Its output, as text or JSON")
        await seat.type("many")
        await seat.press("escape")
        await seat.sees("Esc once more gives it up.")
        await seat.press("ctrl+s")
        await seat.sees("That does not count")
        assert await office.status(id) == "open"
        await seat.press(*["backspace"] * 4)
        await seat.type("12")
        await seat.press("ctrl+s")
        await seat.sees("Result supplied: count.")
    assert await office.rested(id) == "Done: 12"


async def test_a_result_can_be_reported_as_failed_or_cancelled(office: Office) -> None:
    failed, cancelled = await office.asks("count"), await office.asks("count")
    async with office.seat() as seat:
        await seat.read(2)
        await seat.press("f")
        await seat.sees("What went wrong?")
        await seat.type("nobody is there\n")
        await seat.sees("Reported as failed: count.")
        await seat.press("j")
        await seat.finish()
        await seat.press("c")
        await seat.sees("Why?")
        await seat.press("enter")
        await seat.sees("Cancelled: count.")
    assert {await office.status(id) for id in (failed, cancelled)} == {"answered", "cancelled"}


async def in_doubt(office: Office) -> None:
    """A call of which nobody knows whether it ran."""
    id = await office.asks("post", text="hello")
    async with office.seat() as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("Approved: post.")
    await office.rested(id)


async def test_a_call_in_doubt_is_said_to_have_run(office: Office) -> None:
    await in_doubt(office)
    async with office.seat() as seat:
        await seat.read()
        await seat.sees("Outcome unknown", "Nobody knows whether this call ran.")
        await seat.press("r")
        await seat.sees("With which result")
        await seat.type("posted at noon")
        await seat.press("ctrl+s")
        await seat.sees("It counts as run: post.")
    assert office.tools.ran == [("post", "hello")]


async def test_a_call_in_doubt_is_said_not_to_have_run(office: Office) -> None:
    await in_doubt(office)
    async with office.seat() as seat:
        await seat.read()
        await seat.press("n")
        await seat.sees("What happened?")
        await seat.type("it hung\n")
        await seat.sees("It counts as not run: post.")
    assert office.tools.ran == [("post", "hello")]


async def test_a_call_in_doubt_is_run_again_after_a_second_step(office: Office) -> None:
    await in_doubt(office)
    async with office.seat() as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("If post did run, this runs it a second time.")
        await seat.type("yes\n")
        await seat.sees("It runs again: post.")
        await seat.until(lambda: len(office.tools.ran) == 2, "the second run")


# requirement: T5
async def test_one_of_two_approvals_is_recorded_and_cannot_be_given_twice(office: Office) -> None:
    id = await office.asks("merge", text="hello")
    async with office.seat() as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("It needs further approvals.", " r  reject")
        await seat.misses(" a  approve")
    assert await office.status(id) == "open"
    async with office.seat(BEN) as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("Approved: merge.")
        assert await office.rested(id) == "Done: merged"
