"""The agent's words in threads of Slack: shown while they grow, within Slack's limits."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Final

from assent.channels.slack.addresses import Place, PostedMessages
from assent.channels.slack.api import LOST, SlackApi, SlackRefused
from assent.channels.slack.finding import find_posted
from assent.channels.slack.messages import content, metadata_of
from assent.channels.slack.rich_text import words_of_agent
from assent.errors import ChannelError

log = logging.getLogger(__name__)
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
        known = None if message is None else PostedMessages.read(message)
        stamps = list(known.stamps) if known is not None else []
        try:
            await self._show(place, stamps, words_of_agent(text), key)
        except ChannelError:
            # Beyond this many, Slack itself is out of order, and looks would not help.
            if len(self._doubtful) < _DOUBTS:
                self._doubtful.add(key)
            raise
        self._doubtful.discard(key)
        return str(PostedMessages(channel=place.channel, stamps=tuple(stamps)))

    async def _show(
        self, place: Place, stamps: list[str], messages: Sequence[Sequence[Any]], key: str
    ) -> None:
        """Show messages in place of the known ones; `stamps` then holds what is there."""
        looks = self._may_be_there(key)
        for number, blocks in enumerate(messages):
            old = stamps[number] if number < len(stamps) else None
            shown, own = content(_TITLE, blocks), f"{key}:{number}"
            stamp = await self._put(place, old, shown, own, looks=looks)
            if stamp != old:
                # What is new stands below everything that was there, so the rest is said anew, too.
                await self._remove(place, stamps[number + 1 :])
                stamps[number:] = [stamp]
        await self._remove(place, stamps[len(messages) :])
        del stamps[len(messages) :]

    async def _put(
        self, place: Place, old: str | None, shown: dict[str, Any], key: str, *, looks: bool
    ) -> str:
        """Show one message and return its timestamp: a new one if the old one is lost."""
        if old is None and looks:
            old = await find_posted(self._api, place.channel, place.thread, key)
        if old is None:
            return await self._post(place, shown, key)
        stamp = old
        try:
            await self._patiently(lambda: self._api.change(place.channel, stamp, shown))
        except SlackRefused as error:
            if error.error not in LOST:
                raise
            # Under another key: one that can only not be changed any more would be found again.
            return await self._put(place, None, shown, f"{key}:{old}", looks=looks)
        return old

    async def _post(self, place: Place, shown: dict[str, Any], key: str) -> str:
        posted = {**shown, "metadata": metadata_of(key)}
        if place.thread:
            posted["thread_ts"] = place.thread
        return str(await self._patiently(lambda: self._api.post(place.channel, posted)))

    async def _remove(self, place: Place, stamps: Sequence[str]) -> None:
        """Delete messages whose words are not part of the answer any more."""
        for stamp in stamps:
            try:
                await self._patiently(lambda ts=stamp: self._api.remove(place.channel, ts))
            except SlackRefused as error:
                if not error.permanent:
                    raise
                if error.error not in LOST:
                    log.warning("slack: words that grew are left in a thread: %s", error)

    def _may_be_there(self, key: str) -> bool:
        is_young = asyncio.get_running_loop().time() - self._began < TAKEOVER_SECONDS
        return is_young or key in self._doubtful

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
