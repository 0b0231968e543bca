"""The kind of a file, by its content and never by its name.

A short table of signatures: what people attach to forms is a handful of formats, and what decides
whether a file is accepted should be read in one sitting. Nothing is unpacked or parsed.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from typing import Final

# Every signature is much nearer.
HEAD_BYTES: Final = 4_096
# A ZIP has the names of its entries at its end, some fifty bytes each.
TAIL_BYTES: Final = 65_536
UNKNOWN: Final = "application/octet-stream"
TEXT: Final = "text/plain"
KIND: Final = re.compile(r"[a-z0-9][a-z0-9.+-]{0,63}/(?:\*|[a-z0-9][a-z0-9.+-]{0,99})")
_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
# Offset, bytes, kind; the first that fits counts.
_SIGNATURES: Final[tuple[tuple[int, bytes, str], ...]] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (8, b"WEBP", "image/webp"),
    (0, b"BM", "image/bmp"),
    (0, b"II*\x00", "image/tiff"),
    (0, b"MM\x00*", "image/tiff"),
    (4, b"ftypavif", "image/avif"),
    (4, b"ftypheic", "image/heic"),
    (4, b"ftypheix", "image/heic"),
    (4, b"ftypmif1", "image/heic"),
    (4, b"ftypqt", "video/quicktime"),
    (4, b"ftypM4A", "audio/mp4"),
    (4, b"ftyp", "video/mp4"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"PK\x05\x06", "application/zip"),
    (0, b"\x1f\x8b", "application/gzip"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (8, b"WAVE", "audio/wav"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
    (0, b"MZ", "application/x-msdownload"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"SQLite format 3\x00", "application/vnd.sqlite3"),
)
# By the folder that their entries are in.
_OFFICE_FOLDERS: Final = (
    (b"word/", f"{_OFFICE}wordprocessingml.document"),
    (b"xl/", f"{_OFFICE}spreadsheetml.sheet"),
    (b"ppt/", f"{_OFFICE}presentationml.presentation"),
)
_DIRECTORY_ENDS: Final = b"PK\x05\x06"
_ODF: Final = re.compile(rb"mimetype(application/vnd\.oasis\.opendocument\.[a-z]+)")
# Their marks are two or three letters, with which a text may begin, too: BMI, MZ-7, ID3 tags.
_FEW_LETTERS: Final = frozenset({"image/bmp", "application/x-msdownload", "audio/mpeg"})
_FAMILY_OF_RIFF: Final = frozenset({"image/webp", "audio/wav"})
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
# Kinds of text that only its reader can tell apart, with how their content has to begin.
_TEXT_STARTS: Final = {
    "application/json": ("{", "["),
    "application/xml": ("<",),
    "image/svg+xml": ("<",),
}


class KindReader:
    """Finds the kind of content that arrives in pieces."""

    def __init__(self) -> None:
        self._head, self._tail = b"", b""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_text = True

    def feed(self, data: bytes) -> None:
        """Take in a piece."""
        if len(self._head) < HEAD_BYTES:
            self._head += data[: HEAD_BYTES - len(self._head)]
        if self._head.startswith(b"PK"):
            self._tail = (self._tail + data)[-TAIL_BYTES:]
        self._read_text(data, final=False)

    def kind(self) -> str:
        """Return the kind once all of the content came; `UNKNOWN` if it is not in the table."""
        found = signature_of(self._head, self._tail)
        if found is not None and found not in _FEW_LETTERS:
            return found
        self._read_text(b"", final=True)
        return TEXT if self._is_text and self._head else found or UNKNOWN

    def fits(self, wanted: Iterable[str]) -> str | None:
        """Return the kind that the content counts as, of those wanted; None if it is no such one.

        An empty `wanted` takes everything. Text counts as the first kind of text that is wanted.
        """
        found, kinds = self.kind(), tuple(wanted)
        if not kinds or found in kinds or f"{found.partition('/')[0]}/*" in kinds:
            return found
        if found != TEXT:
            return None
        return _text_kind(self._head.decode("utf-8", "ignore"), kinds)

    def is_unfit_text(self, wanted: Iterable[str]) -> bool:
        """Return True if only its encoding keeps this from being text that is wanted.

        Read off its beginning: good enough for an advice to people, and for nothing else.
        """
        if self.kind() == TEXT or signature_of(self._head, self._tail) not in {None, *_FEW_LETTERS}:
            return False
        text = _text_otherwise(self._head)
        return text is not None and _text_kind(text, wanted) is not None

    def _read_text(self, data: bytes, *, final: bool) -> None:
        if not self._is_text:
            return
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError:
            self._is_text = False
        else:
            self._is_text = _CONTROL.search(text) is None


def signature_of(head: bytes, tail: bytes) -> str | None:
    """Return the kind that the first bytes of a file tell; None if they tell nothing.

    Of a ZIP the last ones count, too.
    """
    for offset, mark, kind in _SIGNATURES:
        if not head.startswith(mark, offset):
            continue
        if kind in _FAMILY_OF_RIFF and not head.startswith(b"RIFF"):
            continue
        return _packed(head, tail) if kind == "application/zip" else kind
    return None


def _packed(head: bytes, tail: bytes) -> str:
    """Return the kind of a ZIP by the names in it; nothing is unpacked."""
    if found := _ODF.match(head, 30):
        return found[1].decode()
    names = _directory(tail) or head
    if b"[Content_Types].xml" in names or b"_rels/" in names:
        for folder, kind in _OFFICE_FOLDERS:
            if folder in names:
                return kind
    return "application/zip"


def _directory(tail: bytes) -> bytes:
    """Return the list of entries at the end of a ZIP; none of what the entries hold."""
    end = tail.rfind(_DIRECTORY_ENDS)
    size = int.from_bytes(tail[end + 12 : end + 16], "little")
    return tail[max(0, end - size) : end] if end > 0 else b""


def _text_otherwise(head: bytes) -> str | None:
    """Return the beginning of a text that is not UTF-8; None if it looks like none."""
    name = "utf-16" if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "latin-1"
    try:
        # It may end within a letter.
        text = codecs.getincrementaldecoder(name)().decode(head)
    except UnicodeDecodeError:
        return None
    return text if text and _CONTROL.search(text) is None else None


def _text_kind(text: str, wanted: Iterable[str]) -> str | None:
    """Return the first kind that a text counts as, of those wanted."""
    start = text.lstrip("\ufeff \t\r\n")
    return next((kind for kind in wanted if _is_text_kind(kind, start)), None)


def _is_text_kind(kind: str, start: str) -> bool:
    if kind in _TEXT_STARTS:
        return start.startswith(_TEXT_STARTS[kind])
    return kind.startswith("text/")


def kind_text(given: object) -> str | None:
    """Return a kind as it is declared (`image/png`, `image/*`); None if it is none."""
    text = given.strip().lower() if isinstance(given, str) else ""
    return text if KIND.fullmatch(text) else None
