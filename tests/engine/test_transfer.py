"""Conversations as versioned JSON: what leaves, what comes back, and what never counts here."""

import asyncio
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assent import (
    Assent,
    Audience,
    Effect,
    Field,
    FieldType,
    Person,
    PersonKind,
    Ran,
    Rule,
    RunAgain,
    Tool,
    UserInput,
    answer,
    approve,
    draft,
    hitl,
    manual,
    reject,
    supply,
    tool,
)
from assent.domain.lifecycle import CallStatus, ConversationStatus, RequestKind, TurnStatus
from assent.engine.queries.snapshots import Thread
from assent.engine.transfer.format import MAX_BYTES, read
from assent.errors import (
    Malformed,
    NotAllowed,
    NotEligible,
    NotFound,
    UnsupportedVersion,
)
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World

FIXTURE = Path(__file__).parents[1] / "fixtures" / "conversation-v1.json"
ADMIN = Person("root", roles=frozenset({"admin"}))
CANARY = "hunter2-canary"


class Desk:
    """Tools of every kind, and what their bodies did."""

    def __init__(self, **payment: Any) -> None:
        self.ran: list[Any] = []

        @tool
        async def read_balance(account: str) -> int:
            """Read a balance."""
            return 42

        @tool(requires_approval=True, **payment)
        async def pay(amount: int, to: str = "ada") -> str:
            """Pay."""
            self.ran.append((amount, to))
            return f"paid {amount} to {to}"

        @tool(user_input=UserInput("Where to?", [Field("city", type=FieldType.TEXT)]))
        async def book(days: int, city: str) -> str:
            """Book a trip."""
            self.ran.append((days, city))
            return f"booked {city}"

        @tool(
            requires_approval=True,
            user_input=UserInput("Log in.", [Field("token", type=FieldType.SECRET)]),
        )
        async def log_in(site: str, token: str) -> str:
            """Log in."""
            self.ran.append((site, token))
            return "in"

        ask_phone = manual("ask_phone", description="Ask for a number", parameters=_who)
        self.tools = (read_balance, pay, book, log_in, ask_phone)


def _who(who: str) -> None: ...


def everything() -> ScriptedModel:
    """One answer that settles one call and leaves one waiting for each kind of person."""
    first = says(
        "On it.",
        calls("read_balance", account="a1"),
        calls("pay", amount=3),
        calls("book", days=2),
        calls("ask_phone", who="bob"),
        calls("no_such_tool", x=1),
    )
    return ScriptedModel([first, "Done.", "Done again."])


async def paused(assent: Assent, owner: Person) -> Thread:
    turn = await assent.send("agent", "go", by=owner)
    return await assent.conversation(turn.conversation_id)


async def brought_in(assent: Assent, text: str | dict[str, Any], owner: Person) -> Thread:
    if not isinstance(text, str):
        text = json.dumps(text)
    return await assent.conversation(await assent.import_(text, by=ADMIN, owner=owner))


async def exported(assent: Assent, owner: Person, thread: Thread) -> dict[str, Any]:
    return json.loads(await assent.export(thread.conversation.id, by=owner))


def shown(thread: Thread) -> list[tuple[Any, ...]]:
    return [(c.tool, c.status, c.arguments.thaw(), c.output, c.revision) for c in thread.calls]


