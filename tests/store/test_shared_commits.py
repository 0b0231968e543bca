"""On SQLite transactions share a commit, and nobody can tell but by the time it takes."""

import asyncio
import sqlite3
from collections.abc import Callable

from msgspec.structs import replace

from assent.domain.events import EventKind, Fact
from assent.domain.lifecycle import CallStatus, RequestStatus
from assent.ports import Store, Tx
from tests.store.rawsql import RawSql
from tests.store.samples import (
    CALL,
    CONVERSATION,
    DECISION,
    ENTRY,
    MESSAGE,
    REQUEST,
    TURN,
    add_turn,
)
from tests.store.writer import writer_held

MANY = 63


async def at_once(file_store: Store, *works: Callable[[Tx], object]) -> list[object]:
    """What several transactions of one commit answer."""
    with writer_held(file_store):
        await asyncio.sleep(0)
        waiting = [asyncio.ensure_future(file_store.run(work)) for work in works]
        await asyncio.sleep(0)
    return await asyncio.gather(*waiting, return_exceptions=True)


def talk(number: int, messages: int) -> Callable[[Tx], None]:
    """A conversation with some messages and as many events."""

    def work(tx: Tx) -> None:
        tx.conversations.add(replace(CONVERSATION, id=f"conv_{number}"))
        turn = replace(TURN, id=f"turn_{number}", conversation_id=f"conv_{number}")
        add_turn(tx, turn)
        for each in range(messages):
            id = f"msg_{number}_{each}"
            tx.messages.append(
                replace(MESSAGE, id=id, conversation_id=turn.conversation_id, turn_id=turn.id)
            )
            tx.journal.tell(turn.id, Fact(EventKind.TEXT, {"n": each}))

    return work


async def test_rows_of_one_commit_are_numbered_each_in_its_own_group(
    file_store: Store, file_url: str
) -> None:
    answers = await at_once(file_store, *(talk(number, number) for number in range(1, 12)))
    assert answers == [None] * 11
    await file_store.run(lambda tx: tx.journal.tell("turn_7", Fact(EventKind.TEXT, {"n": 7})))
    raw = RawSql(file_url)
    for number in range(1, 12):
        where = f"conversation_id = 'conv_{number}' ORDER BY id"
        placed = await raw.rows(f"SELECT id, position FROM messages WHERE {where}")
        wanted = {f"msg_{number}_{each}": each + 1 for each in range(number)}
        assert dict(placed) == wanted
        told = await raw.rows(f"SELECT seq FROM events WHERE turn_id = 'turn_{number}' ORDER BY id")
        assert [seq for (seq,) in told] == list(range(1, number + 1 + (number == 7)))


async def test_every_row_is_there_with_what_was_given(file_store: Store) -> None:
    entries = [replace(ENTRY, id=f"aud_{n:03}", data={"n": n}) for n in range(MANY)]

    def note(tx: Tx) -> None:
        for entry in entries:
            tx.journal.note(entry)

    await file_store.run(note)
    assert await file_store.run(lambda tx: tx.journal.entries()) == entries


async def test_who_comes_later_in_a_commit_sees_what_came_before(file_store: Store) -> None:
    def read(tx: Tx) -> object:
        return tx.conversations.get("conv_1"), len(tx.messages.of_conversation("conv_1"))

    _, seen = await at_once(file_store, talk(1, 3), read)
    assert seen == (replace(CONVERSATION, id="conv_1"), 3)


async def test_who_adds_sees_what_it_added(file_store: Store) -> None:
    def add_and_read(tx: Tx) -> int:
        talk(1, 3)(tx)
        return len(tx.messages.of_conversation("conv_1"))

    assert await file_store.run(add_and_read) == 3


async def test_a_row_that_is_refused_takes_nobody_with_it(file_store: Store, file_url: str) -> None:
    answers = await at_once(file_store, *(talk(n, 1) for n in range(1, 12)), talk(3, 1))
    assert answers[:-1] == [None] * 11
    assert isinstance(answers[-1], sqlite3.IntegrityError)
    assert await RawSql(file_url).one("SELECT count(*) FROM conversations") == 11


def case(number: int) -> Callable[[Tx], None]:
    """A request that waits, with everything it refers to."""

    def work(tx: Tx) -> None:
        talk(number, 1)(tx)
        place = {"conversation_id": f"conv_{number}", "turn_id": f"turn_{number}"}
        call = replace(CALL, id=f"call_{number}", message_id=f"msg_{number}_0", **place)
        call = replace(call, status=CallStatus.AWAITING_APPROVAL, task_id=None)
        tx.calls.add([call])
        tx.requests.add([replace(REQUEST, id=f"req_{number}", call_id=call.id, **place)])

    return work


