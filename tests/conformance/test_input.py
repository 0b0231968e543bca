"""What a tool asks a person before it runs: fields, drafts, saved answers (conformance 91–103)."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from assent import (
    Assent,
    Effect,
    Field,
    FieldType,
    Person,
    Rule,
    ShowIf,
    Tool,
    UserInput,
    answer,
    approve,
    cancel,
    draft,
    schema_tool,
    tool,
)
from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus, ConversationStatus, RequestKind, RequestStatus
from assent.domain.messages import ModelSaid
from assent.errors import (
    AlreadyAnswered,
    Cancelled,
    InvalidAnswer,
    InvalidArguments,
    InvalidTool,
    NotFound,
    WrongVerdict,
)
from assent.testing import ScriptedModel, calls, says
from tests.conformance.records import everything, execute
from tests.conftest import World


class Mailer:
    """A tool that asks for what its form says and keeps what it was given."""

    def __init__(self, *fields: Field, name: str = "send_mail", **form: Any) -> None:
        self.given: list[dict[str, Any]] = []
        self.password = ""

        async def body(
            to: str,
            account: str = "",
            port: int | float = -1,
            urgent: bool | None = None,
            password: str = "",
        ) -> str:
            """Send a mail."""
            self.given.append({"account": account, "port": port, "urgent": urgent})
            self.password = password
            return "sent"

        reason = "The mail server wants to know you"
        wanted = UserInput(reason, fields or (Field("account"),), **form)
        self.tool: Tool = tool(name=name, user_input=wanted)(body)


def mailing(*answers: str, name: str = "send_mail") -> ScriptedModel:
    """A model that sends one mail per turn."""
    steps = [[says("", calls(name, to="bob")), text] for text in (answers or ("Done.",))]
    return ScriptedModel([step for pair in steps for step in pair])


def told(model: ScriptedModel) -> Any:
    said = model.prompts[-1].history[-1]
    assert isinstance(said, ModelSaid)
    return said.outputs[0].content


# conformance: 91
async def test_a_missing_field_stops_the_call_and_asks_for_it(world: World, owner: Person) -> None:
    mailer = Mailer(Field("account", label="Your account"), Field("port", type=FieldType.NUMBER))
    model = mailing()
    async with world(model, mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        thread = await assent.conversation(turn.conversation_id)

    [request] = turn.pending
    assert mailer.given == []
    assert thread.status is ConversationStatus.AWAITING_INPUT
    assert request.kind is RequestKind.INPUT
    assert request.question.reason == "The mail server wants to know you"
    form = UserInput.from_json(request.question.form or {})
    assert [(item.name, item.label) for item in form.fields] == [
        ("account", "Your account"),
        ("port", "Port"),
    ]
    assert len(model.prompts) == 1


# conformance: 91
async def test_what_people_fill_in_is_no_part_of_the_schema_the_model_sees(
    world: World, owner: Person
) -> None:
    mailer = Mailer(Field("account"), Field("password", type=FieldType.SECRET))
    model = ScriptedModel(["Hello."])
    async with world(model, mailer.tool) as assent:
        await assent.send("agent", "go", by=owner)

    [spec] = model.prompts[0].tools
    properties = spec.parameters["properties"]
    assert isinstance(properties, dict)
    assert set(properties) == {"to", "port", "urgent"}


# conformance: 91
async def test_a_models_value_only_prefills_the_form(world: World, owner: Person) -> None:
    mailer = Mailer()
    model = ScriptedModel([says("", calls("send_mail", to="bob", account="guess")), "Done."])
    async with world(model, mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        assert mailer.given == []
        assert request.question.prefilled == {"account": "guess"}
        await assent.decide(request.id, answer(account="ada"), by=owner)
        await assent.wait(turn.id)

    assert [given["account"] for given in mailer.given] == ["ada"]


# conformance: 91
async def test_a_field_may_let_the_model_fill_it(world: World, owner: Person) -> None:
    mailer = Mailer(Field("account", model_may_fill=True))
    model = ScriptedModel([says("", calls("send_mail", to="bob", account="work")), "Done."])
    async with world(model, mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert turn.pending == ()
    assert [given["account"] for given in mailer.given] == ["work"]


# conformance: 91
async def test_policy_is_asked_before_a_person_is(world: World, owner: Person) -> None:
    mailer = Mailer()
    rules = [Rule.of(Effect.DENY, "send_mail", reason="no mail here")]
    model = mailing()
    async with world(model, mailer.tool, rules=rules) as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert turn.calls[0].status is CallStatus.DENIED
    assert turn.pending == ()
    assert "no mail here" in told(model)


# conformance: 91
async def test_answers_go_back_to_the_gate(world: World, owner: Person) -> None:
    mailer = Mailer()

    def is_root(args: Mapping[str, Json], _: object) -> bool:
        return args.get("account") == "root"

    rules = [Rule.of(Effect.ASK, "send_mail", when=is_root)]
    async with world(mailing(), mailer.tool, rules=rules) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, answer(account="root"), by=owner)
        turn = await assent.wait(turn.id)
        assert [request.kind for request in turn.pending] == [RequestKind.APPROVAL]
        assert mailer.given == []
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert [given["account"] for given in mailer.given] == ["root"]


# conformance: 92
async def test_zero_and_false_count_as_answers(world: World, owner: Person) -> None:
    mailer = Mailer(Field("port", type=FieldType.NUMBER), Field("urgent", type=FieldType.BOOLEAN))
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, answer(port=0, urgent=False), by=owner)
        await assent.wait(turn.id)

    assert mailer.given == [{"account": "", "port": 0, "urgent": False}]


# conformance: 93
async def test_the_first_of_two_required_fields_is_not_enough(world: World, owner: Person) -> None:
    mailer = Mailer(Field("account"), Field("port", type=FieldType.NUMBER))
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with pytest.raises(InvalidAnswer) as refused:
            await assent.decide(turn.pending[0].id, answer(account="ada"), by=owner)
        after = await assent.turn(turn.id)

    assert refused.value.errors == {"port": "This is required."}
    assert after == turn
    assert mailer.given == []


# conformance: 93
async def test_a_draft_keeps_the_first_part_under_seal_until_the_rest_comes(
    world: World, owner: Person
) -> None:
    mailer = Mailer(Field("account"), Field("port", type=FieldType.NUMBER))
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, draft({"account": "ada-in-part"}), by=owner)
        after = await assent.turn(turn.id)
        assert [one.id for one in after.pending] == [request.id]
        assert after.calls[0].status is CallStatus.AWAITING_INPUT
        assert "ada-in-part" not in repr(await everything(world.url))

        await assent.decide(request.id, answer(port=25), by=owner)
        await assent.wait(turn.id)
        closed = await assent.request(request.id)

    assert mailer.given == [{"account": "ada-in-part", "port": 25, "urgent": None}]
    assert closed.draft is None


# conformance: 94
@pytest.mark.parametrize(
    ("field", "value"),
    [
        (Field("account"), "  "),
        (Field("account", pattern="[a-z]+"), "ada1"),
        (Field("account", pattern="[a-z]+"), "ada\n"),
        (Field("port", type=FieldType.NUMBER), "many"),
        (Field("port", type=FieldType.NUMBER, maximum=10), 11),
        (Field("account", type=FieldType.SELECT, options=["work", "home"]), "other"),
    ],
)
async def test_what_breaks_a_fields_rules_is_refused_by_field_and_still_pending(
    world: World, owner: Person, field: Field, value: object
) -> None:
    mailer = Mailer(field)
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with pytest.raises(InvalidAnswer) as refused:
            await assent.decide(turn.pending[0].id, answer({field.name: value}), by=owner)
        after = await assent.turn(turn.id)

    assert set(refused.value.errors) == {field.name}
    assert after == turn
    assert mailer.given == []


# conformance: 94
async def test_a_field_that_nobody_declared_is_refused(world: World, owner: Person) -> None:
    mailer = Mailer()
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with pytest.raises(InvalidAnswer) as refused:
            await assent.decide(turn.pending[0].id, answer(account="ada", to="eve"), by=owner)

    assert set(refused.value.errors) == {"to"}


# conformance: 95
@pytest.mark.parametrize(("given", "got"), [("25", 25), ("2.5", 2.5), (25, 25)])
async def test_a_number_field_gives_the_tool_a_number(
    world: World, owner: Person, given: object, got: float
) -> None:
    mailer = Mailer(Field("port", type=FieldType.NUMBER))
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, answer(port=given), by=owner)
        await assent.wait(turn.id)

    assert mailer.given[0]["port"] == got
    assert type(mailer.given[0]["port"]) is type(got)


# conformance: 94
async def test_a_conditional_field_is_wanted_only_when_it_shows(
    world: World, owner: Person
) -> None:
    mailer = Mailer(
        Field("urgent", type=FieldType.BOOLEAN),
        Field("account", show_if=ShowIf("urgent", True)),
    )
    async with world(mailing("One.", "Two."), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with pytest.raises(InvalidAnswer):
            await assent.decide(turn.pending[0].id, answer(urgent=True), by=owner)
        await assent.decide(turn.pending[0].id, answer(urgent=False, account="x"), by=owner)
        await assent.wait(turn.id)

    assert mailer.given == [{"account": "", "port": -1, "urgent": False}]


async def test_a_secret_that_does_not_show_is_left_to_the_default_of_the_body(
    world: World, owner: Person
) -> None:
    mailer = Mailer(
        Field("urgent", type=FieldType.BOOLEAN),
        Field("account", type=FieldType.SECRET, show_if=ShowIf("urgent", True)),
    )
    async with world(mailing("One."), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, answer(urgent=False), by=owner)
        await assent.wait(turn.id)

    assert mailer.given == [{"account": "", "port": -1, "urgent": False}]


class Connecter:
    """A tool with a JSON schema that asks for a host and a password."""

    def __init__(self, **schema: Json) -> None:
        self.given: list[Mapping[str, Json]] = []
        host: Json = {"type": "string", "maxLength": 8}
        self.tool: Tool = schema_tool(
            "connect",
            description="Connect",
            parameters={
                "type": "object",
                "properties": {"host": host, "password": {"type": "string"}},
                "required": ["host", "password"],
                **schema,
            },
            execute=lambda _, given: self.given.append(given),
            user_input=UserInput(
                "Whereto?", [Field("host"), Field("password", type=FieldType.SECRET)]
            ),
        )


async def test_beside_a_secret_valid_answers_to_a_closed_schema_are_taken(
    world: World, owner: Person
) -> None:
    connecter = Connecter(additionalProperties=False)
    async with world([says("", calls("connect")), "Done."], connecter.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        await assent.decide(turn.pending[0].id, answer(host="db", password="hunter22"), by=owner)
        await assent.wait(turn.id)

    assert connecter.given == [{"host": "db", "password": "hunter22"}]


async def test_beside_a_secret_other_answers_are_validated_by_the_schema(
    world: World, owner: Person
) -> None:
    connecter = Connecter()
    async with world([says("", calls("connect")), "Done."], connecter.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        too_long = answer(host="database.example", password="hunter22")
        with pytest.raises(InvalidArguments, match="host: must have at most 8 characters"):
            await assent.decide(turn.pending[0].id, too_long, by=owner)

    assert connecter.given == []


# conformance: 96
async def test_an_answer_to_an_unknown_request_is_not_found(world: World, owner: Person) -> None:
    mailer = Mailer()
    async with world(mailing(), mailer.tool) as assent:
        await assent.send("agent", "go", by=owner)
        with pytest.raises(NotFound):
            await assent.decide("req_unknown", answer(account="ada"), by=owner)

    assert mailer.given == []


# conformance: 97
async def test_a_completed_request_takes_no_other_values(world: World, owner: Person) -> None:
    mailer = Mailer()
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, answer(account="ada"), by=owner)
        before = await assent.wait(turn.id)
        for late in (answer(account="eve"), draft({"account": "eve"})):
            with pytest.raises(AlreadyAnswered):
                await assent.decide(request.id, late, by=owner)
        after = await assent.turn(turn.id)

    assert after == before
    assert [given["account"] for given in mailer.given] == ["ada"]


# conformance: 97, 98
async def test_a_cancelled_request_is_told_to_the_model_and_takes_no_answer(
    world: World, owner: Person
) -> None:
    mailer = Mailer()
    model = mailing()
    async with world(model, mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, cancel(), by=owner)
        after = await assent.wait(turn.id)
        with pytest.raises(Cancelled):
            await assent.decide(request.id, answer(account="ada"), by=owner)
        closed = await assent.request(request.id)

    assert closed.status is RequestStatus.CANCELLED
    assert after.calls[0].status is CallStatus.CANCELLED
    assert "cancelled" in json.loads(told(model))["error"]
    assert mailer.given == []


# conformance: 98
async def test_a_question_for_input_is_answered_or_cancelled_not_approved(
    world: World, owner: Person
) -> None:
    mailer = Mailer()
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with pytest.raises(WrongVerdict):
            await assent.decide(turn.pending[0].id, approve(), by=owner)

    assert mailer.given == []


async def _answered(assent: Assent, owner: Person, values: dict[str, object]) -> str:
    """One turn whose form is filled in; returns its conversation."""
    turn = await assent.send("agent", "go", by=owner)
    await assent.decide(turn.pending[0].id, answer(values), by=owner)
    return (await assent.wait(turn.id)).conversation_id


# conformance: 99
async def test_a_saved_answer_is_asked_for_once_in_a_conversation(
    world: World, owner: Person
) -> None:
    mailer = Mailer(save=True)
    async with world(mailing("One.", "Two.", "Three."), mailer.tool) as assent:
        conversation = await _answered(assent, owner, {"account": "ada"})
        again = await assent.send("agent", "again", by=owner, conversation_id=conversation)
        elsewhere = await assent.send("agent", "and here", by=owner)

    assert again.pending == ()
    assert [given["account"] for given in mailer.given] == ["ada", "ada"]
    assert [request.kind for request in elsewhere.pending] == [RequestKind.INPUT]


# conformance: 99
async def test_cleared_answers_are_asked_for_again(world: World, owner: Person) -> None:
    mailer = Mailer(Field("account"), Field("password", type=FieldType.SECRET), save=True)
    async with world(mailing("One.", "Two."), mailer.tool) as assent:
        conversation = await _answered(assent, owner, {"account": "ada", "password": "hunter22"})
        saved = await assent.saved_values(conversation)
        assert saved == {"tool:send_mail": {"account": "ada", "password": None}}

        with pytest.raises(NotFound):
            await assent.clear_values(conversation, by=Person("eve"))
        assert await assent.clear_values(conversation, by=owner, scope="tool:send_mail") == 2
        left = await everything(world.url)
        turn = await assent.send("agent", "again", by=owner, conversation_id=conversation)
        saved = await assent.saved_values(conversation)

    assert saved == {}
    assert left["secrets"] == []
    assert len(turn.pending) == 1


# conformance: 99
async def test_a_saved_secret_reaches_the_next_call_and_nobody_else(
    world: World, owner: Person
) -> None:
    mailer = Mailer(Field("account"), Field("password", type=FieldType.SECRET), save=True)
    async with world(mailing("One.", "Two."), mailer.tool) as assent:
        conversation = await _answered(assent, owner, {"account": "ada", "password": "hunter22"})
        mailer.password = "?"
        turn = await assent.send("agent", "again", by=owner, conversation_id=conversation)

    assert turn.pending == ()
    assert mailer.password == "hunter22"
    assert "hunter22" not in repr(turn)


# conformance: 100
async def test_an_answer_that_is_not_saved_is_asked_for_each_time(
    world: World, owner: Person
) -> None:
    mailer = Mailer(Field("account"), Field("password", type=FieldType.SECRET))
    async with world(mailing("One.", "Two."), mailer.tool) as assent:
        conversation = await _answered(assent, owner, {"account": "ada", "password": "hunter22"})
        saved = await assent.saved_values(conversation)
        left = await everything(world.url)
        turn = await assent.send("agent", "again", by=owner, conversation_id=conversation)

    assert saved == {}
    assert (left["saved_values"], left["secrets"]) == ([], [])
    assert [request.kind for request in turn.pending] == [RequestKind.INPUT]


# conformance: 101
async def test_the_newest_of_two_answers_is_used(world: World, owner: Person) -> None:
    mailer = Mailer(save=True)
    two = says("", calls("send_mail", to="bob"), calls("send_mail", to="cyd"))
    model = ScriptedModel([two, "Two.", says("", calls("send_mail", to="dan")), "Three."])
    async with world(model, mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        first, second = turn.pending
        await assent.decide(first.id, answer(account="old"), by=owner)
        await assent.decide(second.id, answer(account="new"), by=owner)
        await assent.wait(turn.id)
        await assent.send("agent", "again", by=owner, conversation_id=turn.conversation_id)

    assert [given["account"] for given in mailer.given] == ["old", "new", "new"]


# conformance: 101
async def test_saved_answers_belong_to_their_tool(world: World, owner: Person) -> None:
    mailer, poster = Mailer(save=True), Mailer(name="post_letter", save=True)
    script = [
        says("", calls("send_mail", to="bob")),
        "One.",
        says("", calls("post_letter", to="bob")),
    ]
    async with world(script, mailer.tool, poster.tool) as assent:
        conversation = await _answered(assent, owner, {"account": "ada"})
        turn = await assent.send("agent", "again", by=owner, conversation_id=conversation)

    assert [request.tool for request in turn.pending] == ["post_letter"]


# conformance: 101
async def test_a_family_of_tools_shares_its_saved_answers(world: World, owner: Person) -> None:
    token = Field("password", type=FieldType.SECRET)
    mailer = Mailer(token, save=True, family="post")
    poster = Mailer(token, Field("account"), name="post_letter", save=True, family="post")
    script = [
        says("", calls("send_mail", to="bob")),
        "One.",
        says("", calls("post_letter", to="bob")),
        "Two.",
    ]
    async with world(script, mailer.tool, poster.tool) as assent:
        conversation = await _answered(assent, owner, {"password": "hunter22"})
        turn = await assent.send("agent", "again", by=owner, conversation_id=conversation)
        await assent.decide(turn.pending[0].id, answer(account="ada"), by=owner)
        await assent.wait(turn.id)

    assert (mailer.password, poster.password) == ("hunter22", "hunter22")


# conformance: 101
async def test_a_familys_secret_never_fills_a_plain_field_of_that_name(
    world: World, owner: Person
) -> None:
    mailer = Mailer(Field("password", type=FieldType.SECRET), save=True, family="post")
    poster = Mailer(Field("password"), name="post_letter", save=True, family="post")
    script = [
        says("", calls("send_mail", to="bob")),
        "One.",
        says("", calls("post_letter", to="bob")),
    ]
    async with world(script, mailer.tool, poster.tool) as assent:
        conversation = await _answered(assent, owner, {"password": "hunter22"})
        turn = await assent.send("agent", "again", by=owner, conversation_id=conversation)

    [request] = turn.pending
    assert request.tool == "post_letter"
    assert request.question.prefilled == {}


# conformance: 102
async def test_two_tools_that_need_input_both_ask(world: World, owner: Person) -> None:
    mailer, poster = Mailer(), Mailer(name="post_letter")
    both = says("", calls("send_mail", to="bob"), calls("post_letter", to="bob"))
    async with world([both, "Done."], mailer.tool, poster.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        assert sorted(request.tool for request in turn.pending) == ["post_letter", "send_mail"]
        values = (answer(account=request.tool) for request in turn.pending)
        ids = [request.id for request in turn.pending]
        decided = [
            assent.decide(id, given, by=owner) for id, given in zip(ids, values, strict=True)
        ]
        await asyncio.gather(*decided)
        await assent.wait(turn.id)

    assert mailer.given[0]["account"] == "send_mail"
    assert poster.given[0]["account"] == "post_letter"


# conformance: 103
async def test_a_call_whose_tool_cannot_be_looked_up_is_not_run(
    world: World, owner: Person
) -> None:
    mailer = Mailer()
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
    model = ScriptedModel(["Too bad."])
    async with world(model) as assent:
        await assent.decide(turn.pending[0].id, answer(account="ada"), by=owner)
        after = await assent.wait(turn.id)

    assert mailer.given == []
    assert after.calls[0].status is CallStatus.FAILED
    assert "no longer there" in told(model)


# conformance: 103
async def test_a_form_that_cannot_be_read_runs_nothing_and_stays_pending(
    world: World, owner: Person
) -> None:
    mailer = Mailer()
    async with world(mailing(), mailer.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        broken = '{"reason":"","text":"","preview":null,"metadata":{},"form":{},"prefilled":{}}'
        await execute(world.url, f"UPDATE requests SET question = '{broken}'")
        with pytest.raises(InvalidTool):
            await assent.decide(turn.pending[0].id, answer(account="ada"), by=owner)
        after = await assent.turn(turn.id)

    assert mailer.given == []
    assert after.calls[0].status is CallStatus.AWAITING_INPUT
    assert len(after.pending) == 1
