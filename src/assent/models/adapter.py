"""Adapters: any pydantic-ai model as a `ChatModel`, and a vendor's model with an HTTP client."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from types import TracebackType
from typing import Any, Final, Self, TypeVar

from httpx2 import AsyncClient, Timeout
from pydantic_ai.exceptions import ModelAPIError, UserError
from pydantic_ai.messages import (
    InstructionPart,
    ModelMessage,
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
    ToolCallPartDelta,
)
from pydantic_ai.models import Model, ModelRequestParameters, create_async_httpx2_client
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from assent.domain.messages import (
    Answer,
    ArgumentsDelta,
    Delta,
    Prompt,
    ReasoningDelta,
    TextDelta,
    ToolSpec,
)
from assent.errors import AssentError, ModelFailed
from assent.models.answers import answer_of
from assent.models.failures import UNREADABLE, failure_of, is_of_prompt
from assent.models.transcript import accepted_by, describe_media, messages_of

log = logging.getLogger(__name__)
T = TypeVar("T")
_Given = tuple[list[ModelMessage], ModelSettings | None, ModelRequestParameters]
_PARAGRAPH: Final = "\n\n"
_PROVIDER_ERRORS = (ModelAPIError, UserError, *UNREADABLE)


class PydanticAIModel:
    """A `ChatModel` over a model of pydantic-ai; failures never contain its `secrets`.

    With `finish_required`, an answer without a finish reason counts as cut off.
    """

    def __init__(
        self,
        model: Model,
        *,
        name: str | None = None,
        settings: ModelSettings | None = None,
        secrets: Sequence[str] = (),
        finish_required: bool = True,
    ) -> None:
        self._model, self._settings, self._secrets = model, settings, tuple(secrets)
        self._name = name or f"{model.system}:{model.model_name}"
        self._finish_required, self._takes = finish_required, accepted_by(model)

    @property
    def name(self) -> str:
        return self._name

    async def request(self, prompt: Prompt) -> Answer:
        with self._failures():
            response = await self._sent(prompt, lambda given: self._model.request(*given))
        return self._answered(response, prompt)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer, None]:
        reader = _StreamReader()
        with self._failures():
            async with AsyncExitStack() as stack:
                opened = stack.enter_async_context
                events = await self._sent(
                    prompt, lambda given: opened(self._model.request_stream(*given))
                )
                async for event in events:
                    for delta in reader.read(event):
                        yield delta
            response = events.get()
        yield self._answered(response, prompt)

    async def _sent(self, prompt: Prompt, send: Callable[[_Given], Awaitable[T]]) -> T:
        """Send a prompt; if an image or file may have made it fail, once more without them."""
        shown = describe_media(prompt, unless=self._takes)
        try:
            return await send(self._given(shown))
        except Exception as error:
            told = describe_media(prompt)
            if told == shown or not is_of_prompt(error):
                raise
            log.warning("%s may not accept an image or file: asking again without it", self._name)
        return await send(self._given(told))

    def _given(self, prompt: Prompt) -> _Given:
        parameters = _parameters(prompt)
        messages = self._model.prepare_messages(messages_of(prompt), parameters)
        return messages, self._settings, parameters

    @contextmanager
    def _failures(self) -> Generator[None]:
        try:
            yield
        except AssentError:
            # A history that cannot be sent is not a failure of the provider.
            raise
        except _PROVIDER_ERRORS as error:
            # Without the cause: messages of providers and proxies repeat keys and prompts.
            raise failure_of(error, secrets=self._secrets) from None
        except Exception as error:
            # A client library can fail on anything that a server sends.
            raise failure_of(error, secrets=self._secrets) from error

    def _answered(self, response: ModelResponse, prompt: Prompt) -> Answer:
        said = response.finish_reason or (response.provider_details or {}).get("finish_reason")
        if self._finish_required and not said:
            raise ModelFailed("the answer ended without a finish reason", transient=True)
        return answer_of(response, prompt.most_calls)


def _parameters(prompt: Prompt) -> ModelRequestParameters:
    given = prompt.instructions
    return ModelRequestParameters(
        function_tools=[_definition(tool) for tool in prompt.tools],
        instruction_parts=[InstructionPart(content=given)] if given.strip() else [],
    )


def _definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        parameters_json_schema=dict(tool.parameters),
    )


class _StreamReader:
    """Reads the events of one response; its deltas together give the text of the answer."""

    def __init__(self) -> None:
        self._calls: dict[int, ArgumentsDelta] = {}
        self._texts: set[int] = set()
        self._reasonings: set[int] = set()

    def read(self, event: ModelResponseStreamEvent) -> Iterator[Delta]:
        """Yield the pieces that one event adds."""
        match event:
            case PartStartEvent(index=index, part=TextPart(content=text)):
                apart = self._is_another(self._texts, index) and event.previous_part_kind != "text"
                yield from _said(TextDelta(_PARAGRAPH + text if apart else text))
            case PartStartEvent(index=index, part=ThinkingPart(content=text)):
                apart = self._is_another(self._reasonings, index)
                yield from _said(ReasoningDelta(_PARAGRAPH + text if apart else text))
            case PartStartEvent(index=index, part=ToolCallPart() as part):
                yield self._begun(index, part)
            case PartDeltaEvent():
                yield from self._continued(event)
            case _:
                return

    def _is_another(self, parts: set[int], index: int) -> bool:
        """Add a part; return True if there were others of its kind before."""
        others = len(parts) - (index in parts)
        parts.add(index)
        return others > 0

    def _begun(self, index: int, part: ToolCallPart) -> ArgumentsDelta:
        delta = ArgumentsDelta(len(self._calls), part.tool_name, _written(part.args))
        self._calls[index] = delta
        return delta

    def _continued(self, event: PartDeltaEvent) -> Iterator[Delta]:
        match event.delta:
            case TextPartDelta(content_delta=text) if text:
                yield TextDelta(text)
            case ThinkingPartDelta(content_delta=text) if text:
                yield ReasoningDelta(text)
            case ToolCallPartDelta(args_delta=arguments) if arguments:
                begun = self._calls[event.index]
                yield ArgumentsDelta(begun.index, begun.tool, _written(arguments))
            case _:
                return


def _said(delta: TextDelta | ReasoningDelta) -> Iterator[Delta]:
    if delta.text:
        yield delta


def _written(arguments: str | dict[str, Any] | None) -> str:
    if isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    return arguments or ""


# Not 5: that is httpx's default, which the vendors' clients treat as a timeout that was not set.
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
