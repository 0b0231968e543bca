"""Files that people upload for a call: the reference that is approved, and the bytes for a body."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast, get_args

import msgspec

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.file_kinds import KIND
from assent.domain.file_names import clean_name
from assent.domain.parameters import optional, settle
from assent.errors import FileNotHere

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic_core import CoreSchema

CHUNK_BYTES: Final = 262_144
SHA256: Final = re.compile(r"[0-9a-f]{64}")
SEALED_ID: Final = re.compile(r"fil_[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReference:
    """A file in the arguments of a call: these facts are shown, approved and digested.

    `sha256` is that of its bytes. A sealed file has the id of its row instead, since a digest of
    something secret could be guessed at.
    """

    name: str
    kind: str
    bytes: int
    sha256: str | None = None
    sealed: str | None = None

    @property
    def key(self) -> str:
        """The text that finds the file among those of its call."""
        return self.sha256 or self.sealed or ""

    def to_json(self) -> dict[str, Json]:
        """Return the reference as arguments hold it."""
        facts: dict[str, Json] = {"name": self.name, "kind": self.kind, "bytes": self.bytes}
        return facts | ({"sha256": self.sha256} if self.sha256 else {"sealed": self.sealed})


def reference_of(value: object) -> FileReference | None:
    """Return the reference that a value is, exactly; None for any other value."""
    match value:
        case {"name": str(name), "kind": str(kind), "bytes": int(size), **rest} if (  # pyright: ignore[reportUnknownVariableType]
            clean_name(name) == name and KIND.fullmatch(kind) and size >= 0 and size is not True
        ):
            return _identified(name, kind, size, cast("dict[Any, Any]", rest))
        case _:
            return None


def _identified(name: str, kind: str, size: int, rest: Mapping[Any, Any]) -> FileReference | None:
    match rest:
        case {"sha256": str(sha256)} if len(rest) == 1 and SHA256.fullmatch(sha256):
            return FileReference(name=name, kind=kind, bytes=size, sha256=sha256)
        case {"sealed": str(sealed)} if len(rest) == 1 and SEALED_ID.fullmatch(sealed):
            return FileReference(name=name, kind=kind, bytes=size, sealed=sealed)
        case _:
            return None


def references_in(value: object) -> Iterator[FileReference]:
    """Return the references that the value of a file field holds: one, or a list of them."""
    several: list[object] = cast("list[object]", value) if isinstance(value, list) else [value]
    for each in several:
        if (found := reference_of(each)) is not None:
            yield found


class File:
    """A file that a person uploaded: annotate the parameter of a body with it.

    Its bytes are there while the call runs: `read()`, or `path` for programs that open files.
    """

    __slots__ = ("_path", "_reference", "kind", "name", "sha256", "size")

    def __init__(
        self, reference: FileReference, path: Path | None = None, sha256: str | None = None
    ) -> None:
        given = {"reference": reference, "path": path, "sha256": sha256}
        parameters.taken("File", given, _FILE)
        self._reference, self._path = reference, path
        self.name, self.kind, self.size = reference.name, reference.kind, reference.bytes
        self.sha256 = sha256 or reference.sha256 or ""

    def __repr__(self) -> str:
        return f"File(name={self.name!r}, kind={self.kind!r}, size={self.size})"

    @property
    def reference(self) -> FileReference:
        """The facts of it that arguments hold."""
        return self._reference

    @property
    def path(self) -> Path:
        """A temporary copy, which is deleted when the body ends."""
        if self._path is None:
            raise FileNotHere(self.name)
        return self._path

    def read(self) -> bytes:
        """Return all of its bytes."""
        return self.path.read_bytes()

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        # Imported when used: whoever declares tools has loaded it.
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(
            cls._validated,
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda file: file.reference.to_json()
            ),
        )

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return reference_schema()

    @classmethod
    def _validated(cls, value: object) -> File:
        if isinstance(value, File):
            return value
        reference = reference_of(value)
        if reference is None:
            raise ValueError("must be a file that was uploaded")
        return cls(reference)


_FILE: Final = {
    "reference": parameters.instance(FileReference),
    "path": optional(parameters.instance(Path)),
    "sha256": optional(parameters.text),
}


def reference_schema(kinds: Iterable[str] = (), max_bytes: int | None = None) -> dict[str, Any]:
    """Return the JSON schema of a reference."""
    size: dict[str, Json] = {"type": "integer", "minimum": 0}
    kind: dict[str, Json] = {"type": "string"}
    if max_bytes is not None:
        size["maximum"] = max_bytes
    if (exact := list(kinds)) and not any(each.endswith("/*") for each in exact):
        kind["enum"] = cast("list[Json]", exact)
    return {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "kind": kind,
            "bytes": size,
            "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
            "sealed": {"type": "string"},
        },
        "required": ["name", "kind", "bytes"],
        "additionalProperties": False,
    }


def is_file_hint(hint: object) -> bool:
    """Return True if a type hint is `File`, or holds it: a list of files, or a file or None."""
    return hint is File or any(is_file_hint(part) for part in get_args(hint))


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """The row of a file's content, in chunks beside it; `owner` is whose conversation it is for."""

    id: str
    owner: str
    sha256: str | None
    # By its content alone.
    kind: str
    bytes: int
    sealed: bool
    complete: bool
    at: datetime


class FileUse(msgspec.Struct, frozen=True, kw_only=True):
    """One use of a stored file: for which field of which call, under which name, and by whom.

    The kind belongs to the use: text counts as what its field wants of it.
    """

    call_id: str
    field: str
    file_id: str
    name: str
    by: str
    at: datetime
    kind: str
    bytes: int
    sha256: str | None
    sealed: bool

    @property
    def reference(self) -> FileReference:
        """The reference that arguments hold of it."""
        return FileReference(
            name=self.name,
            kind=self.kind,
            bytes=self.bytes,
            sha256=None if self.sealed else self.sha256,
            sealed=self.file_id if self.sealed else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedFile:
    """An upload as a scan is given it: its facts, and a temporary copy."""

    name: str
    kind: str
    size: int
    sha256: str
    path: Path
    tool: str
    field: str
    by: str

    def __post_init__(self) -> None:
        settle(self, _SCANNED, called="name")


_SCANNED: Final = {
    "name": parameters.text,
    "kind": parameters.text,
    "size": parameters.whole(0),
    "sha256": parameters.text,
    "path": parameters.instance(Path),
    "tool": parameters.text,
    "field": parameters.text,
    "by": parameters.text,
}
