"""A vendor's model with its own HTTP client."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from types import TracebackType
from typing import Self

from httpx2 import AsyncClient, Timeout
from pydantic_ai.models import Model, create_async_httpx2_client
from pydantic_ai.settings import ModelSettings

from assent.domain.messages import Answer, Delta, Prompt
from assent.models.adapter import PydanticAIModel

# Not 5: the clients take 5 seconds, httpx's own default, for a timeout that was not set.
_CONNECT_SECONDS = 4.0


class HostedModel:
    """A `ChatModel` of a provider; `aclose` or `async with` closes its connections."""

    def __init__(
        self,
        name: str,
        build: Callable[[AsyncClient], Model],
        *,
        timeout_seconds: float,
        settings: ModelSettings,
        secrets: Sequence[str] = (),
    ) -> None:
        self._name, self._build = name, build
        self._timeout = Timeout(timeout_seconds, connect=min(timeout_seconds, _CONNECT_SECONDS))
        self._settings, self._secrets = settings, tuple(secrets)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client, self._model = self._opened()

    @property
    def name(self) -> str:
        return self._name

    async def request(self, prompt: Prompt) -> Answer:
        return await self._here().request(prompt)

    def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer, None]:
        return self._here().stream(prompt)

    async def aclose(self) -> None:
        """Close the connections; the next request opens new ones."""
        await self._client.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()

    def _here(self) -> PydanticAIModel:
        loop = asyncio.get_running_loop()
        # Connections belong to the loop that opened them: once `asyncio.run` has ended it, they
        # can be neither used nor closed.
        if self._client.is_closed or self._loop not in (None, loop):
            self._client, self._model = self._opened()
        self._loop = loop
        return self._model

    def _opened(self) -> tuple[AsyncClient, PydanticAIModel]:
        client = create_async_httpx2_client(timeout=self._timeout)
        model = PydanticAIModel(
            self._build(client), name=self._name, settings=self._settings, secrets=self._secrets
        )
        return client, model
