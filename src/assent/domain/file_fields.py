"""Fields that take files: how answers are read, and the settings that only they have.

People answer with references to files that they uploaded before. Whether such a file is there, and
theirs, the engine checks; here its facts are held to the settings of the field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, cast

from assent.domain.canonical import Json
from assent.domain.file_kinds import KindReader, kind_text
from assent.domain.files import FileReference, reference_of, reference_schema, references_in
from assent.domain.parameters import Check, flag, several, unfit, whole
from assent.errors import InvalidAnswer

if TYPE_CHECKING:
    from assent.domain.fields import Field

MAX_FILE_BYTES: Final = 10_000_000
MOST_FILE_BYTES: Final = 2_000_000_000
MOST_FILES: Final = 100


def read_files(field: Field, value: object) -> Json:
    """Return the references that an answer holds: one, or a list if the field takes several."""
    given = cast("Sequence[object]", value) if isinstance(value, list | tuple) else [value]
    if len(given) > field.max_files:
        _refuse(field, f"Send at most {files_text(field.max_files)}.")
    found = [_read(field, each) for each in given or [None]]
    if len({each.key for each in found}) < len(found):
        _refuse(field, "Send each file once.")
    told: list[Json] = [each.to_json() for each in found]
    return told if field.max_files > 1 else told[0]


def _read(field: Field, value: object) -> FileReference:
    found = reference_of(value)
    if found is None:
        return _refuse(field, "Upload a file.")
    if found.bytes > field.max_bytes:
        _refuse(field, too_large(field.max_bytes))
    if not is_wanted(found.kind, field.kinds):
        _refuse(field, wrong_kind(field.kinds))
    if (found.sealed is not None) is not field.sealed:
        _refuse(field, "Upload this file again.")
    return found


def is_wanted(kind: str, kinds: Sequence[str]) -> bool:
    """Return True if a field that takes these kinds takes this one; none given takes all."""
    return not kinds or kind in kinds or f"{kind.partition('/')[0]}/*" in kinds


def too_large(limit: int) -> str:
    """Say that a file is larger than its field takes."""
    return f"The file is larger than {size_text(limit)}."


def wrong_kind(kinds: Sequence[str]) -> str:
    """Say that a file is, by its content, none of the kinds that its field takes."""
    return f"The file is, by its content, no {' or '.join(map(kind_words, kinds))}."


def misfit(content: KindReader, kinds: Sequence[str]) -> str:
    """Say why content that fits none of these kinds does not, and what to do if it is known."""
    return _NOT_UTF8 if content.is_unfit_text(kinds) else wrong_kind(kinds)


_NOT_UTF8: Final = "The text is not in UTF-8. Save it as UTF-8 (in Excel: CSV UTF-8)."


def kind_words(kind: str) -> str:
    """Return a kind as people say it: PNG, JPEG, PDF, image."""
    family, _, name = kind.partition("/")
    if name == "*":
        return family
    return _WORDS.get(kind) or name.removeprefix("x-").upper()


_OFFICE: Final = "application/vnd.openxmlformats-officedocument."
_WORDS: Final = {
    "text/plain": "text",
    "image/svg+xml": "SVG",
    f"{_OFFICE}wordprocessingml.document": "Word document",
    f"{_OFFICE}spreadsheetml.sheet": "Excel sheet",
    f"{_OFFICE}presentationml.presentation": "PowerPoint file",
    "application/vnd.oasis.opendocument.text": "OpenDocument text",
    "application/octet-stream": "data",
}


def size_text(size: int) -> str:
    """Return a size as people say it, in units of a thousand."""
    if size < 1_000:
        return f"{size} bytes" if size != 1 else "1 byte"
    for unit, step in (("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)):
        if size < step * 1_000 or unit == "GB":
            return f"{size / step:.1f}".removesuffix(".0") + f" {unit}"
    raise AssertionError("every size has a unit")


def files_text(count: int) -> str:
    """Return a number of files in words."""
    return "one file" if count == 1 else f"{count} files"


def file_keys(_field: Field, value: Json) -> list[str]:
    """Return the keys of an answer's files, as the boxes of a page post them."""
    return [each.key for each in references_in(value)]


def file_schema(field: Field) -> dict[str, Json]:
    """Return the JSON schema of an answer: what an upload returned."""
    one: dict[str, Json] = reference_schema(field.kinds, field.max_bytes)
    if len(field.kinds) == 1:
        one["contentMediaType"] = field.kinds[0]
    if field.max_files == 1:
        return one
    return {"type": "array", "items": one, "maxItems": field.max_files}


def _kind(given: object) -> object:
    return kind_text(given) or unfit()


# Settings that no other type has, as they are unless said otherwise.
FILE_DEFAULTS: Final[Mapping[str, object]] = MappingProxyType(
    {"kinds": (), "max_bytes": MAX_FILE_BYTES, "max_files": 1, "sealed": False}
)
# Every file field has them; the rest of its settings are those of all fields.
FILE_SETTINGS: Final = {
    "kinds": several(
        Check("a kind", _kind), tuple, "a kind of file such as 'image/png' or 'image/*', or several"
    ),
    "max_bytes": whole(1, MOST_FILE_BYTES),
    "max_files": whole(1, MOST_FILES),
    "sealed": flag,
}


def _refuse(field: Field, message: str) -> FileReference:
    raise InvalidAnswer({field.name: message})
