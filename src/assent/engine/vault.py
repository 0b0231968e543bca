"""Secrets at rest: the keys, the sealed text that a database holds, and references to secrets.

Sealed text is `v1.<kid>.<base64url(nonce || ciphertext || tag)>`, AES-256-GCM. Its place (tenant,
row, field) is authenticated with it, so a value copied to another place does not open.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from assent.domain.canonical import Json, encode
from assent.errors import InvalidKey, KeyFileUnusable, SecretUnreadable, WrongKey

KEY_VARIABLE: Final = "ASSENT_KEY"
KEY_BYTES: Final = 32
NONCE_BYTES: Final = 12
TAG_BYTES: Final = 16
_KEY_FILE_BYTES: Final = 65_536
_VERSION: Final = "v1"
# No dot, colon or comma: those separate a key id from what follows it.
_KID: Final = re.compile(r"[A-Za-z0-9_-]{1,32}")
_CANARY: Final = "assent"
_KEY_FILE_HEAD: Final = (
    "# Keys that seal the secrets in Assent's database: one kid:key per line, the first is used\n"
    "# for new secrets. Without this file they cannot be read. Keep it private, and back it up.\n"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyring:
    """The key that seals (`current`) and all keys that still open, by key id."""

    current: str
    keys: Mapping[str, bytes] = field(repr=False)

    @classmethod
    def load(cls, environ: Mapping[str, str], key_file: Path | None) -> Keyring:
        """Return the keys from ASSENT_KEY, else from the file, which is created if it is missing.

        With neither, a new key is kept in memory only (`:memory:`).
        """
        text = environ.get(KEY_VARIABLE)
        if text is not None:
            return cls.parse(text, source=KEY_VARIABLE)
        return cls.generate() if key_file is None else _from_file(key_file)

    @classmethod
    def parse(cls, text: str, *, source: str) -> Keyring:
        """Read `kid:key` entries, separated by commas or lines; a key is 32 bytes in base64.

        The first is the current one. Both base64 alphabets and missing padding are accepted.
        """
        keys: dict[str, bytes] = {}
        for number, entry in enumerate(_entries(text), start=1):
            kid, key = _key(entry, number, source)
            if kid in keys:
                raise InvalidKey(source, f"key id {kid!r} is there twice")
            keys[kid] = key
        if not keys:
            raise InvalidKey(source, "there is no key; give kid:key, or leave it unset")
        return cls(current=next(iter(keys)), keys=keys)

    @classmethod
    def generate(cls) -> Keyring:
        """Return a ring with one new random key."""
        kid = f"k{secrets.token_hex(4)}"
        return cls(current=kid, keys={kid: secrets.token_bytes(KEY_BYTES)})

    def dump(self) -> str:
        """Return the text of a key file, as `parse` reads it, the current key first."""
        order = sorted(self.keys, key=lambda kid: kid != self.current)
        return _KEY_FILE_HEAD + "".join(f"{kid}:{_base64(self.keys[kid])}\n" for kid in order)


class Vault:
    """Seals secrets for one tenant and opens them where they belong."""

    def __init__(self, keyring: Keyring, tenant: str = "default") -> None:
        self._current = keyring.current
        self._tenant = tenant
        self._ciphers = {kid: AESGCM(key) for kid, key in keyring.keys.items()}
        # Derived: the key that encrypts must not be the one that authenticates.
        self._macs = {kid: _mac(key, b"assent-mac-v1") for kid, key in keyring.keys.items()}

    def seal(self, plaintext: str, *, row: str, field: str) -> str:
        """Encrypt a value for one place under the current key; no two results are alike."""
        # Random and never an argument: a repeated nonce would reveal the plaintexts. One key can
        # seal 2^32 values before a repetition is a concern.
        nonce = os.urandom(NONCE_BYTES)
        context = self._context(self._current, row, field)
        # surrogatepass: an encoding error would carry the plaintext along as its attribute.
        data = plaintext.encode("utf-8", "surrogatepass")
        ciphertext = self._ciphers[self._current].encrypt(nonce, data, context)
        return f"{_VERSION}.{self._current}.{_base64(nonce + ciphertext)}"

    def open(self, sealed: str, *, row: str, field: str) -> str:
        """Decrypt a value; raises `SecretUnreadable` if it was altered or sealed for elsewhere."""
        kid, data = _parts(sealed)
        cipher = self._ciphers.get(kid)
        if cipher is None:
            raise SecretUnreadable(f"it is sealed with key {kid!r}, which is not here", kid=kid)
        context = self._context(kid, row, field)
        try:
            plaintext = cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], context)
        except InvalidTag:
            reason = f"it was altered, sealed for another place, or {kid!r} is another key"
            raise SecretUnreadable(reason, kid=kid) from None
        return plaintext.decode("utf-8", "surrogatepass")

    def seal_bytes(self, plain: bytes, *, row: str, field: str) -> bytes:
        """Encrypt bytes for one place, as `seal` does for text; a third shorter than as text."""
        nonce = os.urandom(NONCE_BYTES)
        context = self._context(self._current, row, field)
        ciphertext = self._ciphers[self._current].encrypt(nonce, plain, context)
        return self._current.encode() + b"." + nonce + ciphertext

    def open_bytes(self, sealed: bytes, *, row: str, field: str) -> bytes:
        """Decrypt what `seal_bytes` returned; raises `SecretUnreadable`."""
        head, _, data = sealed.partition(b".")
        kid = head.decode("ascii", "replace")
        cipher = self._ciphers.get(kid)
        if cipher is None:
            raise SecretUnreadable(f"it is sealed with key {kid[:32]!r}, which is not here")
        try:
            context = self._context(kid, row, field)
            return cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], context)
        except (InvalidTag, ValueError):
            raise SecretUnreadable("it was altered, or sealed for another place", kid=kid) from None

    def needs_rewrap(self, sealed: str) -> bool:
        """Return True if a value is sealed with a key other than the current one."""
        return _parts(sealed)[0] != self._current

    def rewrap(self, sealed: str, *, row: str, field: str) -> str:
        """Return the value sealed under the current key; if it already is, it is only checked."""
        plaintext = self.open(sealed, row=row, field=field)
        if not self.needs_rewrap(sealed):
            return sealed
        return self.seal(plaintext, row=row, field=field)

    @property
    def kid(self) -> str:
        """The id of the current key."""
        return self._current

    def mac(self, message: Json, *, kid: str) -> str | None:
        """Return the authentication code of a message under one key, or None without that key."""
        key = self._macs.get(kid)
        text = encode(["assent", self._tenant, message]).encode()
        return None if key is None else _mac(key, text).hex()

    def canary(self) -> str:
        """Return a sealed constant that a store keeps, to check the key at the next start."""
        return self.seal(_CANARY, row="vault", field="canary")

    def verify(self, canary: str) -> None:
        """Raise `WrongKey` if none of this vault's keys opens the canary that a store kept."""
        try:
            self.open(canary, row="vault", field="canary")
        except SecretUnreadable as error:
            raise WrongKey(error.reason, kid=error.kid) from None

    def _context(self, kid: str, row: str, field: str) -> bytes:
        # An array, not a joined string: no row and field can be read as another row and field.
        return encode(["assent", _VERSION, kid, self._tenant, row, field]).encode()


