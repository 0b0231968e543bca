from datetime import timedelta

import pytest
from msgspec.structs import replace

from assent.domain.calls import Author, Call, Frozen, Revision
from assent.domain.canonical import Json
from assent.domain.cards import (
    Added,
    Changed,
    Condition,
    DiffPreview,
    FailedPreview,
    NamedValue,
    Number,
    Past,
    Secret,
    Text,
    TextPreview,
    Verb,
)
from assent.domain.decisions import Decision, VerdictName
from assent.domain.declarations import tool
from assent.domain.fields import Field, FieldType, ShowIf
from assent.domain.forms import UserInput
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.people import Audience
from assent.domain.requests import Question, Request
from assent.domain.tools import Hint, Preview, Risk, effective
from assent.domain.verdicts import names_for
from assent.presentation.card import card_of
from tests.presentation.samples import NOW

FORM = UserInput(
    reason="The mail server wants to know you",
    fields=[Field("account"), Field("password", type=FieldType.SECRET)],
)


@tool(
    risk=Risk.DANGEROUS,
    impact="Sends an e-mail",
    category="communication",
    hints={"body": Hint(elidable=True), "token": Hint(secret=True)},
    user_input=FORM,
)
async def send_mail(to: str, body: str, token: str, account: str, password: str) -> str:
    """Send an e-mail."""
    return to + body + token + account + password


TOOL = effective(send_mail, None)


def call(arguments: dict[str, Json], revision: int = 1) -> Call:
    frozen = Frozen.of(arguments)
    return Call(
        id="call_1",
        conversation_id="conv_1",
        turn_id="turn_1",
        message_id="msg_1",
        position=0,
        provider_id="p1",
        agent="mailer",
        tool="send_mail",
        source="local",
        risk="dangerous",
        definition_hash="h",
        status=CallStatus.AWAITING_APPROVAL,
        revision=revision,
        arguments=frozen,
        proposed=frozen.text,
        created_at=NOW,
    )


def request(kind: RequestKind = RequestKind.APPROVAL, revision: int = 1) -> Request:
    return Request(
        id="req_1",
        kind=kind,
        status=RequestStatus.OPEN,
        call_id="call_1",
        conversation_id="conv_1",
        turn_id="turn_1",
        revision=revision,
        owner="ada",
        agent="mailer",
        tool="send_mail",
        risk="dangerous",
        audience=Audience(),
        quorum=1,
        digest="d" * 64,
        policy_version="v1",
        question=Question(),
        created_at=NOW,
        decide_by=NOW + timedelta(hours=24),
    )


def revision(number: int, arguments: dict[str, Json], by: str, author: Author) -> Revision:
    return Revision(
        call_id="call_1",
        revision=number,
        arguments=Frozen.of(arguments),
        author=author,
        by=by,
        at=NOW,
    )


# requirement: D1
def test_arguments_are_read_from_the_frozen_text_and_shown_with_its_digest() -> None:
    proposed = call({"to": "bob", "body": "hi"})

    card = card_of(request(), proposed, TOOL)

    assert card.arguments == (
        NamedValue(name="body", value=Text("hi"), elidable=True),
        NamedValue(name="to", value=Text("bob")),
    )
    assert card.arguments_digest == proposed.arguments.digest
    assert card.digest == "d" * 64


def test_the_card_says_who_asks_for_what_on_whose_behalf() -> None:
    card = card_of(request(), call({"to": "bob"}), TOOL)

    assert (card.agent, card.on_behalf_of, card.tool, card.source) == (
        "mailer",
        "ada",
        "send_mail",
        "local",
    )
    assert (card.risk, card.category, card.impact) == (
        Risk.DANGEROUS,
        "communication",
        "Sends an e-mail",
    )


# conformance: 138
def test_secrets_are_masked_by_hint_and_by_the_form_they_came_from() -> None:
    arguments: dict[str, Json] = {"token": "sk-1", "password": {"$secret": "sec_1"}}

    card = card_of(request(), call(arguments), TOOL)

    assert {entry.value for entry in card.arguments} == {Secret()}
    assert "sk-1" not in repr(card)


