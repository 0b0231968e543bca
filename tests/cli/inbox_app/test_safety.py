"""What keeps a person from deciding by accident, and foreign text from deciding for them."""

import re

from rich.cells import cell_len

from assent.cli.inbox_app.action_bar import ActionKey
from assent.cli.inbox_app.backend import RequestRemoved
from assent.cli.inbox_app.card_view import CardView, _folded
from assent.cli.inbox_app.inbox_screen import closing_words
from assent.cli.inbox_app.request_list import RequestList, fitted
from assent.domain.people import Person
from assent.presentation.sheet import Span
from assent.testing import hostile
from tests.cli.inbox_app.office import LONG, Office, Seat

LINES = "\n".join(f"line {number}" for number in range(300))


# requirement: D3
async def test_nothing_that_runs_a_call_is_chosen_before_the_end_was_shown(office: Office) -> None:
    id = await office.asks("note", text=LINES)
    async with office.seat() as seat:
        await seat.until(lambda: seat.list.rows)
        await seat.press("enter")
        await seat.sees("lines 1–", "after the end:  e  edit    a  approve")
        for key in ("a", "e"):
            await seat.press(key)
            await seat.sees("Read it to its end first")
        assert await office.status(id) == "open"
        await seat.press("pagedown", "home")
        assert not seat.view.is_seen
        await seat.finish()
        await seat.sees("line 299", " a  approve")
        await seat.misses("after the end:")
        await seat.press("a")
        await seat.sees("Approved: note.")


async def test_to_refuse_takes_no_more_than_a_glance(local_office: Office) -> None:
    office = local_office
    id = await office.asks("note", text=LINES)
    async with office.seat() as seat:
        await seat.until(lambda: seat.list.rows)
        await seat.press("enter")
        await seat.sees("lines 1–")
        await seat.press("r")
        await seat.sees("Why not?")
        await seat.press("enter")
        await seat.sees("Rejected: note.")
    made = await office.assent.kernel.store.run(lambda tx: tx.decisions.of_request(id))
    # Nobody says that they were shown what they did not see to its end.
    assert [each.shown for each in made] == [None]


async def test_every_line_of_a_long_card_comes_in_sight_while_paging(local_office: Office) -> None:
    await local_office.asks("note", text=LINES)
    async with local_office.seat(size=(80, 24)) as seat:
        await seat.until(lambda: seat.list.rows)
        await seat.press("enter")
        await seat.sees("lines 1–")
        seen = set[str]()
        for _ in range(40):
            seen |= set(re.findall(r"line \d+", seat.text))
            if seat.view.is_seen:
                break
            await seat.press("space")
            await seat.pilot.pause(0.02)
        assert seen >= {f"line {n}" for n in range(300)}


async def test_keys_typed_ahead_approve_nothing(local_office: Office) -> None:
    id = await local_office.asks("note", text="hello")
    async with local_office.seat(pauses=LONG) as seat:
        await seat.until(lambda: seat.list.rows)
        await seat.press("enter")
        await seat.until(lambda: seat.view.is_seen)
        await seat.press("a")
        await seat.sees("That was too fast to have read it.")
        assert await local_office.status(id) == "open"


async def test_a_key_held_down_decides_one_request(local_office: Office) -> None:
    ids = [await local_office.asks("note", text=text) for text in ("one", "two", "three")]
    async with local_office.seat() as seat:
        await seat.read(3)
        await seat.press(*["a"] * 40)
        await seat.sees("Approved: note.")
        await seat.press(*["a"] * 40)
        statuses = [await local_office.status(id) for id in ids]
    assert sorted(statuses) == ["approved", "open", "open"]


async def test_no_single_key_approves_what_takes_more_than_a_click(local_office: Office) -> None:
    office = local_office
    ids = [
        await office.asks("delete_file", path="a"),
        await office.asks("drop", table="users"),
    ]
    async with office.seat() as seat:
        await seat.read(2)
        for key in ("a", "enter", "space", "y", "a"):
            await seat.press(key)
        await seat.press("escape", "j")
        await seat.finish()
        for key in ("a", "enter", "space", "y", "a"):
            await seat.press(key)
        await seat.pilot.pause(0.2)
        assert [await office.status(id) for id in ids] == ["open", "open"]


