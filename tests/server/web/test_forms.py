"""What people fill in arrives as they meant it, and what was suggested to them is all in sight."""

import re
from typing import Any

import pytest

from assent import Field, Risk, UserInput, manual, tool
from assent.domain.canonical import Json
from assent.domain.fields import FieldType
from tests.browser.office import person, script, wants
from tests.field_samples import order
from tests.server.conftest import Serve, Served
from tests.server.web.visitor import Visitor

GIVEN: list[dict[str, Any]] = []
FORM = UserInput(
    "What to do?",
    fields=[
        Field("what", label="What"),
        Field("host", label="Host", required=False),
        Field("why", label="Why", type=FieldType.MULTILINE, required=False),
        Field("notify", label="Notify", type=FieldType.BOOLEAN, required=False),
        Field("loud", type=FieldType.BOOLEAN, required=False, default=True),
        Field("groups", type=FieldType.MULTI_SELECT, options=["a", "b"], required=False),
    ],
)


@tool(user_input=FORM)
async def go(  # noqa: PLR0917 - one for each field
    what: str,
    host: str = "home",
    why: str = "",
    notify: bool = True,
    loud: bool = False,
    groups: list[str] | None = None,
) -> str:
    """Go somewhere."""
    GIVEN.append({"host": host, "why": why, "notify": notify, "loud": loud, "groups": groups})
    return "gone"


@tool(risk=Risk.MODERATE, requires_approval=True)
async def pay(amount: int) -> str:
    """Pay."""
    return "paid"


TOOLS = (go, pay, manual("weigh", description="Weigh it.", output=str))


async def looking(served: Served, name: str, **arguments: Json) -> Visitor:
    """A visitor who looks at the request that this call leads to."""
    GIVEN.clear()
    visitor = await Visitor.signed_in(served)
    turn = await served.assent.send("agent", wants(name, **arguments), by=person("user"))
    await visitor.open(f"/requests/{turn.pending[0].id}")
    return visitor


@pytest.mark.parametrize(
    ("verdict", "field"), [("reject", "reason"), ("cancel", "reason"), ("fail", "reason")]
)
async def test_lines_of_a_reason_are_told_as_they_were_typed(
    serve: Serve, verdict: str, field: str
) -> None:
    async with serve(script, *TOOLS) as served:
        said = {"amount": 4} if verdict == "reject" else {}
        visitor = await looking(served, "pay" if said else "weigh", **said)
        await visitor.send({field: "first line\nsecond line"}, verdict)
        [entry] = [each for each in await served.assent.audit() if each.action == verdict]
        assert entry.data["reason"] == "first line\nsecond line"
        assert "CR" not in visitor.text


async def test_lines_of_a_result_are_given_as_they_were_typed(serve: Serve) -> None:
    async with serve(script, *TOOLS) as served:
        visitor = await looking(served, "weigh")
        await visitor.send({"output": "line 1\nline 2"}, "supply")
        id = visitor.page.url.path.rpartition("/")[2]
        request = await served.assent.request(id)
        call = await served.assent.kernel.store.run(lambda tx: tx.calls.get(request.call_id))
        assert call is not None
        assert call.output == '"line 1\\nline 2"'


async def test_what_nobody_said_is_not_answered_with_no(serve: Serve) -> None:
    async with serve(script, *TOOLS) as served:
        visitor = await looking(served, "go")
        await visitor.send({"field.what": "x"}, "answer")
        # Its box was ticked beforehand: that is the form's own default.
        assert GIVEN == [{"host": "home", "why": "", "notify": True, "loud": True, "groups": None}]


@pytest.mark.parametrize("said", [True, False])
async def test_yes_and_no_are_said_where_they_were_chosen(serve: Serve, said: bool) -> None:
    async with serve(script, *TOOLS) as served:
        visitor = await looking(served, "go")
        notify = "true" if said else "false"
        await visitor.send({"field.what": "x", "field.notify": notify}, "answer")
        assert GIVEN[0]["notify"] is said


# requirement: D3, D5, D6
async def test_what_was_suggested_is_shown_with_all_that_a_control_hides(serve: Serve) -> None:
    hidden = "good.example\u200b.evil\u202emoc"
    far = "a\n" + "\n" * 80 + "rm -rf /"
    async with serve(script, *TOOLS) as served:
        visitor = await looking(served, "go", host=hidden, why=far)
        form = visitor.form("answer")
        # What cannot be seen in a control does not stand in it.
        assert form.value("field.host") == ""
        assert form.value("field.why") == far
        shown = re.findall(r'<div class="suggested".*?</div>', visitor.page.text, re.DOTALL)
        assert len(shown) == 2
        assert "U+200B" in shown[0]
        assert "U+202E" in shown[0]
        assert "rm -rf /" in shown[1]
        assert hidden not in visitor.page.text
        await visitor.send({"field.what": "x"}, "answer")
        assert (GIVEN[0]["host"], GIVEN[0]["why"]) == ("home", far)


async def test_a_line_that_a_control_would_join_does_not_stand_in_it(serve: Serve) -> None:
    async with serve(script, *TOOLS) as served:
        visitor = await looking(served, "go", host="a\nb")
        assert visitor.form("answer").value("field.host") == ""
        assert "Suggested, but not filled in" in visitor.text


@pytest.mark.parametrize(
    ("field", "given", "fitting", "stands"),
    [
        (Field("x", type=FieldType.TIME), "quarter past", "14:30", "14:30"),
        (Field("x", type=FieldType.DATE), "next Monday", "2027-03-01", "2027-03-01"),
        (Field("x", type=FieldType.COUNTRY), "Atlantis", "DE", "DE"),
        (Field("x", type=FieldType.SELECT, options=["a", "b"]), "c", "a", "a"),
        (Field("x", type=FieldType.MULTI_SELECT, options=["a", "b"]), ["a", "c"], ["a"], "a"),
    ],
    ids=["time", "date", "country", "select", "multi_select"],
)
async def test_what_a_control_cannot_stand_for_is_not_said_to_be_filled_in(
    serve: Serve, field: Field, given: Json, fitting: Json, stands: str
) -> None:
    async with serve(script, order([], field)) as served:
        visitor = await looking(served, "order", x=given)
        values = {value for name, value in visitor.form("answer").pairs if name == "field.x"}
        assert values <= {""}
        assert "Suggested, but not filled in" in visitor.text
        assert "Filled in for you" not in visitor.text
        visitor = await looking(served, "order", x=fitting)
        assert ("field.x", stands) in visitor.form("answer").pairs
        assert "Filled in for you" in visitor.text


async def test_what_was_suggested_and_taken_out_again_is_not_used(serve: Serve) -> None:
    async with serve(script, *TOOLS) as served:
        visitor = await looking(served, "go", host="evil.example", groups=["a", "b"])
        form = visitor.form("answer")
        assert form.value("field.host") == "evil.example"
        assert ("field.groups", "a") in form.pairs
        cleared = {"field.host": "", "field.groups": [""]}
        await visitor.send({"field.what": "x", **cleared}, "answer")
        assert (GIVEN[0]["host"], GIVEN[0]["groups"]) == ("home", None)