_REFERENCE_KEY: Final = "$secret"
# The value shown for an argument that its tool declares secret, wherever arguments leave as JSON.
MASKED: Final[Mapping[str, Json]] = MappingProxyType({"$masked": True})
_REFERENCE_ID: Final = re.compile(r"sec_[A-Za-z0-9_-]{1,64}")


def reference(id: str) -> dict[str, Json]:
    """Return the reference that replaces a secret in arguments; `id` is `sec_` and random text."""
    if not _REFERENCE_ID.fullmatch(id):
        raise ValueError(f"{id!r} is no id of a secret")
    return {_REFERENCE_KEY: id}


def is_reference(value: Json) -> bool:
    """Return True if a value has exactly the shape of a reference, whatever its origin."""
    return _referred(value) is not None


def placements(args: Json) -> dict[str, str]:
    """Return where references are, as JSON pointer → id, so that a moved reference is noticed."""
    found = ((pointer, _referred(value)) for pointer, value in _reserved(args))
    return {pointer: id for pointer, id in found if id is not None}


def references(args: Json) -> tuple[str, ...]:
    """Return the ids of all secrets that arguments refer to, each once, in order of appearance."""
    return tuple(dict.fromkeys(placements(args).values()))


def forged(args: Json, allowed: Set[str]) -> tuple[str, ...]:
    """Return JSON pointers of values that pose as references but are not among `allowed`.

    The key `$secret` is reserved: any object that has it and is no reference counts, too.
    """
    return tuple(pointer for pointer, value in _reserved(args) if _referred(value) not in allowed)


