"""What is on record, and how it is followed: derived statuses, streams, audit, cards (127–142)."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from assent import (
    ApprovalRequired,
    Assent,
    Audience,
    Context,
    DidNotRun,
    Effect,
    Hint,
    OutcomeUnknown,
    Person,
    Progress,
    Ran,
    Rule,
    RunAgain,
    Tool,
    answer,
    approve,
    cancel,
    hitl,
    reject,
    supply,
    tool,
)
from assent.domain.calls import Author
from assent.domain.conversations import validated
from assent.domain.copies import changed
from assent.domain.decisions import VerdictName
from assent.domain.events import Event, EventKind
from assent.domain.forms import Field, UserInput
from assent.domain.lifecycle import (
    CallStatus,
    ConversationStatus,
    RequestKind,
    RequestStatus,
    TurnStatus,
)
from assent.domain.messages import Answer, Delta, ModelSaid, Prompt, TextDelta
from assent.engine.loop.prompts import INCOMPLETE
from assent.engine.queries.snapshots import Turn
from assent.errors import AlreadySettled, NotFound, NothingAwaited
from assent.presentation import plain
from assent.presentation.card import card_of
from assent.testing import ScriptedModel, calls, says
from tests.conformance.records import everything, query
from tests.conformance.scenes import UNASKED
from tests.conftest import QUICK, World

NOW = datetime(2030, 1, 1, tzinfo=UTC)


class Deleting:
    """A gated tool that counts its runs."""

    def __init__(self, *, requires_approval: Any = True, **said: Any) -> None:
        self.ran: list[str] = []

        @tool(name="delete_file", requires_approval=requires_approval, **said)
        async def delete_file(path: str = "") -> str:
            """Delete a file."""
            self.ran.append(path)
            return f"deleted {path}"

        self.tool: Tool = delete_file


def deleting(*paths: str) -> ScriptedModel:
    proposed = (calls("delete_file", path=path) for path in paths or ("a",))
    return ScriptedModel([says("", *proposed), "Done."])


class Halting(ScriptedModel):
    """A model that says a few words and then the rest only when it is let go on."""

    def __init__(self, *texts: str) -> None:
        super().__init__(texts)
        self.go_on = asyncio.Event()
        self.left = asyncio.Event()

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        given = await self.request(prompt)
        first, _, rest = given.text.partition("|")
        try:
            yield TextDelta(first)
            if rest:
                while not self.go_on.is_set():
                    # Keep-alives: a provider's stream is never quite silent.
                    yield TextDelta("")
                    await asyncio.sleep(0.01)
                yield TextDelta(rest)
        finally:
            self.left.set()
        yield changed(given, text=first + rest)


async def until(events: AsyncIterator[Event], kind: EventKind) -> list[Event]:
    """Follow up to the first event of a kind, then walk away."""
    seen: list[Event] = []
    async for event in events:
        seen.append(event)
        if event.kind is kind and event.data.get("text", True):
            break
    return seen


def spoken(events: list[Event]) -> str:
    return "".join(str(event.data["text"]) for event in events if event.kind is EventKind.TEXT)


# conformance: 127
@pytest.mark.parametrize(
    ("gated", "approval", "said"),
    [
        (True, RequestStatus.APPROVED, "accepted"),
        (True, RequestStatus.REJECTED, "rejected"),
        (True, RequestStatus.OPEN, "pending"),
        (True, None, "pending"),
        (False, None, "not_required"),
        (True, RequestStatus.EXPIRED, "rejected"),
    ],
)
def test_validated_is_derived_from_the_approval(
    gated: bool, approval: RequestStatus | None, said: str
) -> None:
    assert validated(gated, approval) == said


async def derived(assent: Assent, turn: Turn) -> dict[str, str]:
    """`validated` of each call of a turn, by the path it was called with."""
    by_call = await assent.kernel.store.run(
        lambda tx: {call.id: tx.requests.of_call(call.id) for call in turn.calls}
    )
    approvals = {
        id: [request for request in asked if request.kind is RequestKind.APPROVAL]
        for id, asked in by_call.items()
    }
    return {
        str(call.arguments.thaw()["path"]): validated(
            bool(approvals[call.id]),
            approvals[call.id][-1].status if approvals[call.id] else None,
        )
        for call in turn.calls
    }


# conformance: 127
async def test_the_view_and_the_derived_status_say_what_became_of_each_call(
    world: World, owner: Person
) -> None:
    deletion = Deleting(requires_approval=lambda args: args["path"] != "free")
    async with world(deleting("yes", "no", "open", "free"), deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        yes, no, _ = turn.pending
        await assent.decide(yes.id, approve(), by=owner)
        await assent.decide(no.id, reject(), by=owner)
        turn = await assent.wait(turn.id)
        said = await derived(assent, turn)
        rows = await query(world.url, "SELECT tool_call_id, name, validated FROM tool_calls")

    paths = {call.id: str(call.arguments.thaw()["path"]) for call in turn.calls}
    assert said == {"yes": "accepted", "no": "rejected", "open": "pending", "free": "not_required"}
    assert {name for _, name, _ in rows} == {"delete_file"}
    # SQLite has no booleans of its own: 1 and 0 equal True and False.
    assert {paths[id]: value for id, _, value in rows} == {
        "yes": True,
        "no": False,
        "open": None,
        "free": None,
    }


# conformance: 128
async def test_a_pending_call_whose_tool_is_gone_is_still_pending(
    world: World, owner: Person
) -> None:
    async with world(deleting(), Deleting().tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
    async with world([]) as assent:
        after = await assent.turn(turn.id)
        thread = await assent.conversation(turn.conversation_id)
        said = await derived(assent, after)
        rows = await query(world.url, "SELECT validated FROM tool_calls")

    assert said == {"a": "pending"}
    assert rows == [(None,)]
    assert after.pending == turn.pending
    assert thread.status is ConversationStatus.AWAITING_APPROVAL


# conformance: 129
async def test_a_turn_goes_on_when_whoever_followed_it_leaves(world: World, owner: Person) -> None:
    model = Halting("Hello |world.")
    async with world(model) as assent, world([], worker=False) as other:
        turn_id = await assent.start("agent", "go", by=owner)
        async with contextlib.aclosing(assent.events(turn_id)) as stream:
            first = await until(stream, EventKind.TEXT)
        model.go_on.set()
        turn = await assent.wait(turn_id)
        rest = [event async for event in other.events(turn_id, after=first[-1].seq)]
        whole = [event async for event in other.events(turn_id)]

    assert turn.status is TurnStatus.DONE
    assert [event.seq for event in whole] == list(range(1, len(whole) + 1))
    assert whole == first + rest
    assert spoken(whole) == "Hello world."
    assert whole[-1].kind is EventKind.FINISHED


# conformance: 129
async def test_a_turn_is_followed_live_from_another_process(world: World, owner: Person) -> None:
    deletion, model = Deleting(), deleting()
    async with world(model, deletion.tool) as worker, world([], worker=False) as front:
        turn_id = await front.start("agent", "go", by=owner)
        async with contextlib.aclosing(front.events(turn_id)) as stream:
            before = await until(stream, EventKind.WAITING)
            [request] = (await front.turn(turn_id)).pending
            await front.decide(request.id, approve(), by=owner)
            after = [event async for event in stream]
        turn = await worker.wait(turn_id)

    assert [event.data["request_id"] for event in before if event.kind is EventKind.PENDING] == [
        request.id
    ]
    assert spoken(after) == "Done."
    assert turn.status is TurnStatus.DONE
    assert deletion.ran == ["a"]


# conformance: 129
@pytest.mark.parametrize("from_elsewhere", [False, True])
async def test_a_stop_keeps_what_was_said_as_incomplete(
    world: World, owner: Person, from_elsewhere: bool
) -> None:
    model = Halting("Hello |world.", "Again.")
    async with world(model) as assent, world([], worker=False) as other:
        turn_id = await assent.start("agent", "go", by=owner)
        async with contextlib.aclosing(assent.events(turn_id)) as stream:
            await until(stream, EventKind.TEXT)
            stopper = other if from_elsewhere else assent
            await stopper.stop(turn_id, by=owner)
            rest = [event async for event in stream]
        async with asyncio.timeout(10):
            await model.left.wait()
        turn = await assent.wait(turn_id)
        thread = await assent.conversation(turn.conversation_id)
        events = [event async for event in assent.events(turn_id)]
        again = await assent.send("agent", "on", by=owner, conversation_id=turn.conversation_id)

    assert turn.status is TurnStatus.STOPPED
    assert thread.status is ConversationStatus.INTERRUPTED
    assert [(m.text, m.incomplete) for m in thread.messages] == [("go", False), ("Hello ", True)]
    assert rest[-1].kind is EventKind.FINISHED
    assert events[-1].kind is EventKind.FINISHED
    assert again.text == "Again."
    said = model.prompts[-1].history[1]
    assert isinstance(said, ModelSaid)
    assert said.answer.text.endswith(INCOMPLETE)


# conformance: 129
async def test_a_stop_gives_unanswered_calls_an_aborted_result(world: World, owner: Person) -> None:
    deletion = Deleting(requires_approval=lambda args: args["path"] != "free")
    model = ScriptedModel(
        [says("", calls("delete_file", path="a"), calls("delete_file", path="free")), "On."]
    )
    async with world(model, deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        with pytest.raises(NotFound):
            await assent.stop(turn.id, by=Person("eve"))
        stopped = await assent.stop(turn.id, by=owner)
        with pytest.raises(NothingAwaited):
            await assent.stop(turn.id, by=owner)
        with pytest.raises(AlreadySettled):
            await assent.decide(turn.pending[0].id, approve(), by=owner)
        await assent.send("agent", "on", by=owner, conversation_id=turn.conversation_id)

    assert stopped.status is TurnStatus.STOPPED
    assert stopped.pending == ()
    assert [call.status for call in stopped.calls] == [CallStatus.CANCELLED, CallStatus.SUCCEEDED]
    assert deletion.ran == ["free"]
    said = model.prompts[-1].history[1]
    assert isinstance(said, ModelSaid)
    aborted, finished = said.outputs
    assert "stopped the turn" in str(aborted.content)
    assert finished.content == "deleted free"


# conformance: 129
async def test_what_was_announced_as_pending_survives_everybody_leaving(
    world: World, owner: Person
) -> None:
    deletion, model = Deleting(), deleting()
    async with world(model, deletion.tool) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        async with contextlib.aclosing(assent.events(turn_id)) as stream:
            seen = await until(stream, EventKind.PENDING)
        request = await assent.request(str(seen[-1].data["request_id"]))
        await assent.decide(request.id, approve(), by=owner)
        turn = await assent.wait(turn_id)

    assert turn.status is TurnStatus.DONE
    assert deletion.ran == ["a"]


class Chatty(ScriptedModel):
    """A model that sends its answer in very many small pieces."""

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer]:
        given = await self.request(prompt)
        for sign in given.text:
            await asyncio.sleep(0)
            yield TextDelta(sign)
        yield given


# conformance: 129
async def test_many_deltas_become_few_events(world: World, owner: Person) -> None:
    text = "word " * 1_000
    flush = timedelta(milliseconds=50)
    async with world(Chatty([text]), times=replace(QUICK, flush=flush)) as assent:
        started = time.monotonic()
        turn = await assent.send("agent", "go", by=owner)
        took = time.monotonic() - started
        events = [event async for event in assent.events(turn.id)]

    texts = [event for event in events if event.kind is EventKind.TEXT]
    assert spoken(events) == text
    assert len(texts) <= took / flush.total_seconds() + 2


# conformance: 129
async def test_progress_reaches_the_stream_and_not_the_model(world: World, owner: Person) -> None:
    @tool
    async def count(upto: int) -> AsyncIterator[object]:
        """Count."""
        for number in range(upto):
            yield Progress({"at": number}, number / upto)
            await asyncio.sleep(0)
        # What no JSON can say is shown, not fatal.
        yield Progress(object())  # pyright: ignore[reportArgumentType]
        yield "counted"

    model = ScriptedModel([says("", calls("count", upto=500)), "Done."])
    async with world(model, count) as assent:
        turn = await assent.send("agent", "go", by=owner)
        events = [event async for event in assent.events(turn.id)]

    progress = [event for event in events if event.kind is EventKind.PROGRESS]
    assert turn.result(turn.calls[0].id) == "counted"
    assert 1 <= len(progress) < 100
    assert "object" in str(progress[-1].data["value"])
    assert {str(event.data["call_id"]) for event in progress} == {turn.calls[0].id}
    assert len(model.prompts) == 2
    assert "'at'" not in repr(model.prompts)


# conformance: 129
@pytest.mark.parametrize("results", [0, 2])
async def test_a_generator_without_exactly_one_result_fails_its_call(
    world: World, owner: Person, results: int
) -> None:
    @tool
    async def count(upto: int) -> AsyncIterator[object]:
        """Count."""
        yield Progress("counting")
        for _ in range(results):
            yield "counted"

    model = ScriptedModel([says("", calls("count", upto=1)), "Done."])
    async with world(model, count) as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert turn.calls[0].status is CallStatus.FAILED
    assert f"{results} results" in str(turn.result(turn.calls[0].id))
    assert turn.status is TurnStatus.DONE


# conformance: 135
async def test_an_edited_approval_is_on_record_with_both_versions(
    world: World, owner: Person
) -> None:
    deletion = Deleting()
    async with world(deleting("a"), deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, approve({"path": "b"}), by=owner, channel="web")
        turn = await assent.wait(turn.id)
        call_id = turn.calls[0].id
        entries = await assent.audit(call_id=call_id)
        [decision] = await assent.kernel.store.run(lambda tx: tx.decisions.of_request(request.id))
        revisions = await assent.kernel.store.run(lambda tx: tx.calls.revisions(call_id))

    assert (decision.person, decision.channel, decision.verdict) == (
        "ada",
        "web",
        VerdictName.APPROVE,
    )
    assert decision.arguments == '{"path":"b"}'
    assert decision.at >= request.created_at
    assert [(r.author, r.by, r.arguments.text) for r in revisions] == [
        (Author.MODEL, "agent", '{"path":"a"}'),
        (Author.EDIT, "ada", '{"path":"b"}'),
    ]
    [edit] = [entry for entry in entries if entry.action == "edit"]
    assert (edit.actor, edit.channel, edit.request_id) == ("ada", "web", request.id)
    assert (edit.data["before"], edit.data["after"]) == ('{"path":"a"}', '{"path":"b"}')
    [approval] = [entry for entry in entries if entry.action == "approve"]
    assert (approval.actor, approval.channel, approval.request_id) == ("ada", "web", request.id)
    assert approval.data["arguments"] == '{"path":"b"}'


# conformance: 135
async def test_a_rejection_is_on_record_though_nothing_ran(world: World, owner: Person) -> None:
    deletion = Deleting()
    async with world(deleting("a"), deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, reject("keep it"), by=owner, channel="slack")
        turn = await assent.wait(turn.id)
        entries = await assent.audit(call_id=turn.calls[0].id)
        [decision] = await assent.kernel.store.run(lambda tx: tx.decisions.of_request(request.id))

    assert deletion.ran == []
    assert (decision.verdict, decision.reason) == (VerdictName.REJECT, "keep it")
    [entry] = [entry for entry in entries if entry.action == "reject"]
    assert (entry.actor, entry.channel, entry.request_id) == ("ada", "slack", request.id)
    assert (entry.source, entry.target) == ("awaiting_approval", "rejected")
    assert entry.data == {"reason": "keep it", "arguments": '{"path":"a"}'}


def _asking() -> Tool:
    @tool(name="delete_file", user_input=UserInput("We need it", [Field("why")]))
    async def delete_file(path: str, why: str) -> str:
        """Delete a file."""
        return "deleted"

    return delete_file


def _person() -> Tool:
    async def called(path: str) -> None:
        """Leave it to a person."""

    return hitl("delete_file", output=str, on_tool_called=called, **UNASKED)


def _reworking() -> Tool:
    async def called(path: str) -> None:
        """Leave it to a person."""

    async def received(_: Context, output: Any) -> str:
        return f"{output}, they say"

    return hitl(
        "delete_file",
        output=str,
        on_tool_called=called,
        on_response_received=received,
        **UNASKED,
    )


def _doubtful() -> Tool:
    attempts: list[str] = []

    @tool(**UNASKED)
    async def delete_file(path: str) -> str:
        """Delete a file, over a bad line."""
        attempts.append(path)
        if len(attempts) == 1:
            raise OutcomeUnknown("the line went dead")
        return "deleted"

    return delete_file


# conformance: 135
@pytest.mark.parametrize(
    ("declare", "verdict", "name"),
    [
        (_asking, answer(why="old"), "answer"),
        (_person, supply("deleted"), "supply"),
        (_reworking, supply("deleted"), "supply"),
        (_person, cancel("no need"), "cancel"),
        (lambda: Deleting().tool, approve(), "approve"),
        (_doubtful, Ran(output="deleted"), "ran"),
        (_doubtful, DidNotRun(), "did_not_run"),
        (_doubtful, RunAgain(), "run_again"),
    ],
)
async def test_every_decision_names_who_when_what_and_where(
    world: World, owner: Person, declare: Any, verdict: Any, name: str
) -> None:
    async with world(deleting("a"), declare()) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, verdict, by=owner, channel="terminal")
        await assent.wait(turn.id)
        entries = await assent.audit(call_id=turn.calls[0].id)
        [decision] = await assent.kernel.store.run(lambda tx: tx.decisions.of_request(request.id))

    assert (decision.person, decision.channel, decision.verdict) == ("ada", "terminal", name)
    [entry] = [entry for entry in entries if entry.action == name]
    assert (entry.actor, entry.channel, entry.request_id) == ("ada", "terminal", request.id)
    assert '"path":"a"' in str(entry.data)
    assert entry.at == decision.at


# conformance: 135
async def test_each_of_several_votes_is_on_record_with_what_it_was_for(
    world: World, owner: Person
) -> None:
    two = [Rule.of(Effect.ASK, "delete_file", audience=Audience.of("board"), quorum=2)]
    board = [Person(name, roles=frozenset({"board"})) for name in ("ann", "ben")]
    async with world(deleting("a"), Deleting().tool, rules=two) as assent:
        turn = await assent.send("agent", "go", by=owner)
        for person in board:
            await assent.decide(turn.pending[0].id, approve(), by=person, channel="web")
        await assent.wait(turn.id)
        entries = await assent.audit(call_id=turn.calls[0].id)

    votes = [entry for entry in entries if entry.action in ("vote", "approve")]
    assert [(entry.actor, entry.data["arguments"]) for entry in votes] == [
        ("ann", '{"path":"a"}'),
        ("ben", '{"path":"a"}'),
    ]


# conformance: 136
async def test_a_call_that_was_not_gated_cannot_be_run_by_a_decision(
    world: World, owner: Person
) -> None:
    deletion = Deleting(**UNASKED)
    async with world(deleting("a"), deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        for id in (turn.calls[0].id, turn.calls[0].provider_id, turn.id):
            with pytest.raises(NotFound):
                await assent.decide(id, approve(), by=owner)

    assert deletion.ran == ["a"]


# conformance: 136
async def test_a_call_that_was_executed_cannot_be_run_again_by_a_decision(
    world: World, owner: Person
) -> None:
    deletion = Deleting()
    async with world(deleting("a"), deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, approve(), by=owner)
        await assent.wait(turn.id)
        repeated = await assent.decide(request.id, approve(), by=owner)
        with pytest.raises(AlreadySettled):
            await assent.decide(request.id, approve({"path": "b"}), by=owner)
        await assent.wait(turn.id)

    assert repeated.replayed
    assert deletion.ran == ["a"]


async def card_text(assent: Assent, turn: Turn, **options: Any) -> str:
    """The card of a turn's only request, as plain text."""
    [request] = turn.pending
    card = card_of(request, turn.calls[0], assent.tools()[0])
    return plain.render(card, now=NOW, **options).text


