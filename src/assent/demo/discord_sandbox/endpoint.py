"""Interactions over HTTP: signed requests to an endpoint of the bot, instead of the gateway."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, cast

import aiohttp
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from assent.demo.discord_sandbox.application import Application
from assent.demo.discord_sandbox.form_body import one_error
from assent.demo.discord_sandbox.interactions import Interaction, Interactions, InteractionType
from assent.demo.discord_sandbox.refusals import Payload, Refusal
from assent.demo.discord_sandbox.snowflakes import Now

SIGNATURE, TIMESTAMP = "X-Signature-Ed25519", "X-Signature-Timestamp"
_REFUSED = "The specified interactions endpoint url could not be verified."
_REQUEST_SECONDS = 10


class Signer:
    """Signs bodies as Discord does: over the timestamp and the body."""

    def __init__(self, now: Now) -> None:
        self._key = Ed25519PrivateKey.generate()
        self._now = now

    @property
    def verify_key(self) -> str:
        """The public key in hexadecimal digits, as the portal shows it."""
        return self._key.public_key().public_bytes_raw().hex()

    def headers(self, body: bytes) -> dict[str, str]:
        """Return the headers of a signed request."""
        timestamp = str(int(self._now().timestamp()))
        signature = self._key.sign(timestamp.encode() + body).hex()
        return {SIGNATURE: signature, TIMESTAMP: timestamp, "Content-Type": "application/json"}


class Endpoint:
    """The bot's endpoint, once a developer has entered its address."""

    def __init__(
        self, application: Application, interactions: Interactions, signer: Signer
    ) -> None:
        self._application, self._interactions, self._signer = application, interactions, signer
        self._tasks: set[asyncio.Task[None]] = set()
        # Statuses of the endpoint's responses, oldest first.
        self.statuses: list[int] = []

    async def use(self, url: str | None) -> None:
        """Take an address if it answers a PING and refuses a wrong signature; None takes none."""
        if url is not None and not await self._is_verified(url):
            code = "APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID"
            raise one_error("interactions_endpoint_url", code, _REFUSED)
        self._application.endpoint_url = url

    def deliver(self, interaction: Interaction, payload: Payload) -> None:
        """Post an interaction and take the answer in the response."""
        task = asyncio.create_task(self._deliver(interaction, payload), name="sandbox endpoint")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def post(self, body: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
        """Post a body to the address in use; return the status and the JSON of the response."""
        return await _post(self._application.endpoint_url or "", body, headers)

    async def close(self) -> None:
        """Cancel requests that still run."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _is_verified(self, url: str) -> bool:
        ping = json.dumps({"type": int(InteractionType.PING), "id": "1", "version": 1}).encode()
        signed = self._signer.headers(ping)
        try:
            status, answer = await _post(url, ping, signed)
            forged, _ = await _post(url, ping, signed | {SIGNATURE: "00" * 64})
        except (OSError, aiohttp.ClientError, TimeoutError):
            return False
        is_pong = isinstance(answer, dict) and cast("Payload", answer).get("type") == 1
        return status == 200 and is_pong and forged == 401

    async def _deliver(self, interaction: Interaction, payload: Payload) -> None:
        body = json.dumps(payload).encode()
        try:
            status, answer = await self.post(body, self._signer.headers(body))
        except (OSError, aiohttp.ClientError, TimeoutError):
            return
        self.statuses.append(status)
        if status != 200 or not isinstance(answer, dict):
            return
        try:
            waiting = self._interactions.waiting(interaction.id, interaction.token)
            self._interactions.take(waiting, cast("Payload", answer))
        except Refusal:
            self._interactions.fail(interaction)


async def _post(url: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, Any]:
    timeout = aiohttp.ClientTimeout(total=_REQUEST_SECONDS)
    async with (
        aiohttp.ClientSession(timeout=timeout) as session,
        session.post(url, data=body, headers=headers, allow_redirects=False) as response,
    ):
        text = await response.text()
    try:
        return response.status, json.loads(text) if text else None
    except ValueError:
        return response.status, None
