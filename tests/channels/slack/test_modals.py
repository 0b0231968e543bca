"""Modals: edits, reasons and forms, field by field; secrets in nothing else."""

import json
import logging
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from assent import Field, FieldType, ShowIf, Step, UserInput, reject, tool
from assent.channels.reference import Reference
from assent.channels.replies import Fill
from assent.channels.slack import api
from assent.channels.slack.modals import ModalOrigin, form_view
from assent.domain.forms import Option
from assent.domain.verdicts import Verb
from assent.testing import calls, says
from tests.channels.slack import LoopbackSlack, Refused
from tests.channels.slack.blocks import view_complaints
from tests.channels.slack.member import Member
from tests.channels.slack.office import Office, opened
from tests.channels.slack.reading import block_words, labels
from tests.channels.slack.workspace import View

CANARY = "canary-0815-secret"
FORM = UserInput(
    "Where to send it",
    [
        Field("kind", type=FieldType.SELECT, options=(Option("mail", "By mail"), "fax")),
        Field(
            "fax_number", show_if=ShowIf("kind", "fax"), pattern="[0-9]+", message="Digits only."
        ),
        Field("copies", type=FieldType.NUMBER, minimum=1, maximum=9),
        Field("urgent", type=FieldType.BOOLEAN),
        Field("day", type=FieldType.DATE, required=False),
        Field("topics", type=FieldType.MULTI_SELECT, options=("a", "b", "c")),
        Field("words", type=FieldType.MULTILINE, placeholder="Dear …", help="What to write."),
        Field("password", type=FieldType.SECRET),
    ],
)


@tool(requires_approval=False, user_input=FORM)
def send(  # noqa: PLR0917 - a tool has the parameters that its form has fields
    kind: str,
    copies: int,
    urgent: bool,
    topics: list[str],
    words: str,
    password: str,
    fax_number: str = "",
    day: str = "",
) -> str:
    """Send something."""
    SENT.append(
        {
            "kind": kind,
            "fax_number": fax_number,
            "copies": copies,
            "urgent": urgent,
            "day": day,
            "topics": topics,
            "words": words,
            "password": password,
        }
    )
    return "sent"


SENT: list[dict[str, Any]] = []


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "assent.db"


@pytest.fixture
def url(database: Path) -> str:
    return f"sqlite:///{database}"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "POST_SECONDS", 0.01)
    SENT.clear()


async def asked(office: Office, ada: Member) -> View:
    """The form, opened from its card."""
    await office.link(ada)
    await ada.say(ada.direct, "send it")
    await ada.press(await ada.sees(ada.direct, "Input needed"), "Send the answers")
    return await ada.sees_modal("Where to send it")


def names(view: View) -> list[str]:
    return [block["block_id"][2:] for block in view.blocks if block["type"] == "input"]


async def fill(member: Member, **values: Any) -> None:
    for name, value in values.items():
        await member.fill(f"f:{name}", value)


