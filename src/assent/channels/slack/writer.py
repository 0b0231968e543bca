"""The agent's words in threads of Slack: shown while they grow, within Slack's limits."""

import asyncio
from typing import Any, Final

from assent.channels.slack.addresses import Place, Posted
from assent.channels.slack.api import SlackApi, SlackRefused
from assent.channels.slack.finding import find_posted
from assent.channels.slack.messages import content, metadata_of
from assent.channels.slack.rich_text import words_of_agent
from assent.errors import ChannelError

_TITLE: Final = "The agent answers"
_TRIES: Final = 3
_DOUBTS: Final = 10_000
_LONGEST_WAIT: Final = 30.0
# For so long after this process began to serve, a message may be one that the last one posted.
TAKEOVER_SECONDS: Final = 120.0


class Writer:
    """Writes an agent's words, each message once."""

    def __init__(self, api: SlackApi) -> None:
        self._api = api
        self._began = 0.0
        # Messages of which an attempt failed, so that it may have arrived.
        self._doubtful: set[str] = set()

    def begin(self) -> None:
        """Note that this process serves the channel from now on."""
        self._began = asyncio.get_running_loop().time()

    async def say(
        self, address: str, text: str, *, key: str, message: str | None, is_final: bool
    ) -> str:
        """Show text in a thread, in place of the messages that show it already in part."""
        if not is_final and message is not None and not self._api.pacing.has_spare_updates:
            return message
        place = Place.of(address)
        known = None if message is None else Posted.read(message)
        stamps = list(known.stamps) if known is not None else []
        try:
            for number, blocks in enumerate(words_of_agent(text)):
                await self._put(place, stamps, number, content(_TITLE, blocks), f"{key}:{number}")
        except ChannelError:
            # Beyond this many, Slack itself is out of order, and looks would not help.
            if len(self._doubtful) < _DOUBTS:
                self._doubtful.add(key)
            raise
        self._doubtful.discard(key)
        return str(Posted(channel=place.channel, stamps=tuple(stamps)))

    async def _put(
        self, place: Place, stamps: list[str], number: int, shown: dict[str, Any], key: str
    ) -> None:
        if number == len(stamps) and self._may_be_there(key):
            found = await find_posted(self._api, place.channel, place.thread, key)
            stamps += [] if found is None else [found]
        if number < len(stamps):
            await self._patiently(lambda: self._api.change(place.channel, stamps[number], shown))
            return
        posted = {**shown, "metadata": metadata_of(key)}
        if place.thread:
            posted["thread_ts"] = place.thread
        stamps.append(await self._patiently(lambda: self._api.post(place.channel, posted)))

    def _may_be_there(self, key: str) -> bool:
        is_young = asyncio.get_running_loop().time() - self._began < TAKEOVER_SECONDS
        return is_young or key.rpartition(":")[0] in self._doubtful

    async def _patiently(self, call: Any) -> Any:
        """Call, and wait as long as Slack asks if it is too early."""
        for _ in range(_TRIES - 1):
            try:
                return await call()
            except SlackRefused as error:
                if error.error != "ratelimited":
                    raise
                await asyncio.sleep(min(error.retry_after or 1.0, _LONGEST_WAIT))
        return await call()
