"""Accounts, keys, sessions and links: who is known, until when, and on whose word."""

import asyncio
import re
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from assent import Agent, Assent, Audience, Person, Risk, approve, cancel, reject, tool
from assent.domain.credentials import Purpose, SignIn
from assent.domain.people import SYSTEM, PersonKind, Scope
from assent.engine.queries.snapshots import Turn
from assent.engine.vault import Keyring, Vault
from assent.errors import (
    AccountExists,
    AssentError,
    InvalidAccount,
    NotAllowed,
    NotEligible,
    NotFound,
)
from assent.testing import ScriptedModel, VirtualClock, calls, says
from tests.conftest import World
from tests.engine.till import STAFF, Till, one_call, rested
from tests.store.rawsql import RawSql

ROOT = Person("root", roles=frozenset({"admin"}))
ADA = Person("ada", roles=frozenset({"requester", "approver"}))
KEY = re.compile(r"assent_[0-9a-f]{12}_[0-9a-f]{40}")
AGENT_ADMIN = Person("bot", roles=frozenset({"admin", "approver"}), kind=PersonKind.AGENT)


@pytest.fixture
async def assent(world: World) -> AsyncIterator[Assent]:
    async with world([]) as opened:
        await opened.people.add(ADA, by=ROOT, name="Ada Lovelace")
        yield opened


async def actions(assent: Assent) -> list[tuple[str, str]]:
    return [(entry.action, entry.actor) for entry in await assent.audit()]


class TestAccounts:
    async def test_an_account_is_who_it_was_made_to_be(self, assent: Assent) -> None:
        account = await assent.people.get("ada")
        assert account.person == ADA
        assert (account.name, account.disabled) == ("Ada Lovelace", False)
        assert await assent.people.all() == [account]

    async def test_there_are_no_two_accounts_of_one_id(self, assent: Assent) -> None:
        with pytest.raises(AccountExists, match="'ada'"):
            await assent.people.add(Person("ada", roles=frozenset({"admin"})), by=ROOT)
        assert (await assent.people.get("ada")).person == ADA

    async def test_every_change_is_on_record_with_who_made_it(self, assent: Assent) -> None:
        await assent.people.change("ada", by=ROOT, roles=["auditor"])
        key, _ = await assent.people.issue_key("ada", by=ROOT)
        await assent.people.revoke_key(key.id, by=ADA)
        assert await actions(assent) == [
            ("add_person", "root"),
            ("change_person", "root"),
            ("issue_key", "root"),
            ("revoke_key", "ada"),
        ]

    @pytest.mark.parametrize("by", [ADA, AGENT_ADMIN], ids=["no admin", "an agent"])
    async def test_only_admins_manage_people(self, assent: Assent, by: Person) -> None:
        people = assent.people
        attempts = [
            people.add(Person("eve"), by=by),
            people.change("ada", by=by, roles=["admin"]),
            people.link("ada", None, by=by),
            people.issue_key("root", by=by),
            people.keys(by=by),
            people.links.to_sign_in("ada", by=by),
        ]
        for attempt in attempts:
            with pytest.raises(NotAllowed):
                await attempt
        assert await actions(assent) == [("add_person", "root")]

    @pytest.mark.parametrize(
        "person",
        [
            Person("a b"),
            Person("ada\nroot"),
            Person("x" * 256),
            Person("eve", roles=frozenset({"system"})),
            Person("eve", roles=frozenset({"a\rb"})),
            Person("eve", behind="nobody"),
            Person("eve", behind="eve"),
        ],
        ids=repr,
    )
    async def test_an_account_that_cannot_be_is_refused(
        self, assent: Assent, person: Person
    ) -> None:
        with pytest.raises(InvalidAccount):
            await assent.people.add(person, by=ROOT)

    async def test_a_name_with_line_breaks_is_refused(self, assent: Assent) -> None:
        with pytest.raises(InvalidAccount):
            await assent.people.add(Person("eve"), by=ROOT, name="Eve\n2026 INFO root signed in")