async def test_the_focus_never_starts_where_something_is_approved(local_office: Office) -> None:
    await local_office.asks("note", text="hello")
    async with local_office.seat() as seat:
        await seat.until(lambda: seat.list.rows)
        assert isinstance(seat.app.focused, RequestList)
        await seat.press("enter")
        await seat.finish()
        assert isinstance(seat.app.focused, CardView)
        assert not any(key.can_focus for key in seat.inbox.query(ActionKey))
        # Around with Tab and Enter, and nothing is decided.
        await seat.press("tab", "tab", "enter", "tab", "enter", "space")
        await seat.sees("1 waiting")
        assert seat.list.rows


async def test_the_mouse_presses_what_the_keys_do(local_office: Office) -> None:
    await local_office.asks("note", text="hello")
    async with local_office.seat() as seat:
        await seat.until(lambda: seat.list.rows)
        await seat.pilot.click(RequestList, offset=(5, 1))
        await seat.finish()
        [reject] = [key for key in seat.inbox.query(ActionKey) if key.verb == "reject"]
        await seat.pilot.click(reject)
        await seat.sees("Why not?")
        await seat.pilot.click("#back")
        [approve] = [key for key in seat.inbox.query(ActionKey) if key.verb == "approve"]
        await seat.misses("Why not?")
        await seat.pilot.click(approve)
        await seat.sees("Approved: note.")


def cells_of(seat: Seat) -> set[str]:
    return set(seat.text) - {"\n"}


# requirement: D5, D6, D9
async def test_hostile_texts_are_inert_in_the_list_the_card_and_the_dialogs(
    local_office: Office,
) -> None:
    office = local_office
    owner = Person("ana", roles=frozenset({"requester", "approver"}))
    for name in ("ansi erase", "ansi title", "c1 control", "html", "backticks"):
        text = hostile.MARKUP[name]
        id = await office.asks("note", by=owner, text=f"[bold red]{text}[/] [@click=app.quit]x[/]")
        async with office.seat() as seat:
            await seat.read()
            assert not any(map(hostile.is_unseen, cells_of(seat))), name
            # Markup of the library itself stays what it is: text.
            await seat.sees("[bold red]", "[@click=app.quit]x[/]")
            await seat.press("r")
            await seat.sees("Why not?")
            await seat.press("enter")
            await seat.sees("Rejected: note.")
        assert await office.status(id) == "rejected"


# requirement: D5, D6, D7, D9
async def test_the_whole_hostile_corpus_is_shown_and_nothing_of_it_is_interpreted(
    local_office: Office,
) -> None:
    texts = dict(hostile.DECEPTIONS)
    await local_office.asks("note", text="".join(f"{k}: {v}\n" for k, v in texts.items()))
    async with local_office.seat(size=(100, 50)) as seat:
        await seat.until(lambda: seat.list.rows)
        await seat.press("enter")
        await seat.until(lambda: seat.view.in_sight[2] > 50)
        width = seat.view.columns
        for line in seat.view._lines:
            text = "".join(span.text for span in line)
            assert cell_len(text) <= width, text
            assert not any(map(hostile.is_unseen, text)), text
        await seat.finish()


async def test_a_name_with_markup_is_a_name(local_office: Office) -> None:
    words = closing_words("[red]x\x1b[2J", RequestRemoved("r", "approved", "[b]ben\u202e"))
    assert "\x1b" not in words
    assert "\u202e" not in words
    async with local_office.seat() as seat:
        seat.inbox._note.say(words)
        await seat.sees("[red]x⟨ESC⟩[2J was approved by [b]ben")


def test_a_line_of_the_list_is_cut_with_a_mark_at_any_width() -> None:
    for room in range(60):
        kept = fitted("delete_file 漢字漢字漢字 path=…", room)
        assert cell_len(kept) <= room
        if room < 20:
            assert not kept or kept.endswith("…")
    assert fitted("short", 5) == "short"


def test_lines_that_the_library_counts_as_wider_are_folded_and_not_cut() -> None:
    # Two columns for the library, one for Python's Unicode.
    hexagram = "\u4dc0"
    line = (Span("│ "), Span(hexagram * 30))
    rows = list(_folded([line], 32))
    assert len(rows) > 1
    assert all(sum(cell_len(span.text) for span in row) <= 32 for row in rows)
    text = "".join(span.text for row in rows for span in row)
    assert text == "│ " + hexagram * 30
