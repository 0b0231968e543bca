"""The permission to manage people and their credentials."""

from assent.domain.parameters import instance
from assent.domain.people import ADMIN, SYSTEM_ROLE, Person, PersonKind
from assent.errors import NotAllowed


def manages(by: Person) -> bool:
    """Return True for admins and for the system, which has the database and its key."""
    return by.kind is not PersonKind.AGENT and not by.roles.isdisjoint({ADMIN, SYSTEM_ROLE})


def want_manager(by: Person, action: str) -> None:
    """Raise unless this person manages; an id has no roles, so only a `Person` can."""
    instance(Person, "a Person who manages").taken(f"To {action}", "by", by)
    if not manages(by):
        raise NotAllowed(by.id, action)
