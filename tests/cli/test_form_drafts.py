"""A form that was begun on another device goes on at the terminal, and the other way round."""

import io
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assent import (
    Assent,
    Field,
    File,
    Option,
    Person,
    ShowIf,
    Step,
    Tool,
    UserInput,
    answer,
    draft,
    tool,
)
from assent.cli.console import Console
from assent.cli.form_draft import FormDraft
from assent.cli.request_view import review_of, view_of
from assent.cli.screen import Screen
from assent.cli.verdicts import VerdictPrompt
from assent.domain.canonical import Json
from assent.domain.decisions import Verdict
from assent.domain.fields import FieldType
from assent.domain.requests import Request
from assent.errors import DraftChanged
from assent.testing import calls, says
from tests.cli.test_prompts import Typist
from tests.conftest import World

ADA = Person("ada")
PARCEL = UserInput(
    "To ship it",
    steps=[
        Step("Who", [Field("name"), Field("abroad", type=FieldType.BOOLEAN)]),
        Step("Customs", [Field("contents", show_if=ShowIf("abroad", equals=True))]),
        Step("Payment", [Field("card", type=FieldType.SECRET), Field("note", required=False)]),
    ],
)


def companies(query: str) -> list[Option]:
    return [Option("c-1", "Acme"), Option("c-2", "Zenith")] if query else []


FILED = UserInput(
    "To file it",
    [
        Field("company", type=FieldType.SEARCH, search=companies, required=False),
        Field("paper", type=FieldType.FILE, required=False),
        Field("pin", type=FieldType.SECRET),
        Field("note", required=False),
        Field("later", required=False, default="tomorrow"),
    ],
)


class Desk:
    """One person at a terminal with one form."""

    def __init__(self, assent: Assent, request: Request, ran: list[dict[str, object]]) -> None:
        self.assent, self.request, self.ran = assent, request, ran
        self.out = io.StringIO()

    async def typed(self, *lines: str) -> Verdict | None:
        """Return the verdict that these lines lead to."""
        console = Console(Screen(self.out, size=lambda: (100, 24)), Typist(list(lines)))
        view = await view_of(self.assent, self.request.id)
        kept = FormDraft(assent=self.assent, person=ADA, view=view)
        prompt = VerdictPrompt(console=console, view=view, by=ADA, draft=kept)
        [key] = [each for each in prompt.keys(view.request.kind) if each.letter == "a"]
        return await prompt.ask(key)

    async def sent(self, *lines: str) -> dict[str, object]:
        """Decide as these lines say, and return what the tool was given."""
        verdict = await self.typed(*lines)
        assert verdict is not None
        await self.assent.decide(self.request, verdict, by=ADA)
        await self.assent.wait(self.request.turn_id)
        return self.ran[-1]

    @property
    def summed_up(self) -> Sequence[str]:
        """The lines of the last look before anything is sent."""
        said = self.out.getvalue().rpartition("Your answers:")[2]
        return [line.strip() for line in said.splitlines() if line.startswith("  ")]


@asynccontextmanager
async def desk(folder: Path, made: Tool, ran: list[dict[str, object]]) -> AsyncGenerator[Desk]:
    world = World(f"sqlite:///{folder / 'assent.db'}")
    async with world([says("", calls(made.name)), "Done."], made) as assent:
        turn = await assent.send("agent", "go", by=ADA)
        yield Desk(assent, turn.pending[0], ran)


def shipping(ran: list[dict[str, object]]) -> Tool:
    @tool(user_input=PARCEL)
    async def ship(name: str, abroad: bool, card: str, contents: str = "", note: str = "") -> str:
        """Ship."""
        ran.append({"name": name, "abroad": abroad, "card": card, "contents": contents})
        return note

    return ship


def filing(ran: list[dict[str, object]]) -> Tool:
    @tool(user_input=FILED)
    async def file_it(
        pin: str,
        company: dict[str, str] | None = None,
        paper: File | None = None,
        note: str = "",
        later: str = "",
    ) -> str:
        """File."""
        read = None if paper is None else paper.read().decode()
        ran.append({"company": company, "paper": read, "pin": pin, "note": note, "later": later})
        return "filed"

    return file_it


