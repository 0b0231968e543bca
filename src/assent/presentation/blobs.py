"""Detection of bytes that came as text: base64, data URLs, hex, or many control characters.

A text that is found here is still shown as it is; people are also told which bytes it stands for.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

from assent.domain.cards import Blob

_DATA_URL = re.compile(
    r"data:(?P<media>[A-Za-z0-9.+-]+/[A-Za-z0-9.+-]+)?(?:;[A-Za-z0-9=.+-]+)*;base64,"
    r"(?P<body>[A-Za-z0-9+/_-]*={0,2})"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_\r\n-]+={0,2}\s*")
# With letters: digits alone are a number.
_HEX = re.compile(r"[0-9]*[A-Fa-f][0-9A-Fa-f]*")
_BREAKS = re.compile(r"\s+")
_FOREIGN = re.compile(r"[^A-Za-z0-9+/_=-]+")
# The two usual alphabets of base85; neither has blanks, nor all the letters and punctuation of
# words, code and addresses.
_ASCII85 = re.compile(r"[!-uz]+")
_BASE85 = re.compile(r"[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]+")
# Without tabs and line breaks, which are padding and not data.
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")
# Shorter texts are identifiers and digests, unless their first bytes are known.
_BASE64_CHARS = 160
_HEX_CHARS = 256
_KNOWN_CHARS = 24
_PIECE_CHARS = 16
# Base64 of real data uses most of its alphabet; a word repeated does not.
_DISTINCT_CHARS = 24
# Base64 may be broken up by blanks, dots or quotes. Prose has far more of these, and fewer
# different characters.
_MIXED_CHARS = 48
_BROKEN_SHARE = 20
_ODD_CHARS = 50
_CONTROL_CHARS = 64
_CONTROL_SHARE = 5

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x28\xb5\x2f\xfd", "application/zstd"),
    (b"\x7fELF", "application/x-elf"),
    (b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (b"\xca\xfe\xba\xbe", "application/java-vm"),
    (b"\x00asm", "application/wasm"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3"),
    (b"OggS", "audio/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\x80\x04\x95", "application/x-python-pickle"),
    (b"MZ", "application/x-msdownload"),
)


def blob_of(text: str) -> Blob | None:
    """Return the bytes that a text stands for; None if it is a text to be read."""
    if match := _DATA_URL.fullmatch(text):
        data = _decoded(match["body"])
        return None if not data else _blob(text, data, match["media"] or "")
    if len(text) >= _KNOWN_CHARS and _BASE64.fullmatch(text):
        return _encoded(text)
    return _raw(text) or _broken(text) or _odd(text)


def pieces_of(texts: Iterable[str]) -> Mapping[str, Blob]:
    """Return those of several texts that stand for bytes only when joined."""
    pieces = [text for text in texts if len(text) >= _PIECE_CHARS and not _BREAKS.search(text)]
    whole = "".join(pieces)
    if len(pieces) < 2 or (_broken(whole) or _odd(whole)) is None:
        return {}
    return {
        piece: blob_of(piece) or _blob(piece, _decoded(piece) or piece.encode()) for piece in pieces
    }


def media_of(data: bytes) -> str:
    """Return the media type that the first bytes tell; empty if they tell none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp":
        return "video/mp4"
    return next((media for magic, media in _MAGIC if data.startswith(magic)), "")


def _encoded(text: str) -> Blob | None:
    body = _BREAKS.sub("", text)
    if _HEX.fullmatch(body):
        is_long = len(body) >= _HEX_CHARS and len(body) % 2 == 0
        return _blob(text, bytes.fromhex(body)) if is_long else None
    data = _decoded(body)
    if not data:
        return None
    is_long = len(body) >= _BASE64_CHARS and len(set(body)) >= _DISTINCT_CHARS
    # Two or three bytes match many words by chance.
    is_known = any(len(magic) > 3 and data.startswith(magic) for magic, _ in _MAGIC)
    return _blob(text, data) if is_long or is_known else None


def _broken(text: str) -> Blob | None:
    """Detect base64 with other characters in between."""
    if len(text) < _BASE64_CHARS:
        return None
    kept = _FOREIGN.sub("", text)
    is_mixed = len(kept) >= _BASE64_CHARS and len(set(kept)) >= _MIXED_CHARS
    if not is_mixed or (len(text) - len(kept)) * _BROKEN_SHARE > len(text):
        return None
    return _blob(text, _decoded(kept) or kept.encode())


def _odd(text: str) -> Blob | None:
    """Detect base85, in either alphabet."""
    body = _BREAKS.sub("", text)
    if len(body) < _BASE64_CHARS or len(set(body)) < _ODD_CHARS or body != text.strip():
        return None
    for alphabet, decode in ((_ASCII85, base64.a85decode), (_BASE85, base64.b85decode)):
        if alphabet.fullmatch(body):
            with suppress(ValueError):
                return _blob(text, decode(body))
    return None


def _raw(text: str) -> Blob | None:
    if len(text) < _CONTROL_CHARS or text.isprintable():
        return None
    if len(_CONTROL.findall(text)) * _CONTROL_SHARE < len(text):
        return None
    try:
        return _blob(text, text.encode("latin-1"))
    except UnicodeEncodeError:
        return _blob(text, text.encode("utf-8", "surrogatepass"))


def _decoded(body: str) -> bytes:
    """Decode base64 in either alphabet, padded or not; empty if it is not base64."""
    plain = body.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except binascii.Error:
        return b""


def _blob(text: str, data: bytes, declared: str = "") -> Blob:
    return Blob(
        encoded=text,
        size=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        media=media_of(data),
        declared=declared,
    )
