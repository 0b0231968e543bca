"""What a person types at a prompt counts as typed: empty values, an answer of several lines."""

import asyncio
import io
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from assent import Field, Person, Ran, UserInput, tool
from assent.cli.console import Console
from assent.cli.details import show_details
from assent.cli.form import TerminalForm
from assent.cli.request_view import view_of
from assent.cli.screen import Screen
from assent.cli.verdicts import VerdictPrompt
from assent.domain.canonical import Json
from assent.domain.fields import FieldType
from assent.domain.tools import Hint
from assent.testing import calls, says
from tests.conftest import World

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


def console(*lines: str) -> Console:
    return Console(Screen(io.StringIO(), size=lambda: (80, 24)), Typist(list(lines)))


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
    filled = await TerminalForm(console=console(*first, *again), form=form, known={}).fill()
    assert filled == {"to": "eve", "letter": "Dear Bob,\nhello"}


async def test_an_answer_of_several_lines_is_replaced_by_another() -> None:
    form = UserInput("To write", [Field("letter", type=FieldType.MULTILINE)])
    first, again = ("Dear Bob,", "hello", ".", "c"), ("", "Bye.", ".", "s")
    filled = await TerminalForm(console=console(*first, *again), form=form, known={}).fill()
    assert filled == {"letter": "\nBye."}


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