# conformance: 94
# conformance: 95
# requirement: S3
async def test_a_form_with_conditional_and_secret_fields_is_filled_page_by_page(
    slack: LoopbackSlack, url: str, database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    ada = slack.member("ada")
    step = says("", calls("send"))
    async with opened(slack, url, step, more_tools=[send]) as office:
        first = await asked(office, ada)
        assert names(first) == ["kind"]
        await fill(ada, kind="fax")
        await ada.submit()

        # What depends on the first answer comes next, in the same modal.
        second = await ada.sees_modal("Fax number")
        assert second.id == first.id
        assert names(second)[:2] == ["fax_number", "copies"]
        everything = {
            "copies": "2",
            "urgent": "true",
            "topics": ["a", "c"],
            "words": "Hello\nthere",
            "password": CANARY,
        }
        await fill(ada, fax_number="none", **everything)
        await ada.submit()
        assert ada.modal is not None
        assert ada.modal.errors == {"f:fax_number": "Digits only."}
        await fill(ada, fax_number="123")
        await ada.submit()

        await ada.sees_ephemeral(ada.direct, "Answered.")
        await ada.sees(ada.direct, "Done.")
        [given] = SENT
        assert given == {
            "kind": "fax",
            "fax_number": "123",
            "copies": 2,
            "urgent": True,
            "day": "",
            "topics": ["a", "c"],
            "words": "Hello\nthere",
            "password": CANARY,
        }
        said = [*ada.direct.messages, *ada.direct.ephemerals]
        sent = json.dumps([[each.text, each.blocks] for each in said])
        called = json.dumps([call.arguments for call in slack.calls])
        assert CANARY not in sent + called + caplog.text
    with sqlite3.connect(database) as rows:
        dump = "\n".join(rows.iterdump())
    rows.close()
    assert CANARY not in dump


async def test_each_step_of_a_form_is_a_modal_with_its_title(
    slack: LoopbackSlack, url: str
) -> None:
    form = UserInput(
        "Where to ship",
        steps=[
            Step("Who", [Field("name"), Field("abroad", type=FieldType.BOOLEAN)]),
            Step("Customs", [Field("contents", show_if=ShowIf("abroad", equals=True))]),
            Step("Payment", [Field("card", type=FieldType.SECRET)]),
        ],
    )
    shipped: list[tuple[Any, ...]] = []

    @tool(requires_approval=False, user_input=form)
    def ship(name: str, abroad: bool, card: str, contents: str = "") -> str:
        """Ship it."""
        shipped.append((name, abroad, contents, card))
        return "shipped"

    ada = slack.member("ada")
    async with opened(slack, url, says("", calls("ship")), more_tools=[ship]) as office:
        await office.link(ada)
        await ada.say(ada.direct, "ship it")
        await ada.press(await ada.sees(ada.direct, "Input needed"), "Send the answers")
        first = await ada.sees_modal("1 of 2: Who")
        assert names(first) == ["name", "abroad"]
        await fill(ada, name="Bea", abroad="true")
        await ada.submit()
        assert names(await ada.sees_modal("2 of 3: Customs")) == ["contents"]
        await fill(ada, contents="books")
        await ada.submit()
        assert names(await ada.sees_modal("3 of 3: Payment")) == ["card"]
        await fill(ada, card=CANARY)
        await ada.submit()
        await ada.sees_ephemeral(ada.direct, "Answered.")
        await ada.sees(ada.direct, "Done.")
    assert shipped == [("Bea", True, "books", CANARY)]


async def test_a_secret_that_was_given_before_may_stay_empty(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, says("", calls("send")), more_tools=[send]) as office:
        await asked(office, ada)
        await fill(ada, kind="fax")
        await ada.submit()
        view = await ada.sees_modal("Password")
        assert not field_of(view, "password")["optional"]
        rest = {"copies": "2", "urgent": "false", "topics": ["b"], "words": "x"}
        await fill(ada, fax_number="none", **rest, password=CANARY)
        await ada.submit()
        await ada.close()

        await ada.press(await ada.sees(ada.direct, "Input needed"), "Send the answers")
        await ada.sees_modal("Kind")
        await ada.submit()
        view = await ada.sees_modal("Password")
        password = field_of(view, "password")
        assert password["optional"]
        assert "initial_value" not in password["element"]
        assert field_of(view, "words")["element"]["initial_value"] == "x"
        await fill(ada, fax_number="123")
        await ada.submit()

        await ada.sees(ada.direct, "Done.")
        assert (SENT[0]["password"], SENT[0]["urgent"]) == (CANARY, False)


def field_of(view: View, name: str) -> dict[str, Any]:
    return next(each for each in view.blocks if each.get("block_id") == f"f:{name}")


# conformance: 67
async def test_an_edit_is_shown_with_its_values_and_runs_what_was_entered(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, says("", calls("delete", path="a.txt"))) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")
        card = await ada.sees(ada.direct, "Approval needed")

        await ada.press(card, "Edit…")
        view = await ada.sees_modal("Approve delete with changes")
        assert [block["label"]["text"] for block in view.blocks[1:]] == ["path"]
        assert view.blocks[1]["element"]["initial_value"] == "a.txt"
        await ada.fill("path", "b.txt")
        await ada.submit()

        await ada.sees(ada.direct, "Done.")
        assert office.deleted == ["b.txt"]


# conformance: 70
async def test_an_edit_that_is_no_json_is_refused_beside_its_field(
    slack: LoopbackSlack, url: str
) -> None:
    @tool(requires_approval=True)
    def pay(amount: int, to: str) -> str:
        """Pay."""
        return "paid"

    ada = slack.member("ada")
    step = says("", calls("pay", amount=5, to="acme"))
    async with opened(slack, url, step, more_tools=[pay]) as office:
        await office.link(ada)
        await ada.say(ada.direct, "pay")
        await ada.press(await ada.sees(ada.direct, "Approval needed"), "Edit…")
        await ada.sees_modal("amount")

        await ada.fill("amount", "many")
        await ada.submit()
        assert ada.modal is not None
        [words] = ada.modal.errors.values()
        assert "no JSON" in words

        await ada.fill("amount", '"many"')
        await ada.submit()
        view = await ada.sees_modal("amount")
        assert labels(view.blocks) == ["Edit again"]
        await ada.press_in_modal("Edit again")
        await ada.sees_modal("with changes")
        assert len(await office.assent.pending()) == 1


async def test_a_modal_that_was_closed_changes_nothing(slack: LoopbackSlack, url: str) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, says("", calls("delete", path="a.txt"))) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")
        card = await ada.sees(ada.direct, "Approval needed")
        for label in ("Reject…", "Edit…", "Details"):
            await ada.press(card, label)
            await ada.sees_modal("delete")
            await ada.close()

        assert len(await office.assent.pending()) == 1
        assert ada.ephemerals(ada.direct) == []


