"""The demo's accounts and the file of their keys."""

import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assent import Assent
from assent.demo.accounts import KEYS_FILE, ROLES, ensure_accounts
from assent.demo.agent import Home
from assent.domain.people import SYSTEM
from assent.engine.people.accounts import People


@pytest.fixture
async def people(tmp_path: Path) -> AsyncIterator[People]:
    async with Assent(f"sqlite:///{tmp_path / 'assent.db'}", agents=(), worker=False) as assent:
        yield assent.people


async def test_everybody_gets_an_account_and_a_key_that_opens_it(
    people: People, tmp_path: Path
) -> None:
    keys = await ensure_accounts(people, tmp_path)

    assert set(keys) == {"user", "approver", "admin"}
    for name, text in keys.items():
        known = await people.by_key(text)
        assert known is not None
        assert (known[0].id, known[0].roles) == (name, ROLES[name])


async def test_only_an_admin_manages_and_only_an_approver_approves(
    people: People, tmp_path: Path
) -> None:
    await ensure_accounts(people, tmp_path)
    roles = {account.id: account.roles for account in await people.all()}

    assert [name for name in roles if "admin" in roles[name]] == ["admin"]
    assert [name for name in roles if "approver" in roles[name]] == ["approver"]
    assert "requester" in roles["user"]


async def test_the_second_time_nothing_is_new(people: People, tmp_path: Path) -> None:
    first = await ensure_accounts(people, tmp_path)
    (tmp_path / KEYS_FILE).chmod(0o644)
    second = await ensure_accounts(people, tmp_path)

    assert second == first
    assert len(await people.keys(by=SYSTEM)) == 3
    assert stat.S_IMODE((tmp_path / KEYS_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"user": "assent_0_0"}', '{"user": 5}', "[" * 5000]
)
async def test_a_damaged_file_is_made_anew(people: People, tmp_path: Path, damage: str) -> None:
    (tmp_path / KEYS_FILE).write_text(damage)
    keys = await ensure_accounts(people, tmp_path)

    assert [await people.by_key(text) is not None for text in keys.values()] == [True] * 3


async def test_somebody_elses_key_is_not_taken_for_ones_own(people: People, tmp_path: Path) -> None:
    first = await ensure_accounts(people, tmp_path)
    (tmp_path / KEYS_FILE).write_text(f'{{"user": "{first["admin"]}"}}')
    second = await ensure_accounts(people, tmp_path)

    assert second["user"] != first["admin"]


async def test_a_revoked_key_is_replaced(people: People, tmp_path: Path) -> None:
    first = await ensure_accounts(people, tmp_path)
    [key] = await people.keys("user", by=SYSTEM)
    await people.revoke_key(key.id, by=SYSTEM)
    second = await ensure_accounts(people, tmp_path)

    assert second["user"] != first["user"]
    assert second["admin"] == first["admin"]


def test_the_folder_of_a_demo_is_for_nobody_else(tmp_path: Path) -> None:
    home = Home(root=tmp_path / "data" / "demo")
    assert home.furnish()

    assert stat.S_IMODE(home.root.stat().st_mode) == 0o700
    assert not home.furnish()
