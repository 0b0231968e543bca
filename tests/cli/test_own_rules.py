"""`assent rules`: what the person at a terminal wants to be asked about."""

from pathlib import Path

import pytest

from assent import Agent, Assent, Risk, tool
from assent.testing import ScriptedModel
from tests.cli.sessions import run

AGENT = """
from assent import Agent, tool
from assent.testing import ScriptedModel


@tool(risk="moderate", category="payments", requires_approval=False)
async def pay(amount: float) -> str:
    \"\"\"Pay something.\"\"\"
    return "paid"


agent = Agent("agent", model=ScriptedModel([]), tools=[pay])
"""


@tool(risk=Risk.MODERATE)
async def pay(amount: float) -> str:
    """Pay something."""
    return "paid"


@pytest.fixture
async def options(tmp_path: Path) -> tuple[str, ...]:
    """A database, and agents that a command can name."""
    (tmp_path / "bank.py").write_text(AGENT)
    database = tmp_path / "assent.db"
    async with Assent(
        f"sqlite:///{database}", agents=Agent("agent", model=ScriptedModel([]), tools=[pay])
    ):
        pass
    return "--db", str(database), "--agents", "bank:agent", "--user", "ada"


def test_a_rule_is_added_listed_and_deleted(tmp_path: Path, options: tuple[str, ...]) -> None:
    empty = run("rules", "list", *options, cwd=tmp_path)
    assert "no rules of your own" in empty.stdout
    amount = ("--tool", "pay", "--argument", "amount", "--at-least", "100")
    added = run("rules", "add", *amount, *options, cwd=tmp_path)
    words = "Always ask me about calls of pay with amount of 100 or more"
    assert f"Added: {words}" in added.stdout
    listed = run("rules", "list", *options, cwd=tmp_path).stdout
    id, said = listed.strip().split("  ", 1)
    assert said == words
    others = run("rules", "list", *options[:-1], "bob", cwd=tmp_path).stdout
    assert words not in others
    refused = run("rules", "delete", id, *options[:-1], "bob", cwd=tmp_path)
    assert refused.returncode != 0
    assert f"Deleted: {words}" in run("rules", "delete", id, *options, cwd=tmp_path).stdout
    assert "no rules of your own" in run("rules", "list", *options, cwd=tmp_path).stdout


@pytest.mark.parametrize(
    "wrong",
    [
        (),
        ("--tool", "pya"),
        ("--tool", "pay", "--risk", "safe"),
        ("--risk", "harmless"),
        ("--tool", "pay", "--argument", "amount"),
        ("--tool", "pay", "--argument", "amount", "--at-least", "NaN"),
        ("--tool", "pay", "--argument", "amount", "--at-least", "1e999"),
        ("--tool", "\x1b[2J"),
        ("--tool", ""),
    ],
)
def test_what_makes_no_sense_is_one_line_and_adds_nothing(
    tmp_path: Path, options: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    refused = run("rules", "add", *wrong, *options, cwd=tmp_path)
    assert refused.returncode != 0
    assert "Traceback" not in refused.stderr
    assert "\x1b" not in refused.stderr
    assert "no rules of your own" in run("rules", "list", *options, cwd=tmp_path).stdout