async def begun_elsewhere(at: Desk, **more: Json) -> None:
    [found] = (await at.assent.queries.options.find(ADA, at.request.id, "company", "z")).options[1:]
    paper = await at.assent.files.upload(at.request, "paper", b"by phone", by=ADA, name="a.txt")
    given = {"company": found.proof, "paper": [paper.to_json()], "pin": "9731", "note": "by phone"}
    await at.assent.decide(at.request, draft({**given, **more}), by=ADA)


async def test_what_was_entered_elsewhere_is_shown_and_stays_with_enter(tmp_path: Path) -> None:
    ran: list[dict[str, object]] = []
    async with desk(tmp_path, filing(ran), ran) as at:
        await begun_elsewhere(at, later=None)
        given = await at.sent("", "", "", "", "", "s")
    assert given == {
        "company": {"value": "c-2", "label": "Zenith"},
        "paper": "by phone",
        "pin": "9731",
        "note": "by phone",
        "later": "",
    }
    assert "It was begun" in at.out.getvalue()
    assert "9731" not in at.out.getvalue()
    shown = " ".join(at.summed_up)
    for words in ("Zenith", "a.txt", "Note: by phone", "Pin: "):
        assert words in shown


async def test_what_was_entered_elsewhere_can_be_emptied(tmp_path: Path) -> None:
    ran: list[dict[str, object]] = []
    async with desk(tmp_path, filing(ran), ran) as at:
        await begun_elsewhere(at)
        given = await at.sent("-", "-", "", "", "", "s")
    assert given["company"] is None
    assert given["paper"] is None
    assert given["note"] == "by phone"
    shown = " ".join(at.summed_up)
    assert "Company: nothing" in shown
    assert "Paper: nothing" in shown


async def test_each_step_is_kept_and_goes_on_later(tmp_path: Path) -> None:
    ran: list[dict[str, object]] = []
    async with desk(tmp_path, shipping(ran), ran) as at:
        assert await at.typed("Bea", "yes", "n", "books", "n", "4711", "a note", "b") is None
        review = await review_of(at.assent, ADA, at.request.id)
        # The last step was not gone on from: nothing of it is kept.
        assert dict(review.draft) == {"name": "Bea", "abroad": True, "contents": "books"}
        assert review.draft_number == 2

        given = await at.sent("", "", "n", "", "n", "4711", "", "s")
    assert given == {"name": "Bea", "abroad": True, "card": "4711", "contents": "books"}


async def test_an_answer_from_elsewhere_between_two_steps_is_looked_at_first(
    tmp_path: Path,
) -> None:
    ran: list[dict[str, object]] = []
    async with desk(tmp_path, shipping(ran), ran) as at:

        class Meanwhile(Typist):
            async def ask(self, prompt: str, *, default: str = "", deciding: bool = False) -> str:
                typed = await super().ask(prompt, default=default, deciding=deciding)
                if typed == "books":
                    await at.assent.decide(at.request, draft({"name": "Carl"}), by=ADA)
                return typed

        typist = Meanwhile(["Bea", "yes", "n", "books", "n", "", "", "n", "", "n", "1", "", "s"])
        console = Console(Screen(at.out, size=lambda: (100, 24)), typist)
        view = await view_of(at.assent, at.request.id)
        kept = FormDraft(assent=at.assent, person=ADA, view=view)
        prompt = VerdictPrompt(console=console, view=view, by=ADA, draft=kept)
        [key] = [each for each in prompt.keys(view.request.kind) if each.letter == "a"]
        verdict = await prompt.ask(key)
        assert verdict is not None
        await at.assent.decide(at.request, verdict, by=ADA)
        await at.assent.wait(at.request.turn_id)

    assert ran[-1]["name"] == "Carl"
    assert "Answered elsewhere meanwhile: Name." in at.out.getvalue()
    assert "Name: Carl" in at.summed_up
    assert not typist.lines


async def test_what_came_from_elsewhere_after_the_last_look_is_not_sent_unseen(
    tmp_path: Path,
) -> None:
    ran: list[dict[str, object]] = []
    async with desk(tmp_path, filing(ran), ran) as at:
        verdict = await at.typed("", "", "9731", "mine", "", "s")
        assert verdict is not None
        await at.assent.decide(at.request, draft({"later": "never"}), by=ADA)
        with pytest.raises(DraftChanged):
            await at.assent.decide(at.request, verdict, by=ADA)
        assert not ran
        await at.assent.decide(at.request, answer(pin="9731"), by=ADA)
        await at.assent.wait(at.request.turn_id)
    assert ran[-1]["later"] == "never"
