"""Editing: approving a call with other arguments than the model's (conformance 67–75)."""

from collections.abc import Mapping

import pytest

from assent import (
    ApprovalRequired,
    Audience,
    Context,
    Effect,
    Person,
    Rule,
    approve,
    manual,
    reject,
    schema_tool,
    supply,
    tool,
)
from assent.domain.calls import Author
from assent.domain.canonical import Json
from assent.domain.decisions import Approve, VerdictName
from assent.domain.lifecycle import CallStatus, RequestStatus, TurnStatus
from assent.errors import EditRefused, InvalidArguments, InvalidJson, Superseded
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import (
    Bank,
    call_of,
    decide_only,
    requests_of,
    revisions_of,
    statuses,
    told,
    votes,
)
from tests.conftest import World

PAY = calls("pay", to="eve", amount=5)
BOSS = Person("boss", roles=frozenset({"boss"}))


# conformance: 67
@pytest.mark.parametrize(
    "edit", [{"to": "bob", "amount": "7"}, '{"amount": 7, "to": "bob"}'], ids=["mapping", "text"]
)
async def test_edited_arguments_run_as_a_new_revision_beside_the_original(
    world: World, owner: Person, edit: Mapping[str, Json] | str
) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        turn = await decide_only(assent, turn, approve(edit), owner)
        [call] = turn.calls
        first, second = await revisions_of(assent, call.id)
        [vote] = await votes(assent, request.id)
        entries = await assent.audit(call_id=call.id)

    assert bank.paid == [("bob", 7)]
    assert call.revision == 2
    assert (first.author, first.arguments.thaw()) == (Author.MODEL, {"to": "eve", "amount": 5})
    assert (second.author, second.by) == (Author.EDIT, owner.id)
    assert second.arguments == call.arguments
    assert call.arguments.thaw() == {"to": "bob", "amount": 7}
    assert vote.arguments == call.arguments.text
    [entry] = [entry for entry in entries if entry.action == "edit"]
    assert (entry.actor, entry.data["before"], entry.data["after"]) == (
        owner.id,
        '{"amount":5,"to":"eve"}',
        '{"amount":7,"to":"bob"}',
    )


# conformance: 68
@pytest.mark.parametrize(
    "edit",
    [{"to": "bob", "amount": "a lot"}, {"to": "bob"}, {}, "{}", '["bob", 7]'],
    ids=["wrong type", "missing", "nothing at all", "nothing as text", "no object"],
)
async def test_an_edit_that_breaks_the_schema_is_refused_and_the_call_still_waits(
    world: World, owner: Person, edit: Mapping[str, Json] | str
) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        before = await call_of(assent, request.call_id)

        with pytest.raises(InvalidArguments) as raised:
            await assent.decide(request.id, approve(edit), by=owner)
        assert raised.value.problems
        assert await votes(assent, request.id) == []
        assert await call_of(assent, request.call_id) == before
        assert (await assent.request(request.id)).status is RequestStatus.OPEN

        turn = await decide_only(assent, turn, approve({"to": "bob", "amount": 7}), owner)

    assert turn.status is TurnStatus.DONE
    assert bank.paid == [("bob", 7)]