def resolve(args: Json, values: Mapping[str, str]) -> Json:
    """Return the arguments with secrets in place of references; raises if one has no value."""
    id = _referred(args)
    if id is not None:
        if id not in values:
            raise SecretUnreadable(f"there is no value for {id!r}")
        return values[id]
    match args:
        case dict():
            return {key: resolve(value, values) for key, value in args.items()}
        case list():
            return [resolve(value, values) for value in args]
        case _:
            return args


def _referred(value: Json) -> str | None:
    match value:
        case {"$secret": str(id), **rest} if not rest and _REFERENCE_ID.fullmatch(id):
            return id
        case _:
            return None


def _reserved(value: Json, pointer: str = "") -> Iterator[tuple[str, Json]]:
    match value:
        case dict():
            if _REFERENCE_KEY in value:
                yield pointer, value
            for key, item in value.items():
                yield from _reserved(item, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")
        case list():
            for index, item in enumerate(value):
                yield from _reserved(item, f"{pointer}/{index}")
        case _:
            return


def _entries(text: str) -> Iterator[str]:
    lines = (line.strip() for line in text.splitlines())
    for line in lines:
        if line and not line.startswith("#"):
            yield from (entry.strip() for entry in line.split(",") if entry.strip())


def _key(entry: str, number: int, source: str) -> tuple[str, bytes]:
    # The messages never quote an entry: without its colon it may be a bare key.
    kid, colon, text = (part.strip() for part in entry.partition(":"))
    if not colon or not _KID.fullmatch(kid):
        raise InvalidKey(source, f"entry {number} does not start with a key id and a colon")
    try:
        key = _unbase64(text)
    except ValueError:
        raise InvalidKey(source, f"key {kid!r} is not base64") from None
    if len(key) != KEY_BYTES:
        raise InvalidKey(source, f"key {kid!r} has {len(key)} bytes and not {KEY_BYTES}")
    return kid, key


def _parts(sealed: str) -> tuple[str, bytes]:
    version, _, rest = sealed.partition(".")
    kid, _, text = rest.partition(".")
    if version != _VERSION or not _KID.fullmatch(kid):
        raise SecretUnreadable(f"it is not sealed text of version {_VERSION!r}")
    try:
        data = _unbase64(text)
    except ValueError:
        raise SecretUnreadable("its text was altered", kid=kid) from None
    if len(data) < NONCE_BYTES + TAG_BYTES:
        raise SecretUnreadable("its text was cut", kid=kid)
    return kid, data


def _mac(key: bytes, message: bytes) -> bytes:
    return hmac.digest(key, message, "sha256")


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _unbase64(text: str) -> bytes:
    text = text.translate({ord("+"): "-", ord("/"): "_"}).rstrip("=")
    data = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    # The decoder skips foreign characters and stray bits; only one spelling may pass.
    if _base64(data) != text:
        raise binascii.Error("not the text of these bytes")
    return data


def _from_file(path: Path) -> Keyring:
    try:
        try:
            text = _read(path)
        except FileNotFoundError:
            _publish(path, Keyring.generate().dump())
            # Read back even what was just written: if two processes race, the file of one has won.
            text = _read(path)
    except UnicodeDecodeError:
        raise KeyFileUnusable(str(path), "it is not text") from None
    except OSError as error:
        reason = f"{error.strerror}; set {KEY_VARIABLE} if there can be no such file"
        raise KeyFileUnusable(str(path), reason) from error
    return Keyring.parse(text, source=f"the file {str(path)!r}")


def _read(path: Path) -> str:
    with path.open("rb") as file:
        # The mode of the open file, which cannot be swapped between the check and the read.
        mode = os.fstat(file.fileno()).st_mode
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            reason = f"others may use it (mode {stat.S_IMODE(mode):04o}); run: chmod 600 {path}"
            raise KeyFileUnusable(str(path), reason)
        return file.read(_KEY_FILE_BYTES).decode("utf-8")


def _publish(path: Path, text: str) -> None:
    """Put a complete file in place, or keep the one that another process put there first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            # An unusual umask can remove the owner's own permission bits.
            draft.chmod(0o600)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # A hard link appears whole and never replaces a file, unlike a rename.
        path.hardlink_to(draft)
    except FileExistsError:
        return
    finally:
        draft.unlink()
    _sync_directory(path.parent)


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
