"""How long an answer is kept, in modals of Slack: the choice of its owner."""

from collections.abc import Sequence
from typing import Any

import pytest

from assent import Audience, Field, FieldType, Person, PersonKind, Step, UserInput, schema_tool
from assent.channels.slack import api
from assent.domain.fields import ShowIf
from assent.domain.tools import Tool
from assent.testing import calls, says
from tests.channels.slack import LoopbackSlack
from tests.channels.slack.member import Member
from tests.channels.slack.office import Office, opened
from tests.channels.slack.workspace import View

ADA = Person("ada")
STEP = says("", calls("file"))


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "POST_SECONDS", 0.01)


def filing(*fields: Field, steps: Sequence[Step] = ()) -> Tool:
    """A tool whose form people may keep the answers to."""
    form = UserInput("Who files it?", fields, steps=steps, save="person")
    named: Any = {each.name: {"type": "string"} for each in form.fields}

    async def execute(_context: Any, arguments: dict[str, Any]) -> str:
        return " ".join(map(str, arguments.values()))

    return schema_tool(
        "file",
        description="File it.",
        parameters={"type": "object", "properties": named},
        execute=execute,
        user_input=form,
        requires_approval=False,
        # Who answers where a program owns the conversation.
        approvers=Audience.of("ops"),
    )


async def asked(office: Office, ada: Member) -> View:
    """The form, opened from its card."""
    await office.link(ada)
    await ada.say(ada.direct, "file it")
    await ada.press(await ada.sees(ada.direct, "Input needed"), "Send the answers")
    return await ada.sees_modal()


def names(view: View) -> list[str]:
    return [block["block_id"][2:] for block in view.blocks if block["type"] == "input"]


async def preferences(office: Office) -> dict[str, Any]:
    found = await office.assent.people.preferences.of(ADA)
    return {each.row.name: each.row.value for each in found}


@pytest.mark.parametrize("keep", [None, "once", "person"])
async def test_the_owner_of_a_conversation_chooses(
    slack: LoopbackSlack, url: str, keep: str | None
) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, STEP, more_tools=[filing(Field("company"))]) as office:
        view = await asked(office, ada)
        [request] = await office.assent.pending()
        choice = view.blocks[-1]
        await ada.fill("f:company", "Acme")
        if keep is not None:
            await ada.fill("f:keep", keep)
        await ada.submit()
        await ada.sees(ada.direct, "Done.")
        office.script.append(STEP)
        turn = await office.assent.send(
            "agent", "file it", by=ADA, conversation_id=request.conversation_id
        )
        kept = await preferences(office)

    element = choice["element"]
    assert choice["label"]["text"] == "Keep these answers"
    assert element["type"] == "static_select"
    assert element["initial_option"]["text"]["text"] == "For this conversation"
    assert [each["text"]["text"] for each in element["options"]] == [
        "Only this time",
        "For this conversation",
        "For all my conversations",
    ]
    assert kept == ({"company": "Acme"} if keep == "person" else {})
    assert bool(turn.pending) is (keep == "once")


async def test_the_choice_is_in_the_last_step(slack: LoopbackSlack, url: str) -> None:
    steps = [Step("Who", [Field("company")]), Step("Where", [Field("office")])]
    ada = slack.member("ada")
    async with opened(slack, url, STEP, more_tools=[filing(steps=steps)]) as office:
        assert names(await asked(office, ada)) == ["company"]
        await ada.fill("f:company", "Acme")
        await ada.submit()
        assert names(await ada.sees_modal("2 of 2: Where")) == ["office", "keep"]
        await ada.fill("f:office", "Rome")
        await ada.fill("f:keep", "person")
        await ada.submit()
        await ada.sees(ada.direct, "Done.")
        kept = await preferences(office)

    assert kept == {"company": "Acme", "office": "Rome"}


async def test_where_an_answer_ends_the_form_the_choice_follows(
    slack: LoopbackSlack, url: str
) -> None:
    fields = [
        Field("login", type=FieldType.SELECT, options=("key", "password")),
        Field("user", show_if=ShowIf("login", "password")),
    ]
    steps = [Step("How", fields[:1]), Step("Who", fields[1:])]
    ada = slack.member("ada")
    async with opened(slack, url, STEP, more_tools=[filing(steps=steps)]) as office:
        assert names(await asked(office, ada)) == ["login"]
        await ada.fill("f:login", "key")
        await ada.submit()
        assert names(await ada.sees_modal("Keep these answers")) == ["keep"]
        await ada.fill("f:keep", "person")
        await ada.submit()
        await ada.sees(ada.direct, "Done.")
        kept = await preferences(office)

    assert kept == {"login": "key"}


async def test_a_choice_that_was_not_offered_is_refused_beside_it(
    slack: LoopbackSlack, url: str
) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, STEP, more_tools=[filing(Field("company"))]) as office:
        await asked(office, ada)
        await ada.fill("f:company", "Acme")
        await ada.fill("f:keep", "person")
        assert ada.modal is not None
        forged(ada.modal, "forever")
        await ada.submit()
        assert ada.modal is not None
        assert list(ada.modal.errors) == ["f:keep"]
        waits = await office.assent.pending()
        kept = await preferences(office)

    assert len(waits) == 1
    assert kept == {}


async def test_nobody_but_the_owner_keeps_anything(slack: LoopbackSlack, url: str) -> None:
    ada = slack.member("ada")
    async with opened(slack, url, STEP, more_tools=[filing(Field("company"))]) as office:
        await office.link(ada, "ops")
        program = Person("robot", kind=PersonKind.SERVICE)
        turn = await office.assent.start("agent", "file it", by=program)
        await ada.press(await ada.sees(ada.direct, "Input needed"), "Send the answers")
        view = await ada.sees_modal()
        shown = names(view)
        await ada.fill("f:company", "Acme")
        forged(view, "person")
        await ada.submit()
        await office.assent.wait(turn)
        kept = await preferences(office)

    assert shown == ["company"]
    assert kept == {}


def forged(view: View, keep: str) -> None:
    """Enter what no client of Slack would send."""
    option = {"value": keep, "text": {"type": "plain_text", "text": "x"}}
    state = {"type": "static_select", "selected_option": option}
    view.values["f:keep"] = {"value": state}