# requirement: W15
class TestKeys:
    async def test_a_key_stands_for_its_person(self, assent: Assent) -> None:
        key, text = await assent.people.issue_key("ada", by=ROOT, scopes=[Scope.READ])
        assert KEY.fullmatch(text)
        assert text.startswith(f"assent_{key.prefix}_")
        known = await assent.people.by_key(text)
        assert known is not None
        assert known[0] == ADA
        assert known[1].scopes == {Scope.READ}

    async def test_the_database_holds_no_key(self, assent: Assent, world: World) -> None:
        _, text = await assent.people.issue_key("ada", by=ROOT)
        [row] = await RawSql(world.url).rows("SELECT * FROM api_keys")
        assert text not in str(row)
        assert text.rpartition("_")[2] not in str(row)

    @pytest.mark.parametrize(
        "wrong",
        [
            lambda text: text[:-1] + ("0" if text[-1] != "0" else "1"),
            lambda text: text[:-1],
            lambda text: text + "0",
            lambda text: text.upper(),
            lambda text: text + "\n",
            lambda text: text.replace(text[7:19], "0" * 12),
            lambda _: "",
            lambda _: "assent__",
        ],
    )
    async def test_nothing_but_the_whole_key_opens(self, assent: Assent, wrong: Any) -> None:
        _, text = await assent.people.issue_key("ada", by=ROOT)
        assert await assent.people.by_key(wrong(text)) is None

    async def test_a_revoked_key_is_refused_at_once_where_it_was_revoked(
        self, assent: Assent
    ) -> None:
        key, text = await assent.people.issue_key("ada", by=ROOT)
        assert await assent.people.by_key(text)
        await assent.people.revoke_key(key.id, by=ROOT)
        assert await assent.people.by_key(text) is None

    async def test_a_revoked_key_is_refused_elsewhere_within_a_second(
        self, assent: Assent, world: World
    ) -> None:
        key, text = await assent.people.issue_key("ada", by=ROOT)
        async with world([], worker=False) as elsewhere:
            assert await elsewhere.people.by_key(text)
            await assent.people.revoke_key(key.id, by=ROOT)
            now = asyncio.get_running_loop().time
            revoked = asked = now()
            while await elsewhere.people.by_key(text) is not None:
                # However long the answer takes: it is about what was so when it was asked for.
                assert asked - revoked < 1
                await asyncio.sleep(0.02)
                asked = now()

    async def test_a_key_ends_with_its_time(self, world: World, clock: VirtualClock) -> None:
        async with world([], clock=clock) as assent:
            await assent.people.add(ADA, by=ROOT)
            _, text = await assent.people.issue_key("ada", by=ROOT, lifetime=timedelta(hours=1))
            assert await assent.people.by_key(text)
            clock.advance(timedelta(hours=1))
            assert await assent.people.by_key(text) is None

    async def test_a_key_of_a_disabled_account_opens_nothing(self, assent: Assent) -> None:
        _, text = await assent.people.issue_key("ada", by=ROOT)
        assert await assent.people.by_key(text)
        await assent.people.change("ada", by=ROOT, disabled=True)
        assert await assent.people.by_key(text) is None
        await assent.people.change("ada", by=ROOT, disabled=False)
        assert await assent.people.by_key(text)

    async def test_new_roles_count_with_the_next_use(self, assent: Assent) -> None:
        _, text = await assent.people.issue_key("ada", by=ROOT)
        await assent.people.by_key(text)
        await assent.people.change("ada", by=ROOT, roles=["auditor"])
        known = await assent.people.by_key(text)
        assert known is not None
        assert known[0].roles == {"auditor"}

    async def test_when_a_key_was_last_used_is_recorded_once_a_minute(
        self, world: World, clock: VirtualClock
    ) -> None:
        async with world([], clock=clock) as assent:
            await assent.people.add(ADA, by=ROOT)
            _, text = await assent.people.issue_key("ada", by=ROOT)
            started = clock.now()
            for _ in range(3):
                await assent.people.by_key(text)
                await assent.kernel.tasks.quiet("people")
                clock.advance(timedelta(seconds=20))
            [key] = await assent.people.keys(by=ROOT)
            assert key.last_used_at == started
            await assent.people.by_key(text)
            await assent.kernel.tasks.quiet("people")
            [key] = await assent.people.keys(by=ROOT)
            assert key.last_used_at == started + timedelta(minutes=1)

    async def test_people_see_and_revoke_their_own_keys_and_no_others(self, assent: Assent) -> None:
        await assent.people.add(Person("eve"), by=ROOT)
        key, _ = await assent.people.issue_key("ada", by=ROOT)
        assert [each.id for each in await assent.people.keys("ada", by=ADA)] == [key.id]
        with pytest.raises(NotAllowed):
            await assent.people.keys("ada", by=Person("eve"))
        with pytest.raises(NotFound):
            await assent.people.revoke_key(key.id, by=Person("eve"))

    async def test_an_agents_key_cannot_revoke_even_itself(self, assent: Assent) -> None:
        await assent.people.add(AGENT_ADMIN, by=ROOT)
        key, _ = await assent.people.issue_key("bot", by=ROOT)
        with pytest.raises(NotFound):
            await assent.people.revoke_key(key.id, by=AGENT_ADMIN)