def call_of(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(call for call in document["calls"] if call["tool"] == name)


def landed(thread: Thread, name: str):
    return next(call for call in thread.calls if call.tool == name)


# conformance: 46
async def test_a_paused_conversation_is_the_same_after_json_and_back(
    world: World, owner: Person
) -> None:
    async with world(everything(), *Desk().tools) as assent:
        before = await paused(assent, owner)

        after = await brought_in(
            assent, await assent.export(before.conversation.id, by=owner), owner
        )

    assert after.status is before.status is ConversationStatus.AWAITING_APPROVAL
    assert shown(after) == shown(before)
    assert [(r.kind, r.tool, r.question.form) for r in after.pending] == [
        (r.kind, r.tool, r.question.form) for r in before.pending
    ]
    assert len(after.pending) == 3
    assert [(m.role, m.text, m.body) for m in after.messages] == [
        (m.role, m.text, m.body) for m in before.messages
    ]


async def test_an_imported_conversation_has_ids_and_digests_of_its_own(
    world: World, owner: Person
) -> None:
    async with world(everything(), *Desk().tools) as assent:
        before = await paused(assent, owner)
        text = await assent.export(before.conversation.id, by=owner)

        first, second = [await brought_in(assent, text, owner) for _ in range(2)]

    threads = (before, first, second)
    ids = [item.id for t in threads for item in (t.conversation, *t.calls, *t.messages, *t.pending)]
    assert len(set(ids)) == len(ids)
    digests = [request.digest for thread in threads for request in thread.pending]
    assert len(set(digests)) == len(digests) == 9


async def test_imported_calls_are_decided_on_their_own_and_the_turn_goes_on(
    world: World, owner: Person
) -> None:
    desk = Desk()
    model = everything()
    async with world(model, *desk.tools) as assent:
        before = await paused(assent, owner)
        after = await brought_in(
            assent, await assent.export(before.conversation.id, by=owner), owner
        )
        asked = {request.kind: request.id for request in after.pending}

        await assent.decide(asked[RequestKind.APPROVAL], approve(), by=owner)
        await assent.decide(asked[RequestKind.INPUT], answer(city="Rome"), by=owner)
        await assent.decide(asked[RequestKind.RESULT], supply("555"), by=owner)
        turn = await assent.wait(after.pending[0].turn_id)

        assert (turn.status, turn.text) == (TurnStatus.DONE, "Done.")
        assert sorted(desk.ran) == [(2, "Rome"), (3, "ada")]
        assert (await assent.conversation(before.conversation.id)) == before


async def test_settled_calls_stay_settled_and_the_model_reads_the_same_history(
    world: World, owner: Person
) -> None:
    model = ScriptedModel(
        [
            says("Looking.", calls("read_balance", account="a1"), calls("pay", amount=7)),
            "Paid.",
            "Here.",
            "There.",
        ]
    )
    async with world(model, *Desk().tools) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await assent.decide(turn.pending[0].id, approve({"amount": 8, "to": "eve"}), by=owner)
        await assent.wait(turn.id)
        before = await assent.conversation(turn.conversation_id)
        after = await brought_in(assent, await assent.export(turn.conversation_id, by=owner), owner)

        for thread in (before, after):
            await assent.send("agent", "more", by=owner, conversation_id=thread.conversation.id)

    assert shown(after) == shown(before)
    assert after.pending == ()
    assert model.prompts[-1].history == model.prompts[-2].history
    assert len(model.prompts[-1].history) == 4


async def test_revisions_and_decisions_are_kept_as_a_record_from_elsewhere(
    world: World, owner: Person
) -> None:
    async with world(
        ScriptedModel([says("", calls("pay", amount=7)), "Paid."]), *Desk().tools
    ) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await assent.decide(turn.pending[0].id, approve({"amount": 8}), by=owner, channel="web")
        await assent.wait(turn.id)
        before = json.loads(await assent.export(turn.conversation_id, by=owner))
        after = await brought_in(assent, before, owner)

        again = await exported(assent, owner, after)

    [old], [new] = before["calls"], again["calls"]
    assert [r["arguments"]["amount"] for r in new["revisions"]] == [7, 8]
    assert new["revisions"] == old["revisions"]
    [decision] = again["requests"][0]["decisions"]
    assert (decision["person"], decision["verdict"]) == (owner.id, "approve")
    assert decision["channel"] == "import:web"


async def test_somebody_who_approved_and_then_rejected_is_exported_and_imported(
    world: World, owner: Person
) -> None:
    eve = Person("eve", roles=frozenset({"ops"}))
    four_eyes = Rule(effect=Effect.ASK, tools="pay", audience=Audience.of("ops"), quorum=2)
    script = [says("", calls("pay", amount=3)), "Done."]
    async with world(script, *Desk().tools, rules=[four_eyes]) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request, approve(), by=eve)
        await assent.decide(request, reject("on second thoughts"), by=eve)
        turn = await assent.wait(turn)
        text = await assent.export(turn.conversation_id, by=owner)

        thread = await brought_in(assent, text, owner)
        again = await exported(assent, owner, thread)

    given = [(each["person"], each["verdict"]) for each in again["requests"][0]["decisions"]]
    assert given == [("eve", "approve"), ("eve", "reject")]
    assert [call.status for call in thread.calls] == [CallStatus.REJECTED]


