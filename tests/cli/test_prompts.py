"""What a person types at a prompt counts as typed: empty values, an answer of several lines."""

import asyncio
import hashlib
import io
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest

from assent import Field, File, Option, Person, Ran, ShowIf, Step, UserInput, tool
from assent.cli.arguments import parser
from assent.cli.console import Console
from assent.cli.details import show_details
from assent.cli.form import TerminalForm
from assent.cli.form_draft import Begun
from assent.cli.request_view import view_of
from assent.cli.screen import Screen
from assent.cli.verdicts import VerdictPrompt, verdict_of
from assent.domain.canonical import Json
from assent.domain.decisions import Give
from assent.domain.fields import FieldType
from assent.domain.tools import Hint
from assent.errors import InvalidCommand
from assent.testing import calls, says
from tests.conftest import World
from tests.field_samples import ANSWERS, FIELDS

ADA = Person("ada")


@dataclass
class Typist:
    """Types these lines, one at each prompt."""

    lines: list[str]
    defaults: list[str] = field(default_factory=list[str])
    is_terminal = False

    async def ask(self, prompt: str, *, default: str = "", deciding: bool = False) -> str:
        del prompt, deciding
        self.defaults.append(default)
        return self.lines.pop(0) or default

    async def ask_secret(self, prompt: str) -> str:
        return await self.ask(prompt)


class Eraser(Typist):
    """Somebody with an editable line, who may take away what is suggested there."""

    async def ask(self, prompt: str, *, default: str = "", deciding: bool = False) -> str:
        return await super().ask(prompt, deciding=deciding)


def console(*lines: str, out: io.StringIO | None = None) -> Console:
    return Console(Screen(out or io.StringIO(), size=lambda: (80, 24)), Typist(list(lines)))


@pytest.mark.parametrize(
    ("typed", "verdict"),
    [
        ("null", Ran(output=None)),
        ("0", Ran(output=0)),
        ("false", Ran(output=False)),
        ('""', Ran(output="")),
        ("[]", Ran(output=[])),
        ("{}", Ran(output={})),
        ("", None),
    ],
)
async def test_only_an_empty_line_goes_back_when_asked_what_a_call_returned(
    tmp_path: Path, typed: str, verdict: Ran | None
) -> None:
    @tool
    async def pay(amount: int) -> Json:
        """Pay."""
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(5)
        return amount

    world = World(f"sqlite:///{tmp_path / 'assent.db'}")
    async with world([says("", calls("pay", amount=7)), "Done."], pay) as assent:
        turn = await assent.send("agent", "go", by=ADA)
        view = await view_of(assent, turn.pending[0].id)
        prompt = VerdictPrompt(console=console(typed), view=view)
        [key] = [each for each in prompt.keys(view.request.kind) if each.letter == "r"]
        assert await prompt.ask(key) == verdict


async def test_an_answer_of_several_lines_is_kept_while_others_are_changed() -> None:
    form = UserInput("To write", [Field("to"), Field("letter", type=FieldType.MULTILINE)])
    first = ("bob", "Dear Bob,", "hello", ".", "c")
    again = ("eve", "", ".", "s")
    filled = await TerminalForm(console=console(*first, *again), form=form).fill()
    assert filled == {"to": "eve", "letter": "Dear Bob,\nhello"}


async def test_an_answer_of_several_lines_is_replaced_by_another() -> None:
    form = UserInput("To write", [Field("letter", type=FieldType.MULTILINE)])
    first, again = ("Dear Bob,", "hello", ".", "c"), ("", "Bye.", ".", "s")
    filled = await TerminalForm(console=console(*first, *again), form=form).fill()
    assert filled == {"letter": "\nBye."}


@pytest.mark.parametrize(
    ("typed", "filled"),
    [
        (["", "", "", ""], ["normal", False, 1, "DE"]),
        (["2", "y", "2", "no"], ["express", True, 2, "NO"]),
    ],
)
async def test_a_default_does_not_stand_before_the_number_or_letter_that_chooses(
    typed: list[str], filled: list[object]
) -> None:
    fields = [
        Field("speed", type=FieldType.SELECT, options=["normal", "express"], default="normal"),
        Field("abroad", type=FieldType.BOOLEAN, default=False),
        Field("count", type=FieldType.NUMBER, default=1),
        Field("country", type=FieldType.COUNTRY, default="DE"),
    ]
    seen = console(*typed, "s", out=(out := io.StringIO()))
    form = TerminalForm(console=seen, form=UserInput("", fields))
    assert await form.fill() == dict(zip([each.name for each in fields], filled, strict=True))
    assert seen.keyboard.defaults == [""] * 5  # pyright: ignore[reportAttributeAccessIssue]
    assert ("Enter takes normal" in out.getvalue(), "Enter takes no\n" in out.getvalue()) == (
        True,
        True,
    )


