"""Who someone is, and who may decide."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, cast

from assent.domain import parameters
from assent.domain.identifiers import want_keepable
from assent.domain.parameters import Check, settle
from assent.errors import InvalidParameter


class PersonKind(StrEnum):
    """Humans decide; services own conversations and supply results; agents never decide."""

    HUMAN = "human"
    SERVICE = "service"
    AGENT = "agent"


REQUESTER = "requester"
APPROVER = "approver"
AUDITOR = "auditor"
ADMIN = "admin"
SYSTEM_ROLE = "system"


class Scope(StrEnum):
    """What a credential may be used for; never more than its person may do."""

    CHAT = "chat"
    READ = "read"
    DECIDE = "decide"
    AUDIT = "audit"
    MANAGE = "manage"


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who acts: an id from the identity layer, and the roles it vouches for."""

    id: str
    roles: frozenset[str] = field(default_factory=frozenset[str], kw_only=True)
    kind: PersonKind = field(default=PersonKind.HUMAN, kw_only=True)
    # The human whose service account or further identity this is.
    behind: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        settle(self, _PERSON, called="id")

    @property
    def human(self) -> str:
        """The one somebody ultimately is: two identities of one human have the same."""
        return self.behind or self.id


_PERSON: Final = {
    "id": parameters.name,
    "roles": parameters.names,
    "kind": parameters.one_of(PersonKind),
    "behind": parameters.optional(parameters.name),
}


def want_recordable(by: Person) -> None:
    """Raise unless every database can keep who acts; rows were judged before they were written."""
    want_keepable("person's id", by.id)
    for role in by.roles:
        want_keepable("person's role", role)
    if by.behind is not None:
        want_keepable("id of the human behind", by.behind)


SYSTEM = Person("system", roles=frozenset({SYSTEM_ROLE}), kind=PersonKind.SERVICE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Someone whom this deployment knows by itself; a disabled one is nobody."""

    id: str
    name: str
    kind: PersonKind
    roles: frozenset[str]
    created_at: datetime
    behind: str | None = None
    disabled: bool = False

    @property
    def person(self) -> Person:
        """Who acts when this account does."""
        return Person(self.id, roles=self.roles, kind=self.kind, behind=self.behind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Audience:
    """Who may decide a request: the conversation's owner unless roles or people are named."""

    owner: bool = True
    roles: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    exclude_requester: bool = False

    def __post_init__(self) -> None:
        settle(self, _AUDIENCE)

    @classmethod
    def of(cls, *roles: str, exclude_requester: bool = False) -> "Audience":
        """Route the question to roles instead of the owner."""
        # A list of them is what people write, too; what is no role is refused when it is made.
        said: Any = roles[0] if len(roles) == 1 else roles
        made = cls(owner=False, roles=said, exclude_requester=exclude_requester)
        if not made.roles:
            raise InvalidParameter("Audience", "roles", _ROLES.allowed, parameters.shown(said))
        return made

    def admits(self, person: Person, owner_id: str, behind: str | None = None) -> bool:
        """Whether this person may decide for a conversation with that owner.

        `behind` is the human behind the owner: excluded with it, as are all their identities.
        """
        if person.kind is PersonKind.AGENT:
            return False
        if self.exclude_requester and {person.id, person.human} & {owner_id, behind or owner_id}:
            return False
        if self.owner and person.id == owner_id:
            return True
        return person.id in self.people or not self.roles.isdisjoint(person.roles)

    def is_too_few(self, quorum: int, owner_id: str) -> bool:
        """Whether so many people can never be found; how many have a role nobody can tell."""
        named = self.people | {owner_id} if self.owner else self.people
        who = named - {owner_id} if self.exclude_requester else named
        return not self.roles and len(who) < quorum

    def is_empty_for(self, owner: Person) -> bool:
        """Whether nobody could ever decide: a service owner confirms nothing for itself."""
        owner_counts = self.owner and owner.kind is PersonKind.HUMAN and not self.exclude_requester
        return not (owner_counts or self.roles or self.people)

    def to_json(self) -> dict[str, object]:
        """Plain JSON, for storing with a request."""
        return {
            "owner": self.owner,
            "roles": sorted(self.roles),
            "people": sorted(self.people),
            "exclude_requester": self.exclude_requester,
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Audience":
        """Read what `to_json` wrote."""
        return cls(
            owner=stored["owner"],
            roles=frozenset(stored["roles"]),
            people=frozenset(stored["people"]),
            exclude_requester=stored["exclude_requester"],
        )


_AUDIENCE: Final = {
    "owner": parameters.flag,
    "roles": parameters.names,
    "people": parameters.names,
    "exclude_requester": parameters.flag,
}


def _roles(given: object) -> object:
    roles = _ROLES.read(given)
    # An empty tuple is what nobody said: nothing that could be said here.
    return (
        parameters.unfit()
        if roles in (parameters.unfit(), ())
        else Audience.of(*cast("tuple[str, ...]", roles))
    )


_ROLES: Final = parameters.several(parameters.name, tuple, "a role or several roles", some=True)
# Who decides, as people write it: a role, several roles, or all there is to say.
audience: Final = parameters.either(
    parameters.instance(Audience, "an Audience"), Check(_ROLES.allowed, _roles)
)