# conformance: 137
async def test_a_card_shows_all_of_a_long_argument_and_that_is_what_runs(
    world: World, owner: Person
) -> None:
    path = "x" * 150 + "; rm -rf /" + "y" * 5_000 + "THE-END"
    deletion = Deleting()
    async with world(deleting(path), deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        text = await card_text(assent, turn)
        await assent.decide(turn.pending[0].id, approve(), by=owner)
        await assent.wait(turn.id)

    assert path in text.replace("\n", "")
    assert deletion.ran == [path]


# conformance: 138
async def test_markup_in_an_argument_cannot_fake_a_line_of_the_card(
    world: World, owner: Person
) -> None:
    forged = "a\n  You can\n    approve  nothing will happen\n\x1b[2J<b>Approved</b>\u202e"
    async with world(deleting(forged), Deleting().tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        text = await card_text(assent, turn)

    ours = [line for line in text.splitlines() if "│" not in line and "┊" not in line]
    assert "nothing will happen" in text
    assert "nothing will happen" not in "".join(ours)
    assert [line.strip() for line in ours].count("You can") == 1
    assert sum(line.lstrip().startswith("approve") for line in ours) == 1
    assert "Approved" not in "".join(ours)
    assert "\x1b" not in text
    assert "\u202e" not in text


# conformance: 138
async def test_an_argument_hinted_as_secret_is_masked_on_the_card(
    world: World, owner: Person
) -> None:
    deletion = Deleting(hints={"path": Hint(secret=True)})
    async with world(deleting("c4n4ry"), deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        text = await card_text(assent, turn)

    assert "c4n4ry" not in text
    assert "path" in text


# conformance: 139
@pytest.mark.parametrize(
    ("given", "shown"),
    [('{"path": "as text"}', "as text"), ({"path": "as an object"}, "as an object"), ("", '""')],
)
async def test_arguments_are_displayed_however_they_were_given(
    world: World, owner: Person, given: Any, shown: str
) -> None:
    script = [says("", calls("delete_file", given)), "Done."]
    async with world(script, Deleting().tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        text = await card_text(assent, turn)

    assert "path" in text
    assert shown in text


# conformance: 141
async def test_a_second_approval_in_the_same_turn_is_asked_like_the_first(
    world: World, owner: Person
) -> None:
    deletion = Deleting()
    model = ScriptedModel(
        [
            says("First.", calls("delete_file", path="a")),
            says("Second.", calls("delete_file", path="b")),
            "Done.",
        ]
    )
    async with world(model, deletion.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        first = turn.pending[0]
        await assent.decide(first.id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        assert turn.status is TurnStatus.WAITING
        second = turn.pending[0]
        assert second.id != first.id
        await assent.decide(second.id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert turn.status is TurnStatus.DONE
    assert deletion.ran == ["a", "b"]
    said = [one for one in model.prompts[-1].history if isinstance(one, ModelSaid)]
    assert [one.answer.text for one in said] == ["First.", "Second."]
    assert [one.outputs[0].content for one in said] == ["deleted a", "deleted b"]


# conformance: 142
async def test_reading_a_paused_turn_asks_no_model_and_changes_nothing(
    world: World, owner: Person
) -> None:
    model = deleting("a")
    async with world(model, Deleting().tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        before = await everything(world.url)
        assert await assent.turn(turn.id) == turn
        await assent.wait(turn.id)
        thread = await assent.conversation(turn.conversation_id)
        await assent.pending(person=owner)
        await assent.request(turn.pending[0].id)
        await assent.audit(conversation_id=turn.conversation_id)
        await assent.saved_values(turn.conversation_id)
        async with contextlib.aclosing(assent.events(turn.id)) as stream:
            await until(stream, EventKind.WAITING)
        after = await everything(world.url)

    assert after == before
    assert thread.status is ConversationStatus.AWAITING_APPROVAL
    assert len(model.prompts) == 1


# conformance: 129
async def test_a_body_that_wants_approval_after_the_turn_was_stopped_asks_nobody(
    world: World, owner: Person
) -> None:
    began, stopped = asyncio.Event(), asyncio.Event()

    @tool
    async def update(path: str) -> str:
        """Update a file."""
        began.set()
        await stopped.wait()
        raise ApprovalRequired({"reason": f"{path} is protected"})

    async with world([says("", calls("update", path="a"))], update) as assent:
        turn_id = await assent.start("agent", "go", by=owner)
        async with asyncio.timeout(10):
            await began.wait()
        await assent.stop(turn_id, by=owner)
        stopped.set()
        turn = await assent.wait(turn_id)
        waiting = await assent.pending()

    assert turn.status is TurnStatus.STOPPED
    assert [call.status for call in turn.calls] == [CallStatus.FAILED]
    assert waiting == []
