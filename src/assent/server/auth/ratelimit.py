"""Rate limits on guesses of credentials, and on the requests of a person."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from assent.engine.ttl_cache import TtlCache
from assent.errors import TooManyRequests
from assent.server.auth.modes import Rate, Rates

MAX_NAMES: Final = 50_000
PROVEN_SECONDS: Final = 600.0


class Buckets:
    """One token bucket per name; if there are too many, the longest unused are forgotten."""

    def __init__(
        self, rate: Rate, monotonic: Callable[[], float], max_names: int = MAX_NAMES
    ) -> None:
        self._rate, self._monotonic, self._max_names = rate, monotonic, max_names
        self._levels: dict[str, tuple[float, float]] = {}

    def __len__(self) -> int:
        return len(self._levels)

    def wait(self, name: str) -> float:
        """Return the seconds until there is a token; 0 if there is one."""
        missing = 1 - self._level(name)
        return max(0.0, missing / self._rate.per_second)

    def take(self, name: str) -> float:
        """Take a token and return 0, or return the seconds until there is one."""
        level = self._level(name)
        if level < 1:
            return (1 - level) / self._rate.per_second
        self._levels.pop(name, None)
        while len(self._levels) >= self._max_names:
            del self._levels[next(iter(self._levels))]
        self._levels[name] = (level - 1, self._monotonic())
        return 0.0

    def _level(self, name: str) -> float:
        level, at = self._levels.get(name, (float(self._rate.burst), 0.0))
        refilled = level + (self._monotonic() - at) * self._rate.per_second
        return min(float(self._rate.burst), refilled)


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialAttempt:
    """One attempt with a credential: its kind, its address, the name it claims, and its hash."""

    kind: str
    address: str
    claims: str = ""
    proof: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the buckets that it takes from if it fails."""
        place = f"{self.kind} from {self.address}"
        return (place, f"{self.kind} of {self.claims}") if self.claims else (place,)


class Throttle:
    """Counts failures and requests in this process; the counts end with it."""

    def __init__(self, rates: Rates, monotonic: Callable[[], float]) -> None:
        self._failures = Buckets(rates.failures, monotonic)
        self._requests = Buckets(rates.requests, monotonic)
        self._proven = TtlCache[bool](monotonic, PROVEN_SECONDS)

    def begin(self, attempt: CredentialAttempt) -> None:
        """Raise after too many failures, before anything is looked up.

        A credential that was right just now passes, so that guesses cannot lock out its holder.
        """
        if attempt.proof and self._proven.get(attempt.proof):
            return
        _refuse(max(self._failures.wait(name) for name in attempt.names))

    def failed(self, attempt: CredentialAttempt) -> None:
        """Count an attempt that was wrong."""
        for name in attempt.names:
            self._failures.take(name)

    def succeeded(self, attempt: CredentialAttempt) -> None:
        """Remember an attempt that was right."""
        if attempt.proof and self._proven.get(attempt.proof) is None:
            self._proven.put(attempt.proof, value=True)

    def spend(self, person: str) -> None:
        """Count one request of an identified person; raises if there are too many."""
        _refuse(self._requests.take(person))


def network_of(address: str) -> str:
    """Return the network that shares an address: an IPv6 host can choose from its whole /64."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return address
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, 64), strict=False))


def _refuse(seconds: float) -> None:
    if seconds > 0:
        raise TooManyRequests(math.ceil(seconds))
