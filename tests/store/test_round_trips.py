"""What goes into either store comes out again, noun by noun."""

from dataclasses import replace
from datetime import timedelta

from assent.domain.copies import changed
from assent.domain.events import Event, EventKind, Fact
from assent.domain.lifecycle import RequestStatus
from assent.domain.people import Person
from assent.ports import Store, Tx
from tests.store.samples import (
    AWKWARD,
    CALL,
    CONVERSATION,
    DECISION,
    ENTRY,
    MESSAGE,
    NOON,
    REQUEST,
    REVISION,
    SAVED,
    SEALED,
    TURN,
    add_call,
    add_request,
    add_turn,
)

MICROSECOND = timedelta(microseconds=1)


async def test_a_conversation_comes_back_as_it_was(store: Store) -> None:
    await store.run(lambda tx: tx.conversations.add(CONVERSATION))
    assert await store.run(lambda tx: tx.conversations.get("conv_1")) == CONVERSATION
    assert await store.run(lambda tx: tx.conversations.get("conv_2")) is None


async def test_conversations_of_an_owner_are_the_newest_first(store: Store) -> None:
    made = [
        changed(CONVERSATION, id=f"conv_{n}", created_at=NOON + n * MICROSECOND) for n in range(4)
    ]
    foreign = changed(CONVERSATION, id="conv_x", owner=Person("eve"))
    for each in (*made, foreign):
        await store.run(lambda tx, each=each: tx.conversations.add(each))
    found = await store.run(lambda tx: tx.conversations.of_owner("ada", limit=3))
    assert found == made[:0:-1]


async def test_a_turn_comes_back_as_it_was(store: Store) -> None:
    def add(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx, key="key")

    await store.run(add)
    assert await store.run(lambda tx: tx.turns.get("turn_1")) == TURN
    assert await store.run(lambda tx: tx.turns.newest("conv_1")) == TURN
    assert await store.run(lambda tx: tx.turns.by_key("ada", "key")) == (TURN, "body")
    assert await store.run(lambda tx: tx.turns.by_key("eve", "key")) is None


async def test_messages_come_back_in_the_order_they_were_appended(store: Store) -> None:
    def add(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx)
        for number in (1, 2, 3):
            tx.messages.append(changed(MESSAGE, id=f"msg_{10 - number}"))

    await store.run(add)
    found = await store.run(lambda tx: tx.messages.of_conversation("conv_1"))
    assert found == [
        changed(MESSAGE, id=f"msg_{10 - number}", position=number) for number in (1, 2, 3)
    ]


async def test_a_call_comes_back_as_it_was(store: Store) -> None:
    await store.run(add_call)
    assert await store.run(lambda tx: tx.calls.get("call_1")) == CALL
    assert await store.run(lambda tx: tx.calls.by_task("task_1")) == CALL
    assert await store.run(lambda tx: tx.calls.of_turn("turn_1")) == [CALL]
    assert await store.run(lambda tx: tx.calls.of_conversation("conv_1")) == [CALL]


async def test_a_call_with_nothing_optional_comes_back_as_it_was(store: Store) -> None:
    bare = changed(
        CALL,
        cleared_by=None,
        approved=False,
        run_by=None,
        worker=None,
        lease_until=None,
        task_id=None,
        metadata=None,
        supplied=None,
        output=None,
        settled_at=None,
        note=None,
    )
    await store.run(lambda tx: add_call(tx, bare))
    assert await store.run(lambda tx: tx.calls.get("call_1")) == bare


async def test_many_rows_of_one_transaction_come_back_as_they_were_and_in_their_order(
    store: Store,
) -> None:
    texts = [AWKWARD, "", "0", "null", "{}", "[]", "\\u0000", "\u2028\x7f", "x" * 70_000, None]
    calls = [
        changed(CALL, id=f"call_{n}", position=n, note=note, fence=2**31 - n, task_id=None)
        for n, note in enumerate(texts, 2)
    ]
    facts = [Fact(EventKind.TEXT, {"text": AWKWARD, "n": n}) for n in range(1_000)]

    def add(tx: Tx) -> None:
        add_call(tx)
        tx.calls.add(calls)
        tx.journal.tell("turn_1", *facts)

    await store.run(add)
    for call in calls:
        assert await store.run(lambda tx, id=call.id: tx.calls.get(id)) == call
    told = await store.run(lambda tx: tx.journal.events("turn_1", 0, 2_000))
    assert [event.seq for event in told] == list(range(1, 1_001))
    assert [event.data for event in told] == [fact.data for fact in facts]


async def test_revisions_come_back_in_their_order(store: Store) -> None:
    def add(tx: Tx) -> None:
        add_call(tx)
        tx.calls.revise(REVISION)
        tx.calls.revise(changed(REVISION, revision=1))

    await store.run(add)
    found = await store.run(lambda tx: tx.calls.revisions("call_1"))
    assert found == [changed(REVISION, revision=1), REVISION]


async def test_a_request_comes_back_as_it_was(store: Store) -> None:
    await store.run(add_request)
    assert await store.run(lambda tx: tx.requests.get("req_1")) == REQUEST
    assert await store.run(lambda tx: tx.requests.case("req_1")) == (REQUEST, CALL, CONVERSATION)
    assert await store.run(lambda tx: tx.requests.of_call("call_1")) == [REQUEST]
    assert await store.run(lambda tx: tx.requests.of_turn("turn_1")) == [REQUEST]
    assert await store.run(lambda tx: tx.requests.case("req_2")) is None


