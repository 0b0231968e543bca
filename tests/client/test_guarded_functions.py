"""`assent.guard(function, …)`: any Python code asks people before it acts, and acts once."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from typing import Any

import pytest

from assent import (
    Agent,
    Assent,
    OutcomeUnknown,
    Person,
    Rule,
    answer,
    approve,
    reject,
    tool,
)
from assent.domain.bodies import Context
from assent.domain.forms import Field, UserInput
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.errors import CallWaits, InvalidParameter, KeyReused, NotFound
from assent.guard import GuardedCall
from assent.testing import ScriptedModel
from tests.client.conftest import eventually
from tests.conftest import QUICK

ANA = Person("ana")


@pytest.fixture
async def assent(url: str) -> AsyncGenerator[Assent]:
    """An engine without agents, as for code that only wants to be guarded."""
    async with Assent(url, times=QUICK) as opened:
        yield opened


class Bank:
    """Pays, and remembers each payment."""

    def __init__(self) -> None:
        self.paid: list[tuple[int, str]] = []

    async def pay(self, amount: int, to: str) -> str:
        """Pay somebody."""
        self.paid.append((amount, to))
        return f"paid {amount} to {to}"


@pytest.fixture
def bank() -> Bank:
    return Bank()


async def asked(assent: Assent) -> str:
    """Return the id of the one request that is open, once there is one."""

    async def look() -> str | None:
        found = await assent.pending(person="ana")
        return found[0].id if found else None

    return await eventually(look)


async def decided(assent: Assent, verdict: Any, *guard: Any, **options: Any) -> GuardedCall:
    """Guard a call, and decide it as soon as it asks."""
    async with asyncio.TaskGroup() as group:
        call = group.create_task(assent.guard(*guard, by="ana", **options))
        await assent.decide(await asked(assent), verdict, by=ANA)
    return call.result()


async def test_a_plain_function_asks_although_it_declares_nothing(
    assent: Assent, bank: Bank
) -> None:
    with pytest.raises(CallWaits, match="people have to approve it") as waits:
        await assent.guard(bank.pay, {"amount": 3, "to": "bob"}, by="ana", wait=0)
    assert bank.paid == []
    assert waits.value.status == CallStatus.AWAITING_APPROVAL


async def test_an_approved_function_runs_once_with_what_was_approved(
    assent: Assent, bank: Bank
) -> None:
    given = {"amount": 3, "to": "bob"}
    call = await decided(assent, approve(edit={"amount": 2}), bank.pay, given, key="rent")
    assert (call.output, bank.paid) == ("paid 2 to bob", [(2, "bob")])
    again = await assent.guard(bank.pay, given, by="ana", key="rent")
    assert (again.id, again.output, len(bank.paid)) == (call.id, call.output, 1)


async def test_a_rejected_function_does_not_run_and_says_why(assent: Assent, bank: Bank) -> None:
    call = await decided(assent, reject("Too much."), bank.pay, {"amount": 3, "to": "bob"})
    assert (call.status, bank.paid) == (CallStatus.REJECTED, [])
    assert "Too much." in str(call.error)


@pytest.mark.parametrize(("amount", "to"), [(0, ""), (0, "bob"), (3, "")])
async def test_empty_values_are_values(assent: Assent, bank: Bank, amount: int, to: str) -> None:
    await decided(assent, approve(), bank.pay, {"amount": amount, "to": to})
    assert bank.paid == [(amount, to)]


@pytest.mark.parametrize("given", [None, [], "", 0, [("amount", 3)], {1: 2}])
async def test_what_is_no_mapping_is_refused_before_anything_is_recorded(
    assent: Assent, bank: Bank, given: Any
) -> None:
    with pytest.raises(InvalidParameter, match="arguments must be a mapping"):
        await assent.guard(bank.pay, given, by="ana")
    assert await assent.pending(person="ana") == []


async def test_arguments_that_do_not_fit_end_the_call_unasked(assent: Assent, bank: Bank) -> None:
    call = await assent.guard(bank.pay, {}, by="ana")
    assert (call.status, bank.paid) == (CallStatus.FAILED, [])
    assert "amount: is required" in str(call.error)


async def test_a_declared_tool_keeps_what_it_declares(assent: Assent) -> None:
    @tool(requires_approval=False)
    def ping(host: str) -> str:
        """Ping a host."""
        return f"{host} is there"

    assert (await assent.guard(ping, {"host": "a"}, by="ana")).output == "a is there"

    @tool(requires_approval=lambda given: given["amount"] > 10)
    def tip(amount: int) -> int:
        """Tip somebody."""
        return amount

    assert (await assent.guard(tip, {"amount": 10}, by="ana")).output == 10
    with pytest.raises(CallWaits):
        await assent.guard(tip, {"amount": 11}, by="ana", wait=0)


async def test_a_rule_can_let_a_plain_function_run(url: str, bank: Bank) -> None:
    async with Assent(url, rules=Rule(effect="allow", tools="pay"), times=QUICK) as assent:
        await assent.guard(bank.pay, {"amount": 3, "to": "bob"}, by="ana")
    assert bank.paid == [(3, "bob")]


async def test_a_form_is_filled_in_first(assent: Assent) -> None:
    form = UserInput("Which account?", [Field("account")])

    @tool(user_input=form, requires_approval=False)
    def charge(account: str, amount: int) -> str:
        """Charge an account."""
        return f"{amount} from {account}"

    call = await decided(assent, answer({"account": "A-1"}), charge, {"amount": 0})
    assert call.output == "0 from A-1"


async def test_a_body_is_told_whose_call_it_runs(assent: Assent) -> None:
    async def who(context: Context, again: int) -> Mapping[str, Any]:
        """Say who is there."""
        return {"call": context.call_id, "owner": context.owner.id, "again": again}

    call = await decided(assent, approve(), who, {"again": 1})
    assert call.output == {"call": call.id, "owner": "ana", "again": 1}


async def test_a_body_that_raises_fails_and_one_that_does_not_know_is_in_doubt(
    assent: Assent,
) -> None:
    def fall(over: bool) -> None:
        """Fall."""
        raise OutcomeUnknown("the wire was cut") if over else ValueError("no")

    failed = await decided(assent, approve(), fall, {"over": False})
    assert (failed.status, failed.output) == (CallStatus.FAILED, {"error": "ValueError: no"})
    doubted = await decided(assent, approve(), fall, {"over": True})
    assert doubted.status is CallStatus.IN_DOUBT
    [request] = await assent.pending(person="ana")
    assert request.kind is RequestKind.OUTCOME


async def test_another_call_under_the_same_key_is_refused(assent: Assent, bank: Bank) -> None:
    await decided(assent, approve(), bank.pay, {"amount": 3, "to": "bob"}, key="rent")
    with pytest.raises(KeyReused):
        await assent.guard(bank.pay, {"amount": 4, "to": "bob"}, by="ana", key="rent")
    assert len(bank.paid) == 1


async def test_eight_at_once_under_one_key_pay_once(assent: Assent, bank: Bank) -> None:
    given = {"amount": 3, "to": "bob"}

    async def one() -> GuardedCall | CallWaits:
        try:
            return await assent.guard(bank.pay, given, by="ana", key="rent")
        except CallWaits as running:
            return running

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one()) for _ in range(8)]
        await assent.decide(await asked(assent), approve(), by=ANA)
    ended = [each.result() for each in tasks]
    assert bank.paid == [(3, "bob")]
    assert any(isinstance(each, GuardedCall) and each.succeeded for each in ended)


async def test_a_name_means_a_tool_of_an_agent(url: str) -> None:
    @tool(requires_approval=True)
    def greet(name: str) -> str:
        """Greet somebody."""
        return f"Hello, {name}"

    def agents(*names: str) -> Iterator[Agent]:
        return (Agent(name, model=ScriptedModel([]), tools=[greet]) for name in names)

    async with Assent(url, agents=agents("one"), times=QUICK) as assent:
        call = await decided(assent, approve(), "greet", {"name": "Bo"})
        assert call.output == "Hello, Bo"
        with pytest.raises(NotFound, match="pass the function itself"):
            await assent.guard("greeet", {"name": "Bo"}, by="ana")
    async with Assent(url, agents=agents("one", "two"), times=QUICK) as assent:
        with pytest.raises(InvalidParameter, match="'one', 'two'"):
            await assent.guard("greet", {"name": "Bo"}, by="ana")


@pytest.mark.parametrize("given", [None, 0, "", [], {}, object()])
async def test_what_is_no_tool_is_refused(assent: Assent, given: Any) -> None:
    with pytest.raises((InvalidParameter, NotFound)):
        await assent.guard(given, {}, by="ana")
