"""Ways to identify people besides API keys and sessions, and limits on requests."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final, cast

from assent.domain import parameters
from assent.domain.parameters import Check, hidden, optional, settle

# Asymmetric only: with a shared secret, a party that can check a token can also make one.
ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenId:
    """An OpenID Connect issuer whose tokens are accepted, and whose people may sign in.

    People are known as `issuer|subject`. Roles come only from `roles` (claim value → role) and
    from `everybody`, the roles that all of them have.
    """

    issuer: str
    # The audience that bearer tokens must name.
    audience: str
    # The last part of its sign-in address.
    name: str = "openid"
    # If given, people can sign in with a browser.
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    client_scope: str = "openid profile"
    # Taken from the issuer's configuration unless given.
    jwks_url: str | None = None
    roles_claim: str = "roles"
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    everybody: frozenset[str] = frozenset()
    # Ids of clients whose tokens belong to an agent, or to another program.
    agents: frozenset[str] = frozenset()
    services: frozenset[str] = frozenset()
    algorithms: tuple[str, ...] = ALGORITHMS
    leeway: timedelta = timedelta(seconds=30)
    # How long keys are used before they are fetched again, and how long if the issuer does not
    # answer.
    fresh: timedelta = timedelta(minutes=10)
    stale: timedelta = timedelta(hours=1)

    def __post_init__(self) -> None:
        settle(self, _OPENID, called="name")


def _roles_by_claim(given: object) -> object:
    found = parameters.mapping.read(given)
    fits = found is given and all(
        isinstance(role, str) and role for role in cast("Mapping[str, object]", given).values()
    )
    return given if fits else parameters.unfit()


_ROLES: Final = Check("a mapping from what is claimed to a role", _roles_by_claim)
_OPENID: Final = {
    "issuer": parameters.name,
    "audience": parameters.name,
    "name": parameters.name,
    "client_id": optional(parameters.name),
    "client_secret": hidden(optional(parameters.text)),
    "client_scope": parameters.text,
    "jwks_url": optional(parameters.name),
    "roles_claim": parameters.name,
    "roles": _ROLES,
    "everybody": parameters.names,
    "agents": parameters.names,
    "services": parameters.names,
    "algorithms": parameters.several(
        parameters.word(*ALGORITHMS), tuple, f"one or several of {', '.join(ALGORITHMS)}"
    ),
    "leeway": parameters.duration(zero=True),
    "fresh": parameters.duration(zero=True),
    "stale": parameters.duration(zero=True),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedProxy:
    """A proxy that authenticates people and names them in headers.

    Only connections from `peers` (addresses or networks) are believed. The proxy must remove these
    headers from the requests that it receives.
    """

    peers: tuple[str, ...]
    user_header: str = "x-forwarded-user"
    roles_header: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    everybody: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        settle(self, _PROXY)

    @property
    def networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The peers as networks; an invalid one is an error at the start."""
        return tuple(ip_network(peer) for peer in self.peers)

    def trusts(self, address: str) -> bool:
        """Return True if a connection from this address is the proxy's."""
        try:
            peer = ip_address(address)
        except ValueError:
            return False
        return any(peer in network for network in self.networks)


def _peer(given: object) -> object:
    try:
        return given if isinstance(given, str) and ip_network(given) else parameters.unfit()
    except ValueError:
        return parameters.unfit()


_PROXY: Final = {
    "peers": parameters.several(
        Check("an address", _peer), tuple, "an address, a network, or several", some=True
    ),
    "user_header": parameters.name,
    "roles_header": optional(parameters.name),
    "roles": _ROLES,
    "everybody": parameters.names,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A limit: `burst` at once, and then `per_second`."""

    burst: int
    per_second: float

    def __post_init__(self) -> None:
        settle(self, {"burst": parameters.whole(1), "per_second": parameters.number(above=0)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Limits on failed attempts to authenticate, and on the requests of a person."""

    # For wrong credentials, by address and by the name that is tried.
    failures: Rate = field(default_factory=lambda: Rate(burst=30, per_second=0.5))
    # For all requests, by person.
    requests: Rate = field(default_factory=lambda: Rate(burst=10_000, per_second=1_000))

    def __post_init__(self) -> None:
        settle(self, dict.fromkeys(("failures", "requests"), parameters.instance(Rate)))  # pyright: ignore[reportArgumentType]
