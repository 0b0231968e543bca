"""Editing the arguments in the person's own editor."""

import json
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from assent.cli.inbox_app.app import InboxApp
from assent.cli.inbox_app.backend import InboxBackend, InboxCard
from assent.cli.inbox_app.edit_dialog import EditDialog
from assent.cli.inbox_app.editor import approval_of, text_of
from assent.domain.canonical import digest, encode
from assent.domain.decisions import Verdict
from assent.errors import InvalidArguments, InvalidJson
from assent.testing import hostile
from tests.cli.inbox_app.office import ANA, LONG, SHORT, SIZE, Office, Seat


class Editor:
    """A program in $EDITOR that writes one text after the other, and keeps what it was given."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder / "an editor's things"
        self._folder.mkdir()
        program = self._folder / "editor.py"
        program.write_text(_PROGRAM)
        monkeypatch.delenv("VISUAL", raising=False)
        monkeypatch.setenv("EDITOR", f'{sys.executable} "{program}"')

    def writes(self, *texts: str) -> None:
        for number, text in enumerate(texts):
            (self._folder / f"writes{number}").write_text(text)

    @property
    def given(self) -> list[str]:
        """What it was asked to edit, each time."""
        found = sorted(self._folder.glob("given*"))
        return [path.read_text() for path in found]

    @property
    def modes(self) -> set[str]:
        return {path.read_text() for path in self._folder.glob("mode*")}


_PROGRAM = """
import os, sys
from pathlib import Path

here, file = Path(__file__).parent, Path(sys.argv[1])
number = len(list(here.glob("given*")))
(here / f"given{number}").write_text(file.read_text())
(here / f"mode{number}").write_text(oct(os.stat(file.parent).st_mode & 0o777))
text = here / f"writes{number}"
if not text.exists():
    sys.exit(3)