async def test_a_form_that_was_settled_meanwhile_says_so(slack: LoopbackSlack, url: str) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, says("", calls("delete", path="a.txt"))) as office:
        person = await office.link(ada)
        await ada.say(ada.direct, "delete it")
        await ada.press(await ada.sees(ada.direct, "Approval needed"), "Reject…")
        await ada.sees_modal("Reject: delete")
        [request] = await office.assent.pending()
        await office.assent.decide(request, reject("no"), by=person, channel="web")

        await ada.submit()

        view = await ada.sees_modal("Rejected by ada via web")
        assert "submit" not in view.payload
        assert "Rejected by ada via web" in "\n".join(block_words(view.blocks))


async def test_a_press_that_slack_did_not_wait_for_is_told_to_be_repeated(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, says("", calls("delete", path="a.txt"))) as office:
        await office.link(ada)
        await ada.say(ada.direct, "delete it")
        card = await ada.sees(ada.direct, "Approval needed")
        slack.faults.add(Refused(error="expired_trigger_id"), method="views.open")

        await ada.press(card, "Reject…")
        await ada.sees_ephemeral(ada.direct, "press the button again")
        await ada.press(card, "Reject…")
        await ada.sees_modal("Reject: delete")


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (1234567, "1234567"),
        (99999999.0, "99999999"),
        (0.1234567, "0.1234567"),
        (-0.0000001, "-0.0000001"),
        (1e21, "1000000000000000000000"),
        (0, "0"),
        (0.1, "0.1"),
        (1e300, None),
        (None, None),
    ],
)
def test_a_number_is_drawn_with_all_of_its_digits(bound: float | None, text: str | None) -> None:
    above = Field("n", type=FieldType.NUMBER, minimum=bound)
    below = Field("n", type=FieldType.NUMBER, maximum=bound)
    drawn = [
        form_view(_fill(above, None), ModalOrigin()),
        form_view(_fill(below, None), ModalOrigin()),
        form_view(_fill(Field("n", type=FieldType.NUMBER), bound), ModalOrigin()),
    ]

    for view, name in zip(drawn, ("min_value", "max_value", "initial_value"), strict=True):
        assert view is not None
        assert view_complaints(view) == []
        assert view["blocks"][1]["element"].get(name) == text


def _fill(field: Field, value: object) -> Fill:
    reference = Reference(verb=Verb.ANSWER, request_id="req_1", digest="d" * 16)
    return Fill(reference=reference, title="Numbers", fields=(field,), values={"n": value})
