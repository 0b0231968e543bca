"""The channel that sends webhooks to one endpoint."""

import os
import ssl
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final

from assent.channels.safe_http import REQUEST_SECONDS, Resolve, SafeHttp
from assent.channels.targets import TargetRules
from assent.channels.webhook.answers import endpoint_gone, want_taken
from assent.channels.webhook.payload import Outcome, WebhookEvent, webhook_body
from assent.channels.webhook.signing import SECRETS, SigningSecrets
from assent.domain import parameters
from assent.domain.deliveries import ChannelTerms, Post, PostItem, Room
from assent.domain.parameters import Check, taken
from assent.engine.assent import Assent
from assent.errors import ChannelError, InvalidParameter, TargetRefused, TargetUnreachable

# The environment variable with the secrets, if the constructor gets none; blanks between them.
SECRETS_VARIABLE: Final = "ASSENT_WEBHOOK_SECRETS"
PER_SECOND: Final = 20.0
_ENDPOINT: Final = "endpoint"
_WHERE: Final = "Webhook"
_GIVEN: Final[dict[str, Check]] = {
    "url": parameters.name,
    "secrets": SECRETS,
    "name": parameters.name,
    "allow": parameters.ordered_names,
    "plain_http": parameters.flag,
    "per_second": parameters.number(above=0),
    "request_seconds": parameters.number(above=0),
    "tls": parameters.optional(parameters.instance(ssl.SSLContext, "an SSLContext")),
    "resolve": parameters.optional(parameters.function_of(2, "a function of a host and a port")),
}


class Webhook:
    """Sends a signed message for each request that opens, changes or closes.

    The secrets (`whsec_…`) come from the environment if none are given; several sign while they
    are being replaced. `allow` opens hosts and networks that are not public.
    """

    def __init__(
        self,
        url: str,
        *,
        secrets: str | Sequence[str] | None = None,
        name: str = "webhook",
        allow: str | Iterable[str] = (),
        plain_http: bool = False,
        per_second: float = PER_SECOND,
        request_seconds: float = REQUEST_SECONDS,
        tls: ssl.SSLContext | None = None,
        resolve: Resolve | None = None,
    ) -> None:
        given = taken(
            _WHERE,
            {
                "url": url,
                "secrets": _from_environment() if secrets is None else secrets,
                "name": name,
                "allow": allow,
                "plain_http": plain_http,
                "per_second": per_second,
                "request_seconds": request_seconds,
                "tls": tls,
                "resolve": resolve,
            },
            _GIVEN,
        )
        self._url: str = given["url"]
        self._secrets = SigningSecrets(given["secrets"])
        self._rules = _rules(given["allow"], plain_http=given["plain_http"])
        self._tls, self._resolve = tls, resolve
        self._request_seconds: float = given["request_seconds"]
        self._name: str = given["name"]
        self._terms = ChannelTerms(
            rooms=(Room(address=_ENDPOINT, everything=True),),
            groups=False,
            reaches_people=False,
            tells_settled=True,
            per_second=given["per_second"],
        )
        _want_target(self._rules, self._url)
        self._http: SafeHttp | None = None
        self._open = AsyncExitStack()
        self._is_gone = False

    def __repr__(self) -> str:
        # The address may hold a token.
        return f"Webhook(name={self._name!r})"

    @property
    def name(self) -> str:
        return self._name

    @property
    def terms(self) -> ChannelTerms:
        return self._terms

    async def open(self, assent: Assent) -> None: ...

    async def close(self) -> None: ...

    async def connect(self) -> None:
        http = SafeHttp(
            self._rules,
            tls=self._tls,
            resolve=self._resolve,
            request_seconds=self._request_seconds,
        )
        self._http = await self._open.enter_async_context(http)

    async def disconnect(self) -> None:
        self._http = None
        await self._open.aclose()

    async def announce(self, post: Post) -> str:
        [item] = post.items
        event = WebhookEvent.OPENED if item.request.is_open else WebhookEvent.CLOSED
        return await self._send(post, item, event)

    async def update(self, post: Post, message: str) -> None:
        del message
        [item] = post.items
        event = WebhookEvent.CHANGED if item.request.is_open else WebhookEvent.CLOSED
        await self._send(post, item, event)

    async def _send(self, post: Post, item: PostItem, event: WebhookEvent) -> str:
        if self._is_gone:
            raise endpoint_gone()
        if self._http is None:
            raise ChannelError("This process does not serve the channel")
        body = _body(item, event)
        # A later version is a message of its own.
        id, now = f"msg_{post.key}_{post.version}", datetime.now(UTC)
        headers = {"Content-Type": "application/json", "User-Agent": "Assent"}
        headers |= self._secrets.headers(id, now, body)
        try:
            answer = await self._http.post(self._url, body, headers)
        except TargetRefused as error:
            raise ChannelError(str(error), permanent=True) from error
        except TargetUnreachable as error:
            # Without a connection no message gets through; with one it may be this message.
            unreached = not error.reached
            raise ChannelError(str(error), whole=unreached, unsent=unreached) from error
        self._is_gone = answer.status == HTTPStatus.GONE
        want_taken(answer, now)
        return id


def _body(item: PostItem, event: WebhookEvent) -> bytes:
    request, history = item.request, item.card.history
    last = history[-1] if history else None
    outcome = None
    at = last.at if event is WebhookEvent.CHANGED and last else request.created_at
    if request.closed_at is not None:
        at = request.closed_at
        decided = last if last is not None and last.by == request.closed_by else None
        outcome = Outcome(
            at=at,
            by=request.closed_by,
            channel=decided.channel if decided else None,
            reason=decided.reason if decided else "",
        )
    return webhook_body(item.card, event, at=at, url=item.url, outcome=outcome)


def _from_environment() -> list[str]:
    return os.environ.get(SECRETS_VARIABLE, "").split()


def _rules(allowed: Sequence[str], *, plain_http: bool) -> TargetRules:
    try:
        return TargetRules.allowing(*allowed, plain_http=plain_http)
    except ValueError as error:
        wanted = "hosts, addresses or networks like '10.0.0.0/8'"
        raise InvalidParameter(_WHERE, "allow", wanted, f"such: {error}") from error


def _want_target(rules: TargetRules, url: str) -> None:
    try:
        rules.checked(url)
    except TargetRefused as error:
        wanted = "an https address on the public internet, or one that `allow` names"
        raise InvalidParameter(_WHERE, "url", wanted, f"this one: {error.reason}") from error