class TestSessions:
    async def test_a_session_stands_for_its_person(self, assent: Assent) -> None:
        session, token = await assent.people.sessions.open("ada", SignIn.LINK)
        found = await assent.people.sessions.find(token)
        assert found is not None
        assert (found[0], found[1].id) == (ADA, session.id)

    async def test_the_database_holds_no_token(self, assent: Assent, world: World) -> None:
        _, token = await assent.people.sessions.open("ada", SignIn.LINK)
        assert token not in str(await RawSql(world.url).rows("SELECT * FROM sessions"))
        assert await assent.people.sessions.find(token + "x") is None

    # requirement: W5
    async def test_signing_in_again_ends_the_session_before(self, assent: Assent) -> None:
        sessions = assent.people.sessions
        _, before = await sessions.open("ada", SignIn.LINK)
        assert await sessions.find(before)
        _, after = await sessions.open("ada", SignIn.LINK, replacing=before)
        assert await sessions.find(before) is None
        assert await sessions.find(after)

    async def test_a_session_ends_when_nothing_comes_for_long(
        self, world: World, clock: VirtualClock
    ) -> None:
        async with world([], clock=clock) as assent:
            await assent.people.add(ADA, by=ROOT)
            sessions = assent.people.sessions
            _, token = await sessions.open("ada", SignIn.LINK)
            for _ in range(3):
                clock.advance(timedelta(hours=11))
                assert await sessions.find(token)
                await assent.kernel.tasks.quiet("people")
            clock.advance(timedelta(hours=12))
            assert await sessions.find(token) is None

    async def test_a_session_ends_however_busy_it_is(
        self, world: World, clock: VirtualClock
    ) -> None:
        async with world([], clock=clock) as assent:
            await assent.people.add(ADA, by=ROOT)
            sessions = assent.people.sessions
            _, token = await sessions.open("ada", SignIn.LINK)
            hours = 0
            while await sessions.find(token) is not None:
                await assent.kernel.tasks.quiet("people")
                clock.advance(timedelta(hours=6))
                hours += 6
            assert hours == 7 * 24

    async def test_signing_out_ends_it_and_only_for_its_own_person(self, assent: Assent) -> None:
        sessions = assent.people.sessions
        session, token = await sessions.open("ada", SignIn.LINK)
        with pytest.raises(NotFound):
            await sessions.end(session.id, by=Person("eve"))
        assert await sessions.find(token)
        await sessions.end(session.id, by=ADA)
        assert await sessions.find(token) is None
        assert ("sign_out", "ada") in await actions(assent)

    async def test_a_session_does_no_more_than_the_key_it_began_with(self, assent: Assent) -> None:
        key, _ = await assent.people.issue_key("ada", by=ROOT, scopes=[Scope.READ])
        _, token = await assent.people.sessions.open("ada", SignIn.KEY, key=key)
        found = await assent.people.sessions.find(token)
        assert found is not None
        assert found[1].scopes == {Scope.READ}
        await assent.people.revoke_key(key.id, by=ROOT)
        assert await assent.people.sessions.find(token) is None

    async def test_a_session_of_a_disabled_account_is_over(self, assent: Assent) -> None:
        _, token = await assent.people.sessions.open("ada", SignIn.LINK)
        assert await assent.people.sessions.find(token)
        await assent.people.change("ada", by=ROOT, disabled=True)
        assert await assent.people.sessions.find(token) is None
        # Ended in the same transaction, so nothing wakes it up again.
        assert await assent.people.sessions.of_person("ada", by=ROOT) == []
        await assent.people.change("ada", by=ROOT, disabled=False)
        assert await assent.people.sessions.find(token) is None

    # requirement: T15
    async def test_an_agent_has_no_session(self, assent: Assent) -> None:
        await assent.people.add(AGENT_ADMIN, by=ROOT)
        with pytest.raises(NotAllowed):
            await assent.people.sessions.open("bot", SignIn.KEY)
        with pytest.raises(NotAllowed):
            await assent.people.links.to_sign_in("bot", by=ROOT)


