"""Answers to interactions: requests that carry the interaction's own token and no other."""

import asyncio
import logging
from typing import Any, Final

import aiohttp

log = logging.getLogger(__name__)
Payload = dict[str, Any]
ATTEMPTS: Final = 4
REQUEST_SECONDS: Final = 10.0
# Discord's wait, if it is longer, would outlive the person's patience.
LONGEST_WAIT_SECONDS: Final = 10.0
PAUSE_SECONDS: Final = 0.5


class Responder:
    """Sends answers; addresses hold tokens, so they are in no log and no error."""

    def __init__(self, api_url: str) -> None:
        self._api_url = api_url
        self._session: aiohttp.ClientSession | None = None

    async def answer(self, id: str, token: str, answer: Payload) -> None:
        """Send the first answer to an interaction."""
        await self._send("POST", f"/interactions/{id}/{token}/callback", answer)

    async def fill_in(self, application: str, token: str, message: Payload) -> None:
        """Replace a deferral by its message."""
        body = {key: value for key, value in message.items() if key != "flags"}
        path = f"/webhooks/{application}/{token}/messages/@original"
        await self._send("PATCH", path, body)

    async def close(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _send(self, method: str, path: str, body: Payload) -> None:
        status = 0
        for _ in range(ATTEMPTS):
            try:
                status, wait = await self._once(method, path, body)
            except (aiohttp.ClientError, OSError, TimeoutError):
                status, wait = 0, PAUSE_SECONDS
            if status and status != 429 and status < 500:
                break
            await asyncio.sleep(min(wait, LONGEST_WAIT_SECONDS))
        if not 200 <= status < 300:
            # As when another process has answered, or the three seconds are over.
            log.info("Discord did not take an answer to an interaction: status %s", status)

    async def _once(self, method: str, path: str, body: Payload) -> tuple[int, float]:
        if self._session is None:
            timeout = aiohttp.ClientTimeout(total=REQUEST_SECONDS)
            self._session = aiohttp.ClientSession(timeout=timeout)
        async with self._session.request(method, f"{self._api_url}{path}", json=body) as response:
            wait = response.headers.get("Retry-After", "")
            seconds = float(wait) if wait.replace(".", "", 1).isdecimal() else PAUSE_SECONDS
            return response.status, seconds
