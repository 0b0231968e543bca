"""Text that tries to deceive at every prompt of a form: all of it is shown, none of it acts."""

import io
import tempfile
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from assent import Field, FieldType, Option, Step, UserInput
from assent.cli.console import ARROW, Console
from assent.cli.form import TerminalForm
from assent.cli.form_draft import Begun
from assent.cli.keyboard import Closed, Interrupts, Lines
from assent.cli.screen import EDGE, GUTTER, Screen, unframed
from assent.domain.canonical import Json
from assent.domain.field_types import FIELD_KINDS, Control
from assent.domain.suggestions import Suggestion
from assent.engine.offers import OfferedOption
from assent.engine.queries.options import OptionPage
from assent.errors import InvalidAnswer
from assent.presentation.characters import width_of
from assent.presentation.text import safe_line
from assent.testing.hostile import DECEPTIONS, is_unseen

COLUMNS = 80
MENU = "[s]end  [c]hange  [b]ack"
_OURS = ("[u]se", "[n]ext", "[s]end", "Your answers:", ARROW)
# What a terminal would break just before a line of ours.
IMITATIONS = {
    f"imitation: {line[:4]}": f"{'x' * (COLUMNS - start)}{line}"
    for line in (MENU, "Your answers:", f"{EDGE} Approved")
    for start in (0, 2)
}
TEXTS = {**DECEPTIONS, **IMITATIONS}
KINDS = pytest.mark.parametrize("kind", FieldType)
_NO_FILES = ("There is no file at", "It cannot be read:", "Give at most")
# An answer that each control takes, line by line.
_TYPED: dict[Control, tuple[str, ...]] = {
    Control.LINE: ("x",),
    Control.LINES: ("x", "."),
    Control.CODE: ("x", "."),
    Control.NUMBER: ("1",),
    Control.DATE: ("2026-01-31",),
    Control.TIME: ("14:30",),
    Control.YES_NO: ("yes",),
    Control.CONSENT: ("yes",),
    Control.CHOICE: ("1",),
    Control.CHOICES: ("1",),
    Control.HIDDEN: ("x",),
    Control.MONEY: ("12.50 EUR",),
    Control.MOMENT: ("2026-07-01 09:00 Europe/Berlin",),
    Control.PAIRS: ("a = b", "."),
    Control.TABLE: ("a", "."),
    Control.SEARCH: ("x", "1"),
    Control.FILE: (),
}
_OF_TYPES: dict[FieldType, tuple[str, ...]] = {
    FieldType.EMAIL: ("ada@example.com",),
    FieldType.URL: ("https://example.com/a",),
    FieldType.PHONE: ("+49 30 1234567",),
    FieldType.COUNTRY: ("DE",),
}


def hostile_field(kind: FieldType, text: str, name: str = "asked", **settings: Any) -> Field:
    """A field of this type that says the text wherever its author can say something."""
    given: dict[str, Any] = {"label": text, "help": text, "placeholder": text}
    row = FIELD_KINDS[kind]
    if row.takes_options:
        given["options"] = [Option(text, text), Option(f"{text}2", text)]
    if row.control is Control.TABLE:
        given["columns"] = [Field("cell", label=text)]
    if row.control is Control.SEARCH:
        given["search"] = _nothing
    if row.takes_pattern:
        given["message"] = text
    return Field(name, type=kind, **{**given, **settings})


def _nothing(_: str) -> list[Option]:
    return []


def value_of(item: Field, text: str) -> Json:
    """A value with the text in it, in the shape that the field has."""
    match item.kind.control:
        case Control.MONEY:
            return {"amount": text, "currency": text}
        case Control.PAIRS:
            return {text[:60]: text}
        case Control.TABLE:
            return [{"cell": text}]
        case Control.CHOICES | Control.FILE:
            return [text, text]
        case Control.SEARCH:
            return {"value": text, "label": text}
        case _:
            return text


def suggestion_of(item: Field, text: str) -> Suggestion:
    return Suggestion(
        field=item.name,
        value=value_of(item, text),
        call_id="call_1",
        tool="fill",
        conversation_id="con_1",
        title=text,
        at=datetime(2026, 7, 1, tzinfo=UTC),
    )