# conformance: 128
def test_a_request_whose_tool_is_gone_can_still_be_shown() -> None:
    card = card_of(request(), call({"to": "bob"}), None)

    assert card.arguments == (NamedValue(name="to", value=Text("bob")),)
    assert card.impact == ""


# requirement: D12
def test_what_a_tool_says_about_itself_is_its_description_and_no_title() -> None:
    card = card_of(request(), call({"to": "bob"}), TOOL)

    assert card.description == "Send an e-mail."
    assert card.title == "Approval needed"
    assert card_of(request(), call({"to": "bob"}), None).description == ""


# requirement: D18
@pytest.mark.parametrize(
    ("declared", "raised"),
    [
        (Risk.SAFE, Risk.MODERATE),
        (Risk.MODERATE, Risk.DANGEROUS),
        (Risk.DANGEROUS, Risk.DANGEROUS),
    ],
)
def test_data_that_nobody_can_read_raises_the_risk_by_a_tier(declared: Risk, raised: Risk) -> None:
    blob = "data:application/pdf;base64,JVBERi0xLjQKJcfsj6IKNSAwIG9iago8PC9MZW5ndGg="
    asked = replace(request(), risk=declared.value)

    card = card_of(asked, call({"to": "bob", "files": [{"body": blob}]}), TOOL)
    readable = card_of(asked, call({"to": "bob"}), TOOL)

    assert (card.risk, card.declared_risk) == (raised, declared)
    assert (readable.risk, readable.is_raised) == (declared, False)


# conformance: 140
def test_a_card_names_what_else_waits_and_what_was_called_before() -> None:
    past = Past(at=NOW, call_id="call_0", status=CallStatus.SUCCEEDED, by="bob")

    card = card_of(request(), call({}), TOOL, similar=[past], beside=["delete_file"])

    assert card.similar == (past,)
    assert card.beside == ("delete_file",)


# requirement: D15
def test_edits_compare_with_the_models_own_arguments_and_name_the_editors() -> None:
    revisions = [
        revision(1, {"to": "bob"}, "mailer", Author.MODEL),
        revision(2, {"to": "bob", "account": 7}, "ada", Author.ANSWER),
        revision(3, {"to": "eve", "account": 7}, "cyd", Author.EDIT),
    ]

    card = card_of(
        request(revision=3), call({"to": "eve", "account": 7}, 3), TOOL, revisions=revisions
    )

    assert card.edits == (
        Changed(path=("to",), old=Text("bob"), new=Text("eve")),
        Added(path=("account",), new=Number("7")),
    )
    assert card.edited_by == ("ada", "cyd")


def test_an_old_request_shows_the_revision_it_was_about() -> None:
    revisions = [
        revision(1, {"to": "bob"}, "mailer", Author.MODEL),
        revision(2, {"to": "eve"}, "cyd", Author.EDIT),
    ]
    moved_on = call({"to": "eve"}, 2)

    card = card_of(request(revision=1), moved_on, TOOL, revisions=revisions)

    assert card.arguments == (NamedValue(name="to", value=Text("bob")),)
    assert card.edits == ()


def test_without_the_revision_it_is_about_a_request_is_not_shown_with_another() -> None:
    with pytest.raises(ValueError, match="revision 1 of call 'call_1' was not passed"):
        card_of(request(revision=1), call({"to": "eve"}, 2), TOOL)


@pytest.mark.parametrize(
    ("preview", "shown"),
    [
        (None, None),
        (Preview(text="would send"), TextPreview("would send")),
        (Preview(before="a", after="b"), DiffPreview(before="a", after="b")),
        (Preview(after="b"), DiffPreview(before="", after="b")),
        (Preview(before="a"), DiffPreview(before="a", after="")),
        (
            Preview(text="one line", before="a", after="b"),
            DiffPreview(before="a", after="b", text="one line"),
        ),
        (Preview(text="timed out", failed=True), FailedPreview("timed out")),
    ],
)
def test_a_preview_becomes_text_a_diff_or_a_failure(preview, shown) -> None:
    asked = replace(request(), question=Question(preview=preview))

    assert card_of(asked, call({}), TOOL).preview == shown


