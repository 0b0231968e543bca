"""`assent preferences`, and what a form at the prompt offers."""

import io
import runpy
from datetime import UTC, datetime
from pathlib import Path

import pytest

from assent import Assent, Field, Person, UserInput, answer
from assent.cli.console import Console
from assent.cli.form import TerminalForm
from assent.cli.screen import Screen
from assent.domain.preferences import Keep
from assent.domain.suggestions import Suggestion
from tests.cli.sessions import run
from tests.cli.test_prompts import Typist

AGENTS = '''
from assent import Agent, Field, UserInput, tool
from assent.testing import ScriptedModel


@tool(
    user_input=UserInput(
        "Who?",
        [
            Field("company"),
            Field("staff", type="number", required=False),
            Field("pin", type="secret", required=False, may_keep=True),
        ],
        save="person",
        family="tax.office",
    )
)
async def file_return(year: int, company: str, staff: float = 0, pin: str = "") -> str:
    """File."""
    return "filed"


agent = Agent("agent", model=ScriptedModel(["Hello."]), tools=[file_return])
'''


@pytest.fixture
async def place(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "bureau_agents.py").write_text(AGENTS)
    path = tmp_path / "assent.db"
    async with Assent(f"sqlite:///{path}", agents=()):
        pass
    return ("--db", str(path), "--agents", "bureau_agents:agent", "--user", "ada")


def test_preferences_are_set_listed_and_deleted(place: tuple[str, ...], tmp_path: Path) -> None:
    here = {"cwd": tmp_path}
    assert "company  not kept" in run("preferences", "list", *place, **here).stdout
    for field, value in (("company", "Acme"), ("staff", "0"), ("pin", "c4n4ry")):
        made = run("preferences", "set", f"family:tax.office.{field}", value, *place, **here)
        assert made.returncode == 0, made.stderr
        assert "c4n4ry" not in made.stdout
    listed = run("preferences", "list", *place, **here).stdout
    assert "family:tax.office.company  Acme" in listed
    assert "family:tax.office.staff  0" in listed
    assert "a secret is there" in listed
    assert "c4n4ry" not in listed
    gone = run("preferences", "delete", "family:tax.office.company", *place, **here)
    assert gone.returncode == 0, gone.stderr
    again = run("preferences", "delete", "family:tax.office.company", *place, **here)
    assert again.returncode == 2
    assert "company  not kept" in run("preferences", "list", *place, **here).stdout


@pytest.mark.parametrize("field", ["", "company", ".company", "tool:x.company"])
def test_what_cannot_be_kept_is_refused(place: tuple[str, ...], tmp_path: Path, field: str) -> None:
    refused = run("preferences", "set", field, "x", *place, cwd=tmp_path)
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr


ASKING = '''
from assent import Agent, Field, UserInput, tool
from assent.testing import ScriptedModel, calls, says


@tool(user_input=UserInput("Who?", [Field("company", suggest="tool")], save="person"))
async def file_return(company: str) -> str:
    """File."""
    return "filed"


model = ScriptedModel([says("", calls("file_return")), "Filed."] * 2)
agent = Agent("agent", model=model, tools=[file_return])
'''


async def test_a_suggestion_is_taken_and_kept_by_options_alone(tmp_path: Path) -> None:
    (tmp_path / "asking.py").write_text(ASKING)
    agent = runpy.run_path(str(tmp_path / "asking.py"))["agent"]
    here = ("--db", "assent.db", "--agents", "asking:agent", "--user", "ada")
    url = f"sqlite:///{tmp_path / 'assent.db'}"

    async with Assent(url, agents=[agent]) as assent:
        first = await assent.send("agent", "file it", by=Person("ada"))
        await assent.decide(first.pending[0].id, answer(company="Acme").keeping("once"), by="ada")
        await assent.wait(first.id)
        second = await assent.send("agent", "file it", by=Person("ada"))
    id = second.pending[0].id
    options = ("--accept", "company", "--keep", "person")
    answered = run("decide", id, "answer", *options, *here, cwd=tmp_path)
    listed = run("preferences", "list", *here, cwd=tmp_path)

    assert "Answered." in answered.stdout, answered.stderr
    assert "tool:file_return.company  Acme" in listed.stdout


def prompt(*lines: str) -> tuple[Console, io.StringIO]:
    out = io.StringIO()
    return Console(Screen(out, size=lambda: (80, 24)), Typist(list(lines))), out


FOUND = Suggestion(
    field="company",
    value="Acme",
    call_id="call_1",
    tool="file_return",
    conversation_id="conv_1",
    title="File it\x1b[2J",
    at=datetime(2026, 11, 3, tzinfo=UTC),
)


async def test_a_suggestion_is_offered_with_a_key_and_taken_only_by_it() -> None:
    form = UserInput("Who?", [Field("company")], save="person")
    for keys, values, accept in (
        (["u", "s", "a"], {"company": "Acme"}, ("company",)),
        (["o", "Beta", "s", "a"], {"company": "Beta"}, ()),
    ):
        console, out = prompt(*keys)
        filled = TerminalForm(
            console=console, form=form, suggestions={"company": FOUND}, may_prefer=True
        )
        given = await filled.fill()
        assert given == values
        give = filled.give(given or {})
        assert give.accept == accept
        assert give.keep is Keep.PERSON
        assert "Last time: Acme (2026-11-03, in “File it" in out.getvalue()
        assert "\x1b[2J" not in out.getvalue()


async def test_nothing_is_asked_about_keeping_where_there_is_no_choice() -> None:
    console, _ = prompt("Acme", "s")
    filled = TerminalForm(console=console, form=UserInput("Who?", [Field("company")], save=True))
    assert await filled.fill() == {"company": "Acme"}
    assert filled.give({}).keep is None
