"""A policy that changes while the gate rules by it: nothing runs by the outdated ruling."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from assent import Assent, Audience, Effect, Field, Override, Person, Rule, UserInput, approve, tool
from assent.domain.decisions import Verdict, answer
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.messages import Answer, Prompt
from assent.engine.agents import Limits
from assent.errors import Superseded
from assent.testing import calls, says
from tests.conformance.scenes import decide_only, statuses
from tests.conftest import World
from tests.engine.till import STAFF, Till, ask, carried_out, one_call

ROOT = Person("root", roles=frozenset({"admin"}))
BOARD = Audience.of("board")
TWO = [Rule.of(Effect.ASK, "pay", audience=BOARD, quorum=2)]


class SlowHook:
    """A policy hook that adds nothing; once, `meanwhile` happens before it answers."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def __call__(self, *_: object) -> None:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()

    def override(self, assent: Assent, override: Override, name: str = "pay") -> None:
        self.meanwhile = lambda: assent.override(name, override, by=ROOT)


async def test_an_answer_is_asked_about_if_an_admin_tightened_the_tool_meanwhile(
    world: World,
) -> None:
    sent: list[str] = []

    @tool(user_input=UserInput("To whom?", [Field("to")]), requires_approval=False)
    async def mail(text: str, to: str) -> str:
        """Send a mail."""
        sent.append(f"{text} {to}")
        return "sent"

    hook, script = SlowHook(), [says("", calls("mail", text="hi")), "Done."]
    async with world(script, mail, policy=hook) as assent:
        turn = await assent.send("agent", "go", by=STAFF)
        hook.override(assent, Override(requires_approval=True), "mail")
        turn = await decide_only(assent, turn, answer({"to": "bob"}), STAFF)
        assert (statuses(turn), sent) == ([CallStatus.AWAITING_APPROVAL], [])
        assert [request.kind for request in turn.pending] == [RequestKind.APPROVAL]
        await decide_only(assent, turn, approve(), STAFF)
    assert sent == ["hi bob"]


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("verdict", [approve({"amount": 9, "to": "bob"}), approve()])
async def test_an_approval_goes_to_those_whom_an_admin_named_meanwhile(
    world: World, verdict: Verdict, together: bool
) -> None:
    till, hook = Till(), SlowHook()
    async with world(one_call, till.pay(), policy=hook) as assent:
        turn = await assent.send("agent", "pay bob", by=STAFF)
        # Changed since the question, so that the gate rules on a plain approval, too.
        await assent.override("pay", Override(impact="Moves money"), by=ROOT)
        hook.override(assent, Override(audience=BOARD))
        [request] = turn.pending
        if together:
            await assent.decide_together([(request.id, verdict)], by=STAFF)
        else:
            await assent.decide(request.id, verdict, by=STAFF)
        turn = await assent.wait(turn.id)
        assert (statuses(turn), till.paid) == ([CallStatus.AWAITING_APPROVAL], [])
        [routed] = turn.pending
        assert (routed.audience, routed.policy_version) == (BOARD, assent.policy_version)


async def test_a_changed_tool_is_put_to_those_whom_an_admin_named_meanwhile(world: World) -> None:
    till, hook = Till(), SlowHook()
    turn = await ask(world, till.pay(), policy=hook)
    async with world(one_call, till.pay("Pay them well."), policy=hook) as assent:
        hook.override(assent, Override(audience=BOARD))
        with pytest.raises(Superseded):
            await assent.decide(turn.pending[0].id, approve(), by=STAFF)
        [request] = await assent.pending()
        assert (request.audience, request.policy_version) == (BOARD, assent.policy_version)


@pytest.mark.parametrize("many", [1, 40])
async def test_new_calls_are_asked_about_if_an_admin_tightened_the_tool_meanwhile(
    world: World, many: int
) -> None:
    seen: list[int] = []

    @tool(requires_approval=False)
    async def peek(at: int) -> str:
        """Look at something."""
        seen.append(at)
        return "seen"

    def script(prompt: Prompt) -> Answer | str:
        if getattr(prompt.history[-1], "outputs", None):
            return "Done."
        return says("", *(calls("peek", at=each) for each in range(many)))

    hook = SlowHook()
    async with world(script, peek, policy=hook, limits=Limits(calls_per_answer=many)) as assent:
        hook.override(assent, Override(requires_approval=True), "peek")
        turn = await assent.send("agent", "go", by=STAFF)
        turn = await assent.wait(turn.id)
        assert (set(statuses(turn)), seen) == ({CallStatus.AWAITING_APPROVAL}, [])
        assert len(turn.pending) == many


async def test_an_approval_where_the_tool_is_not_known_was_judged_by_nobody(world: World) -> None:
    till, elsewhere = Till(), Till().refund()
    options: Any = {"rules": TWO}
    turn = await ask(world, till.pay())
    async with world(one_call, elsewhere, worker=False, **options) as clerk:
        await clerk.decide(turn.pending[0].id, approve(), by=STAFF)

    turn = await carried_out(world, turn, till.pay(), **options)

    assert (statuses(turn), till.paid) == ([CallStatus.AWAITING_APPROVAL], [])
