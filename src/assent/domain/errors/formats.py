"""Data that does not keep to its format: JSON, schemas, patterns, versions."""

from enum import StrEnum

from assent.domain.errors.root import AssentError


class JsonFault(StrEnum):
    """Why a text or value is not JSON that Assent takes in."""

    SYNTAX = "syntax"
    ENCODING = "encoding"
    DUPLICATE_KEY = "duplicate_key"
    NOT_FINITE = "not_finite"
    SURROGATE = "surrogate"
    NUMBER_RANGE = "number_range"
    DEPTH = "depth"
    SIZE = "size"
    TYPE = "type"


class InvalidJson(AssentError):
    """A text or value breaks the rules of strict JSON; `path` leads to the offender if known."""

    code = "invalid_json"

    def __init__(self, reason: JsonFault, detail: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"not acceptable JSON ({reason}): {detail}")
        self.reason = reason
        self.detail = detail
        self.path = path


class SchemaFault(StrEnum):
    """Why a JSON schema is not accepted."""

    SHAPE = "shape"
    SIZE = "size"
    DEPTH = "depth"
    SUBSCHEMAS = "subschemas"
    REFERENCES = "references"
    REMOTE_REFERENCE = "remote_reference"
    UNRESOLVED_REFERENCE = "unresolved_reference"
    DIALECT = "dialect"
    PATTERN = "pattern"


class InvalidSchema(AssentError):
    """A JSON schema is malformed, too large, or points outside itself."""

    code = "invalid_schema"

    def __init__(self, reason: SchemaFault, detail: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"not an acceptable JSON schema ({reason}): {detail}")
        self.reason = reason
        self.detail = detail
        self.path = path


class InvalidPattern(AssentError):
    """A regular expression is not one that RE2 compiles within bounds."""

    code = "invalid_pattern"

    def __init__(self, pattern: str, reason: str) -> None:
        super().__init__(f"pattern {pattern[:80]!r} is not usable: {reason}")
        self.pattern = pattern
        self.reason = reason


class InvalidIdentifier(AssentError):
    """An id, key or name that no database can keep as it is; `what` says whose. Not repeated."""

    code = "invalid_identifier"

    def __init__(self, what: str, reason: str) -> None:
        self.what, self.reason = what, reason
        super().__init__(f"The {what} cannot be kept: {reason}")


class Malformed(AssentError):
    """Data that does not have the shape its format promises; `field` says where."""

    code = "malformed"

    def __init__(self, noun: str, field: str, reason: str) -> None:
        self.noun, self.field, self.reason = noun, field, reason
        super().__init__(f"{noun} is malformed at {field!r}: {reason}")


class UnsupportedVersion(AssentError):
    """Data of a version this release does not know."""

    code = "unsupported_version"

    def __init__(self, noun: str, version: object, known: object) -> None:
        self.noun, self.version, self.known = noun, version, known
        super().__init__(f"{noun} has version {version!r}; this release reads up to {known!r}")
