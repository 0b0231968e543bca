"""Where what holds for a tool comes from: what is said replaces only itself."""

from dataclasses import dataclass
from enum import StrEnum


class Origin(StrEnum):
    """Who says that a tool is treated as it is."""

    DECLARED = "declared"
    NAME = "name"
    RISK = "risk"
    DEFAULT = "default"
    OVERRIDE = "override"

    @property
    def words(self) -> str:
        """The same for people."""
        return _WORDS[self]


_WORDS = {
    Origin.DECLARED: "declared",
    Origin.NAME: "by the tool's name",
    Origin.RISK: "by its risk",
    Origin.DEFAULT: "default",
    Origin.OVERRIDE: "an admin's setting",
}


@dataclass(frozen=True, slots=True)
class Described:
    """One value that holds for a tool, and where it comes from."""

    value: object
    origin: Origin

    def __str__(self) -> str:
        return f"{self.value} ({self.origin.words})"
