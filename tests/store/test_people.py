"""Accounts and credentials: what goes into either store comes out again, and is guarded."""

from dataclasses import replace
from datetime import timedelta

from assent.domain.credentials import Key, Link, Purpose, Session, SignIn
from assent.domain.people import Account, PersonKind, Scope
from assent.ports import Store, Tx
from assent.testing import VirtualClock
from tests.store.samples import AWKWARD, CONVERSATION, NOON, REQUEST, add_request

HOUR = timedelta(hours=1)
ACCOUNT = Account(
    id="ada",
    name=AWKWARD,
    kind=PersonKind.SERVICE,
    roles=frozenset({"ops", "staff"}),
    created_at=NOON,
    behind="byron",
    disabled=True,
)
KEY = Key(
    id="key_1",
    person="ada",
    prefix="0123456789ab",
    label=AWKWARD,
    scopes=frozenset({Scope.READ, Scope.DECIDE}),
    created_at=NOON,
    expires_at=NOON + HOUR,
    revoked_at=None,
    last_used_at=NOON - HOUR,
)
SESSION = Session(
    id="ses_1",
    person="ada",
    how=SignIn.OIDC,
    roles=frozenset({"auditor"}),
    scopes=frozenset({Scope.READ}),
    created_at=NOON,
    seen_at=NOON,
    expires_at=NOON + HOUR,
    api_key="key_1",
)
LINK = Link(
    id="link_1",
    person="ada",
    purpose=Purpose.DECIDE,
    request_id="req_1",
    kid="k1",
    created_at=NOON,
    expires_at=NOON + HOUR,
)


def add_all(tx: Tx) -> None:
    tx.people.add(ACCOUNT)
    tx.keys.add(KEY, "hash of the key")
    tx.sessions.add(SESSION, "hash of the token")
    tx.links.add(LINK, "mac")


async def test_an_account_comes_back_as_it_was(store: Store) -> None:
    await store.run(add_all)
    assert await store.run(lambda tx: tx.people.get("ada")) == ACCOUNT
    assert await store.run(lambda tx: tx.people.get("eve")) is None
    assert await store.run(lambda tx: tx.people.all()) == [ACCOUNT]
    assert await store.run(lambda tx: tx.people.behind("byron")) == ["ada"]


async def test_an_account_is_changed_whole(store: Store) -> None:
    await store.run(add_all)
    changed = replace(ACCOUNT, name="n", roles=frozenset(), behind=None, disabled=False)
    await store.run(lambda tx: tx.people.change(changed))
    assert await store.run(lambda tx: tx.people.get("ada")) == changed


async def test_who_is_behind_an_owner_is_said_in_what_they_own(store: Store) -> None:
    await store.run(add_request)
    await store.run(lambda tx: tx.people.link("ada", "grace"))
    found = await store.run(lambda tx: tx.requests.case(REQUEST.id))
    assert found is not None
    request, _, conversation = found
    assert (request.owner_behind, conversation.owner.behind) == ("grace", "grace")
    await store.run(lambda tx: tx.people.link("eve", "mallory"))
    conversation = await store.run(lambda tx: tx.conversations.get(CONVERSATION.id))
    assert conversation is not None
    assert conversation.owner.behind == "grace"


async def test_a_key_comes_back_with_its_hash_and_its_person(store: Store) -> None:
    await store.run(add_all)
    assert await store.run(lambda tx: tx.keys.get("key_1")) == KEY
    found = await store.run(lambda tx: tx.keys.by_prefix("0123456789ab"))
    assert found == (KEY, "hash of the key", ACCOUNT)
    assert await store.run(lambda tx: tx.keys.by_prefix("0")) is None
    assert await store.run(lambda tx: tx.keys.all("ada")) == [KEY]
    assert await store.run(lambda tx: tx.keys.all("eve")) == []
    assert await store.run(lambda tx: tx.keys.all(None)) == [KEY]


