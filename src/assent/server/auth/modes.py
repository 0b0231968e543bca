"""How a deployment knows people, besides its own API keys and sessions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

# Asymmetric only: with a shared secret, whoever can check a token can also make one.
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
    """An OpenID Connect issuer whose tokens are believed, and whose people may sign in.

    People are known as `issuer|subject`. Roles come only from `roles`: claim value → role.
    """

    issuer: str
    # Who bearer tokens must be meant for.
    audience: str
    # The last part of its sign-in address.
    name: str = "openid"
    # Given, people can sign in with a browser.
    client_id: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    client_scope: str = "openid profile"
    # Asked of the issuer unless given.
    jwks_url: str | None = None
    roles_claim: str = "roles"
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    everybody: frozenset[str] = frozenset()
    # Client ids whose tokens are an agent's, or another program's, own.
    agents: frozenset[str] = frozenset()
    services: frozenset[str] = frozenset()
    algorithms: tuple[str, ...] = ALGORITHMS
    leeway: timedelta = timedelta(seconds=30)
    # How long keys are used without asking, and how long while the issuer does not answer.
    fresh: timedelta = timedelta(minutes=10)
    stale: timedelta = timedelta(hours=1)

    def __post_init__(self) -> None:
        shared = [name for name in self.algorithms if name not in ALGORITHMS]
        if shared:
            raise ValueError(f"{shared[0]!r} is no algorithm that tokens may be signed with here")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustedProxy:
    """A proxy that has authenticated people and says so in headers.

    Only connections from `peers` (addresses or networks) are believed. The proxy must remove these
    headers from what it receives.
    """

    peers: tuple[str, ...]
    user_header: str = "x-forwarded-user"
    roles_header: str | None = None
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    everybody: frozenset[str] = frozenset()

    @property
    def networks(self) -> tuple[IPv4Network | IPv6Network, ...]:
        """The peers as networks; a wrong one is an error at the start."""
        return tuple(ip_network(peer) for peer in self.peers)

    def trusts(self, address: str) -> bool:
        """Whether a connection from there is the proxy's."""
        try:
            peer = ip_address(address)
        except ValueError:
            return False
        return any(peer in network for network in self.networks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """So many at once, and then so many a second."""

    burst: int
    per_second: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """How often somebody may try, and how often somebody known may ask."""

    # Of wrong credentials, by address and by the name that is tried.
    failures: Rate = field(default_factory=lambda: Rate(burst=30, per_second=0.5))
    # Of everything, by person.
    requests: Rate = field(default_factory=lambda: Rate(burst=10_000, per_second=1_000))
