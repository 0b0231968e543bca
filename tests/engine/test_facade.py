"""The facade takes what people write without reading, or says what is wrong with it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast

import pytest

from assent import (
    Agent,
    Assent,
    Field,
    FieldType,
    Person,
    PersonKind,
    UserInput,
    answer,
    approve,
    reject,
    supply,
    tool,
)
from assent.domain.lifecycle import CallStatus, TurnStatus
from assent.domain.people import SYSTEM
from assent.engine.settings import Times
from assent.errors import (
    InvalidAnswer,
    InvalidParameter,
    NotAllowed,
    NotEligible,
    NotFound,
    NoWorker,
)
from assent.testing import ScriptedModel, calls, says
from tests.conformance.scenes import Bank, call_of
from tests.conftest import World

PAY = calls("pay", to="eve", amount=5)
SOON = Times(look=timedelta(milliseconds=100), takeup=timedelta(milliseconds=50))


async def test_a_request_and_an_id_decide_as_well_as_ids_and_people(
    world: World, owner: Person
) -> None:
    bank = Bank()
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by="ada")
        decided = await assent.decide(turn.pending[0], approve(), by="ada")
        turn = await assent.wait(decided)
        again = await assent.turn(turn)
        thread = await assent.conversation(turn.conversation_id)
        written = await assent.export(thread, by="ada")

    assert (turn.status, again.text) == (TurnStatus.DONE, "Done.")
    assert bank.paid == [("eve", 5)]
    assert thread.conversation.owner == owner
    assert "paid 5 to eve" in written


async def test_an_agent_is_as_good_as_its_name(tmp_path: Any) -> None:
    agent = Agent("files", model=ScriptedModel(["One.", "Two.", "Three."]))
    async with Assent(f"sqlite:///{tmp_path / 'a.db'}", agents=[agent]) as assent:
        assert (await assent.send(agent, "hi", by="ada")).text == "One."
        assert await assent.run(agent, "hi", by="ada") == "Two."
        opened = await assent.open(agent, by="ada")
        turn = await assent.send(agent, "hi", by="ada", conversation_id=opened)
        assert turn.conversation_id == opened.id


@pytest.mark.parametrize("by", [None, "", 0, 7, {}, [], b"ada", {"id": "ada"}], ids=repr)
async def test_whoever_acts_is_a_person_or_an_id(tmp_path: Any, by: Any) -> None:
    agent = Agent("agent", model=ScriptedModel([]))
    async with Assent(f"sqlite:///{tmp_path / 'a.db'}", agents=[agent]) as assent:
        for act in (
            lambda: assent.send("agent", "hi", by=by),
            lambda: assent.open("agent", by=by),
            lambda: assent.run("agent", "hi", by=by),
            lambda: assent.stop("turn_1", by=by),
            lambda: assent.resume("turn_1", by=by),
            lambda: assent.decide("req_1", approve(), by=by),
            lambda: assent.decide_all([("req_1", approve())], by=by),
            lambda: assent.export("conv_1", by=by),
            lambda: assent.import_("{}", by=by),
            lambda: assent.clear_values("conv_1", by=by),
            lambda: assent.override("tool", None, by=by),
        ):
            with pytest.raises(ValueError, match="by must be a Person, or a person's id"):
                await act()


async def test_an_id_gives_no_roles_and_no_way_round_a_disabled_account(world: World) -> None:
    bank = Bank()
    async with world([says("", PAY), says("", PAY)], bank.pay(approvers=("finance",))) as assent:
        fay = Person("fay", roles=frozenset({"finance", "admin"}))
        await assent.people.add(fay, by=SYSTEM)
        await assent.people.add(Person("bot", kind=PersonKind.AGENT), by=SYSTEM)
        turn = await assent.send("agent", "pay", by="fay")
        with pytest.raises(NotEligible):
            await assent.decide(turn.pending[0], approve(), by="fay")
        with pytest.raises(NotFound):
            await assent.decide(turn.pending[0], approve(), by="bot")
        with pytest.raises(NotAllowed):
            await assent.override("pay", None, by="fay")
        await assent.people.change("fay", disabled=True, by=SYSTEM)
        with pytest.raises(NotAllowed, match="disabled"):
            await assent.decide(turn.pending[0], approve(), by="fay")
        with pytest.raises(NotAllowed, match="disabled"):
            await assent.send("agent", "pay", by="fay")

    assert bank.paid == []


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (None, "not None"),
        (True, "not True"),
        ("approve", "not 'approve'"),
        ("", "not ''"),
        ({}, "not {}"),
        ([], r"not \[\]"),
        ({"approved": True}, "not {'approved': True}"),
        (approve, r"not the function approve: call it, approve\(\)"),
        (supply, r"not the function supply: call it, supply\(\)"),
    ],
)
async def test_what_is_no_verdict_is_refused_with_the_words_for_one(
    world: World, verdict: Any, words: str
) -> None:
    bank = Bank()
    async with world([says("", PAY)], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by="ada")
        with pytest.raises(
            InvalidParameter, match=r"verdict must be a verdict: approve\(\).*" + words
        ):
            await assent.decide(turn.pending[0], verdict, by="ada")
        with pytest.raises(InvalidParameter, match=words):
            await assent.decide_all([(turn.pending[0], verdict)], by="ada")
        assert len(await assent.pending(person="ada")) == 1

    assert bank.paid == []


@pytest.mark.parametrize("given", [None, 0, {}, [], b"req"], ids=repr)
async def test_what_names_nothing_is_refused_by_name(tmp_path: Any, given: Any) -> None:
    agent = Agent("agent", model=ScriptedModel([]))
    async with Assent(f"sqlite:///{tmp_path / 'a.db'}", agents=[agent]) as assent:
        refused: list[tuple[str, Callable[[], Any]]] = [
            ("request_id must be a request", lambda: assent.decide(given, approve(), by="ada")),
            ("request_id must be a request", lambda: assent.request(given)),
            ("request_id must be a request", lambda: assent.card(given)),
            ("turn_id must be a turn", lambda: assent.wait(given)),
            ("turn_id must be a turn", lambda: assent.turn(given)),
            ("turn_id must be a turn", lambda: assent.stop(given, by="ada")),
            ("conversation_id must be a conv", lambda: assent.conversation(given)),
            ("agent must be an agent", lambda: assent.send(given, "hi", by="ada")),
            ("text must be text", lambda: assent.send("agent", given, by="ada")),
            ("if_settled must be", lambda: assent.resolve("task", "out", if_settled=given)),
            ("if_settled must be", lambda: assent.fail("task", "why", if_settled=given)),
            ("if_settled must be", lambda: assent.cancel("task", if_settled=given)),
            ("by must be a Person who", lambda: assent.people.add(Person("eve"), by=given)),
            ("decisions must be pairs", lambda: assent.decide_all([given], by="ada")),
            (
                "on_pending must be 'refuse' or",
                lambda: assent.send("agent", "hi", by="ada", on_pending=given),
            ),
        ]
        for words, act in refused:
            with pytest.raises(InvalidParameter, match=words):
                await act()


async def test_a_conversation_that_there_is_not_is_made_only_if_that_was_asked_for(
    world: World,
) -> None:
    async with world(["One.", "Two."]) as assent:
        with pytest.raises(NotFound, match=r"no conversation 'talk'.*create=True"):
            await assent.send("agent", "hi", by="ada", conversation_id="talk")
        first = await assent.send("agent", "hi", by="ada", conversation_id="talk", create=True)
        second = await assent.send("agent", "hi", by="ada", conversation_id="talk", create=True)
        for create in (False, True):
            with pytest.raises(NotFound, match=r"no conversation 'talk'.*create=True"):
                await assent.send("agent", "hi", by="eve", conversation_id="talk", create=create)

    assert (first.conversation_id, second.number) == ("talk", 2)


async def test_an_empty_conversation_id_is_no_new_conversation(world: World) -> None:
    async with world(["One."]) as assent:
        for create in (False, True):
            with pytest.raises(Exception, match="conversation"):
                await assent.send("agent", "hi", by="ada", conversation_id="", create=create)


async def test_the_card_of_a_request_is_text_of_what_will_be_claimed(world: World) -> None:
    bank = Bank()
    async with world([says("I pay.", PAY), "Done."], bank.pay(impact="Money is gone")) as assent:
        turn = await assent.send("agent", "pay", by="ada")
        [request] = turn.pending
        card = await assent.card(request)
        by_id = await assent.card(request.id)

    assert "pay" in card
    assert '"eve"' in card
    assert "5" in card
    assert "Money is gone" in card
    # The clock goes on between the two.
    assert by_id.splitlines()[0] == card.splitlines()[0]


async def test_the_card_of_an_edited_call_shows_the_edit(world: World) -> None:
    bank = Bank()
    tools = bank.pay(approvers=("finance",))
    async with world([says("", PAY)], tools) as assent:
        turn = await assent.send("agent", "pay", by="ada")
        [request] = turn.pending
        call = await call_of(assent, request.call_id)
        card = await assent.card(request)

    assert all(str(value) in card for value in call.arguments.values())


async def test_sending_where_no_worker_runs_says_so_and_loses_nothing(world: World) -> None:
    bank = Bank()
    async with world([], bank.pay(), worker=False, times=SOON) as beside:
        with pytest.raises(NoWorker, match=r"No worker took up turn .* worker=False") as told:
            await beside.send("agent", "pay", by="ada")
        assert (await beside.turn(told.value.turn_id)).status is TurnStatus.READY
        with pytest.raises(NoWorker):
            await beside.run("agent", "pay", by="ada")
        started = await beside.start("agent", "pay", by="ada")

    async with world(["Hello."] * 3, bank.pay()) as assent:
        assert (await assent.wait(told.value.turn_id)).text == "Hello."
        assert (await assent.wait(started)).text == "Hello."


async def test_waiting_for_what_was_approved_where_no_worker_runs_says_so(world: World) -> None:
    bank = Bank()
    async with world([says("", PAY)], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by="ada")
    async with world([], bank.pay(), worker=False, times=SOON) as beside:
        decided = await beside.decide(turn.pending[0], approve(), by="ada")
        with pytest.raises(NoWorker):
            await beside.wait(decided)
        assert (await beside.turn(turn)).calls[0].status is CallStatus.CLEARED

    assert bank.paid == []


async def test_whoever_waits_in_vain_leaves_nothing_behind(world: World) -> None:
    async with world([], worker=False, times=SOON) as beside:
        with pytest.raises(NotFound):
            await beside.wait("turn_of_nobody")
        with pytest.raises(NotFound):
            await anext(beside.events("turn_of_nobody"))
        with pytest.raises(NoWorker):
            await beside.send("agent", "pay", by="ada")

        assert not vars(beside.kernel.bus)["_waiters"]


async def test_a_worker_elsewhere_is_waited_for(world: World) -> None:
    async with (
        world(["Hello."], times=SOON) as _,
        world([], worker=False) as beside,
    ):
        assert (await beside.send("agent", "hi", by="ada")).text == "Hello."


async def test_a_decision_for_people_is_waited_for_by_nobody(world: World) -> None:
    @tool(requires_approval=True)
    async def act() -> str:
        """Act."""
        return "acted"

    async with world([says("", calls("act"))], act) as assent:
        turn = await assent.send("agent", "go", by="ada")
    async with world([], act, worker=False, times=SOON) as beside:
        assert (await beside.wait(turn)).pending
        await beside.decide(turn.pending[0], reject(), by="ada")


@pytest.mark.parametrize("wrong", ["yes", True, Person, lambda: True])
async def test_a_predicate_of_a_run_that_is_none_is_refused_before_anything_is_sent(
    world: World, wrong: Any
) -> None:
    async with world([]) as assent:
        with pytest.raises(InvalidParameter, match="ask_when must be a function"):
            await assent.send("agent", "go", by="ada", ask_when=wrong)


async def test_a_predicate_of_a_run_may_take_the_arguments_alone(world: World) -> None:
    bank = Bank()
    only: Any = lambda args: args["amount"] > 3  # noqa: E731
    async with world([says("", PAY), "Done."], bank.pay()) as assent:
        turn = await assent.send("agent", "pay", by="ada", ask_when=only)
        assert [request.tool for request in turn.pending] == ["pay"]


async def test_overrides_people_and_lists_are_refused_by_name(world: World) -> None:
    root, anything = Person("root", roles=frozenset({"admin"})), cast("Any", {"risk": "safe"})
    async with world([], Bank().pay()) as assent:
        with pytest.raises(InvalidParameter, match="override must be an Override, or None"):
            await assent.override("pay", anything, by=root)
        with pytest.raises(InvalidParameter, match="person must be a Person"):
            await assent.people.add(cast("Any", "zoe"), by=root)
        for limit in (0, -1, "5", None):
            with pytest.raises(InvalidParameter, match="limit must be a whole number"):
                await assent.pending(person="ada", limit=cast("Any", limit))


async def test_an_answer_that_does_not_do_says_why(world: World) -> None:
    @tool(
        user_input=UserInput(
            reason="Where?", fields=[Field("city"), Field("day", type=FieldType.DATE)]
        )
    )
    async def go(city: str, day: str) -> str:
        """Go."""
        return f"{city} {day}"

    async with world([says("", calls("go"))], go) as assent:
        [request] = (await assent.send("agent", "go", by="ada")).pending
        with pytest.raises(InvalidAnswer, match=r"'city': This is required; 'day': Enter a date"):
            await assent.decide(request, answer({"day": "soon"}), by="ada")