async def test_every_type_of_field_is_asked_for() -> None:
    typed = {
        "mail": ["ada", "ada@example.com"],
        "site": ["https://example.com/a"],
        "phone": ["+49 30 1234567"],
        "country": ["germany"],
        "at": ["14:30"],
        "due": ["2026-10-25 02:30 Europe/Berlin", "2026-07-01 09:00 Europe/Berlin"],
        "price": ["12,5", "12.5 EUR"],
        "tags": ["team = blue", "."],
        "items": ["desk | 2 | true | a", "lamp | 3 | |", "."],
        "query": ["select\t1", "", "."],
        "terms": ["no", "yes"],
    }
    lines = [line for each in FIELDS for line in typed[each.name]]
    form = UserInput("To order", FIELDS)
    filled = await TerminalForm(console=console(*lines, "s"), form=form).fill()
    assert filled == ANSWERS

    # What is known is offered on its line, if it has only one.
    empty = ["", "", "", "", "", "", "", "", ".", "", ".", "", ".", "yes", "s"]
    again = console(*empty)
    few = {
        name: value for name, value in ANSWERS.items() if name not in ("items", "query", "terms")
    }
    form = UserInput("To order", [each for each in FIELDS if each.name in few])
    assert await TerminalForm(console=again, form=form, begun=Begun(known=few)).fill() == few
    assert "12.50 EUR" in again.keyboard.defaults  # pyright: ignore[reportAttributeAccessIssue]


STEPS = UserInput(
    "To ship it",
    steps=[
        Step("Who", [Field("name"), Field("abroad", type=FieldType.BOOLEAN)]),
        Step("Customs", [Field("contents", show_if=ShowIf("abroad", equals=True))], help="Only so"),
        Step("Payment", [Field("card", type=FieldType.SECRET)]),
    ],
)


async def test_a_form_in_steps_says_where_it_is_and_goes_back_and_forth() -> None:
    out = io.StringIO()
    typed = ("Bea", "yes", "n", "books", "p", "Carl", "", "n", "maps", "n", "4711", "s")
    filling = Console(Screen(out, size=lambda: (80, 24)), Typist(list(typed)))
    filled = await TerminalForm(console=filling, form=STEPS).fill()
    assert filled == {"name": "Carl", "abroad": True, "contents": "maps", "card": "4711"}
    titles = [line.strip() for line in out.getvalue().splitlines() if line.startswith("Step ")]
    # Two so far: what is abroad is only known after the first.
    assert titles == [
        "Step 1 of 2: Who",
        "Step 2 of 3: Customs",
        "Step 1 of 3: Who",
        "Step 2 of 3: Customs",
        "Step 3 of 3: Payment",
    ]
    assert "Only so" in out.getvalue()
    assert "4711" not in out.getvalue()


async def test_a_step_is_asked_again_and_one_that_does_not_apply_is_left_out() -> None:
    typed = ("Bea", "no", "c", "Carl", "", "n", "4711", "s")
    filled = await TerminalForm(console=console(*typed), form=STEPS).fill()
    assert filled == {"name": "Carl", "abroad": False, "card": "4711"}


async def test_options_are_searched_for_and_chosen_by_number(tmp_path: Path) -> None:
    def search(query: str) -> list[Option]:
        found = [Option(f"c-{n}", f"Company {n}") for n in range(120)]
        return [each for each in found if query in each.label]

    given: list[object] = []
    form = UserInput("Which?", [Field("company", type=FieldType.SEARCH, search=search)])

    @tool(user_input=form)
    async def report(company: dict[str, str]) -> str:
        """Report."""
        given.append(company)
        return "reported"

    world = World(f"sqlite:///{tmp_path / 'assent.db'}")
    async with world([says("", calls("report")), "Done."], report) as assent:
        turn = await assent.send("agent", "go", by=ADA)
        view = await view_of(assent, turn.pending[0].id)
        find = partial(assent.queries.options.find, ADA, view.request.id)
        typed = console("", "nothing", "Comp", "+", "2", "s")
        prompt = VerdictPrompt(console=typed, view=view, find=find)
        [key] = [each for each in prompt.keys(view.request.kind) if each.letter == "a"]
        verdict = await prompt.ask(key)
        assert isinstance(verdict, Give)
        await assent.decide(view.request.id, verdict, by=ADA)
        await assent.wait(turn.id)
    assert given == [{"value": "c-51", "label": "Company 51"}]