def asks(**audience: Any) -> Any:
    @tool(
        name="pay",
        risk=Risk.DANGEROUS,
        requires_approval=True,
        approvers=Audience(**audience),
    )
    async def pay(amount: int) -> str:
        """Pay."""
        return f"paid {amount}"

    return pay


APPROVERS = {"owner": False, "roles": frozenset({"approver"}), "exclude_requester": True}


async def pending(assent: Assent, by: Person) -> Turn:
    turn = await assent.send("agent", "pay", by=by)
    assert len(turn.pending) == 1
    return turn


class TestLinks:
    # requirement: W2
    async def test_a_link_signs_its_recipient_in_once(self, assent: Assent) -> None:
        links = assent.people.links
        link, token = await links.to_sign_in("ada", by=ROOT)
        assert await links.look(token) == link
        assert await links.redeem(token, Purpose.SIGN_IN) == link
        assert await links.redeem(token, Purpose.SIGN_IN) is None
        assert await links.look(token) is None

    # requirement: W2
    async def test_of_many_at_once_one_redeems_it(self, assent: Assent) -> None:
        links = assent.people.links
        _, token = await links.to_sign_in("ada", by=ROOT)
        got = await asyncio.gather(*(links.redeem(token, Purpose.SIGN_IN) for _ in range(20)))
        assert sum(each is not None for each in got) == 1

    # requirement: W1
    async def test_looking_at_a_link_changes_nothing(self, assent: Assent, world: World) -> None:
        _, token = await assent.people.links.to_sign_in("ada", by=ROOT)
        before = await RawSql(world.url).rows("SELECT * FROM links")
        for _ in range(3):
            assert await assent.people.links.look(token)
        assert await RawSql(world.url).rows("SELECT * FROM links") == before

    # requirement: W2
    async def test_the_database_holds_no_link(self, assent: Assent, world: World) -> None:
        _, token = await assent.people.links.to_sign_in("ada", by=ROOT)
        secret = token.partition(".")[2]
        assert len(secret) == 43
        assert secret not in str(await RawSql(world.url).rows("SELECT * FROM links"))

    # requirement: W2
    @pytest.mark.parametrize(
        "alteration",
        [
            "person = 'eve'",
            "purpose = 'decide'",
            "request_id = 'req_1'",
            "expires_at = expires_at + 1",
            "mac = 'x' || mac",
            "kid = 'other'",
        ],
    )
    async def test_a_link_whose_row_was_altered_is_dead(
        self, assent: Assent, world: World, alteration: str
    ) -> None:
        await assent.people.add(Person("eve", roles=frozenset({"admin"})), by=ROOT)
        _, token = await assent.people.links.to_sign_in("ada", by=ROOT)
        await RawSql(world.url).rows(f"UPDATE links SET {alteration} RETURNING 1")
        assert await assent.people.links.look(token) is None
        assert await assent.people.links.redeem(token, Purpose.SIGN_IN) is None

    # requirement: W2
    @pytest.mark.parametrize(
        "mutate",
        [
            lambda t: t[:-1] + ("A" if t[-1] != "A" else "B"),
            lambda t: t[:-1],
            lambda t: t.replace("link_1", "link_2"),
            lambda t: t + "\n",
            lambda t: t.partition(".")[0] + ".",
            lambda t: "." + t.partition(".")[2],
            lambda _: "",
        ],
    )
    async def test_a_link_that_was_altered_is_dead(self, assent: Assent, mutate: Any) -> None:
        _, token = await assent.people.links.to_sign_in("ada", by=ROOT)
        assert await assent.people.links.redeem(mutate(token), Purpose.SIGN_IN) is None
        assert await assent.people.links.look(token)

    # requirement: W2
    async def test_a_link_ends_with_its_time(self, world: World, clock: VirtualClock) -> None:
        async with world([], clock=clock) as assent:
            await assent.people.add(ADA, by=ROOT)
            links = assent.people.links
            _, token = await links.to_sign_in("ada", by=ROOT, within=timedelta(minutes=5))
            clock.advance(timedelta(minutes=5))
            assert await links.look(token) is None
            assert await links.redeem(token, Purpose.SIGN_IN) is None

    # requirement: W2
    def test_a_link_ends_with_the_key_it_was_made_under(self) -> None:
        old = Keyring.generate()
        both = Keyring(current="new", keys={"new": b"n" * 32, **old.keys})
        new = Keyring(current="new", keys={"new": b"n" * 32})
        made = Vault(old).mac(["link"], kid=old.current)
        assert made is not None
        assert Vault(both).mac(["link"], kid=old.current) == made
        assert Vault(both).mac(["link"], kid="new") != made
        assert Vault(new).mac(["link"], kid=old.current) is None

    async def test_a_link_for_one_purpose_serves_no_other(self, assent: Assent) -> None:
        _, token = await assent.people.links.to_sign_in("ada", by=ROOT)
        assert await assent.people.links.redeem(token, Purpose.DECIDE) is None
        assert await assent.people.links.redeem(token, Purpose.SIGN_IN)

    # requirement: W3
    async def test_a_link_to_decide_never_outlives_its_request(self, world: World) -> None:
        async with world([says("", calls("pay", amount=1)), "ok"], asks()) as assent:
            await assent.people.add(ADA, by=ROOT)
            turn = await pending(assent, ADA)
            [request] = turn.pending
            link, _ = await assent.people.links.to_decide(
                "ada", request.id, by=ROOT, within=timedelta(days=400)
            )
            assert link.expires_at == request.decide_by
            assert link.request_id == request.id

    # requirement: W3
    @pytest.mark.parametrize("verdict", [approve(), reject(), cancel()], ids=repr)
    async def test_a_decided_request_leaves_no_link_alive(self, world: World, verdict: Any) -> None:
        async with world([says("", calls("pay", amount=1)), "ok"], asks()) as assent:
            await assent.people.add(ADA, by=ROOT)
            turn = await pending(assent, ADA)
            [request] = turn.pending
            _, token = await assent.people.links.to_decide("ada", request.id, by=ROOT)
            assert await assent.people.links.look(token)
            await assent.decide(request.id, verdict, by=ADA)
            assert await assent.people.links.look(token) is None
            assert await assent.people.links.redeem(token, Purpose.DECIDE) is None

    async def test_a_link_to_decide_goes_only_to_who_may(self, world: World) -> None:
        async with world([says("", calls("pay", amount=1)), "ok"], asks()) as assent:
            await assent.people.add(ADA, by=ROOT)
            await assent.people.add(Person("eve"), by=ROOT)
            turn = await pending(assent, ADA)
            with pytest.raises(NotAllowed):
                await assent.people.links.to_decide("eve", turn.pending[0].id, by=ROOT)

    async def test_a_link_is_dead_once_its_recipient_may_no_longer(self, world: World) -> None:
        async with world([says("", calls("pay", amount=1)), "ok"], asks(**APPROVERS)) as assent:
            await assent.people.add(ADA, by=ROOT)
            turn = await pending(assent, Person("eve"))
            _, token = await assent.people.links.to_decide("ada", turn.pending[0].id, by=ROOT)
            assert await assent.people.links.look(token)
            await assent.people.change("ada", by=ROOT, roles=["requester"])
            assert await assent.people.links.look(token) is None


