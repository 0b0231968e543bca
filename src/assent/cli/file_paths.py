"""Files at the prompt: a person gives a path, and is told what would be sent before it is."""

import hashlib
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assent.domain.fields import Field
from assent.domain.file_fields import files_text, kind_words, misfit, size_text, too_large
from assent.domain.file_kinds import KindReader
from assent.domain.files import CHUNK_BYTES
from assent.errors import InvalidAnswer
from assent.presentation.text import safe_line

_DIGEST_CHARS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalFile:
    """A file of this machine, as it would be uploaded."""

    path: Path
    kind: str
    size: int
    sha256: str

    def __str__(self) -> str:
        facts = f"{kind_words(self.kind)}, {size_text(self.size)}"
        return f"{safe_line(self.path.name)} ({facts}, sha256 {self.sha256[:_DIGEST_CHARS]}…)"


def paths_in(typed: str) -> list[str]:
    """Return the paths that a person typed or dropped: quoted as in a shell where there are blanks.

    A path that exists as it stands needs no quotes.
    """
    text = typed.strip()
    if not text or _there(text):
        return [text] if text else []
    try:
        return shlex.split(text)
    except ValueError:
        return [text]


def local_files(field: Field, typed: str) -> list[LocalFile]:
    """Return the files at the paths; raises `InvalidAnswer` for what the field does not take."""
    paths = paths_in(typed)
    if len(paths) > field.max_files:
        raise InvalidAnswer({field.name: f"Give at most {files_text(field.max_files)}."})
    return [_looked_at(field, Path(text).expanduser()) for text in paths]


def limits_of(field: Field) -> str:
    """Say what a field takes."""
    kinds = ", ".join(map(kind_words, field.kinds)) or "any kind"
    several = "" if field.max_files == 1 else f"; up to {field.max_files} files, quoted if need be"
    return f"{kinds}, up to {size_text(field.max_bytes)}{several}"


def _looked_at(field: Field, path: Path) -> LocalFile:
    reader, sha256, size = KindReader(), hashlib.sha256(), 0
    try:
        # A pipe or device has no end, and what is read once cannot be sent.
        if not path.is_file():
            raise InvalidAnswer({field.name: f"There is no file at {safe_line(str(path))}."})
        for data in _read(path):
            size += len(data)
            if size > field.max_bytes:
                raise InvalidAnswer({field.name: too_large(field.max_bytes)})
            reader.feed(data)
            sha256.update(data)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no path"
        raise InvalidAnswer({field.name: f"It cannot be read: {reason}."}) from None
    if size == 0:
        raise InvalidAnswer({field.name: "The file is empty."})
    kind = reader.fits(field.kinds)
    if kind is None:
        raise InvalidAnswer({field.name: misfit(reader, field.kinds)})
    return LocalFile(path=path, kind=kind, size=size, sha256=sha256.hexdigest())


def _read(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while data := file.read(CHUNK_BYTES):
            yield data


def _there(text: str) -> bool:
    try:
        return Path(text).expanduser().is_file()
    except (OSError, ValueError):
        return False


def named_paths(given: Sequence[str]) -> dict[str, list[Path]]:
    """Return the files of `--file FIELD=PATH`, by field; raises `ValueError` without `=`."""
    found: dict[str, list[Path]] = {}
    for each in given:
        name, equals, path = each.partition("=")
        if not equals or not path:
            raise ValueError(each)
        found.setdefault(name, []).append(Path(path).expanduser())
    return found
