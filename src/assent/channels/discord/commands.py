"""Application commands: `/assent link`, `/assent unlink` and `/assent inbox`."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final, cast

from assent.channels.discord.cards import ROWS, cards_of
from assent.channels.discord.replies import said, shown
from assent.channels.discord.rest import Rest
from assent.domain.deliveries import PostItem
from assent.engine.assent import Assent
from assent.errors import LinkRefused, NotFound, NotLinked

Payload = dict[str, Any]
NAME: Final = "assent"
_SUBCOMMAND, _STRING = 1, 3
# Where it can be used: servers, direct messages with the bot.
_CONTEXTS: Final = [0, 1]
DEFINITION: Final[Payload] = {
    "name": NAME,
    "type": 1,
    "description": "Approvals for AI agents",
    "contexts": _CONTEXTS,
    "options": [
        {
            "type": _SUBCOMMAND,
            "name": "link",
            "description": "Link your Discord account to your account here",
            "options": [
                {
                    "type": _STRING,
                    "name": "code",
                    "description": "The code from your settings page; without one, you get one",
                    "required": False,
                }
            ],
        },
        {
            "type": _SUBCOMMAND,
            "name": "unlink",
            "description": "Unlink your Discord account: it can decide nothing from then on",
        },
        {"type": _SUBCOMMAND, "name": "inbox", "description": "Show what waits for you"},
    ],
}
_LINKED: Final = "Linked to the account {person}. You can decide here now."
_CODE: Final = (
    "Your code is {code}. Sign in to Assent within ten minutes and enter it on your settings page."
)
_NOT_LINKED: Final = "This Discord account is not linked. Use /assent link first."


async def register(rest: Rest, application: str) -> None:
    """Register the command with Discord, unless it is there already; others are left alone."""
    path = "/applications/{application}/commands"
    known = cast("list[Payload]", await rest.request("GET", path, application=application))
    if not any(_is_same(each) for each in known):
        await rest.request("POST", path, json=DEFINITION, application=application)


def _is_same(known: Mapping[str, Any]) -> bool:
    options = [*_names(known)]
    return known.get("name") == NAME and options == [*_names(DEFINITION)]


def _names(command: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = cast("list[Payload]", command.get("options") or [])
    return [(str(each["name"]), str(each["description"])) for each in found]


class Commands:
    """Carries out the commands of people."""

    def __init__(self, assent: Assent, channel: str) -> None:
        self._assent, self._channel = assent, channel

    async def run(self, user: str, name: str, data: Mapping[str, Any]) -> Payload:
        """Return the answer to a command."""
        [sub, *_] = cast("list[Payload]", data.get("options") or [{}])
        given = cast("list[Payload]", sub.get("options") or [])
        values = {str(each["name"]): str(each.get("value", "")) for each in given}
        match sub.get("name") if data.get("name") == NAME else None:
            case "link":
                return await self._link(user, name, values.get("code", ""))
            case "unlink":
                return await self._unlink(user)
            case "inbox":
                return await self._inbox(user)
            case _:
                return said("This command is not known here.")

    async def _link(self, user: str, name: str, code: str) -> Payload:
        chats = self._assent.people.chats
        if not code.strip():
            made = await chats.code_for_chat(self._channel, user, name)
            return said(_CODE.format(code=made))
        try:
            account = await chats.link_chat(code, self._channel, user, name)
        except LinkRefused as refused:
            return said(f"{refused}.")
        return said(_LINKED.format(person=account.person))

    async def _unlink(self, user: str) -> Payload:
        chats = self._assent.people.chats
        try:
            person = await chats.person_of(self._channel, user)
            await chats.unlink(self._channel, user, by=person)
        except (NotLinked, NotFound):
            return said(_NOT_LINKED)
        return said("Unlinked. This Discord account can decide nothing here any more.")

    async def _inbox(self, user: str) -> Payload:
        try:
            person = await self._assent.people.chats.person_of(self._channel, user)
        except NotLinked:
            return said(_NOT_LINKED)
        waiting = await self._assent.pending(person=person, limit=ROWS)
        if not waiting:
            return said("Nothing waits for you.")
        ids = [request.id for request in waiting]
        draws = await self._assent.queries.requests.reviews(person, ids)
        reviews = await asyncio.gather(*map(asyncio.to_thread, draws))
        items = [
            PostItem(
                request=each.request,
                call=each.call,
                tool=each.tool,
                card=each.card,
                url=self._assent.channels.link(each.request.id),
            )
            for each in reviews
        ]
        return shown(await asyncio.to_thread(cards_of, items))
