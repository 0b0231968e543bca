"""Forms in steps in the full-screen inbox: back and forth, kept at each step, sent at the end."""

from textual.widgets import Input, Select

from assent import draft
from assent.cli.inbox_app.form_fields import FieldBox
from tests.cli.inbox_app.office import ANA, Office, Seat


def box(seat: Seat, name: str) -> FieldBox:
    return next(each for each in seat.app.screen.query(FieldBox) if each.item.name == name)


def fill(seat: Seat, name: str, text: str) -> None:
    box(seat, name).query_one(Input).value = text


def choose(seat: Seat, name: str, value: str) -> None:
    box(seat, name).query_one(Select).value = value


async def opened(seat: Seat, *words: str) -> None:
    await seat.read()
    await seat.press("a")
    await seat.sees("To ship it", *words)


async def test_steps_are_filled_in_back_and_forth_and_sent_after_the_last(office: Office) -> None:
    id = await office.asks("ship", order="7")
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat, "Step 1 of 2: Who", "Next (Ctrl-S)")
        await seat.type("Bea")
        choose(seat, "country", "NO")
        await seat.sees("Step 1 of 3: Who")
        await seat.press("ctrl+s")
        await seat.sees("Step 2 of 3: Customs", "Only abroad")
        await seat.type("books")
        await seat.press("ctrl+b")
        await seat.sees("Step 1 of 3: Who")
        assert box(seat, "name").answer() == "Bea"
        await seat.press("ctrl+s")
        await seat.sees("Step 2 of 3: Customs")
        assert box(seat, "contents").answer() == "books"
        await seat.press("ctrl+s")
        await seat.sees("Step 3 of 3: Payment", "Send (Ctrl-S)")
        await seat.type("canary-9")
        await seat.press("ctrl+s")
        await seat.sees("Answered: ship.")
        await office.rested(id)
    assert office.tools.ran == [("ship", "Bea", "NO", "books", "canary-9")]


async def test_a_step_with_an_error_is_not_left(local_office: Office) -> None:
    office = local_office
    await office.asks("ship", order="7")
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat, "Step 1 of 2: Who")
        await seat.press("ctrl+s")
        await seat.sees("Step 1 of 2: Who", "This is required.", "see above")


async def test_what_was_kept_is_there_when_the_form_is_opened_again(office: Office) -> None:
    id = await office.asks("ship", order="7")
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat, "Step 1 of 2: Who")
        fill(seat, "name", "Bea")
        choose(seat, "country", "NO")
        await seat.press("ctrl+s")
        await seat.sees("Step 2 of 3: Customs")
    # Nothing was said to be kept, and the screen is gone.
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat, "Step 2 of 3: Customs")
        fill(seat, "contents", "books")
        await seat.press("ctrl+s")
        await seat.sees("Step 3 of 3: Payment")
        await seat.type("canary-9")
        await seat.press("ctrl+s")
        await seat.sees("Answered: ship.")
        await office.rested(id)
    assert office.tools.ran == [("ship", "Bea", "NO", "books", "canary-9")]


async def test_only_what_no_step_kept_is_asked_about_before_it_is_given_up(
    local_office: Office,
) -> None:
    await local_office.asks("ship", order="7")
    async with local_office.seat(size=(120, 60)) as seat:
        await opened(seat, "Step 1 of 2: Who")
        fill(seat, "name", "Bea")
        choose(seat, "country", "NO")
        await seat.press("ctrl+s")
        await seat.sees("Step 2 of 3: Customs")
        await seat.type("books")
        await seat.press("ctrl+b")
        await seat.sees("Step 1 of 3: Who")
        await seat.press("ctrl+s")
        await seat.sees("Step 2 of 3: Customs")
        await seat.press("escape")
        await seat.sees("Esc once more gives it up.")
        await seat.press("ctrl+s")
        await seat.sees("Step 3 of 3: Payment")
        await seat.press("escape")
        await seat.misses("Back (Esc)")


async def test_an_answer_from_elsewhere_is_not_replaced_unseen(office: Office) -> None:
    id = await office.asks("ship", order="7")
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat, "Step 1 of 2: Who")
        await office.assent.decide(id, draft({"name": "Carl"}), by=ANA)
        fill(seat, "name", "Bea")
        choose(seat, "country", "DE")
        await seat.press("ctrl+s")
        await seat.sees("Answered elsewhere since you opened this.", "Step 1 of 2: Who")
        await seat.press("ctrl+s")
        await seat.sees("Step 2 of 2: Payment")
