"""Origins of a tool's settings: declared, default, derived, or overridden."""

from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """The origin of one setting of a tool."""

    DECLARED = "declared"
    NAME = "name"
    RISK = "risk"
    SOURCE = "source"
    DEFAULT = "default"
    OVERRIDE = "override"

    @property
    def words(self) -> str:
        """The origin in words for people."""
        return _WORDS[self]


_WORDS = {
    Origin.DECLARED: "declared",
    Origin.NAME: "by the tool's name",
    Origin.RISK: "by its risk",
    Origin.SOURCE: "by the server it comes from",
    Origin.DEFAULT: "default",
    Origin.OVERRIDE: "an admin's setting",
}


@dataclass(frozen=True, slots=True)
class Described:
    """One setting of a tool, and its origin."""

    value: object
    origin: Origin

    def __str__(self) -> str:
        return f"{self.value} ({self.origin.words})"