# Each of these is the human Ada, under another name: who asks, who decides.
ADAS_ACCOUNTS = (
    Person("ada", roles=ADA.roles),
    Person("ada-bot", roles=ADA.roles, kind=PersonKind.SERVICE, behind="ada"),
    Person("https://issuer.example|1815", roles=ADA.roles, behind="ada"),
)


# requirement: T4
class TestRequesterIsNotApprover:
    @pytest.mark.parametrize("decider", ADAS_ACCOUNTS, ids=lambda p: f"by {p.id}")
    @pytest.mark.parametrize("requester", ADAS_ACCOUNTS, ids=lambda p: f"of {p.id}")
    async def test_no_identity_of_a_human_approves_what_another_of_theirs_requested(
        self, world: World, requester: Person, decider: Person
    ) -> None:
        async with world([says("", calls("pay", amount=1)), "ok"], asks(**APPROVERS)) as assent:
            for each in ADAS_ACCOUNTS:
                await assent.people.add(each, by=ROOT)
            turn = await pending(assent, requester)
            assert await assent.pending(person=decider) == []
            with pytest.raises((NotEligible, NotFound)):
                await assent.decide(turn.pending[0].id, approve(), by=decider)
            assert (await assent.turn(turn.id)).pending == turn.pending

    async def test_another_human_approves_it(self, world: World) -> None:
        async with world([says("", calls("pay", amount=1)), "ok"], asks(**APPROVERS)) as assent:
            turn = await pending(assent, ADAS_ACCOUNTS[1])
            grace = Person("grace", roles=frozenset({"approver"}))
            assert await assent.pending(person=grace) == list(turn.pending)
            await assent.decide(turn.pending[0].id, approve(), by=grace)
            assert (await assent.wait(turn.id)).text == "ok"

    async def test_an_identity_that_is_linked_after_the_question_was_asked_counts_too(
        self, world: World
    ) -> None:
        async with world([says("", calls("pay", amount=1)), "ok"], asks(**APPROVERS)) as assent:
            await assent.people.add(ADA, by=ROOT)
            other = Person("slack:U1815", roles=frozenset({"requester"}))
            await assent.people.add(other, by=ROOT)
            turn = await pending(assent, other)
            assert await assent.pending(person=ADA) == list(turn.pending)
            await assent.people.link("slack:U1815", "ada", by=ROOT)
            assert await assent.pending(person=ADA) == []
            with pytest.raises((NotEligible, NotFound)):
                await assent.decide(turn.pending[0].id, approve(), by=ADA)

    async def test_links_between_accounts_are_never_chains(self, assent: Assent) -> None:
        people = assent.people
        await people.add(Person("ada-2", behind="ada"), by=ROOT)
        third = await people.add(Person("ada-3", behind="ada-2"), by=ROOT)
        assert third.behind == "ada"
        await people.add(Person("grace"), by=ROOT)
        with pytest.raises(InvalidAccount, match="others stand for it"):
            await people.link("ada", "grace", by=ROOT)


