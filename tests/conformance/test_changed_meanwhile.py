"""What changed between question, approval and run: the tool's definition or the policy."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from assent import (
    Ask,
    Audience,
    Confirmation,
    Effect,
    Person,
    Risk,
    Rule,
    RunAgain,
    Tool,
    approve,
    tool,
)
from assent.domain.calls import Author
from assent.domain.canonical import Json
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus, TurnStatus
from assent.domain.policy import PolicyHook
from assent.engine.queries.snapshots import Turn
from assent.engine.runs.outcomes import OutcomeUnknown
from assent.errors import Expired, Superseded
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.conformance.scenes import (
    Bank,
    call_of,
    decide_only,
    requests_of,
    revisions_of,
    statuses,
    told,
)
from tests.conftest import World

PAY = calls("pay", to="eve", amount=5)
BOSS = Person("boss", roles=frozenset({"boss"}))
NEVER = Rule.of(Effect.DENY, "pay", reason="Nobody pays any more.")
BOSSES = Rule.of(Effect.ASK, "pay", audience=Audience.of("boss"))


def changed(paid: list[tuple[str, int, str]]) -> Tool:
    """The pay tool as it is after somebody changed it: one parameter more."""

    @tool(requires_approval=True)
    async def pay(to: str, amount: int, currency: str = "EUR") -> str:
        """Pay somebody, in some currency."""
        paid.append((to, amount, currency))
        return f"paid {amount} {currency} to {to}"

    return pay


def narrowed() -> Tool:
    """The pay tool as it is after somebody took a parameter away."""

    @tool(requires_approval=True)
    async def pay(to: str) -> str:
        """Pay somebody what they are due."""
        raise AssertionError("must not run")

    return pay


async def asked(world: World, owner: Person, *tools: Tool, **options: object) -> Turn:
    """A turn that waits for approval, left by an engine that is closed again."""
    async with world([says("", PAY)], *tools, **options) as assent:
        return await assent.send("agent", "pay", by=owner)


async def approved(world: World, owner: Person, *tools: Tool, **options: object) -> Turn:
    """The same, approved where nobody could run it."""
    turn = await asked(world, owner, *tools, **options)
    async with world([], *tools, worker=False, **options) as clerk:
        await clerk.decide(turn.pending[0].id, approve(), by=owner)
        assert (await call_of(clerk, turn.calls[0].id)).status is CallStatus.CLEARED
    return turn


# conformance: 73
async def test_a_tool_changed_since_the_question_voids_the_approval_and_asks_again(
    world: World, owner: Person
) -> None:
    bank, paid = Bank(), list[tuple[str, int, str]]()
    turn = await asked(world, owner, bank.pay())
    [old] = turn.pending

    async with world(["Done."], changed(paid)) as assent:
        with pytest.raises(Superseded) as raised:
            await assent.decide(old.id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        [new] = turn.pending
        assert (bank.paid, paid) == ([], [])
        assert raised.value.by == "definition"
        assert (new.revision, new.digest != old.digest) == (2, True)
        assert "definition changed" in new.question.reason
        assert new.decide_by is not None
        _, second = await revisions_of(assent, new.call_id)
        assert (second.author, second.by) == (Author.DEFINITION, "definition")

        turn = await decide_only(assent, turn, approve(), owner)

    assert turn.status is TurnStatus.DONE
    assert paid == [("eve", 5, "EUR")]


# conformance: 73
async def test_a_tool_changed_since_the_approval_voids_it_and_asks_again(
    world: World, owner: Person
) -> None:
    bank, paid = Bank(), list[tuple[str, int, str]]()
    turn = await approved(world, owner, bank.pay())

    model = ScriptedModel(["Done."])
    async with world(model, changed(paid)) as assent:
        turn = await assent.wait(turn.id)
        [new] = turn.pending
        assert statuses(turn) == [CallStatus.AWAITING_APPROVAL]
        assert (bank.paid, paid, model.prompts) == ([], [], [])
        assert "definition changed" in new.question.reason
        assert new.decide_by is not None

        turn = await decide_only(assent, turn, approve(), owner)

    assert turn.status is TurnStatus.DONE
    assert paid == [("eve", 5, "EUR")]


# conformance: 62
@pytest.mark.parametrize("since", [asked, approved], ids=["the question", "the approval"])
async def test_a_call_that_the_changed_tool_no_longer_takes_fails_and_the_model_is_told(
    world: World, owner: Person, since: type
) -> None:
    bank = Bank()
    turn = await since(world, owner, bank.pay())

    model = ScriptedModel(["Sorry."])
    async with world(model, narrowed()) as assent:
        if since is asked:
            with pytest.raises(Superseded):
                await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert statuses(turn) == [CallStatus.FAILED]
    assert (turn.status, turn.pending) == (TurnStatus.DONE, ())
    assert "amount" in told(model)[0]
    assert bank.paid == []


# requirement: R15
@pytest.mark.parametrize("change", ["definition", "misfit", "policy", "audience", "edit"])
async def test_a_late_approval_reopens_nothing_whatever_changed_meanwhile(
    world: World, owner: Person, clock: VirtualClock, change: str
) -> None:
    bank, paid = Bank(), list[tuple[str, int, str]]()
    turn = await asked(world, owner, bank.pay(), clock=clock)
    [request] = turn.pending
    tools = {"definition": changed(paid), "misfit": narrowed()}
    rules = {"policy": [NEVER], "audience": [BOSSES]}
    edit = {"to": "bob", "amount": 1} if change == "edit" else None

    # The deadline passes while nobody sweeps: the decision itself must notice.
    async with world(
        [],
        tools.get(change, bank.pay()),
        clock=clock,
        rules=rules.get(change, []),
        worker=False,
    ) as assent:
        clock.advance(timedelta(days=2))
        with pytest.raises(Expired):
            await assent.decide(request.id, approve(edit), by=owner)
        everything = await requests_of(assent, request.call_id)
        call = await call_of(assent, request.call_id)

    assert [stored.status for stored in everything] == [RequestStatus.EXPIRED]
    assert (call.status, call.revision) == (CallStatus.EXPIRED, 1)
    assert (bank.paid, paid) == ([], [])


# conformance: 73
async def test_a_policy_that_denies_since_the_question_ends_the_call(
    world: World, owner: Person
) -> None:
    bank = Bank()
    turn = await asked(world, owner, bank.pay())

    model = ScriptedModel(["OK."])
    async with world(model, bank.pay(), rules=[NEVER]) as assent:
        with pytest.raises(Superseded) as raised:
            await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)

    assert raised.value.by == "rule:deny:pay"
    assert statuses(turn) == [CallStatus.DENIED]
    assert "Nobody pays any more." in told(model)[0]
    assert bank.paid == []


# conformance: 73
async def test_a_policy_that_asks_others_since_the_question_asks_them(
    world: World, owner: Person
) -> None:
    bank = Bank()
    turn = await asked(world, owner, bank.pay())

    async with world(["Done."], bank.pay(), rules=[BOSSES]) as assent:
        decided = await assent.decide(turn.pending[0].id, approve(), by=owner)
        turn = await assent.wait(turn.id)
        [routed] = turn.pending
        assert decided.status is RequestStatus.SUPERSEDED
        assert (routed.audience, bank.paid) == (Audience.of("boss"), [])

        await decide_only(assent, turn, approve(), BOSS)
    assert bank.paid == [("eve", 5)]


# conformance: 73
async def test_a_policy_that_says_the_same_of_this_call_lets_the_approval_count(
    world: World, owner: Person
) -> None:
    bank = Bank()
    turn = await asked(world, owner, bank.pay())

    async with world(["Done."], bank.pay(), rules=[Rule.of(Effect.DENY, "other")]) as assent:
        turn = await decide_only(assent, turn, approve(), owner)

    assert turn.status is TurnStatus.DONE
    assert bank.paid == [("eve", 5)]


# conformance: 64
async def test_a_deny_rule_made_since_the_approval_ends_the_call_at_the_claim(
    world: World, owner: Person
) -> None:
    bank = Bank()
    turn = await approved(world, owner, bank.pay())

    model = ScriptedModel(["OK."])
    async with world(model, bank.pay(), rules=[NEVER]) as assent:
        turn = await assent.wait(turn.id)

    assert statuses(turn) == [CallStatus.DENIED]
    assert "Nobody pays any more." in told(model)[0]
    assert bank.paid == []


# conformance: 73
async def test_a_policy_changed_since_the_approval_asks_again_in_time(
    world: World, owner: Person
) -> None:
    bank = Bank()
    turn = await approved(world, owner, bank.pay())

    async with world(["Done."], bank.pay(), rules=[Rule.of(Effect.DENY, "other")]) as assent:
        turn = await assent.wait(turn.id)
        [again] = turn.pending
        assert (statuses(turn), bank.paid) == ([CallStatus.AWAITING_APPROVAL], [])
        assert "policy changed" in again.question.reason
        assert again.decide_by is not None

        turn = await decide_only(assent, turn, approve(), owner)

    assert turn.status is TurnStatus.DONE
    assert bank.paid == [("eve", 5)]


def above(limit: int) -> Rule:
    """Bosses are asked from a limit on: the rule that somebody edits before a restart."""
    audience = Audience.of("boss")
    return Rule.of(Effect.ASK, "pay", audience=audience, when=lambda a, _: a["amount"] > limit)


def hooked(limit: int) -> PolicyHook:
    """The same, as a hook."""
    when, bosses = above(limit).when, Ask(by="limit", audience=Audience.of("boss"))
    return lambda _, args, context: bosses if when and when(args, context) else None


def waiting(hours: int) -> Rule:
    """A rule about nothing but how long to wait."""
    return Rule.of(Effect.ASK, "other", decide_within=timedelta(hours=hours))


# What a deployment is started with, by the number in its code that somebody edits.
EDITED: dict[str, Callable[[int], dict[str, object]]] = {
    "predicate": lambda limit: {"rules": [above(limit)]},
    "hook": lambda limit: {"policy": hooked(limit)},
    "decide_within": lambda hours: {"rules": [waiting(hours)]},
    "policy_version": lambda number: {"policy_version": str(number)},
}


# conformance: 73
# requirement: T1
@pytest.mark.parametrize("part", EDITED)
async def test_an_edited_policy_voids_what_was_approved_under_the_old_one(
    world: World, owner: Person, part: str
) -> None:
    bank, policy = Bank(), EDITED[part]
    turn = await approved(world, owner, bank.pay(), **policy(100))

    async with world([], bank.pay(), **policy(1)) as assent:
        turn = await assent.wait(turn.id)

    assert (statuses(turn), bank.paid) == ([CallStatus.AWAITING_APPROVAL], [])
    assert "policy changed" in turn.pending[0].question.reason


# conformance: 73
# requirement: T1
@pytest.mark.parametrize("part", ["predicate", "hook"])
async def test_a_lower_limit_since_the_question_asks_those_whom_it_names(
    world: World, owner: Person, part: str
) -> None:
    bank, policy = Bank(), EDITED[part]
    turn = await asked(world, owner, bank.pay(), **policy(100))

    async with world(["Done."], bank.pay(), **policy(1)) as assent:
        turn = await decide_only(assent, turn, approve(), owner)
        assert (turn.pending[0].audience, bank.paid) == (Audience.of("boss"), [])
        await decide_only(assent, turn, approve(), BOSS)

    assert bank.paid == [("eve", 5)]


# conformance: 73
@pytest.mark.parametrize("part", EDITED)
async def test_a_policy_that_is_only_started_again_lets_the_approval_count(
    world: World, owner: Person, part: str
) -> None:
    bank, policy = Bank(), EDITED[part]
    turn = await approved(world, owner, bank.pay(), **policy(100))

    async with world(["Done."], bank.pay(), **policy(100)) as assent:
        turn = await assent.wait(turn.id)

    assert turn.status is TurnStatus.DONE
    assert bank.paid == [("eve", 5)]


# conformance: 73
async def test_what_the_claim_asks_again_is_judged_by_the_new_hook_before_it_runs(
    world: World, owner: Person
) -> None:
    bank = Bank()
    turn = await approved(world, owner, bank.pay())

    async def closed(*_: object) -> Effect:
        return Effect.DENY

    async with world(["OK."], bank.pay(), policy=closed) as assent:
        turn = await assent.wait(turn.id)
        with pytest.raises(Superseded):
            await decide_only(assent, turn, approve(), owner)
        turn = await assent.wait(turn.id)

    assert statuses(turn) == [CallStatus.DENIED]
    assert bank.paid == []


# conformance: 73
async def test_a_redefined_call_is_judged_by_the_hook_before_it_runs(
    world: World, owner: Person
) -> None:
    bank, paid = Bank(), list[tuple[str, int, str]]()

    def no_euros(_: object, args: dict[str, Json], __: object) -> Effect | None:
        return Effect.DENY if args.get("currency") == "EUR" else None

    turn = await approved(world, owner, bank.pay(), policy=no_euros)
    async with world(["OK."], changed(paid), policy=no_euros) as assent:
        turn = await assent.wait(turn.id)
        with pytest.raises(Superseded):
            await decide_only(assent, turn, approve(), owner)
        turn = await assent.wait(turn.id)

    assert statuses(turn) == [CallStatus.DENIED]
    assert paid == []


# conformance: 61
async def test_running_a_call_in_doubt_again_is_asked_about_if_the_policy_changed(
    world: World, owner: Person
) -> None:
    runs: list[int] = []

    @tool
    async def pay(to: str, amount: int) -> str:
        """Pay over a bad line."""
        runs.append(1)
        if len(runs) == 1:
            raise OutcomeUnknown("the line went dead")
        return "paid"

    turn = await asked(world, owner, pay)
    assert [request.kind for request in turn.pending] == [RequestKind.OUTCOME]

    async with world(["Done."], pay, rules=[BOSSES]) as assent:
        turn = await decide_only(assent, turn, RunAgain(), owner)
        assert (statuses(turn), len(runs)) == ([CallStatus.AWAITING_APPROVAL], 1)
        turn = await decide_only(assent, turn, approve(), owner)
        assert (turn.pending[0].audience, len(runs)) == (Audience.of("boss"), 1)
        turn = await decide_only(assent, turn, approve(), BOSS)

    assert (turn.status, len(runs)) == (TurnStatus.DONE, 2)


# conformance: 22
async def test_a_callback_is_asked_again_about_a_call_whose_tool_changed(
    world: World, owner: Person
) -> None:
    bank, paid = Bank(), list[tuple[str, int, str]]()
    turn = await approved(world, owner, bank.pay())

    heard: list[Json] = []

    def on_confirmation(call: object, _: object) -> bool:
        heard.append(call.arguments.thaw())  # pyright: ignore[reportAttributeAccessIssue]
        return True

    async with world(["Done."], changed(paid), on_confirmation=on_confirmation) as assent:
        turn = await assent.wait(turn.id)

    assert heard == [{"to": "eve", "amount": 5, "currency": "EUR"}]
    assert turn.status is TurnStatus.DONE
    assert paid == [("eve", 5, "EUR")]


# What a tool may say about who is asked, tightened before a restart.
TIGHTENED: dict[str, dict[str, object]] = {
    "approvers": {"approvers": ["boss"]},
    "risk": {"risk": Risk.DANGEROUS},
    "confirmation": {"confirmation": Confirmation.TYPED},
    "predicate": {"requires_approval": lambda args, _: args["amount"] > 1},
}


# conformance: 73
# requirement: T1
@pytest.mark.parametrize("said", TIGHTENED)
async def test_a_tool_that_asks_otherwise_since_the_approval_asks_again(
    world: World, owner: Person, said: str
) -> None:
    bank = Bank()
    turn = await approved(world, owner, bank.pay())
    async with world([], bank.pay(**TIGHTENED[said])) as assent:
        turn = await assent.wait(turn.id)
    assert (statuses(turn), bank.paid) == ([CallStatus.AWAITING_APPROVAL], [])


# conformance: 73
# requirement: T1
async def test_whom_a_tool_names_since_the_question_has_to_approve_it(
    world: World, owner: Person
) -> None:
    bank = Bank()
    turn = await asked(world, owner, bank.pay())
    async with world(["Done."], bank.pay(approvers=["boss"])) as assent:
        with pytest.raises(Superseded):
            await decide_only(assent, turn, approve(), owner)
        turn = await assent.wait(turn.id)
        assert (turn.pending[0].audience, bank.paid) == (Audience.of("boss"), [])
        boss = Person("eve", roles=frozenset({"boss"}))
        await decide_only(assent, turn, approve(), boss)
    assert bank.paid == [("eve", 5)]
