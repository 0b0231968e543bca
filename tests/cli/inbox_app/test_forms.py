"""Forms: every type of field, fields that apply only sometimes, secrets, drafts."""

from pathlib import Path
from typing import Any

from textual.widgets import Input, Select

from assent import answer
from assent.cli.inbox_app.form_fields import FieldBox, ManyLines, OneLine, TickList
from tests.cli.inbox_app.office import ANA, Office, Seat


def boxes(seat: Seat) -> dict[str, FieldBox]:
    return {box.item.name: box for box in seat.app.screen.query(FieldBox)}


async def opened(seat: Seat) -> None:
    await seat.read()
    await seat.press("a")
    await seat.sees("Back (Esc)", "Host")


async def test_all_types_are_filled_in_by_keyboard(office: Office) -> None:
    id = await office.asks("connect", purpose="backup")
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat)
        await seat.type("db.example.com\n")
        # The suggestion of the port stays.
        await seat.press("tab")
        await seat.type("2026-01-31\n")
        await seat.press("enter", "down", "enter")
        await seat.until(lambda: boxes(seat)["secure"].answer() is True)
        await seat.press("tab", "enter", "down", "down", "enter")
        await seat.until(lambda: boxes(seat)["region"].answer() == "us")
        await seat.press("tab", "space", "down", "down", "space")
        await seat.press("tab")
        await seat.type("first\nsecond")
        await seat.press("tab")
        await seat.type("canary-3")
        assert "canary-3" not in seat.text
        await seat.press("ctrl+s")
        await seat.sees("Answered: connect.")
        await office.rested(id)
    assert office.tools.ran == [
        (
            "connect",
            "backup",
            {
                "host": "db.example.com",
                "port": 22,
                "since": "2026-01-31",
                "secure": True,
                "region": "us",
                "features": ["a", "c"],
                "remark": "first\nsecond",
                "token": "canary-3",
            },
        )
    ]


async def test_each_problem_stands_at_its_field_and_nothing_typed_is_lost(
    local_office: Office,
) -> None:
    office = local_office
    id = await office.asks("connect", purpose="backup")
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat)
        await seat.press("tab", "backspace", "backspace")
        await seat.type("99999")
        await seat.press("ctrl+s")
        text = await seat.sees("This is required.", "Enter 65535 or less.", "see above")
        assert "99999" in text
        assert await office.status(id) == "open"
        # The keyboard goes on at the first of them.
        await seat.until(lambda: boxes(seat)["host"].query_one(Input).has_focus)


async def test_a_field_shows_only_where_it_applies_and_is_sent_only_then(
    local_office: Office,
) -> None:
    office = local_office
    id = await office.asks("connect", purpose="backup")
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat)
        assert not boxes(seat)["token"].display
        secure = boxes(seat)["secure"].query_one(Select)
        secure.value = True
        await seat.until(lambda: boxes(seat)["token"].display)
        boxes(seat)["token"].query_one(Input).value = "canary-4"
        secure.value = False
        await seat.until(lambda: not boxes(seat)["token"].display)
        boxes(seat)["host"].query_one(Input).value = "db"
        boxes(seat)["region"].query_one(Select).value = "eu"
        await seat.press("ctrl+s")
        await seat.sees("Answered: connect.")
        await office.rested(id)
    [(_, _, given)] = office.tools.ran
    assert (given["secure"], given["token"]) == (False, None)


async def test_a_draft_is_kept_sealed_and_goes_on_later(office: Office) -> None:
    id = await office.asks("connect", purpose="backup")
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat)
        boxes(seat)["host"].query_one(Input).value = "db"
        boxes(seat)["secure"].query_one(Select).value = True
        boxes(seat)["token"].query_one(Input).value = "canary-6"
        await seat.pilot.pause()
        await seat.press("ctrl+d")
        await seat.sees("kept as a draft")
        assert await office.status(id) == "open"
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat)
        assert boxes(seat)["host"].query_one(Input).value == "db"
        assert "It is kept: leave this empty" in seat.text
        assert "canary-6" not in seat.text
        boxes(seat)["region"].query_one(Select).value = "eu"
        await seat.pilot.pause()
        await seat.press("ctrl+s")
        await seat.sees("Answered: connect.")
        await office.rested(id)
    [(_, _, given)] = office.tools.ran
    assert (given["host"], given["token"]) == ("db", "canary-6")