# requirement: T15
@pytest.mark.parametrize("verdict", [approve(), reject(), cancel()], ids=repr)
async def test_an_agent_decides_nothing_not_even_in_its_own_conversation(
    world: World, verdict: Any
) -> None:
    audience = {"owner": True, "roles": frozenset({"approver"}), "people": frozenset({"bot"})}
    async with world([says("", calls("pay", amount=1)), "ok"], asks(**audience)) as assent:
        turn = await pending(assent, AGENT_ADMIN)
        assert await assent.pending(person=AGENT_ADMIN) == []
        with pytest.raises(AssentError) as caught:
            await assent.decide(turn.pending[0].id, verdict, by=AGENT_ADMIN)
        assert caught.value.code in ("not_eligible", "not_found")
        assert (await assent.turn(turn.id)).pending == turn.pending


async def test_a_program_does_not_confirm_its_own_calls(world: World) -> None:
    robot = Person("robot", kind=PersonKind.SERVICE)
    audience = {"owner": True, "roles": frozenset({"approver"})}
    async with world([says("", calls("pay", amount=1)), "ok"], asks(**audience)) as assent:
        turn = await pending(assent, robot)
        assert await assent.pending(person=robot) == []
        with pytest.raises(NotEligible):
            await assent.decide(turn.pending[0].id, approve(), by=robot)
        await assent.decide(turn.pending[0].id, approve(), by=ADA)
        assert (await assent.wait(turn.id)).text == "ok"