def approve(number: int) -> Callable[[Tx], bool]:
    """Both changes of a decision, with its row."""

    def work(tx: Tx) -> bool:
        found = tx.requests.case(f"req_{number}")
        assert found is not None
        request, call, _ = found
        if not tx.requests.close(request, RequestStatus.APPROVED, by="grace", in_time=True):
            return False
        made = replace(DECISION, id=f"dec_{number}", request_id=request.id, idempotency_key=None)
        tx.decisions.add(made)
        return tx.calls.move(call, CallStatus.CLEARED)

    return work


async def statuses(url: str, numbers: range) -> list[tuple[object, ...]]:
    """Of requests and their calls, in order."""
    found = await RawSql(url).rows(
        "SELECT requests.id, requests.status, calls.status FROM requests JOIN calls"
        " ON calls.id = requests.call_id"
    )
    known = {id: (request, call) for id, request, call in found}
    return [known[f"req_{number}"] for number in numbers]


async def test_of_two_that_change_one_row_in_one_commit_the_second_learns_of_the_first(
    file_store: Store, file_url: str
) -> None:
    await at_once(file_store, *(case(number) for number in range(3)))
    answers = await at_once(file_store, approve(0), approve(1), approve(1), approve(2))
    assert answers == [True, True, False, True]
    assert await statuses(file_url, range(3)) == [("approved", "cleared")] * 3
    assert await RawSql(file_url).one("SELECT count(*) FROM decisions") == 3


async def test_a_guard_that_fails_at_the_end_fails_for_its_own_only(
    file_store: Store, file_url: str
) -> None:
    await at_once(file_store, *(case(number) for number in range(3)))
    past = "UPDATE requests SET decide_by = 1 WHERE id = 'req_1'"
    await RawSql(file_url).rows(past)
    assert await at_once(file_store, approve(0), approve(1), approve(2)) == [True, False, True]
    wanted = [("approved", "cleared"), ("open", "awaiting_approval"), ("approved", "cleared")]
    assert await statuses(file_url, range(3)) == wanted


async def test_who_comes_later_sees_all_of_a_transaction_that_read_its_own_change(
    file_store: Store,
) -> None:
    def change_call_and_request(tx: Tx) -> None:
        found = tx.requests.case("req_0")
        assert found is not None
        request, call, _ = found
        assert tx.calls.move(call, CallStatus.CLEARED)
        assert tx.calls.get(call.id) == replace(call, status=CallStatus.CLEARED)
        assert tx.requests.close(request, RequestStatus.APPROVED, by="grace")

    def read(tx: Tx) -> object:
        found = tx.requests.case("req_0")
        return found and (found[0].status, found[1].status)

    await at_once(file_store, case(0), case(1))
    [_, seen, _] = await at_once(file_store, change_call_and_request, read, approve(1))
    assert seen == (RequestStatus.APPROVED, CallStatus.CLEARED)


async def test_who_changes_a_row_sees_it_changed(file_store: Store) -> None:
    def change_and_read(tx: Tx) -> object:
        assert approve(0)(tx)
        call = tx.calls.get("call_0")
        return call and call.status

    await at_once(file_store, case(0), case(1))
    assert (await at_once(file_store, change_and_read, approve(1)))[0] is CallStatus.CLEARED


async def test_who_changes_a_row_twice_does_both(file_store: Store, file_url: str) -> None:
    def twice(tx: Tx) -> bool:
        call = tx.calls.get("call_0")
        assert call is not None
        assert tx.calls.move(call, CallStatus.CLEARED)
        return tx.calls.move(replace(call, status=CallStatus.CLEARED), CallStatus.RUNNING)

    await at_once(file_store, case(0), case(1))
    assert await at_once(file_store, twice, approve(1)) == [True, True]
    assert (await statuses(file_url, range(1)))[0][1] == "running"


async def test_a_refused_row_that_another_brings_to_light_is_not_laid_at_its_door(
    file_store: Store,
) -> None:
    def read(tx: Tx) -> int:
        return len(tx.messages.of_conversation("conv_2"))

    first, second, seen, third = await at_once(file_store, talk(1, 1), talk(1, 1), read, talk(2, 2))
    assert (first, seen, third) == (None, 0, None)
    assert isinstance(second, sqlite3.IntegrityError)


async def test_whoever_only_looked_and_raised_costs_nobody_a_second_run(file_store: Store) -> None:
    runs: list[str] = []

    def write(name: str) -> Callable[[Tx], None]:
        def work(tx: Tx) -> None:
            runs.append(name)
            tx.settings.add_fact(name, "there")

        return work

    def look(tx: Tx) -> None:
        raise LookupError(str(tx.requests.look("nowhere")))

    answers = await at_once(file_store, write("a"), look, look, write("b"))
    assert [isinstance(answer, LookupError) for answer in answers] == [False, True, True, False]
    assert runs == ["a", "b"]