def as_cleared(call: dict[str, Any]) -> None:
    call |= {"status": "cleared", "approved": True, "cleared_by": "person:ada"}


def as_running(call: dict[str, Any]) -> None:
    call |= {"status": "running", "approved": True, "attempts": 1}


async def test_a_foreign_approval_is_asked_again(world: World, owner: Person) -> None:
    desk = Desk()
    async with world(everything(), *desk.tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        as_cleared(call_of(document, "pay"))
        request = next(r for r in document["requests"] if r["kind"] == "approval")
        request |= {"status": "approved", "closed_by": "ada", "closed_at": request["created_at"]}
        request["decisions"] = [
            {
                "person": "ada",
                "channel": "web",
                "verdict": "approve",
                "reason": "",
                "arguments": None,
                "at": request["created_at"],
            }
        ]

        after = await brought_in(assent, document, owner)
        await assent.reconciler.reconcile()

        call = landed(after, "pay")
        assert (call.status, call.approved, call.cleared_by) == (
            CallStatus.AWAITING_APPROVAL,
            False,
            None,
        )
        [asked] = [r for r in after.pending if r.kind is RequestKind.APPROVAL]
        assert desk.ran == []
        await assent.decide(asked.id, approve(), by=owner)
        await assent.kernel.tasks.quiet(asked.turn_id)
        assert desk.ran == [(3, "ada")]


async def test_a_call_that_ran_elsewhere_is_in_doubt_here(world: World, owner: Person) -> None:
    desk = Desk()
    async with world(
        ScriptedModel([says("", calls("pay", amount=3)), "Paid."]), *desk.tools
    ) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        as_running(call_of(document, "pay"))

        after = await brought_in(assent, document, owner)

        assert after.status is ConversationStatus.IN_DOUBT
        [asked] = after.pending
        assert (asked.kind, asked.decide_by) == (RequestKind.OUTCOME, None)
        await assent.decide(asked.id, Ran(output="paid there"), by=owner)
        turn = await assent.wait(asked.turn_id)
        assert (turn.status, turn.text, desk.ran) == (TurnStatus.DONE, "Paid.", [])


async def test_running_an_imported_call_again_takes_an_approval_given_here(
    world: World, owner: Person
) -> None:
    desk = Desk(approvers=("finance",))
    async with world(
        ScriptedModel([says("", calls("pay", amount=3)), "Paid."]), *desk.tools
    ) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        as_running(call_of(document, "pay"))
        [asked] = (await brought_in(assent, document, owner)).pending

        with pytest.raises(NotEligible):
            await assent.decide(asked.id, RunAgain(), by=owner)
        await assent.decide(asked.id, RunAgain(), by=Person("fin", roles=frozenset({"finance"})))
        await assent.wait(asked.turn_id)

    assert desk.ran == [(3, "ada")]


async def test_who_may_decide_is_said_here_and_not_by_the_file(world: World, owner: Person) -> None:
    desk = Desk(approvers=("finance",))
    async with world(everything(), *desk.tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        for request in document["requests"]:
            request["audience"] = {
                "owner": True,
                "roles": ["anyone"],
                "people": ["mallory"],
                "exclude_requester": False,
            }

        after = await brought_in(assent, document, owner)

    [asked] = [r for r in after.pending if r.kind is RequestKind.APPROVAL]
    assert asked.audience == Audience.of("finance")


async def test_a_call_that_our_policy_denies_does_not_come_in_waiting(
    world: World, owner: Person
) -> None:
    desk = Desk()
    async with world(everything(), *desk.tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))

    strict = [Rule.of(Effect.DENY, "pay", reason="Not here.")]
    async with world(everything(), *desk.tools, rules=strict) as assent:
        after = await brought_in(assent, document, owner)

    assert landed(after, "pay").status is CallStatus.DENIED
    assert landed(after, "book").status is CallStatus.AWAITING_INPUT


async def test_a_call_that_our_tool_would_not_take_is_cancelled(
    world: World, owner: Person
) -> None:
    async with world(everything(), *Desk().tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        call_of(document, "pay")["arguments"] = {"amount": "a lot"}

        after = await brought_in(assent, document, owner)

    call = landed(after, "pay")
    assert call.status is CallStatus.CANCELLED
    assert "amount" in (call.note or "")


async def test_a_call_of_a_tool_that_is_not_here_is_cancelled(world: World, owner: Person) -> None:
    desk = Desk()
    async with world(everything(), *desk.tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))

    few = [each for each in desk.tools if each.name != "pay"]
    async with world(everything(), *few) as assent:
        after = await brought_in(assent, document, owner)

    assert landed(after, "pay").status is CallStatus.CANCELLED
    assert after.status is ConversationStatus.AWAITING_INPUT


async def test_arguments_are_completed_by_our_schema_as_a_revision_of_their_own(
    world: World, owner: Person
) -> None:
    async with world(everything(), *Desk().tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        del call_of(document, "pay")["arguments"]["to"]

        after = await brought_in(assent, document, owner)
        again = await exported(assent, owner, after)

    call = call_of(again, "pay")
    assert call["arguments"] == {"amount": 3, "to": "ada"}
    assert [(r["revision"], r["author"]) for r in call["revisions"]] == [
        (1, "model"),
        (2, "definition"),
    ]


async def test_an_incomplete_call_in_doubt_is_asked_about_before_it_runs_again(
    world: World, owner: Person
) -> None:
    desk = Desk()
    async with world(
        ScriptedModel([says("", calls("pay", amount=3)), "Paid."]), *desk.tools
    ) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        call = call_of(document, "pay")
        as_running(call)
        del call["arguments"]["to"]
        [asked] = (await brought_in(assent, document, owner)).pending

        decided = await assent.decide(asked.id, RunAgain(), by=owner)

    assert decided.call_status == CallStatus.AWAITING_APPROVAL
    assert desk.ran == []


async def test_a_manual_call_that_waited_for_approval_still_does(
    world: World, owner: Person
) -> None:
    async with world(everything(), *Desk().tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        call_of(document, "ask_phone")["status"] = "awaiting_approval"

        after = await brought_in(assent, document, owner)

    assert landed(after, "ask_phone").status is CallStatus.AWAITING_APPROVAL


async def test_nothing_waits_in_a_turn_that_ended(world: World, owner: Person) -> None:
    async with world(everything(), *Desk().tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        document["turns"][0]["status"] = "stopped"
        as_running(call_of(document, "pay"))

        after = await brought_in(assent, document, owner)

    statuses = {call.tool: call.status for call in after.calls}
    assert statuses["book"] is statuses["ask_phone"] is CallStatus.CANCELLED
    assert statuses["pay"] is CallStatus.IN_DOUBT
    assert [request.kind for request in after.pending] == [RequestKind.OUTCOME]


async def test_times_in_our_future_become_now(world: World, owner: Person) -> None:
    later = "2999-01-01T00:00:00+00:00"
    text = FIXTURE.read_text()
    for known in {item["created_at"] for item in document()["requests"]}:
        text = text.replace(known, later)
    async with world(everything(), *Desk().tools) as assent:
        after = await brought_in(assent, text, owner)

        again = await assent.export(after.conversation.id, by=owner)

    assert later in text
    assert later not in again


async def test_whoever_was_asked_elsewhere_is_not_asked_here(world: World, owner: Person) -> None:
    released = document()
    released["requests"][0]["audience"]["people"] = ["mallory"]
    released["requests"][0]["call_id"] = call_of(released, "book")["id"]
    released["requests"][0]["revision"] = 1
    async with world(everything(), *Desk().tools) as assent:
        after = await brought_in(assent, released, owner)

        again = await assent.export(after.conversation.id, by=owner)

    assert "mallory" not in again


def hitl_desk(answered: asyncio.Event, finish: asyncio.Event) -> Tool:
    def called(question: str) -> None:
        """Ask somebody."""

    async def received(value: str) -> str:
        answered.set()
        await finish.wait()
        return value.upper()

    return hitl("ask", output=str, on_tool_called=called, on_response_received=received)


async def supplied_document(assent: Assent, owner: Person, answered: asyncio.Event) -> Any:
    turn = await assent.send("agent", "ask", by=owner)
    await assent.decide(turn.pending[0].id, supply("yes"), by=owner)
    await answered.wait()
    return json.loads(await assent.export(turn.conversation_id, by=owner))


@pytest.mark.parametrize(
    ("status", "lands"),
    [("running", CallStatus.FAILED), ("cleared", CallStatus.AWAITING_RESULT)],
)
async def test_an_answer_that_nobody_processed_is_not_processed_here(
    world: World, owner: Person, status: str, lands: CallStatus
) -> None:
    answered, finish = asyncio.Event(), asyncio.Event()
    model = ScriptedModel([says("", calls("ask", question="?")), "Thanks."])
    async with world(model, hitl_desk(answered, finish)) as assent:
        document = await supplied_document(assent, owner, answered)
        assert document["calls"][0]["supplied"] == {"output": "yes"}
        document["calls"][0]["status"] = status

        after = await brought_in(assent, document, owner)

        finish.set()
        assert [call.status for call in after.calls] == [lands]
        assert [call.supplied for call in after.calls] == [None]
        if lands is CallStatus.FAILED:
            assert json.loads(after.calls[0].output or "")["originalOutput"] == "yes"


async def test_what_no_database_could_hold_does_not_stop_an_export(
    world: World, owner: Person
) -> None:
    hostile = says("half \ud800 a pair, \x00", calls("pay", '{"amount": "\ud800\x00"}'))
    async with world(ScriptedModel([hostile, "Done."]), *Desk().tools) as assent:
        before = await paused(assent, owner)

        after = await brought_in(
            assent, await assent.export(before.conversation.id, by=owner), owner
        )

    assert shown(after) == shown(before)


async def with_secret(assent: Assent, owner: Person) -> Thread:
    turn = await assent.send("agent", "log in", by=owner)
    await assent.decide(turn.pending[0].id, answer(token=CANARY), by=owner)
    return await assent.conversation(turn.conversation_id)


def logging_in() -> ScriptedModel:
    return ScriptedModel([says("", calls("log_in", site="x")), "Stopped.", "Stopped too."])


# requirement: S3, S12
async def test_an_export_holds_a_secret_only_as_a_reference(world: World, owner: Person) -> None:
    async with world(logging_in(), *Desk().tools) as assent:
        thread = await with_secret(assent, owner)

        text = await assent.export(thread.conversation.id, by=owner)

    assert CANARY not in text
    assert list(json.loads(text)["calls"][0]["arguments"]["token"]) == ["$secret"]


@pytest.mark.parametrize("status", ["awaiting_approval", "cleared", "running", "in_doubt"])
async def test_a_call_with_a_secret_comes_in_cancelled(
    world: World, owner: Person, status: str
) -> None:
    desk = Desk()
    async with world(logging_in(), *desk.tools) as assent:
        document = await exported(assent, owner, await with_secret(assent, owner))
        call_of(document, "log_in")["status"] = status

        after = await brought_in(assent, document, owner)

        assert after.pending == ()
        call = landed(after, "log_in")
        assert call.status is CallStatus.CANCELLED
        assert "without the secrets" in (call.note or "")
        assert after.status is ConversationStatus.INTERRUPTED
        turn = await assent.resume(call.turn_id, by=owner)
    assert (turn.text, desk.ran) == ("Stopped.", [])


@pytest.mark.parametrize(
    ("name", "prefilled"),
    [
        ("log_in", {"token": {"$secret": "sec_somebody"}}),
        ("log_in", {"token": "plain"}),
        ("book", {"city": {"$secret": "sec_somebody"}}),
        ("book", {"city": ["Rome", {"$secret": 1}], "stranger": 1}),
    ],
)
async def test_a_file_cannot_slip_a_secret_into_a_form(
    world: World, owner: Person, name: str, prefilled: dict[str, Any]
) -> None:
    asks = says("", calls("log_in", site="x"), calls("book", days=1))
    async with world(ScriptedModel([asks]), *Desk().tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        for request in document["requests"]:
            request["question"]["prefilled"] = prefilled

        after = await brought_in(assent, document, owner)

    asked = next(request for request in after.pending if request.tool == name)
    assert (asked.kind, dict(asked.question.prefilled)) == (RequestKind.INPUT, {})


async def test_what_a_form_was_prefilled_with_comes_along(world: World, owner: Person) -> None:
    async with world(
        ScriptedModel([says("", calls("book", days=1, city="Rome"))]), *Desk().tools
    ) as assent:
        document = await exported(assent, owner, await paused(assent, owner))

        after = await brought_in(assent, document, owner)

    assert [dict(request.question.prefilled) for request in after.pending] == [{"city": "Rome"}]


async def test_a_draft_stays_at_home(world: World, owner: Person) -> None:
    async with world(everything(), *Desk().tools) as assent:
        before = await paused(assent, owner)
        [form] = [r for r in before.pending if r.kind is RequestKind.INPUT]
        await assent.decide(form.id, draft({"city": CANARY}), by=owner)

        text = await assent.export(before.conversation.id, by=owner)

    assert CANARY not in text
    assert "draft" not in text


async def test_an_imported_turn_that_was_going_on_waits_to_be_resumed(
    world: World, owner: Person
) -> None:
    model = ScriptedModel(["Hello.", "Hello again."])
    async with world(model, *Desk().tools) as assent:
        turn = await assent.send("agent", "hi", by=owner)
        document = json.loads(await assent.export(turn.conversation_id, by=owner))
        document["turns"][0] |= {"status": "running", "ended_at": None}
        del document["messages"][1]

        after = await brought_in(assent, document, owner)
        await assent.reconciler.reconcile()

        assert after.status is ConversationStatus.INTERRUPTED
        assert len(model.prompts) == 1
        turn = await assent.resume(after.messages[0].turn_id, by=owner)
    assert turn.text == "Hello again."


async def test_a_newer_message_supersedes_imported_calls(world: World, owner: Person) -> None:
    async with world(everything(), *Desk().tools) as assent:
        before = await paused(assent, owner)
        after = await brought_in(
            assent, await assent.export(before.conversation.id, by=owner), owner
        )

        turn = await assent.send(
            "agent",
            "forget it",
            by=owner,
            conversation_id=after.conversation.id,
            on_pending="supersede",
        )

    assert (turn.status, turn.text) == (TurnStatus.DONE, "Done.")


async def test_exporting_is_for_the_owner_and_admins(world: World, owner: Person) -> None:
    async with world(everything(), *Desk().tools) as assent:
        thread = await paused(assent, owner)

        for person in (owner, ADMIN):
            assert await assent.export(thread.conversation.id, by=person)
        with pytest.raises(NotFound):
            await assent.export(thread.conversation.id, by=Person("mallory"))
        with pytest.raises(NotFound):
            await assent.export("conv_none", by=ADMIN)


async def test_importing_is_for_admins(world: World, owner: Person) -> None:
    agent = Person("bot", roles=frozenset({"admin"}), kind=PersonKind.AGENT)
    async with world(everything(), *Desk().tools) as assent:
        text = await assent.export((await paused(assent, owner)).conversation.id, by=owner)

        for person in (owner, agent):
            with pytest.raises(NotAllowed):
                await assent.import_(text, by=person)


async def test_an_import_belongs_to_whom_the_admin_says_and_not_to_whom_the_file_says(
    world: World, owner: Person
) -> None:
    async with world(everything(), *Desk().tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        document["conversation"]["owner"]["roles"] = ["finance"]
        text = json.dumps(document)

        mine = await assent.conversation(await assent.import_(text, by=ADMIN))
        given = await brought_in(assent, text, Person("bob"))

    assert mine.conversation.owner == ADMIN
    assert given.conversation.owner == Person("bob")
    assert {request.owner for request in given.pending} == {"bob"}


async def test_a_conversation_of_an_agent_that_is_not_here_is_refused(
    world: World, owner: Person
) -> None:
    async with world(everything(), *Desk().tools) as assent:
        document = await exported(assent, owner, await paused(assent, owner))
        document["conversation"]["agent"] = "stranger"

        with pytest.raises(NotFound, match="stranger"):
            await brought_in(assent, document, owner)


async def test_exports_and_imports_are_on_record(world: World, owner: Person) -> None:
    async with world(everything(), *Desk().tools) as assent:
        before = await paused(assent, owner)
        after = await brought_in(
            assent, await assent.export(before.conversation.id, by=owner), owner
        )

        out = await assent.audit(conversation_id=before.conversation.id)
        into = await assent.audit(conversation_id=after.conversation.id)

    assert [entry.actor for entry in out if entry.action == "export"] == [owner.id]
    assert {(entry.action, entry.actor) for entry in into} == {("import", ADMIN.id)}
    assert {entry.call_id for entry in into} == {None, *(call.id for call in after.calls)}
    [whole] = [entry for entry in into if entry.call_id is None]
    assert whole.data["id"] == before.conversation.id


async def test_an_imported_turn_can_be_followed(world: World, owner: Person) -> None:
    async with world(everything(), *Desk().tools) as assent:
        before = await paused(assent, owner)
        after = await brought_in(
            assent, await assent.export(before.conversation.id, by=owner), owner
        )
        turn_id = after.pending[0].turn_id
        await assent.stop(turn_id, by=owner)

        seen = [event async for event in assent.events(turn_id)]

    pending = [event.data["request_id"] for event in seen if event.kind == "pending"]
    assert sorted(map(str, pending)) == sorted(request.id for request in after.pending)


# conformance: 143
async def test_the_released_version_1_is_still_read(world: World, owner: Person) -> None:
    async with world(everything(), *Desk().tools) as assent:
        after = await brought_in(assent, FIXTURE.read_text(), owner)

    assert after.status is ConversationStatus.AWAITING_APPROVAL
    assert [(call.tool, call.status) for call in after.calls] == [
        ("pay", CallStatus.SUCCEEDED),
        ("read_balance", CallStatus.SUCCEEDED),
        ("pay", CallStatus.AWAITING_APPROVAL),
        ("book", CallStatus.AWAITING_INPUT),
        ("ask_phone", CallStatus.AWAITING_RESULT),
        ("no_such_tool", CallStatus.FAILED),
    ]


def shape(value: Any) -> Any:
    """Names only: types are the importer's to refuse. A list by every shape that occurs in it."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    if isinstance(value, list):
        return sorted({json.dumps(shape(item), sort_keys=True) for item in value})
    return "…"


# conformance: 143
async def test_an_export_still_has_the_shape_of_version_1(world: World, owner: Person) -> None:
    released = json.loads(FIXTURE.read_text())
    async with world(everything(), *Desk().tools) as assent:
        after = await brought_in(assent, released, Person("ada", roles=frozenset({"staff"})))

        again = await exported(assent, owner, after)

    assert shape(again) == shape(released)


def document() -> dict[str, Any]:
    return json.loads(FIXTURE.read_text())


# conformance: 143
def test_a_missing_version_is_version_1() -> None:
    unversioned = document()
    del unversioned["version"]

    assert read(json.dumps(unversioned)).version == 1


# conformance: 143
@pytest.mark.parametrize("version", [0, 2, 17, -1, 1.0, 1.5, "1", "2025-11-01"])
def test_another_version_is_refused_by_its_number_whatever_its_shape(version: Any) -> None:
    for blob in ({**document(), "version": version}, {"version": version, "state": [1, 2]}):
        with pytest.raises(UnsupportedVersion) as caught:
            read(json.dumps(blob))

        assert caught.value.version == version
        assert repr(version) in str(caught.value)


Break = Callable[[dict[str, Any]], object]


def put(path: str, value: Any) -> Break:
    """Sets what a dotted path leads to."""

    def change(blob: dict[str, Any]) -> None:
        *steps, last = [int(s) if s.isdigit() else s for s in path.split(".")]
        inner: Any = blob
        for step in steps:
            inner = inner[step]
        inner[last] = value

    return change


BROKEN: list[tuple[str, Break]] = [
    ("version", put("version", None)),
    ("version", put("version", True)),
    ("format", put("format", "other")),
    ("format", lambda blob: blob.pop("format")),
    ("surprise", put("surprise", 1)),
    ("conversation", lambda blob: blob.pop("conversation")),
    ("conversation.owner.kind", put("conversation.owner.kind", "ghost")),
    ("conversation.created_at", put("conversation.created_at", "yesterday")),
    ("conversation.created_at", put("conversation.created_at", "2026-01-01T00:00:00")),
    ("conversation.created_at", put("conversation.created_at", 1767225600)),
    ("turns[0].status", put("turns.0.status", "asleep")),
    ("turns[0].status", put("turns.0.status", "running")),
    ("turns[1].number", put("turns.1.number", 1)),
    ("turns[1].number", put("turns.1.number", 2**31)),
    ("turns[1].step", put("turns.1.step", True)),
    ("turns[1].step", put("turns.1.step", "1")),
    ("turns[0].worker", put("turns.0.worker", "me")),
    ("messages[0].role", put("messages.0.role", "system")),
    ("messages[0].text", put("messages.0.text", "a\x00b")),
    ("messages[0].turn_id", put("messages.0.turn_id", "turn_none")),
    ("messages[1].id", lambda blob: put("messages.1.id", blob["messages"][0]["id"])(blob)),
    ("messages[1].answer.proposals[0].tool", put("messages.1.answer.proposals.0.tool", 5)),
    ("messages[1].answer", put("messages.1.answer.proposals", [])),
    ("calls[0].status", put("calls.0.status", "exploded")),
    ("calls[0].arguments", put("calls.0.arguments", [1])),
    ("calls[0].arguments", put("calls.0.arguments", {"amount": 1})),
    ("calls[1].arguments", put("calls.1.arguments", {"account": 2**60})),
    ("calls[0].approved", put("calls.0.approved", 1)),
    ("calls[0].fence", put("calls.0.fence", 9)),
    ("calls[0].revisions", put("calls.0.revisions", [])),
    ("calls[0].revisions[0].author", put("calls.0.revisions.0.author", "god")),
    ("calls[0].message_id", put("calls.0.message_id", "msg_none")),
    ("calls[0].position", put("calls.0.position", -1)),
    ("requests[0].kind", put("requests.0.kind", "favour")),
    ("requests[0].call_id", put("requests.0.call_id", "call_none")),
    ("requests[0].revision", put("requests.0.revision", 9)),
    ("requests[0].draft", put("requests.0.draft", "sealed")),
    ("requests[0].audience.roles[0]", put("requests.0.audience.roles", [7])),
    ("requests[0].decisions[0].verdict", put("requests.0.decisions.0.verdict", "maybe")),
    (
        "requests[0].decisions",
        lambda blob: blob["requests"][0]["decisions"].extend(blob["requests"][0]["decisions"]),
    ),
]


# conformance: 143
@pytest.mark.parametrize(
    ("field", "change"), BROKEN, ids=[f"{n}-{b[0]}" for n, b in enumerate(BROKEN)]
)
def test_a_malformed_file_is_refused_naming_the_field(field: str, change: Break) -> None:
    blob = copy.deepcopy(document())
    change(blob)

    with pytest.raises(Malformed) as caught:
        read(json.dumps(blob))

    assert caught.value.field == field


# conformance: 143
@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        '"version"',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": "\\ud800"}',
        "\ud800",
        "[" * 100_000,
        '{"a":' * 500 + "1" + "}" * 500,
        "1" * 5_000,
        " " * (MAX_BYTES + 1),
    ],
    ids=lambda text: f"{text[:8]!r}-{len(text)}",
)
def test_a_text_that_is_no_json_object_is_refused(text: str) -> None:
    with pytest.raises(Malformed) as caught:
        read(text)

    assert caught.value.field in {"$", "format"}


async def test_a_refused_file_leaves_nothing_behind(world: World, owner: Person) -> None:
    broken = document()
    broken["calls"][0]["status"] = "exploded"
    async with world(everything(), *Desk().tools) as assent:
        with pytest.raises(Malformed, match=r"calls\[0\]\.status"):
            await brought_in(assent, broken, owner)

        assert await assent.pending() == []
        assert await assent.audit() == []
