"""The inbox's connection to an Assent server: requests, decisions and the stream of events."""

from collections.abc import AsyncGenerator

import httpx

from assent.cli.inbox_app.event_stream import EventReader, StreamEvent
from assent.client.transport import Server, reason_of, refusal_of
from assent.errors import ServerUnreachable

# A server gives a sign of life every 15 seconds, unless it was told otherwise.
_STREAM_PATIENCE = httpx.Timeout(60.0, connect=10.0)


class ServerClient(Server):
    """A connection to one server; use it as an async context manager."""

    async def events(self, reader: EventReader) -> AsyncGenerator[StreamEvent | None]:
        """Follow the stream of events from the reader's place on; None once it is open."""
        reader.begin()
        headers = {"Last-Event-ID": reader.place} if reader.place else {}
        stream = self.http.stream("GET", "/api/events", headers=headers, timeout=_STREAM_PATIENCE)
        try:
            async with stream as response:
                if response.status_code != 200:
                    await response.aread()
                    raise refusal_of(response)
                yield None
                async for chunk in response.aiter_bytes():
                    for event in reader.take(chunk):
                        yield event
        except httpx.HTTPError as error:
            raise ServerUnreachable(reason_of(error)) from None
