"""Preferences: answers that a person keeps for all their conversations, and origins of values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

from assent.domain.canonical import Json


class Keep(StrEnum):
    """How long the answers to a form are kept; `person` is for all conversations of theirs."""

    ONCE = "once"
    CONVERSATION = "conversation"
    PERSON = "person"

    @property
    def words(self) -> str:
        """The choice in words for people."""
        return _CHOICES[self]


_CHOICES = {
    Keep.ONCE: "Only this time",
    Keep.CONVERSATION: "For this conversation",
    Keep.PERSON: "For all my conversations",
}


class ValueSource(StrEnum):
    """Where the value of a field came from, if nobody typed it for this call."""

    CONVERSATION = "conversation"
    PREFERENCE = "preference"
    SUGGESTION = "suggestion"

    @property
    def words(self) -> str:
        """The source in words for people, after the name of a field."""
        return _WORDS[self]


_WORDS = {
    ValueSource.CONVERSATION: "kept for this conversation",
    ValueSource.PREFERENCE: "from a preference",
    ValueSource.SUGGESTION: "as in an earlier call",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """One answer that a person keeps for all conversations, for one tool or a family of tools.

    A secret's value is a reference to its sealed row, never the secret.
    """

    id: str
    person: str
    scope: str
    name: str
    value: Json
    secret: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueOrigin:
    """Where the value of one field came from: the row that it was kept in, and since when.

    `id` is that of the preference or of the earlier call; a conversation's answers have a scope
    instead. `fits` is False if the form no longer accepts it, so that it is asked for again.
    """

    field: str
    source: ValueSource
    id: str
    at: datetime
    fits: bool = True

    def to_json(self) -> dict[str, Json]:
        """Return JSON that `from_json` reads back, to be stored with a request."""
        said: dict[str, Json] = {
            "source": self.source.value,
            "id": self.id,
            "at": self.at.isoformat(),
        }
        return said if self.fits else {**said, "fits": False}

    @classmethod
    def from_json(cls, field: str, data: Json) -> ValueOrigin:
        """Read the JSON of `to_json`."""
        said = cast("Mapping[str, Any]", data)
        return cls(
            field=field,
            source=ValueSource(said["source"]),
            id=said["id"],
            at=datetime.fromisoformat(said["at"]),
            fits=said.get("fits", True),
        )


Origins = Mapping[str, ValueOrigin]


def origins_json(origins: Origins) -> dict[str, Json]:
    """Return the origins of all fields, for a request or the record."""
    return {name: origin.to_json() for name, origin in origins.items()}


def scope_words(scope: str) -> str:
    """Return a scope in words for people; its name is an author's."""
    kind, _, name = scope.partition(":")
    return f"all tools of {name}" if kind == "family" else name
