import base64
import json
import os
import stat
import string
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assent.domain.canonical import Json
from assent.engine.vault import (
    KEY_BYTES,
    Keyring,
    Vault,
    forged,
    is_reference,
    placements,
    reference,
    references,
    resolve,
)
from assent.errors import InvalidKey, KeyFileUnusable, SecretUnreadable, WrongKey

# The machine may stall; how long an example takes is not what these tests are about.
unhurried = settings(deadline=None)
OLD = bytes(range(32))
NEW = bytes(range(32, 64))
PLACE = {"row": "call_1", "field": "password"}


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def ring(*entries: tuple[str, bytes]) -> Keyring:
    return Keyring(current=entries[0][0], keys=dict(entries))


class TestKeyring:
    def test_reads_the_variable_and_takes_its_first_key_as_current(self) -> None:
        loaded = Keyring.load({"ASSENT_KEY": f"new:{b64(NEW)}, old:{b64(OLD)}"}, None)
        assert loaded == ring(("new", NEW), ("old", OLD))

    def test_takes_what_openssl_prints(self) -> None:
        key = bytes([0xFB, 0xFF] * 16)
        text = base64.b64encode(key).decode()
        assert "+" in text
        assert "/" in text
        assert Keyring.parse(f"k:{text}", source="x").keys == {"k": key}

    def test_the_variable_wins_over_the_file_and_no_file_is_made(self, tmp_path: Path) -> None:
        path = tmp_path / "key"
        assert Keyring.load({"ASSENT_KEY": f"k:{b64(OLD)}"}, path).current == "k"
        assert not path.exists()

    def test_without_variable_and_file_each_ring_has_its_own_key(self) -> None:
        first, second = Keyring.load({}, None), Keyring.load({}, None)
        assert first.keys != second.keys

    def test_makes_a_missing_file_and_reads_the_same_key_from_it_later(
        self, tmp_path: Path
    ) -> None:
        path = tmp_path / "made" / "on the way" / "key"
        first = Keyring.load({}, path)
        assert Keyring.load({}, path) == first
        assert [len(key) for key in first.keys.values()] == [KEY_BYTES]

    @pytest.mark.parametrize("umask", [0o000, 0o022, 0o777])
    def test_a_made_file_is_readable_by_its_owner_only_under_any_umask(
        self, tmp_path: Path, umask: int
    ) -> None:
        path = tmp_path / "key"
        before = os.umask(umask)
        try:
            Keyring.load({}, path)
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_making_a_file_leaves_nothing_else_behind(self, tmp_path: Path) -> None:
        Keyring.load({}, tmp_path / "key")
        assert [entry.name for entry in tmp_path.iterdir()] == ["key"]

    def test_processes_that_race_for_the_file_get_one_key(self, tmp_path: Path) -> None:
        script = (
            "import sys; from pathlib import Path; from assent.engine.vault import Keyring\n"
            "print('ready', flush=True); sys.stdin.readline()\n"
            "print(Keyring.load({}, Path(sys.argv[1])).dump().splitlines()[-1])"
        )
        command = [sys.executable, "-c", script, str(tmp_path / "key")]
        source = str(Path(__file__).parents[2] / "src")
        env = {**os.environ, "PYTHONPATH": source}
        racers = [
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
            )
            for _ in range(4)
        ]
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()
        printed = {racer.communicate()[0] for racer in racers}
        assert printed == {f"{(tmp_path / 'key').read_text().splitlines()[-1]}\n"}

    def test_what_dump_writes_parse_reads(self) -> None:
        keyring = ring(("b", NEW), ("a", OLD))
        assert Keyring.parse(keyring.dump(), source="x") == keyring

    # requirement: S5
    @pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
    def test_refuses_a_file_that_others_can_use_and_says_chmod(
        self, tmp_path: Path, mode: int
    ) -> None:
        path = tmp_path / "key"
        path.write_text(f"k:{b64(OLD)}\n")
        path.chmod(mode)
        with pytest.raises(KeyFileUnusable, match="chmod 600"):
            Keyring.load({}, path)

    # requirement: S5
    @pytest.mark.parametrize(
        ("text", "reason"),
        [
            ("", "there is no key"),
            (" , ", "there is no key"),
            (b64(OLD), "entry 1 does not start with a key id"),
            (f"a.b:{b64(OLD)}", "entry 1 does not start with a key id"),
            (f":{b64(OLD)}", "entry 1 does not start with a key id"),
            (f"k:{b64(OLD[:31])}", "'k' has 31 bytes"),
            (f"k:{b64(OLD + b'x')}", "'k' has 33 bytes"),
            (f"k:{b64(OLD)[:-1]}!", "'k' is not base64"),
            (f"k:{b64(OLD)[:20]} {b64(OLD)[20:]}", "'k' is not base64"),
            (f"k:{b64(OLD)}é", "'k' is not base64"),
            (f"k:{b64(OLD)},k:{b64(NEW)}", "'k' is there twice"),
        ],
    )
    def test_refuses_what_is_no_key_without_quoting_it(self, text: str, reason: str) -> None:
        with pytest.raises(InvalidKey, match=reason) as caught:
            Keyring.load({"ASSENT_KEY": text}, None)
        assert b64(OLD)[:10] not in str(caught.value)

    # requirement: S5
    def test_refuses_a_file_that_cannot_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(KeyFileUnusable, match="ASSENT_KEY"):
            Keyring.load({}, tmp_path)

    # requirement: S5
    def test_refuses_an_empty_file_and_does_not_replace_it(self, tmp_path: Path) -> None:
        path = tmp_path / "key"
        path.touch(0o600)
        with pytest.raises(InvalidKey):
            Keyring.load({}, path)
        assert path.read_bytes() == b""

    # requirement: S5
    def test_refuses_a_file_that_is_not_text(self, tmp_path: Path) -> None:
        path = tmp_path / "key"
        path.touch(0o600)
        path.write_bytes(b"\xff\xfe")
        with pytest.raises(KeyFileUnusable, match="not text"):
            Keyring.load({}, path)

    def test_a_dangling_link_is_an_error_and_not_an_endless_wait(self, tmp_path: Path) -> None:
        path = tmp_path / "key"
        path.symlink_to(tmp_path / "gone")
        with pytest.raises(KeyFileUnusable):
            Keyring.load({}, path)

    def test_its_repr_shows_no_key(self) -> None:
        assert repr(ring(("k", OLD))) == "Keyring(current='k')"