def test_a_form_becomes_blanks_with_what_is_filled_in_already() -> None:
    question = Question(form=FORM.to_json(), prefilled={"account": "ada", "password": "canary"})
    asked = replace(request(RequestKind.INPUT), question=question)

    card = card_of(asked, call({}), TOOL)

    assert [(blank.field.name, blank.prefilled) for blank in card.blanks] == [
        ("account", Text("ada")),
        ("password", None),
    ]


def test_a_blank_knows_which_answer_calls_for_it() -> None:
    form = UserInput(
        "How?",
        [
            Field("login", type=FieldType.SELECT, options=["password", "key"]),
            Field("password", type=FieldType.SECRET, show_if=ShowIf("login", "password")),
            Field("taxes", type=FieldType.MULTI_SELECT, options=["vat", "duty"]),
            Field("rate", type=FieldType.NUMBER, show_if=ShowIf("taxes", "vat")),
        ],
    )
    asked = replace(request(RequestKind.INPUT), question=Question(form=form.to_json()))

    card = card_of(asked, call({}), TOOL)

    assert [blank.only_if for blank in card.blanks] == [
        None,
        Condition(field="login", value=Text("password")),
        None,
        Condition(field="taxes", value=Text("vat"), among=True),
    ]


@pytest.mark.parametrize(
    ("kind", "title", "verbs"),
    [
        (RequestKind.APPROVAL, "Approval needed", [Verb.APPROVE, Verb.EDIT, Verb.REJECT]),
        (RequestKind.INPUT, "Input needed", [Verb.ANSWER, Verb.CANCEL]),
        (RequestKind.RESULT, "Result needed", [Verb.SUPPLY, Verb.FAIL, Verb.CANCEL]),
        (RequestKind.OUTCOME, "Outcome unknown", [Verb.RAN, Verb.DID_NOT_RUN, Verb.RUN_AGAIN]),
    ],
)
def test_each_kind_of_request_has_its_title_and_choices(
    kind: RequestKind, title: str, verbs: list[Verb]
) -> None:
    card = card_of(request(kind), call({}), TOOL)

    assert card.title == title
    assert [choice.verb for choice in card.choices] == verbs


@pytest.mark.parametrize("kind", RequestKind)
def test_every_choice_is_a_verdict_that_the_engine_takes(kind: RequestKind) -> None:
    offered = {choice.verb for choice in card_of(request(kind), call({}), TOOL).choices}

    # An edit is an approval of other arguments.
    assert {VerdictName.APPROVE if verb is Verb.EDIT else verb for verb in offered} <= names_for(
        kind
    )


def test_a_closed_request_says_how_it_ended_and_offers_nothing() -> None:
    card = card_of(replace(request(), status=RequestStatus.EXPIRED), call({}), TOOL)

    assert card.title == "Approval: expired"
    assert card.choices == ()


def test_one_of_several_approvals_is_announced_as_such() -> None:
    card = card_of(replace(request(), quorum=2), call({}), TOOL)

    assert card.choices[0].effect.startswith("one of 2 approvals")


def test_running_it_again_takes_as_many_as_approving_it() -> None:
    asked = replace(request(RequestKind.OUTCOME), quorum=2)

    again = card_of(asked, call({}), TOOL).choices[-1]

    assert again.verb is Verb.RUN_AGAIN
    assert "one of 2 approvals, 1 more to come" in again.effect


def test_earlier_votes_are_the_cards_history() -> None:
    vote = Decision(
        id="d1",
        request_id="req_1",
        person="bob",
        channel="web",
        verdict=VerdictName.APPROVE,
        fingerprint="f",
        reason="fine",
        at=NOW,
    )

    [note] = card_of(request(), call({}), TOOL, decisions=[vote]).history

    assert (note.by, note.verdict, note.reason) == ("bob", VerdictName.APPROVE, "fine")
