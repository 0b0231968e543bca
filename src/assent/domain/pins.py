"""Pins: what a server's tool was when it was first seen or accepted, and what it is now."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assent.domain.bodies import Preview
from assent.domain.canonical import Json, digest, encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """One tool of one source; its name is the server's own.

    Until a changed definition is accepted, `accepted` is the one before.
    """

    source: str
    tool: str
    seen: Mapping[str, Any]
    accepted: Mapping[str, Any]
    # False once the server does not list it any more.
    listed: bool = True

    @property
    def hash(self) -> str:
        """The hash of the definition as it is now."""
        return hash_of(self.seen)

    @property
    def is_changed(self) -> bool:
        """True if nobody has accepted the definition as it is now."""
        return self.hash != hash_of(self.accepted)

    @property
    def change(self) -> Preview | None:
        """The difference that has not been accepted, for people; None if there is none."""
        if not self.is_changed:
            return None
        return Preview(before=as_lines(self.accepted), after=as_lines(self.seen))


def hash_of(definition: Mapping[str, Any]) -> str:
    """Return the hash that stands for a definition."""
    return digest(encode(dict(definition)))


def as_lines(definition: Mapping[str, Json]) -> str:
    """Return a definition as text that is compared by lines."""
    return json.dumps(dict(definition), indent=2, sort_keys=True, ensure_ascii=False)