async def test_a_decision_comes_back_as_it_was(store: Store) -> None:
    def add(tx: Tx) -> None:
        add_request(tx)
        tx.decisions.add(DECISION)

    await store.run(add)
    assert await store.run(lambda tx: tx.decisions.of_request("req_1")) == [DECISION]
    assert await store.run(lambda tx: tx.decisions.by_key("ada", "key")) == DECISION
    assert await store.run(lambda tx: tx.decisions.by_key("eve", "key")) is None


async def test_an_entry_comes_back_as_it_was(store: Store) -> None:
    other = changed(ENTRY, id="aud_2", call_id="call_2", at=NOON - MICROSECOND)

    def note(tx: Tx) -> None:
        tx.journal.note(ENTRY)
        tx.journal.note(other)

    await store.run(note)
    assert await store.run(lambda tx: tx.journal.entries(call_id="call_1")) == [ENTRY]
    of_conversation = await store.run(lambda tx: tx.journal.entries(conversation_id="conv_1"))
    assert of_conversation == [other, ENTRY]
    assert await store.run(lambda tx: tx.journal.entries()) == [other, ENTRY]


async def test_an_event_comes_back_as_it_was(store: Store) -> None:
    def tell(tx: Tx) -> None:
        tx.conversations.add(CONVERSATION)
        add_turn(tx)
        tx.journal.tell("turn_1", Fact(EventKind.TEXT, {"text": AWKWARD}))

    await store.run(tell)
    found = await store.run(lambda tx: tx.journal.events("turn_1", 0, 10))
    event = Event(turn_id="turn_1", seq=1, kind=EventKind.TEXT, data={"text": AWKWARD}, at=NOON)
    assert found == [event]


async def test_a_saved_value_comes_back_as_it_was_and_the_last_one_counts(store: Store) -> None:
    newer = replace(SAVED, value=None)
    await store.run(lambda tx: tx.values.save([SAVED]))
    assert await store.run(lambda tx: tx.values.saved("conv_1")) == [SAVED]
    await store.run(lambda tx: tx.values.save([newer]))
    assert await store.run(lambda tx: tx.values.saved("conv_1")) == [newer]


async def test_clearing_a_scope_forgets_its_values_and_their_secrets_only(store: Store) -> None:
    secret = replace(SAVED, name="password", value={"$secret": "sec_1"}, secret=True)
    elsewhere = replace(SAVED, scope="other")

    def save(tx: Tx) -> None:
        tx.values.save([SAVED, secret, elsewhere])
        tx.values.seal([SEALED])

    await store.run(save)
    assert await store.run(lambda tx: tx.values.clear("conv_1", "mail")) == 2
    assert await store.run(lambda tx: tx.values.saved("conv_1")) == [elsewhere]
    assert await store.run(lambda tx: tx.values.sealed(["sec_1"])) == []
    assert await store.run(lambda tx: tx.values.clear("conv_1", None)) == 1


async def test_a_sealed_secret_comes_back_as_it_was_until_its_call_is_purged(store: Store) -> None:
    kept = replace(SEALED, id="sec_2", call_id=None)
    await store.run(lambda tx: tx.values.seal([SEALED, kept]))
    assert await store.run(lambda tx: tx.values.sealed(["sec_2", "sec_1", "sec_3"])) == [
        kept,
        SEALED,
    ]
    assert await store.run(lambda tx: tx.values.purge("call_1")) == 1
    assert await store.run(lambda tx: tx.values.sealed(["sec_1", "sec_2"])) == [kept]


async def test_settings_come_back_as_they_were_and_can_be_taken_back(store: Store) -> None:
    await store.run(lambda tx: tx.settings.override("t", "first", "ada"))
    await store.run(lambda tx: tx.settings.override("t", AWKWARD, "ada"))
    assert await store.run(lambda tx: tx.settings.overrides()) == {"t": AWKWARD}
    await store.run(lambda tx: tx.settings.override("t", None, "ada"))
    assert await store.run(lambda tx: tx.settings.overrides()) == {}
    assert await store.run(lambda tx: tx.settings.fact("f")) is None
    await store.run(lambda tx: tx.settings.set_fact("f", "1"))
    await store.run(lambda tx: tx.settings.set_fact("f", "2"))
    assert await store.run(lambda tx: tx.settings.fact("f")) == "2"


async def test_a_snapshot_is_the_turn_its_answer_its_calls_and_its_open_requests(
    store: Store,
) -> None:
    second = changed(CALL, id="call_2", position=2, task_id=None)

    def add(tx: Tx) -> None:
        add_request(tx)
        tx.calls.add([second])
        closed = changed(REQUEST, id="req_2", call_id="call_2", status=RequestStatus.APPROVED)
        tx.requests.add([closed])

    await store.run(add)
    found = await store.run(lambda tx: tx.snapshots.turn("turn_1"))
    assert found == (TURN, MESSAGE.text, [CALL, second], [REQUEST])
    assert await store.run(lambda tx: tx.snapshots.turn("turn_2")) is None
