"""Changes of a person's account and who made them, read from the record."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, cast

from assent.domain.canonical import Json
from assent.domain.events import Entry
from assent.engine.people.directory import CHANGES

# Entries that hold the state of the account after the change.
_STATES: Final = frozenset({"add_person", "change_person", "link_person"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonChange:
    """One change of an account, in words."""

    at: datetime
    by: str
    words: str


def changes_of(entries: list[Entry]) -> list[PersonChange]:
    """Return the changes, newest first.

    If the list was cut, its oldest entry is left out: the state before it is not known.
    """
    states = [entry for entry in entries if entry.action in _STATES]
    older = dict(zip([each.id for each in states], [*states[1:], None], strict=False))
    kept = entries[:-1] if len(entries) == CHANGES else entries
    return [
        PersonChange(at=each.at, by=each.actor, words=_words(each, older.get(each.id)))
        for each in kept
    ]


def _words(entry: Entry, older: Entry | None) -> str:
    data = entry.data
    match entry.action:
        case "add_person":
            return f"added the account with {_roles(data)}"
        case "change_person" | "link_person":
            return ", ".join(_differences(data, {} if older is None else older.data)) or (
                "changed the name"
            )
        case "issue_key":
            return f"made the key assent_{data.get('prefix')}_… that may {_listed(data, 'scopes')}"
        case "revoke_key":
            return f"revoked the key assent_{data.get('prefix')}_…"
        case _:
            return "made a link to decide" if entry.request_id else "made a sign-in link"


def _differences(new: dict[str, Json], old: dict[str, Json]) -> Iterable[str]:
    now, before = _set(new, "roles"), _set(old, "roles")
    for said, roles in (("gave", now - before), ("took", before - now)):
        if roles:
            noun = "role" if len(roles) == 1 else "roles"
            yield f"{said} the {noun} {' and '.join(sorted(roles))}"
    if new.get("disabled") != old.get("disabled", False):
        yield "disabled the account" if new.get("disabled") else "enabled the account"
    if new.get("behind") != old.get("behind"):
        human = new.get("behind")
        yield f"said that {human} is behind it" if human else "said that nobody is behind it"


def _roles(data: dict[str, Json]) -> str:
    return f"the roles {_listed(data, 'roles')}" if data.get("roles") else "no roles"


def _listed(data: dict[str, Json], name: str) -> str:
    return ", ".join(sorted(_set(data, name)))


def _set(data: dict[str, Json], name: str) -> set[str]:
    found: Any = data.get(name)
    return {str(each) for each in cast("list[object]", found)} if isinstance(found, list) else set()
