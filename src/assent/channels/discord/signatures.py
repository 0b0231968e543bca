"""Signatures of interactions over HTTP: Ed25519 over the timestamp and the body, and fresh."""

from collections.abc import Mapping
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

FRESH_SECONDS: Final = 300
_KEY_BYTES: Final = 32
_SIGNATURE: Final = "x-signature-ed25519"
_TIMESTAMP: Final = "x-signature-timestamp"
_DIGITS: Final = 12


def public_key(text: str) -> Ed25519PublicKey:
    """Read the key that Discord's portal shows; raises `ValueError` for any other text."""
    raw = bytes.fromhex(text)
    if len(raw) != _KEY_BYTES:
        raise ValueError("not 32 bytes")
    return Ed25519PublicKey.from_public_bytes(raw)


def is_signed(
    key: Ed25519PublicKey, headers: Mapping[str, str], body: bytes, *, now: float
) -> bool:
    """Return True if Discord has signed this body within the last five minutes."""
    timestamp, signature = headers.get(_TIMESTAMP, ""), headers.get(_SIGNATURE, "")
    if not (timestamp.isascii() and timestamp.isdecimal() and len(timestamp) <= _DIGITS):
        return False
    if abs(now - int(timestamp)) > FRESH_SECONDS:
        return False
    try:
        key.verify(bytes.fromhex(signature), timestamp.encode() + body)
    except (InvalidSignature, ValueError):
        return False
    return True
