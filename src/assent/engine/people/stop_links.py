"""Stop links: at the end of a mail, for whoever has it to get no more, without signing in.

They hold no secret of anybody and open nothing; the worst that one does is silence.
"""

import base64
import binascii
import hmac
import json
from dataclasses import dataclass, replace
from typing import Final, cast

from assent.domain.canonical import Json, encode
from assent.domain.events import Entry
from assent.domain.identifiers import flaw
from assent.domain.notifications import NEVER
from assent.engine.kernel import Kernel
from assent.ports import Tx

TOKEN_CHARS: Final = 4_000
_PURPOSE: Final = "stop_notifications"


@dataclass(frozen=True, slots=True, kw_only=True)
class StopLink:
    """A link that stops what a channel tells a person."""

    channel: str
    person: str


class StopLinks:
    """Makes stop links and follows them; each works as often as it is used."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    def token(self, channel: str, person: str) -> str:
        """Return the secret part of a link for this person and channel."""
        kid = self._kernel.vault.kid
        facts = encode([kid, channel, person]).encode()
        return f"{base64.urlsafe_b64encode(facts).decode()}.{self._mac(channel, person, kid)}"

    def look(self, token: str) -> StopLink | None:
        """Return what a link would stop, or None if it is not ours; changes nothing."""
        facts, dot, given = token.rpartition(".")
        read = _read(facts) if dot and len(token) <= TOKEN_CHARS else None
        if read is None:
            return None
        kid, link = read
        made = self._mac(link.channel, link.person, kid)
        genuine = made is not None and hmac.compare_digest(made.encode(), given.encode())
        return link if genuine else None

    async def stop(self, token: str) -> StopLink | None:
        """Let the channel tell the person nothing any more; None if the link is not ours."""
        link = self.look(token)
        if link is None:
            return None
        known = await self._kernel.store.run(lambda tx: self._stop(tx, link))
        return link if known else None

    def _stop(self, tx: Tx, link: StopLink) -> bool:
        if tx.people.get(link.person) is None:
            return False
        wishes = tx.chats.settings(link.person)
        if wishes.least.get(link.channel) != NEVER:
            wishes = replace(wishes, least={**wishes.least, link.channel: NEVER})
            tx.chats.set_settings(link.person, wishes)
            data: dict[str, Json] = {"settings": wishes.to_json(), "by": "stop_link"}
            tx.journal.note(
                Entry(
                    id=self._kernel.ids("aud"),
                    action="set_notifications",
                    actor=link.person,
                    data=data,
                    at=tx.now(),
                )
            )
        return True

    def _mac(self, channel: str, person: str, kid: str) -> str | None:
        return self._kernel.vault.mac([_PURPOSE, channel, person], kid=kid)


def _read(facts: str) -> tuple[str, StopLink] | None:
    try:
        found: object = json.loads(base64.b64decode(facts, altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        return None
    if not isinstance(found, list):
        return None
    parts = cast("list[object]", found)
    if len(parts) != 3 or any(flaw(part) is not None for part in parts):
        return None
    kid, channel, person = cast("list[str]", parts)
    return kid, StopLink(channel=channel, person=person)
