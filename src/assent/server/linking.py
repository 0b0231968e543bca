"""Linking: who may link chat accounts, and with which credential."""

from typing import Final

from assent.domain.people import PersonKind, Scope
from assent.errors import NotAllowed
from assent.server.caller import Caller

# A linked chat account reads, talks and decides as its person: a credential that may do less must
# not get there by linking one.
LINKING: Final = frozenset({Scope.READ, Scope.CHAT, Scope.DECIDE})


def may_link(caller: Caller) -> bool:
    """Return True if this credential may do everything that a linked chat account may."""
    return caller.person.kind is PersonKind.HUMAN and caller.scopes >= LINKING


def want_linking(caller: Caller) -> None:
    """Raise unless this credential may link chat accounts and change notifications."""
    if not may_link(caller):
        raise NotAllowed(caller.person.id, "link chat accounts with this credential")
