"""`assent people` and `assent keys`, beside a database that nobody serves just now."""

from pathlib import Path

import pytest

from assent import Assent
from tests.cli.sessions import run


@pytest.fixture
async def database(tmp_path: Path) -> tuple[str, ...]:
    path = tmp_path / "assent.db"
    async with Assent(f"sqlite:///{path}", agents=()):
        pass
    return ("--db", str(path))


def test_somebody_is_added_listed_and_given_other_roles(database: tuple[str, ...]) -> None:
    added = run("people", "add", "ada", "requester", "approver", "--name", "Ada L.", *database)
    assert "approver, requester" in added.stdout

    changed = run("people", "set-roles", "ada", "auditor", *database)
    assert changed.returncode == 0

    listed = run("people", "list", *database).stdout
    assert "ada  Ada L." in listed
    assert "auditor · human" in listed


def test_there_is_nobody_twice(database: tuple[str, ...]) -> None:
    run("people", "add", "ada", *database)
    again = run("people", "add", "ada", *database)

    assert again.returncode == 2
    assert "ada" in again.stderr


async def test_a_key_is_all_that_creating_it_prints_and_opens_the_account(
    database: tuple[str, ...], tmp_path: Path
) -> None:
    run("people", "add", "ada", "requester", *database)
    made = run("keys", "create", "ada", "--scope", "read", "--days", "7", *database)
    text = made.stdout.strip()

    async with Assent(f"sqlite:///{tmp_path / 'assent.db'}", agents=(), worker=False) as assent:
        known = await assent.people.by_key(text)
    assert known is not None
    person, key = known
    assert (person.id, set(key.scopes)) == ("ada", {"read"})
    assert key.expires_at is not None


def test_a_listed_key_shows_everything_but_itself(database: tuple[str, ...]) -> None:
    run("people", "add", "ada", *database)
    text = run("keys", "create", "ada", "--label", "laptop", *database).stdout.strip()
    listed = run("keys", "list", *database).stdout

    assert "laptop" in listed
    assert "never used" in listed
    assert text not in listed
    assert text.rpartition("_")[2] not in listed
    assert text.rpartition("_")[0] in listed


async def test_a_revoked_key_opens_nothing(database: tuple[str, ...], tmp_path: Path) -> None:
    run("people", "add", "ada", *database)
    text = run("keys", "create", "ada", *database).stdout.strip()
    [key] = [w for w in run("keys", "list", *database).stdout.split() if w.startswith("key_")]
    assert run("keys", "revoke", key, *database).returncode == 0

    async with Assent(f"sqlite:///{tmp_path / 'assent.db'}", agents=(), worker=False) as assent:
        assert await assent.people.by_key(text) is None
    assert "revoked" in run("keys", "list", *database).stdout


def test_a_disabled_account_is_said_to_be(database: tuple[str, ...]) -> None:
    run("people", "add", "ada", *database)
    assert "disabled" in run("people", "disable", "ada", *database).stdout
    assert "disabled" not in run("people", "enable", "ada", *database).stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("keys", "create", "nobody"), "There is no account 'nobody'"),
        (("keys", "revoke", "key_1"), "There is no API key 'key_1'"),
        (("keys", "create", "ada", "--days", "0"), "no number of days"),
        (("keys", "create", "ada", "--scope", "everything"), "invalid choice"),
        (("people", "set-roles", "nobody", "admin"), "There is no account 'nobody'"),
        (("people", "add", "no spaces"), "no spaces"),
        (("people", "add", "mallory", "system"), "the engine's own"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    database: tuple[str, ...], arguments: tuple[str, ...], said: str
) -> None:
    done = run(*arguments, *database)

    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
