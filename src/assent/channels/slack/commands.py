"""The slash command: links an account, unlinks it, and lists what waits."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from assent.channels.desk import Desk
from assent.channels.slack.api import SlackApi
from assent.channels.slack.messages import Block, content
from assent.channels.slack.rich_text import preformatted, rich, section, span
from assent.domain.people import Person
from assent.engine.assent import Assent
from assent.errors import AssentError, LinkRefused, NotLinked
from assent.presentation import line
from assent.presentation.text import safe_line

LISTED: Final = 10
_HELP: Final = (
    "/assent link: get a code to enter on your settings page\n"
    "/assent link CODE: enter a code that you got there\n"
    "/assent unlink: unlink this Slack account\n"
    "/assent inbox: what waits for you"
)
_FOREIGN: Final = "You belong to another workspace than the one that this app was installed in."
_NOT_LINKED: Final = "Your Slack account is not linked to an account here."


class Commands:
    """Answers `/assent`; each answer is seen by its user alone."""

    def __init__(self, assent: Assent, name: str, api: SlackApi, desk: Desk) -> None:
        self._assent, self._name, self._api, self._desk = assent, name, api, desk

    async def run(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return the message with the answer."""
        user, name = str(body["user_id"]), str(body.get("user_name") or "")
        verb, _, rest = str(body.get("text") or "").strip().partition(" ")
        try:
            if str(body.get("team_id", "")) != (await self._api.identity()).team:
                return words(_FOREIGN)
            match verb.lower():
                case "link":
                    return words(await self._link(user, name, rest.strip()))
                case "unlink":
                    return words(await self._unlink(user))
                case "inbox":
                    return await self._inbox(await self._desk.person(user))
                case _:
                    return words(_HELP)
        except NotLinked:
            return words(_NOT_LINKED)
        except (LinkRefused, AssentError) as error:
            return words(safe_line(f"{error}."))

    async def _link(self, user: str, name: str, code: str) -> str:
        chats = self._assent.people.chats
        if not code:
            made = await chats.code_for_chat(self._name, user, name)
            return f"Enter this code on your settings page within ten minutes: {made}"
        linked = await chats.link_chat(code, self._name, user, name)
        return f"This Slack account is linked to {safe_line(linked.person)} now."

    async def _unlink(self, user: str) -> str:
        person = await self._desk.person(user)
        await self._assent.people.chats.unlink(self._name, user, by=person)
        return "This Slack account is no longer linked, and can decide nothing."

    async def _inbox(self, person: Person) -> dict[str, Any]:
        found = await self._assent.pending(person=person, limit=LISTED + 1)
        if not found:
            return words("Nothing waits for you.")
        ids = [request.id for request in found[:LISTED]]
        draws = await self._assent.queries.requests.reviews(person, ids)
        blocks = [rich(section(span("What waits for you", bold=True)))]
        for draw in draws:
            review = await asyncio.to_thread(draw)
            blocks.append(self._row(review.request.id, line.render(review.card).text))
        if len(found) > LISTED:
            blocks.append(rich(section(span("There is more: open your inbox on the web."))))
        return _alone(content("What waits for you", blocks))

    def _row(self, id: str, text: str) -> Block:
        url = self._assent.channels.link(id)
        link = [section({"type": "link", "url": url, "text": "Open the review"})] if url else []
        return rich(preformatted(text), *link)


def words(text: str) -> dict[str, Any]:
    """Return a message with some words of ours."""
    return _alone(content("Assent", [rich(section(span(text)))]))


def _alone(message: dict[str, Any]) -> dict[str, Any]:
    return {**message, "response_type": "ephemeral"}