async def test_what_was_typed_is_given_up_only_when_that_is_said_twice(
    local_office: Office,
) -> None:
    office = local_office
    id = await office.asks("connect", purpose="backup")
    async with office.seat(size=(120, 60)) as seat:
        await opened(seat)
        await seat.press("escape")
        await seat.misses("Back (Esc)")
        await seat.press("a")
        await seat.sees("Back (Esc)", "Host")
        await seat.type("db")
        await seat.press("escape")
        await seat.sees("Ctrl-D keeps it as a draft, Esc once more gives it up.")
        assert boxes(seat)["host"].answer() == "db"
        # Typed after the question: there is something new to lose.
        await seat.type("2")
        await seat.press("escape")
        await seat.pilot.pause()
        assert boxes(seat)["host"].answer() == "db2"
        await seat.press("escape")
        await seat.misses("Back (Esc)")
    assert await office.status(id) == "open"


async def test_what_was_kept_as_a_draft_is_left_without_a_question(local_office: Office) -> None:
    await local_office.asks("connect", purpose="backup")
    async with local_office.seat(size=(120, 60)) as seat:
        await opened(seat)
        boxes(seat)["host"].query_one(Input).value = "db"
        boxes(seat)["features"].query_one(TickList).select_all()
        await seat.pilot.pause()
        await seat.press("ctrl+d")
        await seat.sees("kept as a draft")
        await seat.read()
        await seat.press("a")
        await seat.sees("Back (Esc)", "Host")
        assert boxes(seat)["host"].answer() == "db"
        await seat.press("escape")
        await seat.misses("Back (Esc)")


async def test_every_control_is_one_that_a_keyboard_reaches(local_office: Office) -> None:
    await local_office.asks("connect", purpose="backup")
    async with local_office.seat(size=(80, 24)) as seat:
        await opened(seat)
        reached = set()
        for _ in range(12):
            assert seat.app.focused is not None
            reached.add(type(seat.app.focused))
            await seat.press("tab")
        assert {OneLine, Select, TickList, ManyLines} <= reached


async def test_a_suggestion_is_filled_in_with_its_key_and_answers_are_kept(office: Office) -> None:
    first = await office.asks("book", nights=1)
    await office.assent.decide(first, answer(city="Rome").keeping("once"), by=ANA)
    await office.rested(first)
    id = await office.asks("book", nights=2)
    async with office.seat(size=(120, 60)) as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("Last time: Rome", "Keep these answers")
        assert boxes(seat)["city"].answer() is None
        await seat.press("ctrl+l")
        await seat.until(lambda: boxes(seat)["city"].answer() == "Rome")
        await seat.press("tab", "enter", "down", "enter")
        await seat.sees("for all my conversations")
        await seat.press("ctrl+s")
        await seat.sees("Answered: book.")
        await office.rested(id)
    [kept] = await office.assent.people.preferences.of(ANA)
    entries = [each for each in await office.assent.audit() if each.action == "answer"]
    assert (kept.row.name, kept.row.value) == ("city", "Rome")
    origins: Any = entries[-1].data["origins"]
    assert origins["city"]["source"] == "suggestion"
    assert office.tools.ran == [("book", "Rome"), ("book", "Rome")]


async def test_files_are_given_by_their_paths(office: Office, tmp_path: Path) -> None:
    first, second, wrong = tmp_path / "a b.txt", tmp_path / "c.txt", tmp_path / "d.txt"
    for path, content in ((first, b"one"), (second, b"two"), (wrong, b"MZ\x00")):
        path.write_bytes(content)
    id = await office.asks("file_papers", shelf="left")
    async with office.seat(size=(120, 40)) as seat:
        await seat.read()
        await seat.press("a")
        await seat.sees("Papers, please", "up to 10 MB; up to 2 files")
        await seat.type(str(wrong))
        await seat.press("ctrl+s")
        await seat.sees("The file is, by its content, no text.")
        wrong.write_bytes("Straße".encode("cp1252"))
        await seat.press("ctrl+s")
        await seat.sees("The text is not in UTF-8. Save it as UTF-8")
        seat.app.screen.query_one(Input).value = f"'{first}' {second}"
        await seat.press("ctrl+s")
        await seat.sees("Answered: file_papers.")
        await office.rested(id)
    assert office.tools.ran == [("file_papers", "left", [("a b.txt", b"one"), ("c.txt", b"two")])]