async def test_the_details_of_a_call_hide_what_its_tool_declares_secret(tmp_path: Path) -> None:
    @tool(requires_approval=True, hints={"password": Hint(secret=True)})
    async def sign_in(user: str, password: str) -> str:
        """Sign in."""
        return user + password

    world, out = World(f"sqlite:///{tmp_path / 'assent.db'}"), io.StringIO()
    call = calls("sign_in", {"user": "bob", "password": "hunter2"})
    async with world([says("", call), "Done."], sign_in) as assent:
        turn = await assent.send("agent", "go", by=ADA)
        view = await view_of(assent, turn.pending[0].id)
        await show_details(assent, Screen(out, size=lambda: (80, 24)), view)
    assert '"user":"bob"' in out.getvalue()
    assert "hunter2" not in out.getvalue()


async def test_a_file_is_given_by_its_path_and_told_before_it_is_sent(tmp_path: Path) -> None:
    paper, program = tmp_path / "my paper.pdf", tmp_path / "evil.pdf"
    paper.write_bytes(b"%PDF-1.7")
    program.write_bytes(b"MZ\0")
    empty = tmp_path / "empty.pdf"
    empty.touch()
    seen: list[bytes] = []
    wanted = Field("paper", type=FieldType.FILE, kinds="application/pdf", max_bytes=20)
    form = UserInput("x", [wanted])

    @tool(user_input=form)
    async def read_paper(paper: File) -> str:
        """Read."""
        seen.append(paper.read())
        return paper.name

    # An empty line, a folder, nothing there, the wrong kind, too large, empty; then the right one,
    # and a second look at it that changes nothing.
    large = tmp_path / "large.pdf"
    large.write_bytes(b"%PDF-" + bytes(20))
    wrong = ["", str(tmp_path), "/nowhere/x", str(program), str(large), str(empty), "a\0b"]
    out = io.StringIO()
    typed = console(*wrong, str(paper), "c", "", "s", out=out)
    world = World(f"sqlite:///{tmp_path / 'assent.db'}")
    async with world([says("", calls("read_paper")), "Done."], read_paper) as assent:
        turn = await assent.send("agent", "go", by=ADA)
        view = await view_of(assent, turn.pending[0].id)
        prompt = VerdictPrompt(console=typed, view=view)
        [key] = [each for each in prompt.keys(view.request.kind) if each.letter == "a"]
        verdict = await prompt.ask(key)
        assert verdict is not None
        await assent.decide(turn.pending[0], verdict, by=ADA)
        await assent.wait(turn)

    said = out.getvalue()
    digest = hashlib.sha256(b"%PDF-1.7").hexdigest()[:16]
    assert seen == [b"%PDF-1.7"]
    assert f"my paper.pdf (PDF, 8 bytes, sha256 {digest}…)" in said
    for words in ("required", "no file at", "by its content, no PDF", "larger than", "empty"):
        assert words in said


async def test_a_command_line_answers_with_files(tmp_path: Path) -> None:
    options = parser().parse_args(
        ["decide", "req_1", "answer", "--file", f"paper={tmp_path}/a=b.pdf"]
    )
    assert verdict_of(options) == Give(values={"paper": [tmp_path / "a=b.pdf"]})
    with pytest.raises(InvalidCommand, match="FIELD=PATH"):
        verdict_of(parser().parse_args(["decide", "req_1", "answer", "--file", "paper"]))


@pytest.mark.parametrize("kind", [FieldType.TEXT, FieldType.MULTILINE, FieldType.NUMBER])
async def test_what_is_emptied_is_said_to_be_and_not_filled_in_again(kind: FieldType) -> None:
    note = Field("note", type=kind, required=False, default=7 if kind is FieldType.NUMBER else "a")
    typed = ["", "", "."] if note.kind.has_lines else [""]
    form, screen = UserInput("To write", [note]), Screen(out := io.StringIO())
    filling = Console(screen, Eraser([*typed, "s"]))
    filled = await TerminalForm(console=filling, form=form).fill()

    assert "Note: nothing" in out.getvalue()
    assert filled == {"note": None}
    assert form.validate(filled or {}) == {}


async def test_lines_that_are_there_already_are_shown_before_they_are_kept() -> None:
    form = UserInput("To write", [Field("note", type=FieldType.MULTILINE, required=False)])
    filling = console("", ".", "s", out=(out := io.StringIO()))
    filled = await TerminalForm(
        console=filling, form=form, begun=Begun(known={"note": "by a\nmodel"})
    ).fill()

    assert "model" in out.getvalue().partition("Your answers:")[0]
    assert filled == {"note": "by a\nmodel"}
