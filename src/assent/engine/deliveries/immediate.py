"""Immediate delivery: to a channel that lives and dies with the process that asks."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from assent.domain.deliveries import Post, PostItem
from assent.domain.requests import Request
from assent.engine.deliveries.channel import Channel
from assent.engine.kernel import Kernel
from assent.errors import NotFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Immediate:
    """Shows each new request at once, in a task of its turn, so that waiting for the turn waits.

    There is no row to try again from: after a restart the request waits for people.
    """

    kernel: Kernel
    channel: Channel

    def heard(self, requests: Sequence[Request]) -> None:
        """Show each new request, in a task of its own."""
        for request in requests:
            self.kernel.tasks.spawn(request.turn_id, self.channel.name, self._announce(request))

    async def _announce(self, request: Request) -> None:
        from assent.engine.queries.review import read_showing

        catalogue = self.kernel.catalogue
        try:
            draw = await self.kernel.store.run(lambda tx: read_showing(tx, request.id, catalogue))
        except NotFound:
            return
        shown = await asyncio.to_thread(draw)
        item = PostItem(
            request=shown.request, call=shown.call, tool=shown.tool, card=shown.card, url=""
        )
        await self.channel.announce(
            Post(
                key=request.id,
                channel=self.channel.name,
                address=request.owner,
                items=(item,),
                version=1,
                recipient=request.owner,
            )
        )