class TestVault:
    @unhurried
    @given(plaintext=st.text(), row=st.text(), field=st.text())
    def test_opens_what_it_sealed(self, plaintext: str, row: str, field: str) -> None:
        vault = Vault(ring(("k", OLD)))
        sealed = vault.seal(plaintext, row=row, field=field)
        assert vault.open(sealed, row=row, field=field) == plaintext

    def test_keeps_half_a_surrogate_pair(self) -> None:
        vault = Vault(ring(("k", OLD)))
        assert vault.open(vault.seal("\ud800", **PLACE), **PLACE) == "\ud800"

    def test_opens_text_sealed_elsewhere_in_the_documented_format(self) -> None:
        # Made by hand from the documented format; it must open as long as there is a version 1.
        sealed = "v1.k1.AAECAwQFBgcICQoLL3e4b6CX8FXaGwi5V4ET5ZVlKCoBqos"
        assert Vault(ring(("k1", OLD)), "acme").open(sealed, **PLACE) == "hunter2"

    def test_sealing_twice_gives_two_texts_and_neither_holds_the_value(self) -> None:
        vault = Vault(ring(("k", OLD)))
        first, second = vault.seal("hunter2", **PLACE), vault.seal("hunter2", **PLACE)
        assert first != second
        assert "hunter2" not in first + second

    # requirement: S1
    @pytest.mark.parametrize(
        ("tenant", "row", "field"),
        [
            ("other", "call_1", "password"),
            ("default", "call_2", "password"),
            ("default", "call_1", "token"),
            ("default", "call_1password", ""),
        ],
    )
    def test_a_value_moved_to_another_place_does_not_open(
        self, tenant: str, row: str, field: str
    ) -> None:
        keyring = ring(("k", OLD))
        sealed = Vault(keyring).seal("hunter2", **PLACE)
        with pytest.raises(SecretUnreadable, match="another place"):
            Vault(keyring, tenant).open(sealed, row=row, field=field)

    # requirement: S1
    @unhurried
    @given(places=st.lists(st.tuples(st.text(), st.text()), min_size=2, max_size=2, unique=True))
    def test_no_two_places_are_one(self, places: list[tuple[str, str]]) -> None:
        vault = Vault(ring(("k", OLD)))
        (row, field), (other_row, other_field) = places
        sealed = vault.seal("hunter2", row=row, field=field)
        with pytest.raises(SecretUnreadable):
            vault.open(sealed, row=other_row, field=other_field)

    # requirement: S1
    def test_no_character_can_be_changed_or_cut(self) -> None:
        vault = Vault(ring(("k", OLD), ("j", NEW)))
        sealed = vault.seal("hunter2", **PLACE)
        altered = [
            sealed[:at] + other + sealed[at + 1 :]
            for at, char in enumerate(sealed)
            for other in (*string.ascii_letters, "0", "-", ".", "", "é", "\n")
            if other != char
        ]
        for text in altered:
            with pytest.raises(SecretUnreadable):
                vault.open(text, **PLACE)

    # requirement: S1
    def test_a_key_id_cannot_be_renamed_to_one_with_the_same_key(self) -> None:
        vault = Vault(ring(("k", OLD), ("j", OLD)))
        sealed = vault.seal("hunter2", **PLACE)
        with pytest.raises(SecretUnreadable):
            vault.open(sealed.replace("v1.k.", "v1.j."), **PLACE)

    @pytest.mark.parametrize(
        "text", ["", "v1", "v1.k", "v1.k.", "v2.k.AAAA", "v1..AAAA", "hunter2"]
    )
    def test_text_that_was_never_sealed_does_not_open(self, text: str) -> None:
        with pytest.raises(SecretUnreadable):
            Vault(ring(("k", OLD))).open(text, **PLACE)

    # requirement: S12
    def test_an_unknown_key_is_named(self) -> None:
        sealed = Vault(ring(("old", OLD))).seal("hunter2", **PLACE)
        with pytest.raises(SecretUnreadable, match="'old'") as caught:
            Vault(ring(("new", NEW))).open(sealed, **PLACE)
        assert caught.value.kid == "old"

    # requirement: S2
    def test_after_rotation_old_values_open_and_new_ones_use_the_new_key(self) -> None:
        before = Vault(ring(("old", OLD)))
        after = Vault(ring(("new", NEW), ("old", OLD)))
        sealed = before.seal("hunter2", **PLACE)
        assert after.open(sealed, **PLACE) == "hunter2"
        assert after.needs_rewrap(sealed)
        assert not after.needs_rewrap(after.seal("x", **PLACE))

    # requirement: S2
    def test_a_rewrapped_value_opens_without_the_old_key(self) -> None:
        sealed = Vault(ring(("old", OLD))).seal("hunter2", **PLACE)
        wrapped = Vault(ring(("new", NEW), ("old", OLD))).rewrap(sealed, **PLACE)
        assert Vault(ring(("new", NEW))).open(wrapped, **PLACE) == "hunter2"

    # requirement: S2
    def test_rewrapping_a_current_value_changes_nothing(self) -> None:
        vault = Vault(ring(("new", NEW), ("old", OLD)))
        sealed = vault.seal("hunter2", **PLACE)
        assert vault.rewrap(sealed, **PLACE) == sealed

    # requirement: S1
    def test_rewrapping_does_not_launder_a_moved_value(self) -> None:
        vault = Vault(ring(("k", OLD)))
        sealed = vault.seal("hunter2", row="call_2", field="password")
        with pytest.raises(SecretUnreadable):
            vault.rewrap(sealed, **PLACE)

    # requirement: S5
    def test_the_key_that_made_a_canary_is_known_again(self) -> None:
        canary = Vault(ring(("old", OLD))).canary()
        Vault(ring(("new", NEW), ("old", OLD))).verify(canary)

    # requirement: S5
    @pytest.mark.parametrize("entry", [("other", NEW), ("old", NEW)])
    def test_another_key_is_refused_by_the_canary(self, entry: tuple[str, bytes]) -> None:
        canary = Vault(ring(("old", OLD))).canary()
        with pytest.raises(WrongKey, match="ASSENT_KEY") as caught:
            Vault(ring(entry)).verify(canary)
        assert caught.value.kid == "old"

    # requirement: S5
    def test_a_canary_of_another_tenant_or_of_nonsense_is_refused(self) -> None:
        keyring = ring(("k", OLD))
        for canary in (Vault(keyring, "other").canary(), "nonsense"):
            with pytest.raises(WrongKey):
                Vault(keyring).verify(canary)


