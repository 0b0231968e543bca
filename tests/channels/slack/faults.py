"""What goes wrong between an app and Slack, planned by a test call by call."""

import asyncio
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class RateLimited:
    """429: nothing is done, and the app has to wait."""

    retry_after: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerError:
    """An answer that is no JSON: nothing is done."""

    status: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """`ok: false` with this code: nothing is done."""

    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CutOff:
    """The connection breaks before anything is done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostResponse:
    """The request is carried out, and the connection breaks before its answer."""


@dataclass(slots=True, kw_only=True)
class Held:
    """The request waits until the test lets it go; then it is carried out."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    let_go: asyncio.Event = field(default_factory=asyncio.Event)


Fault = RateLimited | ServerError | Refused | CutOff | LostResponse | Held


@dataclass(slots=True)
class _Planned:
    fault: Fault
    method: str
    channel: str
    left: int

    def meets(self, method: str, channel: str) -> bool:
        return self.method in ("*", method) and self.channel in ("*", channel)


class FaultPlan:
    """Faults in the order in which they strike; `*` is any method, and any channel."""

    def __init__(self) -> None:
        self._planned: list[_Planned] = []

    def add(self, fault: Fault, *, method: str = "*", channel: str = "*", times: int = 1) -> None:
        """Let the next calls of the method, for the channel, meet the fault."""
        self._planned.append(_Planned(fault, method, channel, times))

    def clear(self) -> None:
        """Let everything go well from now on."""
        self._planned.clear()

    def strike(self, method: str, channel: str = "") -> Fault | None:
        """The fault that this call meets, if any."""
        for planned in self._planned:
            if planned.meets(method, channel):
                planned.left -= 1
                if not planned.left:
                    self._planned.remove(planned)
                return planned.fault
        return None


_PER_MINUTE = {"chat.update": 50, "chat.delete": 50, "chat.postEphemeral": 100, "views.open": 100}


class Rates:
    """Slack's rate limits, if a test switches them on.

    A channel takes a message a second; the other methods count per minute.
    """

    def __init__(self) -> None:
        self.enforced = False
        self.refused = 0
        self._posted: dict[str, float] = {}
        self._called: dict[str, list[float]] = {}

    def seconds_to_wait(self, method: str, channel: str, now: float) -> int:
        """How long the call has to wait; 0 if it may go ahead, and then it is counted."""
        wait = self._wait(method, channel, now) if self.enforced else 0
        self.refused += wait > 0
        return wait

    def _wait(self, method: str, channel: str, now: float) -> int:
        if method == "chat.postMessage":
            if now - self._posted.get(channel, 0) < 1:
                return 1
            self._posted[channel] = now
        elif most := _PER_MINUTE.get(method):
            recent = [each for each in self._called.get(method, []) if now - each < 60]
            if len(recent) >= most:
                return int(60 - (now - recent[0])) + 1
            self._called[method] = [*recent, now]
        return 0