class Prompts:
    """A form at real prompts, read from a file; all that the person's terminal receives."""

    def __init__(self, form: UserInput, text: str = "", **given: object) -> None:
        self._out = io.StringIO()
        self._typed = tempfile.TemporaryFile()  # noqa: SIM115 -- as long as its reader
        screen = Screen(self._out, size=lambda: (COLUMNS, 24))
        console = Console(screen, Lines(screen, Interrupts(), self._typed.fileno()))
        self._found = [OfferedOption(value=text, label=text, proof="p")]
        self.queries: list[str] = []
        options: dict[str, Any] = given
        self.filling = TerminalForm(console=console, form=form, find=self._find, **options)

    async def _find(self, name: str, query: str, cursor: str | None) -> OptionPage:
        del name, cursor
        self.queries.append(query)
        return OptionPage(options=self._found, cursor="more")

    async def filled(self, lines: Sequence[str]) -> dict[str, object] | None:
        """What comes of these lines."""
        self._typed.write("".join(f"{line}\n" for line in lines).encode())
        self._typed.seek(0)
        try:
            return await self.filling.fill()
        finally:
            for reader in threading.enumerate():
                if reader.name == "assent-keyboard":
                    reader.join()
            self._typed.close()

    def offered(self, item: Field) -> str:
        """What Enter alone would send; nothing is typed here."""
        self._typed.close()
        return self.filling._default(item)  # pyright: ignore[reportPrivateUsage]

    @property
    def shown(self) -> str:
        return self._out.getvalue()


def typed_for(item: Field, path: str) -> tuple[str, ...]:
    """The lines of an answer that counts."""
    if item.kind.takes_files:
        return (path,)
    return _OF_TYPES.get(item.type) or _TYPED[item.kind.control]


def inert(shown: str, text: str, *typed: str) -> None:
    """Nothing acts or hides, and the terminal breaks no line, so that its rest looks like ours."""
    assert {hex(ord(char)) for char in shown if is_unseen(char) and char != "\n"} == set(), text
    assert EDGE not in shown, text
    # What was typed is the person's own, and stands behind what was offered.
    lines = (line.removesuffix(f" {typed[0]}" if typed else "") for line in shown.split("\n"))
    assert [line for line in lines if width_of(line) > COLUMNS] == [], text


def ours(shown: str) -> list[str]:
    """The lines that begin like those that only the form itself says."""
    lines = map(str.rstrip, shown.split("\n"))
    return [line for line in lines if line.startswith(_OURS)]


def whole(shown: str) -> str:
    """What is shown, with the lines that were broken put together again."""
    return shown.replace(f"\n{GUTTER}", "")


# requirement: D5, D9
@KINDS
async def test_what_authors_models_and_tools_write_is_shown_at_every_prompt_and_does_nothing(
    kind: FieldType, tmp_path: Path
) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text("paper")
    for text in TEXTS.values():
        item = hostile_field(kind, text)
        steps = [Step(text[:100], [item], help=text), Step(text[-100:], [Field("more")])]
        prompts = Prompts(
            UserInput(text, steps=steps),
            text,
            begun=Begun(known={"asked": value_of(item, text)}),
            suggestions={"asked": suggestion_of(item, text)},
        )
        typed = typed_for(item, str(paper))
        filled = await prompts.filled(["o", *typed, "n", "x", "s"])
        assert filled is not None
        assert filled.keys() == {"asked", "more"}
        inert(prompts.shown, text, *typed)
        assert ours(prompts.shown) == [
            *("[u]se it  enter an[o]ther", f"{ARROW}o"),
            *("[n]ext step  [c]hange", f"{ARROW}n"),
            *("Your answers:", MENU, f"{ARROW}s"),
        ], text
        said = whole(prompts.shown)
        safe = unframed(safe_line(text))
        for words in (safe, f"for example {safe}", f"(2026-07-01, in “{safe}”)"):
            assert words in said, text


