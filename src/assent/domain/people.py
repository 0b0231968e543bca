"""People, accounts, and the audiences that may decide."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Literal, cast

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
    """The uses that a credential is limited to; never more than its person may do."""

    CHAT = "chat"
    READ = "read"
    DECIDE = "decide"
    AUDIT = "audit"
    MANAGE = "manage"


# Names as people write them: one, or several.
NamesGiven = str | Iterable[str]
KindGiven = PersonKind | Literal["human", "service", "agent"]
_NONE: Final = frozenset[str]()


@dataclass(frozen=True, slots=True, init=False)
class Person:
    """A person or program: an id from the identity layer, and the roles that it vouches for."""

    id: str
    roles: frozenset[str]
    kind: PersonKind
    # The human whose service account or further identity this is.
    behind: str | None

    def __init__(
        self,
        id: str,
        *,
        roles: NamesGiven = _NONE,
        kind: KindGiven = PersonKind.HUMAN,
        behind: str | None = None,
    ) -> None:
        settle(self, _PERSON, called="id", id=id, roles=roles, kind=kind, behind=behind)

    @property
    def human(self) -> str:
        """The id of the human behind this identity: the same for all identities of one human."""
        return self.behind or self.id


_PERSON: Final = {
    "id": parameters.name,
    "roles": parameters.names,
    "kind": parameters.one_of(PersonKind),
    "behind": parameters.optional(parameters.name),
}


def want_recordable(by: Person) -> None:
    """Raise unless every database can store this person; people from rows were checked before."""
    want_keepable("person's id", by.id)
    for role in by.roles:
        want_keepable("person's role", role)
    if by.behind is not None:
        want_keepable("id of the human behind", by.behind)


SYSTEM = Person("system", roles=frozenset({SYSTEM_ROLE}), kind=PersonKind.SERVICE)
"""The program itself, as `by` of what it does to accounts: there may be no admin yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person known to this deployment itself; a disabled account cannot act."""

    id: str
    name: str
    kind: PersonKind
    roles: frozenset[str]
    created_at: datetime
    behind: str | None = None
    disabled: bool = False

    @property
    def person(self) -> Person:
        """The person who acts with this account."""
        return Person(self.id, roles=self.roles, kind=self.kind, behind=self.behind)


@dataclass(frozen=True, slots=True, init=False)
class Audience:
    """The people who may decide a request: the owner, unless roles or people are named.

    `one & other` admits the people whom both admit. They are kept as `also`: further audiences that
    must admit a person as well.
    """

    owner: bool
    roles: frozenset[str]
    people: frozenset[str]
    exclude_requester: bool
    also: tuple["Audience", ...]

    def __init__(
        self,
        *,
        owner: bool = True,
        roles: NamesGiven = _NONE,
        people: NamesGiven = _NONE,
        exclude_requester: bool = False,
        also: "Audience | Iterable[Audience]" = (),
    ) -> None:
        settle(
            self,
            _AUDIENCE,
            owner=owner,
            roles=roles,
            people=people,
            exclude_requester=exclude_requester,
            also=also,
        )
        if self.also:
            self._reduce()

    def _reduce(self) -> None:
        """Keep the fewest parts that admit the same people, sorted so that equal ones match."""
        everybody = (self, *self.also)
        excludes = any(each.exclude_requester for each in everybody)
        first, *rest = _fewest([_plain(part) for each in everybody for part in each.parts])
        for name in ("owner", "roles", "people"):
            object.__setattr__(self, name, getattr(first, name))
        object.__setattr__(self, "exclude_requester", excludes)
        object.__setattr__(self, "also", tuple(rest))

    @property
    def parts(self) -> tuple["Audience", ...]:
        """The plain audiences that must all admit a person; mostly one."""
        if not self.also:
            return (self,)
        return (_plain(self), *(part for each in self.also for part in each.parts))

    def __and__(self, other: "Audience") -> "Audience":
        return replace(self, also=(*self.also, other))

    @classmethod
    def of(cls, *roles: NamesGiven, exclude_requester: bool = False) -> "Audience":
        """Route the question to roles instead of the owner."""
        # People also write one list of roles; values that are no roles are refused by the
        # constructor.
        said: Any = roles[0] if len(roles) == 1 else roles
        made = cls(owner=False, roles=said, exclude_requester=exclude_requester)
        if not made.roles:
            raise InvalidParameter("Audience", "roles", _ROLES.allowed, parameters.shown(said))
        return made

    def admits(self, person: Person, owner_id: str, behind: str | None = None) -> bool:
        """Return True if this person may decide for a conversation with that owner.

        `behind` is the human behind the owner: excluded with the owner, as are all their
        identities.
        """
        if person.kind is PersonKind.AGENT:
            return False
        if self.exclude_requester and {person.id, person.human} & {owner_id, behind or owner_id}:
            return False
        if not self.also:
            return _names(self, person, owner_id)
        return all(_names(part, person, owner_id) for part in self.parts)

    def without_owner(self) -> "Audience":
        """Return the same audience without an owner who is admitted only as the owner."""
        also = tuple(each.without_owner() for each in self.also)
        return replace(self, owner=False, also=also)

    def is_too_few(self, quorum: int, owner_id: str) -> bool:
        """Return True if it can never have `quorum` people; a role may have any number of them."""
        named = [
            part.people | {owner_id} if part.owner else part.people
            for part in self.parts
            if not part.roles
        ]
        if not named:
            return False
        who = named[0].intersection(*named)
        return len(who - {owner_id} if self.exclude_requester else who) < quorum

    def is_empty_for(self, owner: Person) -> bool:
        """Return True if no one could ever decide: a service owner confirms nothing for itself."""
        owner_counts = owner.kind is PersonKind.HUMAN and not self.exclude_requester
        counting = self if owner_counts else self.without_owner()
        return counting.is_too_few(1, owner.id)

    def to_json(self) -> dict[str, object]:
        """Return plain JSON, for storing with a request."""
        plain: dict[str, object] = {
            "owner": self.owner,
            "roles": sorted(self.roles),
            "people": sorted(self.people),
            "exclude_requester": self.exclude_requester,
        }
        # Only if there are any: most audiences are stored as in earlier releases.
        return plain | {"also": [each.to_json() for each in self.also]} if self.also else plain

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "Audience":
        """Read what `to_json` wrote."""
        return cls(
            owner=stored["owner"],
            roles=frozenset(stored["roles"]),
            people=frozenset(stored["people"]),
            exclude_requester=stored["exclude_requester"],
            also=tuple(map(cls.from_json, stored.get("also", ()))),
        )


_AUDIENCE: Final = {
    "owner": parameters.flag,
    "roles": parameters.names,
    "people": parameters.names,
    "exclude_requester": parameters.flag,
    "also": parameters.several(
        parameters.instance(Audience), tuple, "an Audience or several Audiences"
    ),
}


def _names(part: Audience, person: Person, owner_id: str) -> bool:
    if part.owner and person.id == owner_id:
        return True
    return person.id in part.people or not part.roles.isdisjoint(person.roles)


def _plain(part: Audience) -> Audience:
    return Audience(owner=part.owner, roles=part.roles, people=part.people)


def _fewest(parts: list[Audience]) -> list[Audience]:
    """Return the parts that matter, sorted.

    A part that admits all the people whom another part admits adds nothing.
    """
    listed = [each for each in parts if not each.owner and not each.roles]
    others = [each for each in parts if each.owner or each.roles]
    if listed:
        common = listed[0].people.intersection(*(each.people for each in listed))
        others.append(Audience(owner=False, people=common))
    unlike = sorted(dict.fromkeys(others), key=_order)
    return [one for one in unlike if not any(_is_within(each, one) for each in unlike)]


def _is_within(one: Audience, other: Audience) -> bool:
    owner = other.owner or not one.owner
    return one != other and owner and one.roles <= other.roles and one.people <= other.people


def _order(part: Audience) -> tuple[list[str], list[str], bool]:
    return sorted(part.roles), sorted(part.people), part.owner


# An audience as people write it: a role, several roles, or an `Audience`.
AudienceGiven = Audience | NamesGiven


def _roles(given: object) -> object:
    roles = _ROLES.read(given)
    # `_ROLES` lets an empty tuple pass, as the default for nothing given; here it is refused.
    return (
        parameters.unfit()
        if roles in (parameters.unfit(), ())
        else Audience.of(*cast("tuple[str, ...]", roles))
    )


_ROLES: Final = parameters.several(parameters.name, tuple, "a role or several roles", some=True)
audience: Final = parameters.either(
    parameters.instance(Audience, "an Audience"), Check(_ROLES.allowed, _roles)
)