class TestRecognising:
    async def test_what_is_known_here_is_added_to_what_others_vouch_for(
        self, assent: Assent
    ) -> None:
        await assent.people.add(
            Person("iss|1", roles=frozenset({"auditor"}), behind="ada"), by=ROOT
        )
        person = await assent.people.recognise(Person("iss|1", roles=frozenset({"requester"})))
        assert person == Person("iss|1", roles=frozenset({"requester", "auditor"}), behind="ada")

    async def test_somebody_unknown_is_who_others_say(self, assent: Assent) -> None:
        person = Person("iss|2", roles=frozenset({"requester"}))
        assert await assent.people.recognise(person) == person

    async def test_a_disabled_account_is_nobody_whoever_vouches(self, assent: Assent) -> None:
        await assent.people.change("ada", by=ROOT, disabled=True)
        assert await assent.people.recognise(ADA) is None

    async def test_an_agents_account_is_an_agent_whoever_vouches(self, assent: Assent) -> None:
        await assent.people.add(AGENT_ADMIN, by=ROOT)
        person = await assent.people.recognise(Person("bot"))
        assert person is not None
        assert person.kind is PersonKind.AGENT

    async def test_nobody_vouches_for_the_system(self, assent: Assent) -> None:
        await assent.people.add(Person("iss|3"), by=ROOT)
        person = await assent.people.recognise(Person("iss|3", roles=SYSTEM.roles))
        assert person is not None
        assert not person.roles


async def test_an_agent_is_no_account(world: World) -> None:
    """An agent that serves people needs none; its name is not somebody."""
    engine = Assent(world.url, agents=[Agent("ada", model=ScriptedModel([]))])
    async with engine as assent:
        assert await assent.people.find("ada") is None


async def test_a_disabled_account_decides_nothing_whoever_speaks_for_it(world: World) -> None:
    till = Till()
    async with world(one_call, till.pay()) as assent:
        await assent.people.add(STAFF, by=ROOT)
        turn = await assent.send("agent", "pay bob", by=STAFF)
        await assent.people.change(STAFF.id, by=ROOT, disabled=True)
        with pytest.raises(NotFound):
            await assent.decide(turn.pending[0].id, approve(), by=STAFF)
        assert till.paid == []
        await assent.people.change(STAFF.id, by=ROOT, disabled=False)
        await assent.decide(turn.pending[0].id, approve(), by=STAFF)
        await rested(assent, turn.id)
    assert till.paid == [(5, "bob")]