class TestReferences:
    def test_a_reference_is_one_reserved_key(self) -> None:
        assert reference("sec_a1") == {"$secret": "sec_a1"}
        assert is_reference({"$secret": "sec_a1"})

    @pytest.mark.parametrize("id", ["", "a1", "sec_", "sec_a b", "sec_a\n", "sec_" + "a" * 65])
    def test_no_reference_is_made_of_another_id(self, id: str) -> None:
        with pytest.raises(ValueError, match="no id"):
            reference(id)

    @pytest.mark.parametrize(
        "value",
        [None, "sec_a1", [], {}, {"$secret": 1}, {"$secret": "a1"}, {"$secret": "sec_a", "x": 1}],
    )
    def test_other_shapes_are_no_reference(self, value: object) -> None:
        assert not is_reference(value)  # pyright: ignore[reportArgumentType]

    def test_references_are_found_at_any_depth_each_once(self) -> None:
        args = {"a": [reference("sec_2"), {"b": reference("sec_1")}], "c": reference("sec_2")}
        assert references(args) == ("sec_2", "sec_1")

    def test_placements_say_where_each_is(self) -> None:
        args = {"a/b": [0, reference("sec_1")], "~": reference("sec_2")}
        assert placements(args) == {"/a~1b/1": "sec_1", "/~0": "sec_2"}

    def test_a_reference_that_was_not_minted_is_forged(self) -> None:
        args = {"mine": reference("sec_1"), "theirs": [reference("sec_2")]}
        assert forged(args, {"sec_1"}) == ("/theirs/0",)
        assert forged(args, {"sec_1", "sec_2"}) == ()

    @pytest.mark.parametrize(
        "value", [{"$secret": 1}, {"$secret": None}, {"$secret": "sec_1", "x": 1}, {"$secret": {}}]
    )
    def test_what_only_resembles_a_reference_is_forged_too(self, value: object) -> None:
        assert forged({"a": value}, {"sec_1"}) == ("/a",)  # pyright: ignore[reportArgumentType]

    def test_a_reference_inside_a_false_one_is_found(self) -> None:
        args: Json = {"$secret": {"$secret": "sec_2"}}
        assert forged(args, {"sec_2"}) == ("",)
        assert references(args) == ("sec_2",)

    def test_resolving_puts_values_in_place_and_leaves_the_frozen_arguments_alone(self) -> None:
        args = {"url": "x", "auth": [{"password": reference("sec_1")}]}
        frozen = json.dumps(args)
        resolved = resolve(args, {"sec_1": "hunter2"})
        assert resolved == {"url": "x", "auth": [{"password": "hunter2"}]}
        assert json.dumps(args) == frozen

    def test_resolving_refuses_a_reference_without_value(self) -> None:
        with pytest.raises(SecretUnreadable, match="'sec_2'"):
            resolve([reference("sec_2")], {"sec_1": "hunter2"})

    def test_a_value_that_looks_like_a_reference_stays_text(self) -> None:
        text = json.dumps(reference("sec_2"))
        assert resolve(reference("sec_1"), {"sec_1": text}) == text
