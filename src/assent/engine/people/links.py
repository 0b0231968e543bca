"""One-time links: each for one recipient and purpose, at most one request, and a limited time."""

import hmac
import re
import secrets
from datetime import datetime, timedelta
from typing import Final

from assent.domain.canonical import Json
from assent.domain.credentials import Link, Purpose
from assent.domain.events import Entry
from assent.domain.identifiers import want_findable
from assent.domain.people import Account, Person, PersonKind
from assent.domain.requests import Request
from assent.engine.kernel import Kernel
from assent.engine.people.directory import want_manager
from assent.errors import NotAllowed, NotFound
from assent.ports import Tx

SECRET_BYTES: Final = 32
SIGN_IN_WITHIN: Final = timedelta(minutes=30)
DECIDE_WITHIN: Final = timedelta(hours=24)
_KEPT: Final = timedelta(days=30)
_TOKEN: Final = re.compile(r"(link_[A-Za-z0-9]{1,64})\.([A-Za-z0-9_-]{43})")


class Links:
    """Issues links and redeems each once.

    Reading a link does not use it: mail scanners open links.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    async def to_sign_in(
        self, person: str, *, by: Person, within: timedelta = SIGN_IN_WITHIN
    ) -> tuple[Link, str]:
        """Return a link that signs its recipient in."""
        want_manager(by, "issue links")
        return await self._issue(person, Purpose.SIGN_IN, None, by, within)

    async def to_decide(
        self, person: str, request_id: str, *, by: Person, within: timedelta = DECIDE_WITHIN
    ) -> tuple[Link, str]:
        """Return a link to decide one request; it never outlives the request."""
        want_manager(by, "issue links")
        return await self._issue(person, Purpose.DECIDE, request_id, by, within)

    async def look(self, token: str) -> Link | None:
        """Return a link that can still be used, or None; changes nothing."""
        return await self._kernel.store.run(lambda tx: self._valid(tx, token))

    async def redeem(self, token: str, purpose: Purpose) -> Link | None:
        """Use a link up; of several attempts at once, one gets it and the others get None."""

        def redeem(tx: Tx) -> Link | None:
            link = self._valid(tx, token)
            if link is None or link.purpose is not purpose or not tx.links.redeem(link.id):
                return None
            self._note(tx, "use_link", link.person, link)
            return link

        return await self._kernel.store.run(redeem)

    async def _issue(
        self, person: str, purpose: Purpose, request_id: str | None, by: Person, within: timedelta
    ) -> tuple[Link, str]:
        want_findable("account", person)
        if request_id is not None:
            want_findable("open request", request_id)
        secret = secrets.token_urlsafe(SECRET_BYTES)

        def issue(tx: Tx) -> Link:
            account, now = _recipient(tx, person), tx.now()
            end = now + within
            if request_id is not None:
                end = _within(_asked(tx, request_id, account), end)
            link = Link(
                id=self._kernel.ids("link"),
                person=person,
                purpose=purpose,
                request_id=request_id,
                kid=self._kernel.vault.kid,
                created_at=now,
                expires_at=end,
            )
            tx.links.purge(now - _KEPT)
            tx.links.add(link, self._mac(link, secret) or "")
            self._note(tx, "issue_link", by.id, link)
            return link

        link = await self._kernel.store.run(issue)
        return link, f"{link.id}.{secret}"

    def _valid(self, tx: Tx, token: str) -> Link | None:
        shape = _TOKEN.fullmatch(token)
        found = None if shape is None else tx.links.get(shape[1])
        if shape is None or found is None:
            return None
        link, stored = found
        made = self._mac(link, shape[2])
        # Recomputed from the row: a row whose recipient or time was altered no longer matches.
        if made is None or not hmac.compare_digest(made, stored):
            return None
        is_alive = link.used_at is None and tx.now() < link.expires_at
        return link if is_alive and _stands(tx, link) else None

    def _mac(self, link: Link, secret: str) -> str | None:
        return self._kernel.vault.mac(_bound(link, secret), kid=link.kid)

    def _note(self, tx: Tx, action: str, by: str, link: Link) -> None:
        data: dict[str, Json] = {
            "link": link.id,
            "person": link.person,
            "purpose": link.purpose,
            "expires_at": link.expires_at.isoformat(),
        }
        tx.journal.note(
            Entry(
                id=self._kernel.ids("aud"),
                action=action,
                actor=by,
                request_id=link.request_id,
                data=data,
                at=tx.now(),
            )
        )


def _recipient(tx: Tx, person: str) -> Account:
    account = tx.people.get(person)
    if account is None:
        raise NotFound("account", person)
    if account.disabled or account.kind is PersonKind.AGENT:
        raise NotAllowed(person, "be sent a link")
    return account


def _asked(tx: Tx, request_id: str, account: Account) -> Request:
    request = tx.requests.get(request_id)
    if request is None or not request.is_open:
        raise NotFound("open request", request_id)
    if not request.admits(account.person):
        raise NotAllowed(account.id, f"decide request {request_id!r}")
    return request


def _within(request: Request, end: datetime) -> datetime:
    return end if request.decide_by is None else min(end, request.decide_by)


def _stands(tx: Tx, link: Link) -> bool:
    """Return True if the account is enabled, and the request is open and admits the recipient."""
    account = tx.people.get(link.person)
    if account is None or account.disabled or account.kind is PersonKind.AGENT:
        return False
    if link.request_id is None:
        return link.purpose is Purpose.SIGN_IN
    request = tx.requests.get(link.request_id)
    return request is not None and request.is_open and request.admits(account.person)


def _bound(link: Link, secret: str) -> Json:
    until = link.expires_at.isoformat()
    return [link.id, link.person, link.purpose, link.request_id, until, secret]