# requirement: D5, D9
@KINDS
async def test_what_people_type_is_taken_as_it_stands_or_refused_with_words(
    kind: FieldType, tmp_path: Path
) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text("paper")
    for text in TEXTS.values():
        item = hostile_field(kind, text, message="Another form.")
        lines = text.split("\n") if item.kind.has_lines else [text.replace("\n", " ")]
        typed = [line.rstrip("\r") for line in lines]
        more = ["."] if item.kind.has_lines else []
        # Once an answer counts, the second one is at the menu, where it means nothing.
        second = typed_for(item, str(paper))
        prompts = Prompts(UserInput("Fill in", [item]), text)
        filled = await prompts.filled([*typed, *more, *second, "s"])
        assert filled is not None
        wanted, refusal = read(item, "\n".join(typed))
        if item.kind.control is Control.SEARCH:
            assert (filled, prompts.queries) == ({"asked": "p"}, [typed[0].strip(), "x"])
        elif item.kind.takes_files:
            assert filled == {"asked": [paper]}
            assert any(words in prompts.shown for words in _NO_FILES), text
        elif refusal:
            assert filled == {"asked": read(item, "\n".join(second).removesuffix("\n."))[0]}
            assert refusal in prompts.shown, text
        else:
            assert filled == {"asked": wanted}, text
        assert {char for char in prompts.shown if is_unseen(char)} == {"\n"}, text


def read(item: Field, typed: str) -> tuple[object, str]:
    """What a field takes of what was typed, or why it takes nothing."""
    parts = [part.strip() for part in typed.split(",") if part.strip()]
    given: object = typed
    match item.kind.control:
        case Control.CHOICE | Control.CHOICES:
            options = [option.value for option in item.choices]
            parts = [options[int(part) - 1] if part in ("1", "2") else part for part in parts]
            given = (
                parts if item.kind.takes_several else options[0] if typed == "1" else typed.strip()
            )
        case Control.YES_NO | Control.CONSENT:
            given = True if typed == "yes" else typed
        case Control.FILE | Control.SEARCH:
            return None, ""
        case _:
            pass
    try:
        return item.accept(given), ""
    except InvalidAnswer as error:
        return None, error.errors[item.name]


# requirement: D5, D9
@pytest.mark.parametrize("kind", [kind for kind, row in FIELD_KINDS.items() if row.takes_pattern])
async def test_an_authors_words_about_a_wrong_answer_do_nothing(kind: FieldType) -> None:
    for text in TEXTS.values():
        item = hostile_field(kind, text, pattern="never")
        prompts = Prompts(UserInput("Fill in", [item]))
        with pytest.raises(Closed):
            await prompts.filled(typed_for(item, ""))
        inert(prompts.shown, text)
        assert f"\n{unframed(safe_line(text))}" in whole(prompts.shown), text


# requirement: D5, D9
async def test_the_labels_of_columns_in_a_refusal_do_nothing() -> None:
    for text in TEXTS.values():
        columns = [Field("cell", label=text, type=FieldType.NUMBER)]
        item = Field("asked", type=FieldType.ROWS, columns=columns)
        prompts = Prompts(UserInput("Fill in", [item]))
        with pytest.raises(Closed):
            await prompts.filled(["many", "."])
        inert(prompts.shown, text)
        assert unframed(safe_line(f"Row 1, {text}: Enter")) in whole(prompts.shown)


# requirement: D5, D9
@KINDS
async def test_nothing_is_offered_to_be_sent_with_enter_that_cannot_be_seen(
    kind: FieldType,
) -> None:
    for text in TEXTS.values():
        item = hostile_field(kind, text, required=kind is FieldType.CONSENT)
        known = value_of(item, text)
        prompts = Prompts(UserInput("Fill in", [item]), begun=Begun(known={"asked": known}))
        offered = prompts.offered(item)
        assert not any(is_unseen(char) for char in offered), text
        assert EDGE not in offered


# requirement: D5, D9
async def test_names_of_files_do_nothing(tmp_path: Path) -> None:
    for place, text in enumerate(TEXTS.values()):
        folder = tmp_path / str(place)
        folder.mkdir()
        paper = folder / text.replace("/", "-").replace("\n", " ").strip()[:60].strip()
        paper.write_text("paper")
        item = Field("asked", type=FieldType.FILE)
        prompts = Prompts(UserInput("Fill in", [item]))
        assert await prompts.filled([str(paper), "s"]) == {"asked": [paper]}, text
        assert {char for char in prompts.shown if is_unseen(char)} == {"\n"}, text
