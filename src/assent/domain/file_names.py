"""Names of files that people upload: cleaned before they are stored, shown or put on a disk."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_NAME_CHARS: Final = 120
# A file system takes 255; a name in Chinese of that many characters has three times as many bytes.
MAX_NAME_BYTES: Final = 240
NAMELESS: Final = "file"
_SUFFIX_CHARS: Final = 12
# Characters that some file system or shell reads as something else.
_UNSAFE: Final = re.compile(r'[<>:"|?*`$&;\\/]')
_BLANKS: Final = re.compile(r"\s+")
# Windows opens a device under these names, whatever the suffix.
_DEVICE: Final = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)")


def clean_name(given: str) -> str:
    """Return a name of one line without folders, controls, direction marks or device names."""
    # A browser may send a whole path, with the separators of its own system.
    last = re.split(r"[\\/]", given[-2_000:])[-1]
    shown = "".join(
        char for char in last if unicodedata.category(char)[0] not in "CZ" or char == " "
    )
    text = unicodedata.normalize("NFC", shown)
    name = _BLANKS.sub(" ", _UNSAFE.sub("_", text)).strip(" .")
    if _DEVICE.match(name):
        name = f"_{name}"
    return _shortened(name) or NAMELESS


def _shortened(name: str) -> str:
    if _fits(name):
        return name
    stem, dot, suffix = name.rpartition(".")
    if not dot or len(suffix) > _SUFFIX_CHARS:
        stem, suffix = name, ""
    stem, end = stem[:MAX_NAME_CHARS], f".{suffix}" if suffix else ""
    while not _fits(stem + end):
        stem = stem[:-1]
    return stem.rstrip(" .") + end


def _fits(name: str) -> bool:
    return len(name) <= MAX_NAME_CHARS and len(name.encode()) <= MAX_NAME_BYTES
