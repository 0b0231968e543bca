"""Many credentials judged at once are judged as each would be alone."""

from datetime import timedelta

from assent import Assent, Person
from assent.domain.credentials import SignIn
from assent.engine.people.sessions import CredentialIds
from assent.testing import VirtualClock
from tests.conftest import World

ROOT = Person("root", roles=frozenset({"admin"}))


async def person(assent: Assent, id: str) -> str:
    await assent.people.add(Person(id, roles=frozenset({"requester"})), by=ROOT)
    return id


async def test_a_key_stands_for_its_person_until_it_falls(
    world: World, clock: VirtualClock
) -> None:
    async with world([], clock=clock) as assent:
        people = assent.people
        keys: dict[str, str] = {}
        texts: dict[str, str] = {}
        for name in ("good", "revoked", "expired", "disabled"):
            lifetime = timedelta(hours=1) if name == "expired" else None
            key, texts[name] = await people.issue_key(
                await person(assent, name), by=ROOT, lifetime=lifetime
            )
            keys[key.id] = name
        held = CredentialIds(keys=frozenset(keys) | {"key_unknown"})
        before = await people.standing.of(held)

        [revoked] = await people.keys("revoked", by=ROOT)
        await people.revoke_key(revoked.id, by=ROOT)
        await people.change("disabled", disabled=True, by=ROOT)
        await people.change("good", roles=["requester", "approver"], by=ROOT)
        clock.advance(timedelta(hours=1))
        after = await people.standing.of(held)

        assert {keys[id] for id in before.keys} == set(keys.values())
        assert {keys[id]: each for id, each in after.keys.items()} == {
            "good": Person("good", roles=frozenset({"requester", "approver"}))
        }
        for id, name in keys.items():
            alone = await people.by_key(texts[name])
            assert after.keys.get(id) == (alone[0] if alone else None)


async def test_a_session_stands_until_it_or_its_cause_is_over(
    world: World, clock: VirtualClock
) -> None:
    async with world([], clock=clock) as assent:
        people = assent.people
        sessions: dict[str, str] = {}
        tokens: dict[str, str] = {}
        for name in ("good", "ended", "idle", "disabled", "keyless"):
            await person(assent, name)
            key = None
            if name == "keyless":
                key, _ = await people.issue_key(name, by=ROOT)
            how = SignIn.KEY if key else SignIn.OIDC
            session, tokens[name] = await people.sessions.open(
                name, how, key=key, roles=frozenset({"from-provider"})
            )
            sessions[session.id] = name
        names = {name: id for id, name in sessions.items()}
        held = CredentialIds(sessions=frozenset(sessions) | {"ses_unknown"})
        before = await people.standing.of(held)

        clock.advance(timedelta(hours=11))
        for name in set(names) - {"idle"}:
            await assent.kernel.store.run(lambda tx, name=name: tx.sessions.seen(names[name]))
        clock.advance(timedelta(hours=1))
        await people.sessions.end(names["ended"], by=ROOT)
        await people.change("disabled", disabled=True, by=ROOT)
        [key] = await people.keys("keyless", by=ROOT)
        await people.revoke_key(key.id, by=ROOT)
        after = await people.standing.of(held)
        for id, name in sessions.items():
            alone = await people.sessions.find(tokens[name])
            assert after.sessions.get(id) == (alone[0] if alone else None)
        clock.advance(timedelta(days=7))
        late = await people.standing.of(held)

    assert {sessions[id] for id in before.sessions} == set(names)
    good = Person("good", roles=frozenset({"requester", "from-provider"}))
    assert after.sessions == {names["good"]: good}
    assert late.sessions == {}


async def test_looking_at_a_session_does_not_keep_it_awake(
    world: World, clock: VirtualClock
) -> None:
    async with world([], clock=clock) as assent:
        await person(assent, "ada")
        session, _ = await assent.people.sessions.open("ada", SignIn.LINK)
        held = CredentialIds(sessions=frozenset({session.id}))
        for _ in range(11):
            clock.advance(timedelta(hours=1))
            assert (await assent.people.standing.of(held)).sessions
        clock.advance(timedelta(hours=1))

        assert (await assent.people.standing.of(held)).sessions == {}


async def test_accounts_are_told_as_they_are(world: World) -> None:
    async with world([]) as assent:
        await person(assent, "ada")
        found = await assent.people.standing.of(
            CredentialIds(accounts=frozenset({"ada", "nobody"}))
        )

    assert list(found.accounts) == ["ada"]