# conformance: 69
@pytest.mark.parametrize(
    "verdict", [approve(None), approve(edit={}), approve(edit="{}")], ids=["null", "patch", "text"]
)
async def test_an_approval_without_arguments_runs_the_original_ones(
    world: World, owner: Person, verdict: Approve
) -> None:
    bank, model = Bank(), ScriptedModel([says("", PAY), "Done."])
    async with world(model, bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        turn = await decide_only(assent, turn, verdict, owner)

    assert bank.paid == [("eve", 5)]
    assert turn.calls[0].revision == 1
    assert told(model) == ["paid 5 to eve"]


# conformance: 69
async def test_an_edit_that_changes_nothing_is_a_plain_approval(
    world: World, owner: Person
) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        turn = await decide_only(assent, turn, approve({"amount": "5", "to": "eve"}), owner)

    assert bank.paid == [("eve", 5)]
    assert turn.calls[0].revision == 1


# conformance: 70
@pytest.mark.parametrize("broken", ["", '{"to": ', "bob", '{"to": "a", "to": "b", "amount": 1}'])
async def test_an_edit_that_is_no_json_is_refused_readably_and_the_call_still_waits(
    world: World, owner: Person, broken: str
) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending

        with pytest.raises(InvalidJson, match="This JSON cannot be used"):
            await assent.decide(request.id, approve(broken), by=owner)
        assert (await assent.request(request.id)).is_open
        assert bank.paid == []

        turn = await decide_only(assent, turn, reject(), owner)
    assert statuses(turn) == [CallStatus.REJECTED]


# conformance: 71
async def test_the_model_is_told_of_the_edit_and_the_original_is_kept(
    world: World, owner: Person
) -> None:
    model = ScriptedModel([says("", PAY), "Done."])
    async with world(model, Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        turn = await decide_only(assent, turn, approve({"to": "bob", "amount": 7}), owner)

    [output] = told(model)
    assert '{"amount":7,"to":"bob"}' in output
    assert "paid 7 to bob" in output
    assert turn.calls[0].proposed == '{"amount":5,"to":"eve"}'


# conformance: 71
async def test_the_model_is_told_of_the_edit_of_a_call_whose_result_a_person_supplies(
    world: World, owner: Person
) -> None:
    def parameters(path: str) -> None: ...

    upload = manual("upload", description="Upload.", parameters=parameters, requires_approval=True)
    model = ScriptedModel([says("", calls("upload", path="a")), "Done."])
    async with world(model, upload) as assent:
        turn = await assent.send("agent", "upload", by=owner)
        turn = await decide_only(assent, turn, approve({"path": "b"}), owner)
        assert turn.calls[0].arguments.thaw() == {"path": "b"}
        await decide_only(assent, turn, supply("uploaded"), owner)

    [output] = told(model)
    assert '{"path":"b"}' in output
    assert "uploaded" in output


# conformance: 71
async def test_the_model_is_not_told_that_an_edited_call_ran_when_it_did_not(
    world: World, owner: Person
) -> None:
    large = Rule.of(
        Effect.ASK, "pay", when=lambda args, _: args["amount"] > 100, audience=Audience.of("boss")
    )
    bank, model = Bank(), ScriptedModel([says("", PAY), "OK."])
    async with world(model, bank.pay(), rules=[large]) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        turn = await decide_only(assent, turn, approve({"to": "bob", "amount": 700}), owner)
        await decide_only(assent, turn, reject(), BOSS)

    assert bank.paid == []
    assert "denied by user" in told(model)[0]
    assert "ran" not in told(model)[0]


# conformance: 72
async def test_rejecting_needs_nothing_but_the_request(world: World, owner: Person) -> None:
    async with world([says("", PAY), "OK."], Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        decided = await assent.decide(request.id, reject(), by=owner)
        turn = await assent.wait(turn.id)

    assert decided.status is RequestStatus.REJECTED
    assert statuses(turn) == [CallStatus.REJECTED]


# conformance: 73
async def test_an_edit_that_policy_denies_is_refused_and_the_call_still_waits(
    world: World, owner: Person
) -> None:
    bank = Bank()
    limit = Rule.of(
        Effect.DENY, "pay", when=lambda args, _: args["amount"] > 100, reason="At most 100."
    )
    async with world([says("", PAY), "Done."], bank.pay(), rules=[limit]) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        before = await call_of(assent, request.call_id)

        with pytest.raises(EditRefused, match="At most 100"):
            await assent.decide(request.id, approve({"to": "eve", "amount": 101}), by=owner)
        assert await call_of(assent, request.call_id) == before
        assert await votes(assent, request.id) == []
        assert bank.paid == []

        await decide_only(assent, turn, approve({"to": "eve", "amount": 99}), owner)
    assert bank.paid == [("eve", 99)]


# conformance: 73
async def test_an_edit_that_others_have_to_decide_opens_a_new_request_for_them(
    world: World, owner: Person
) -> None:
    bank = Bank()
    large = Rule.of(
        Effect.ASK, "pay", when=lambda args, _: args["amount"] > 100, audience=Audience.of("boss")
    )
    async with world([says("", PAY), "Done."], bank.pay(), rules=[large]) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        decided = await assent.decide(request.id, approve({"to": "eve", "amount": 700}), by=owner)
        turn = await assent.wait(turn.id)
        [routed] = turn.pending

        assert (decided.status, bank.paid) == (RequestStatus.SUPERSEDED, [])
        assert (routed.audience, routed.revision) == (Audience.of("boss"), 2)
        with pytest.raises(Superseded):
            await assent.decide(request.id, approve(), by=owner)

        await decide_only(assent, turn, approve(), BOSS)
    assert bank.paid == [("eve", 700)]


# conformance: 73
# requirement: R3
async def test_an_editor_who_may_also_decide_the_rerouted_request_carries_it(
    world: World, owner: Person
) -> None:
    bank = Bank()
    large = Rule.of(
        Effect.ASK, "pay", when=lambda args, _: args["amount"] > 100, audience=Audience.of("boss")
    )
    chief = Person(owner.id, roles=frozenset({"boss"}))
    edit = approve({"to": "eve", "amount": 700})
    async with world([says("", PAY), "Done."], bank.pay(), rules=[large]) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        first = await assent.decide(request.id, edit, by=chief, idempotency_key="k1")
        await assent.wait(turn.id)
        old, new = await requests_of(assent, request.call_id)
        again = await assent.decide(request.id, edit, by=chief, idempotency_key="k1")
        and_again = await assent.decide(request.id, edit, by=chief)
        await assent.wait(turn.id)

    assert (old.status, new.status) == (RequestStatus.SUPERSEDED, RequestStatus.APPROVED)
    assert (again.replayed, and_again.replayed) == (True, True)
    assert (again.request_id, again.status) == (first.request_id, first.status)
    assert bank.paid == [("eve", 700)]


# conformance: 73
async def test_the_edited_value_is_what_the_tools_own_predicate_judges(
    world: World, owner: Person
) -> None:
    seen: list[Json] = []

    def is_large(args: Mapping[str, Json]) -> bool:
        seen.append(args["amount"])
        return True

    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay(requires_approval=is_large)) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        await decide_only(assent, turn, approve({"to": "eve", "amount": "8"}), owner)

    assert seen == [5, 8]
    assert bank.paid == [("eve", 8)]


# conformance: 74
async def test_a_rejection_leaves_the_stored_arguments_as_they_were(
    world: World, owner: Person
) -> None:
    async with world([says("", PAY), "OK."], Bank().pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        [before] = turn.calls
        # Somebody edited, was refused, and rejected then.
        with pytest.raises(InvalidArguments):
            await assent.decide(request.id, approve({"to": 1}), by=owner)
        turn = await decide_only(assent, turn, reject("use to=bob"), owner)
        [vote] = await votes(assent, request.id)
        revisions = await revisions_of(assent, before.id)

    [after] = turn.calls
    assert (after.arguments, after.revision) == (before.arguments, 1)
    assert (vote.verdict, vote.arguments, revisions) == (VerdictName.REJECT, None, [])


# conformance: 75
async def test_arguments_given_with_a_deferred_approval_replace_the_originals(
    world: World, owner: Person
) -> None:
    attempts: list[tuple[str, bool]] = []

    @tool
    async def remove(ctx: Context, path: str) -> str:
        """Remove a file, but ask first."""
        attempts.append((path, ctx.approved))
        if not ctx.approved:
            raise ApprovalRequired({"reason": "it is gone for good"})
        return f"removed {path}"

    model = ScriptedModel([says("", calls("remove", path="a")), "Done."])
    async with world(model, remove) as assent:
        turn = await assent.send("agent", "remove a", by=owner)
        assert statuses(turn) == [CallStatus.AWAITING_APPROVAL]
        turn = await decide_only(assent, turn, approve({"path": "b"}), owner)

    assert attempts == [("a", False), ("b", True)]
    assert statuses(turn) == [CallStatus.SUCCEEDED]
    assert "removed b" in told(model)[0]


# requirement: D16
@pytest.mark.parametrize(
    "extra",
    [
        {"tool": "wipe"},
        {"name": "wipe"},
        {"source": "mcp:evil"},
        {"owner": "mallory"},
        {"conversation_id": "conv_other"},
        {"definition_hash": "0"},
        {"__class__": "x"},
    ],
    ids=str,
)
async def test_an_edit_cannot_add_what_the_schema_does_not_know(
    world: World, owner: Person, extra: dict[str, Json]
) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by=owner)
        [request] = turn.pending
        before = await call_of(assent, request.call_id)

        with pytest.raises(InvalidArguments):
            await assent.decide(request.id, approve({"to": "a", "amount": 1, **extra}), by=owner)

        assert await call_of(assent, request.call_id) == before
        assert bank.paid == []


# requirement: D16
async def test_an_edit_changes_arguments_and_never_tool_source_owner_or_conversation(
    world: World, owner: Person
) -> None:
    got: list[Mapping[str, Json]] = []

    async def execute(ctx: Context, args: dict[str, Json]) -> str:
        got.append({**args, "_tool": ctx.tool, "_owner": ctx.owner.id})
        return "ok"

    # A schema somebody else wrote may allow any field: it still is only an argument.
    parameters: dict[str, Json] = {"type": "object"}
    forward = schema_tool(
        "forward",
        description="Forward.",
        parameters=parameters,
        execute=execute,
        requires_approval=True,
        source="mcp:mail",
    )
    async with world([says("", calls("forward", to="eve")), "Done."], forward) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [before] = turn.calls
        edit: dict[str, Json] = {"tool": "wipe", "source": "mcp:evil", "owner": "mallory"}
        turn = await decide_only(assent, turn, approve(edit), owner)

    [after] = turn.calls
    assert got == [{**edit, "_tool": "forward", "_owner": owner.id}]
    assert (after.tool, after.source, after.conversation_id, after.definition_hash) == (
        before.tool,
        before.source,
        before.conversation_id,
        before.definition_hash,
    )


# requirement: D16
async def test_an_edit_cannot_add_a_field_that_policy_forbids(world: World, owner: Person) -> None:
    ran: list[Json] = []

    async def execute(ctx: Context, args: dict[str, Json]) -> str:
        ran.append(args)
        return "ok"

    forward = schema_tool(
        "forward",
        description="Forward.",
        parameters={"type": "object"},
        execute=execute,
        requires_approval=True,
    )
    no_bcc = Rule.of(Effect.DENY, "forward", when=lambda args, _: "bcc" in args, reason="No bcc.")
    model = ScriptedModel([says("", calls("forward", to="eve"))])
    async with world(model, forward, rules=[no_bcc]) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        with pytest.raises(EditRefused, match="No bcc"):
            await assent.decide(request.id, approve({"to": "eve", "bcc": "mallory"}), by=owner)

        assert (await assent.request(request.id)).is_open
    assert ran == []


# requirement: D16
async def test_an_edit_cannot_name_a_secret_that_was_not_given_for_it(
    world: World, owner: Person
) -> None:
    ran: list[Json] = []

    async def execute(ctx: Context, args: dict[str, Json]) -> str:
        ran.append(args)
        return "ok"

    forward = schema_tool(
        "forward",
        description="Forward.",
        parameters={"type": "object"},
        execute=execute,
        requires_approval=True,
    )
    async with world([says("", calls("forward", to="eve"))], forward) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        with pytest.raises(InvalidArguments, match="secret"):
            await assent.decide(
                request.id, approve({"to": {"$secret": "sec_of_somebody"}}), by=owner
            )
        assert (await assent.request(request.id)).is_open
    assert ran == []