async def test_a_key_is_revoked_once_and_keeps_its_first_time(
    store: Store, clock: VirtualClock
) -> None:
    await store.run(add_all)
    assert await store.run(lambda tx: tx.keys.revoke("key_1"))
    clock.advance(HOUR)
    assert not await store.run(lambda tx: tx.keys.revoke("key_1"))
    found = await store.run(lambda tx: tx.keys.get("key_1"))
    assert found is not None
    assert found.revoked_at == NOON


async def test_a_keys_last_use_never_goes_back(store: Store) -> None:
    def use_later_then_now(tx: Tx) -> None:
        tx.keys.add(replace(KEY, id="key_2", prefix="other", last_used_at=NOON + HOUR), "h")
        tx.keys.used("key_2")
        tx.keys.used("key_1")

    await store.run(add_all)
    await store.run(use_later_then_now)
    one, two = await store.run(lambda tx: tx.keys.all(None))
    assert (one.last_used_at, two.last_used_at) == (NOON, NOON + HOUR)


async def test_a_session_comes_back_with_its_person_and_its_key(store: Store) -> None:
    await store.run(add_all)
    whole = (SESSION, ACCOUNT, KEY)
    assert await store.run(lambda tx: tx.sessions.by_hash("hash of the token")) == whole
    assert await store.run(lambda tx: tx.sessions.get("ses_1")) == whole
    assert await store.run(lambda tx: tx.sessions.by_hash("another")) is None
    assert await store.run(lambda tx: tx.sessions.of_person("ada")) == [SESSION]


async def test_a_session_without_a_key_has_none(store: Store) -> None:
    await store.run(add_all)
    other = replace(SESSION, id="ses_2", api_key=None)
    await store.run(lambda tx: tx.sessions.add(other, "other"))
    assert await store.run(lambda tx: tx.sessions.get("ses_2")) == (other, ACCOUNT, None)


async def test_a_session_ends_once(store: Store) -> None:
    await store.run(add_all)
    assert await store.run(lambda tx: tx.sessions.end("ses_1"))
    assert not await store.run(lambda tx: tx.sessions.end("ses_1"))
    assert await store.run(lambda tx: tx.sessions.of_person("ada")) == []


async def test_a_session_was_seen_at_the_databases_time(store: Store, clock: VirtualClock) -> None:
    await store.run(add_all)
    clock.advance(timedelta(minutes=1))
    await store.run(lambda tx: tx.sessions.seen("ses_1"))
    found = await store.run(lambda tx: tx.sessions.get("ses_1"))
    assert found is not None
    assert found[0].seen_at == NOON + timedelta(minutes=1)


async def test_old_sessions_and_links_are_purged_and_others_not(store: Store) -> None:
    await store.run(add_all)

    def purge(tx: Tx) -> tuple[bool, bool]:
        tx.sessions.purge(NOON + HOUR)
        tx.links.purge(NOON + HOUR)
        kept = tx.sessions.get("ses_1") is not None
        tx.sessions.purge(NOON + 2 * HOUR)
        tx.links.purge(NOON + 2 * HOUR)
        return kept, tx.sessions.get("ses_1") is None and tx.links.get("link_1") is None

    assert await store.run(purge) == (True, True)


async def test_a_link_comes_back_with_its_mac(store: Store) -> None:
    await store.run(add_all)
    assert await store.run(lambda tx: tx.links.get("link_1")) == (LINK, "mac")
    assert await store.run(lambda tx: tx.links.get("link_2")) is None


async def test_a_link_is_redeemed_once_and_in_time(store: Store, clock: VirtualClock) -> None:
    await store.run(add_all)
    await store.run(lambda tx: tx.links.add(replace(LINK, id="link_2"), "mac"))
    assert await store.run(lambda tx: tx.links.redeem("link_1"))
    assert not await store.run(lambda tx: tx.links.redeem("link_1"))
    clock.advance(HOUR)
    assert not await store.run(lambda tx: tx.links.redeem("link_2"))
