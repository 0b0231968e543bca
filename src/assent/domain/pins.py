"""Pins: what a server's tool was when it was first seen or accepted, and what it is now."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from assent.domain.bodies import Preview
from assent.domain.canonical import Json, digest, encode

_UNFIT: Final = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST: Final = 64
_MARK: Final = 8


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
    def name(self) -> str:
        """Our name for the tool."""
        return name_of(self.source.partition(":")[2], self.tool)

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


def name_of(server: str, tool: str) -> str:
    """Return our name for a server's tool; a name that does not fit gets a mark of the whole."""
    prefix = f"{server}__"
    plain = _UNFIT.sub("_", tool)
    if plain == tool and tool and len(prefix) + len(tool) <= _LONGEST:
        return prefix + tool
    mark = hashlib.sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:_MARK]
    room = _LONGEST - len(prefix) - _MARK - 1
    return f"{prefix}{plain[:room]}_{mark}"


def hash_of(definition: Mapping[str, Any]) -> str:
    """Return the hash that stands for a definition."""
    return digest(encode(dict(definition)))


def as_lines(definition: Mapping[str, Json]) -> str:
    """Return a definition as text that is compared by lines."""
    return json.dumps(dict(definition), indent=2, sort_keys=True, ensure_ascii=False)
