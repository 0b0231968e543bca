"""Callers whom another authority vouches for stay who they were, or fall."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assent.domain.people import Account, Person, PersonKind
from assent.engine.people.accounts import merged
from assent.engine.people.sessions import Findings
from assent.server.auth.authenticator import held_by, is_still_valid
from assent.server.caller import Caller, Method

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)
VOUCHED = Person("issuer|ada", roles=frozenset({"requester"}))
ACCOUNT = Account(
    id=VOUCHED.id,
    name="Ada",
    kind=PersonKind.HUMAN,
    roles=frozenset({"approver"}),
    created_at=NOON,
)


def found(account: Account | None = None) -> Findings:
    accounts = {} if account is None else {account.id: account}
    return Findings(at=NOON, keys={}, sessions={}, accounts=accounts)


def caller(account: Account | None = None) -> Caller:
    person = VOUCHED if account is None else merged(VOUCHED, account)
    assert person is not None
    return Caller(person=person, method=Method.JWT, credential="hash", vouched=VOUCHED)


# requirement: W17
@pytest.mark.parametrize(
    ("known", "now", "stays"),
    [
        (None, None, True),
        (ACCOUNT, ACCOUNT, True),
        (ACCOUNT, replace(ACCOUNT, roles=frozenset[str]()), False),
        (ACCOUNT, replace(ACCOUNT, disabled=True), False),
        (ACCOUNT, replace(ACCOUNT, behind="grace"), False),
        (ACCOUNT, None, False),
        (None, ACCOUNT, False),
        (None, replace(ACCOUNT, disabled=True), False),
    ],
    ids=["unknown", "same", "fewer roles", "disabled", "linked", "deleted", "more", "barred"],
)
def test_a_change_of_the_account_ends_what_a_token_began(
    known: Account | None, now: Account | None, stays: bool
) -> None:
    assert is_still_valid(caller(known), found(now)) is stays


# requirement: W17
def test_a_token_ends_when_it_says() -> None:
    ending = replace(caller(), until=NOON + timedelta(seconds=1))

    assert is_still_valid(ending, found())
    assert not is_still_valid(replace(ending, until=NOON), found())


def test_each_credential_is_looked_up_by_what_it_is() -> None:
    callers = [Caller(person=VOUCHED, method=method, credential=f"{method}_1") for method in Method]

    held = held_by(callers)

    assert (held.keys, held.sessions) == ({"key_1"}, {"session_1"})
    assert held.accounts == {VOUCHED.id}