file.write_text(text.read_text())
"""


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    return Editor(tmp_path, monkeypatch)


def arguments(**given: Any) -> str:
    return json.dumps(given)


# conformance: 67, 71
async def test_an_edit_is_shown_before_it_counts_and_runs_as_shown(
    office: Office, editor: Editor
) -> None:
    id = await office.asks("note", text="hello")
    editor.writes(arguments(text="goodbye"))
    async with office.seat() as seat:
        await seat.read()
        await seat.press("e")
        text = await seat.sees("Your edit, before it counts", "It will run with")
        assert '- text  "hello"' in text
        assert '+ text  "goodbye"' in text
        assert office.tools.ran == []
        await seat.approve_edit()
        await seat.sees("Approved with your changes: note.")
        await office.rested(id)
    assert office.tools.ran == [("note", "goodbye")]
    assert json.loads(editor.given[0]) == {"text": "hello"}
    assert editor.modes == {oct(stat.S_IRWXU)}


class Noting:
    """A back end that notes the verdicts on their way."""

    def __init__(self, backend: InboxBackend) -> None:
        self._backend, self.verdicts = backend, list[Verdict]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    async def decide(self, card: InboxCard, verdict: Verdict, shown: str | None) -> str:
        self.verdicts.append(verdict)
        return await self._backend.decide(card, verdict, shown)


async def test_an_edit_names_what_was_shown_so_that_nothing_else_runs(
    local_office: Office, editor: Editor
) -> None:
    await local_office.asks("delete_file", path="a")
    editor.writes(arguments(path="b"))
    async with local_office.opened(ANA) as backend:
        noting: Any = Noting(backend)
        app = InboxApp(noting, SHORT)
        async with app.run_test(size=SIZE) as pilot:
            seat = Seat(app, pilot, noting)
            await seat.read()
            await seat.press("e")
            await seat.approve_edit()
            await seat.sees("Type yes")
            await seat.type("yes\n")
            await seat.sees("Approved with your changes")
    [verdict] = noting.verdicts
    # With the default of the other argument, which the edit left out.
    assert verdict.runs == digest(encode({"force": False, "path": "b"}))


# conformance: 68, 70
async def test_an_invalid_edit_comes_back_with_the_error_and_the_text(
    office: Office, editor: Editor
) -> None:
    id = await office.asks("note", text="hello")
    editor.writes("{nonsense", arguments(text=7), arguments(text="fine"))
    async with office.seat() as seat:
        await seat.read()
        await seat.press("e")
        await seat.sees("These arguments cannot run", "Your text is kept")
        await seat.press("e")
        await seat.sees("These arguments cannot run", "text")
        assert await office.status(id) == "open"
        await seat.press("e")
        await seat.sees("Your edit, before it counts")
        await seat.approve_edit()
        await seat.sees("Approved with your changes")
    assert editor.given[1] == "{nonsense"
    assert json.loads(editor.given[2]) == {"text": 7}


async def test_keys_typed_while_the_editor_closed_approve_no_edit(
    local_office: Office, editor: Editor
) -> None:
    id = await local_office.asks("note", text="hello")
    editor.writes(arguments(text="goodbye"))
    async with local_office.seat(pauses=LONG) as seat:
        await seat.until(lambda: seat.list.rows)
        await seat.press("enter")
        await seat.until(lambda: seat.view.is_seen)
        await seat.press("e")
        await seat.until(lambda: isinstance(seat.app.screen, EditDialog))
        await seat.press("a")
        await seat.sees("Your edit, before it counts", "ead it")
        assert await local_office.status(id) == "open"


async def test_an_edit_that_was_left_goes_on_from_where_it_was(
    office: Office, editor: Editor
) -> None:
    id = await office.asks("note", text="hello")
    editor.writes(arguments(text="half"), arguments(text="whole"))
    async with office.seat() as seat:
        await seat.read()
        await seat.press("e")
        await seat.sees("Your edit, before it counts")
        await seat.press("escape")
        await seat.misses("Your edit, before it counts")
        assert await office.status(id) == "open"
        await seat.press("e")
        await seat.sees("whole")
        await seat.approve_edit()
        await seat.sees("Approved with your changes")
    assert json.loads(editor.given[1]) == {"text": "half"}


async def test_an_edit_without_changes_and_an_editor_that_fails_decide_nothing(
    local_office: Office, editor: Editor
) -> None:
    id = await local_office.asks("note", text="hello")
    editor.writes(arguments(text="hello"))
    async with local_office.seat() as seat:
        await seat.read()
        await seat.press("e")
        await seat.sees("Your edit changes nothing.")
        await seat.press("e")
        await seat.sees("Nothing is edited", "ended with 3")
    assert await local_office.status(id) == "open"


@pytest.mark.parametrize(
    ("command", "words"),
    [("no-such-editor-anywhere", "cannot be started"), ('vi "', "a quotation mark is missing")],
)
async def test_an_editor_that_is_none_is_said_to_be(
    local_office: Office, monkeypatch: pytest.MonkeyPatch, command: str, words: str
) -> None:
    monkeypatch.setenv("VISUAL", command)
    await local_office.asks("note", text="hello")
    async with local_office.seat() as seat:
        await seat.read()
        await seat.press("e")
        await seat.sees("Nothing is edited", words)


async def test_a_dangerous_edit_takes_its_step_and_a_typed_one_its_own_value(
    office: Office, editor: Editor
) -> None:
    await office.asks("drop", table="users")
    editor.writes(arguments(table="logs"))
    async with office.seat() as seat:
        await seat.read()
        await seat.press("e")
        await seat.sees("Your edit, before it counts")
        await seat.approve_edit()
        await seat.sees("To approve this, type the value of 'table'")
        await seat.type("users\n")
        await seat.sees("That is not it.")
        await seat.press(*["backspace"] * 5)
        await seat.type("logs\n")
        await seat.sees("Approved with your changes: drop.")
        await seat.until(lambda: office.tools.ran == [("drop", "logs")])


# requirement: D17
async def test_a_masked_argument_is_in_no_file_and_stays_what_it_was(
    office: Office, editor: Editor
) -> None:
    id = await office.asks("push", token="canary-5", branch="main")
    edit = {"branch": "dev", "token": {"$masked": True}}
    editor.writes(json.dumps({"branch": "dev"}), json.dumps(edit))
    async with office.seat() as seat:
        await seat.read()
        assert "canary-5" not in seat.text
        await seat.press("e")
        await seat.sees("token: beside a masked one, an argument can be changed but not removed")
        await seat.press("e")
        await seat.sees("Your edit, before it counts", "••••••")
        assert "canary-5" not in seat.text
        await seat.approve_edit()
        await seat.sees("Approved with your changes: push.")
        await office.rested(id)
    assert office.tools.ran == [("push", "canary-5", "dev")]
    assert "canary-5" not in "".join(editor.given)


def test_every_character_in_the_file_can_be_seen_and_comes_back_as_it_was() -> None:
    for text in hostile.DECEPTIONS.values():
        written = text_of({"text": text})
        assert not [char for char in written if hostile.is_unseen(char) and char != "\n"]
        assert approval_of("note", {"text": ""}, written).arguments == {"text": text}


def test_an_edit_beside_a_mask_sends_only_what_changed() -> None:
    before = {"a": 1, "b": {"$masked": True}, "c": [True]}
    edit = approval_of("x", before, json.dumps({**before, "a": True, "d": None}))
    assert edit.edit == {"a": True, "d": None}
    assert edit.arguments is None


@pytest.mark.parametrize("text", ["", "[]", "7", '{"a": 1, "a": 2}', '{"a": NaN}', "{}}"])
def test_what_is_no_object_is_no_edit(text: str) -> None:
    with pytest.raises((InvalidArguments, InvalidJson)):
        approval_of("note", {"text": "x"}, text)


def test_no_arguments_at_all_are_arguments() -> None:
    assert approval_of("note", {"text": "x"}, "{}").arguments == {}
