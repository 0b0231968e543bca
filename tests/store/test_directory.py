"""People and keys by pages, and what was changed; on both databases, and by an index."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy.sql import ClauseElement

from assent.domain.credentials import Key, Session, SignIn
from assent.domain.events import Entry
from assent.domain.people import Account, PersonKind, Scope
from assent.ports import Store, Tx
from assent.store import directory
from assent.store.migrations import schema
from assent.store.statements import Compiler
from assent.testing import VirtualClock


def account(tx: Tx, id: str, name: str = "") -> Account:
    kind = PersonKind.HUMAN
    return Account(id=id, name=name or id, kind=kind, roles=frozenset(), created_at=tx.now())


def key(tx: Tx, id: str, person: str) -> Key:
    scopes = frozenset({Scope.READ})
    return Key(id=id, person=person, prefix=id, label="", scopes=scopes, created_at=tx.now())


async def test_people_come_by_pages_in_the_order_of_their_ids(store: Store) -> None:
    def add(tx: Tx) -> None:
        for id in ("dan", "ada", "cyd", "bob"):
            tx.people.add(account(tx, id))

    await store.run(add)
    first = await store.run(lambda tx: tx.directory.people("", after="", limit=3))
    rest = await store.run(lambda tx: tx.directory.people("", after="cyd", limit=3))
    assert [each.id for each in first] == ["ada", "bob", "cyd"]
    assert [each.id for each in rest] == ["dan"]


async def test_a_piece_of_a_name_stands_for_itself(store: Store) -> None:
    def add(tx: Tx) -> None:
        for id, name in (("a_1", "Ada 100%"), ("ab1", "Bo Ada"), ("c", "C")):
            tx.people.add(account(tx, id, name))

    await store.run(add)
    for piece, found in {"A_": ["a_1"], "0%": ["a_1"], "ADA": ["a_1", "ab1"], "%": ["a_1"]}.items():
        shown = await store.run(
            lambda tx, piece=piece: tx.directory.people(piece, after="", limit=9)
        )
        assert [each.id for each in shown] == found, piece


@pytest.mark.parametrize("piece", ["Özge", "özge", "ÖZGE", "İpek"])
async def test_a_name_is_found_in_either_case_beyond_ascii(store: Store, piece: str) -> None:
    await store.run(lambda tx: tx.people.add(account(tx, "ada", "Özge İpek")))
    [found] = await store.run(lambda tx: tx.directory.people(piece, after="", limit=9))
    assert found.id == "ada"


def test_the_list_of_keys_begins_after_them_in_every_locale() -> None:
    # The server of these tests knows only the order of C; in all others, too, k is before l.
    assert directory.AFTER_KEYS.isalpha()
    assert directory.AFTER_KEYS.islower()
    assert directory.AFTER_KEYS[0] > "key_"[0]


async def test_keys_come_newest_first_of_one_person_or_of_all(store: Store) -> None:
    def add(tx: Tx) -> None:
        for person in ("ada", "bob"):
            tx.people.add(account(tx, person))
        for id, person in (("key_1", "ada"), ("key_2", "bob"), ("key_3", "ada")):
            tx.keys.add(key(tx, id, person), f"hash {id}")

    await store.run(add)
    everybody = await store.run(lambda tx: tx.directory.keys(None, after="", limit=2))
    older = await store.run(lambda tx: tx.directory.keys(None, after="key_2", limit=2))
    ada = await store.run(lambda tx: tx.directory.keys("ada", after="", limit=9))
    assert [each.id for each in everybody] == ["key_3", "key_2"]
    assert [each.id for each in older] == ["key_1"]
    assert [each.id for each in ada] == ["key_3", "key_1"]


async def test_somebody_was_last_here_by_their_session_or_their_key(
    store: Store, clock: VirtualClock
) -> None:
    def session(tx: Tx, person: str) -> Session:
        return Session(
            id=f"ses_{person}",
            person=person,
            how=SignIn.LINK,
            roles=frozenset(),
            scopes=frozenset(),
            created_at=tx.now(),
            seen_at=tx.now(),
            expires_at=tx.now() + timedelta(days=1),
        )

    def add(tx: Tx) -> None:
        for person in ("ada", "bob", "cyd"):
            tx.people.add(account(tx, person))
        tx.sessions.add(session(tx, "ada"), "1")
        tx.sessions.add(session(tx, "bob"), "2")
        tx.keys.add(key(tx, "key_1", "ada"), "3")

    began = clock.now()
    await store.run(add)
    clock.advance(timedelta(minutes=5))
    await store.run(lambda tx: tx.keys.used("key_1"))
    found = await store.run(lambda tx: tx.directory.last_seen(["ada", "bob", "cyd", "dan"]))
    assert found == {"ada": began + timedelta(minutes=5), "bob": began}


async def test_changes_are_those_of_one_thing_and_no_conversation(store: Store) -> None:
    def add(tx: Tx) -> None:
        for number, (action, tool, conversation) in enumerate(
            (
                ("override", "send_mail", None),
                ("override", "sendxmail", None),
                ("sign_in", "send_mail", None),
                ("override", "send_mail", "conv_1"),
                ("override", "send_mail", None),
                ("override", "Send_Mail", None),
            )
        ):
            tx.journal.note(
                Entry(
                    id=f"aud_{number}",
                    action=action,
                    actor="ada",
                    conversation_id=conversation,
                    data={"tool": tool},
                    at=tx.now() + timedelta(seconds=number),
                )
            )

    await store.run(add)
    about = ("tool", "send_mail")
    found = await store.run(lambda tx: tx.directory.changes(["override"], about, limit=9))
    newest = await store.run(lambda tx: tx.directory.changes(["override"], about, limit=1))
    assert [entry.id for entry in found] == ["aud_4", "aud_0"]
    assert [entry.id for entry in newest] == ["aud_4"]
    several = ["sign_in", "override"]
    more = await store.run(lambda tx: tx.directory.changes(several, about, limit=9))
    assert [entry.id for entry in more] == ["aud_4", "aud_2", "aud_0"]


PLANS = {
    "people": (directory.PEOPLE, "people USING INDEX"),
    "keys": (directory.KEYS, "api_keys USING INDEX"),
    "keys of one": (directory.KEYS_OF, "api_keys USING INDEX"),
    "last seen": (directory.LAST_SEEN, "sessions USING INDEX ix_sessions_person"),
    "changes": (directory.CHANGES, "audit USING INDEX ix_audit_conversation"),
}


@pytest.mark.parametrize("page", PLANS)
def test_an_index_leads_to_every_page(tmp_path: Path, page: str) -> None:
    connection = sqlite3.connect(tmp_path / "empty.db", isolation_level=None)
    schema.ensure_sqlite(connection)
    statement: ClauseElement
    statement, index = PLANS[page]
    compiled = Compiler.sqlite()(statement)
    wanted = {**dict.fromkeys(compiled.names, ""), **compiled.literals}
    rows = connection.execute(f"EXPLAIN QUERY PLAN {compiled.sql}", compiled.ordered(wanted))
    plan = [row[3] for row in rows.fetchall()]
    connection.close()
    assert any(index in step for step in plan), plan
    assert not [step for step in plan if step.startswith(("SCAN people", "SCAN audit"))], plan
