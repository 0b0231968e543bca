"""Settings of a deployment; every default is safe on a laptop."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Literal
from urllib.parse import urlsplit

from assent.domain import parameters
from assent.domain.confirmations import DWELL
from assent.domain.parameters import Check, optional, settle
from assent.engine.gate.quotas import Quotas
from assent.server.auth.modes import OpenId, Rates, TrustedProxy

AiSdk = Literal["5", "6", "7"]
_DEFAULT_ORIGIN = "http://127.0.0.1:8000"
_USUAL_PORTS: Final = {"http": ":80", "https": ":443"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The options of `create_app`."""

    # The address at which people reach this service; links and origin checks use it.
    origin: str = _DEFAULT_ORIGIN
    # Other origins whose pages may call the API, with a key or a token and never with a cookie.
    frontends: tuple[str, ...] = ()
    # The agent of chat endpoints that name none; not needed if there is only one agent.
    agent: str | None = None
    # Requests of the AI SDK carry no version, so the frontend's major version must be set here.
    ai_sdk: AiSdk = "6"
    # How long a compatibility endpoint waits for a call's outcome before it answers 202.
    patience: timedelta = timedelta(seconds=30)
    # How long a page that wants a value typed must have been open before an approval counts.
    dwell: timedelta = DWELL
    keep_alive: timedelta = timedelta(seconds=15)
    streams_per_person: int = 100
    # How long a stopping process lets a response go on that a client still reads.
    closing_patience: timedelta = timedelta(seconds=3)
    max_body_bytes: int = 1_000_000
    # Chat clients post their whole history with every message.
    max_history_bytes: int = 8_000_000
    # Files that people upload; their fields have limits of their own.
    max_upload_bytes: int = 256_000_000
    upload_within: timedelta = timedelta(minutes=15)
    # How long a body may take to arrive; a long history over a slow line needs some time.
    body_within: timedelta = timedelta(seconds=30)
    max_header_bytes: int = 32_768
    max_json_depth: int = 64
    # Issuers whose tokens are accepted besides our own keys and sessions, and a proxy that is
    # trusted to name the person.
    openid: tuple[OpenId, ...] = ()
    proxy: TrustedProxy | None = None
    # True to serve people on this machine only, whatever address the server is bound to.
    local: bool = False
    rates: Rates = field(default_factory=Rates)
    quotas: Quotas = field(default_factory=Quotas.generous)

    def __post_init__(self) -> None:
        settle(self, _SETTINGS)

    @property
    def base(self) -> str:
        """The prefix of addresses in streams: the origin if one is configured, else empty."""
        is_configured = not self.local and self.origin != _DEFAULT_ORIGIN
        return self.origin.rstrip("/") if is_configured else ""


def _origin(given: object) -> object:
    fits = isinstance(given, str) and given.startswith(("http://", "https://"))
    return given if fits else parameters.unfit()


def _frontend(given: object) -> object:
    """Check an origin as browsers write it; with a path behind it no page would ever match."""
    if not isinstance(given, str):
        return parameters.unfit()
    try:
        found = urlsplit(given)
        named = bool(found.hostname) and (found.port is None or found.port > 0)
    except ValueError:
        return parameters.unfit()
    host = found.netloc.lower().removesuffix(_USUAL_PORTS.get(found.scheme, ""))
    is_more = found.path not in ("", "/") or found.query or found.fragment or "@" in host
    fits = named and found.scheme in _USUAL_PORTS and not is_more
    return f"{found.scheme}://{host}" if fits else parameters.unfit()


_SETTINGS: Final = {
    "origin": Check("an address that begins with http:// or https://", _origin),
    "frontends": parameters.several(
        Check("an origin", _frontend), tuple, "an origin such as http://localhost:5173, or several"
    ),
    "agent": optional(parameters.name),
    "ai_sdk": parameters.word("5", "6", "7"),
    "patience": parameters.duration(zero=True),
    "dwell": parameters.duration(zero=True),
    "keep_alive": parameters.duration(),
    "streams_per_person": parameters.whole(1),
    "closing_patience": parameters.duration(zero=True),
    "max_body_bytes": parameters.whole(1),
    "max_history_bytes": parameters.whole(1),
    "max_upload_bytes": parameters.whole(1),
    "upload_within": parameters.duration(),
    "body_within": parameters.duration(),
    "max_header_bytes": parameters.whole(1),
    "max_json_depth": parameters.whole(1),
    "openid": parameters.several(
        parameters.instance(OpenId), tuple, "an OpenId or several of them"
    ),
    "proxy": optional(parameters.instance(TrustedProxy)),
    "local": parameters.flag,
    "rates": parameters.instance(Rates),
    "quotas": parameters.instance(Quotas),
}
