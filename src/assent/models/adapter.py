"""Any model of pydantic-ai as a `ChatModel`."""

from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import contextmanager

from pydantic_ai.exceptions import ModelAPIError, UserError
from pydantic_ai.messages import InstructionPart, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from assent.domain.errors import ModelFailed
from assent.domain.messages import Answer, Delta, Prompt, ToolSpec
from assent.models.answers import answer_of
from assent.models.deltas import Reading
from assent.models.failures import UNREADABLE, failure_of
from assent.models.transcript import messages_of

_PROVIDER_ERRORS = (ModelAPIError, UserError, *UNREADABLE)


class PydanticAIModel:
    """A model of pydantic-ai, asked request by request; `secrets` never show up in failures.

    With `finish_required`, an answer that ends without saying why counts as cut off.
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
        self._finish_required = finish_required

    @property
    def name(self) -> str:
        return self._name

    async def request(self, prompt: Prompt) -> Answer:
        messages, parameters = messages_of(prompt), _parameters(prompt)
        with self._failures():
            prepared = self._model.prepare_messages(messages, parameters)
            response = await self._model.request(prepared, self._settings, parameters)
        return self._answered(response)

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta | Answer, None]:
        messages, parameters = messages_of(prompt), _parameters(prompt)
        reading = Reading()
        with self._failures():
            prepared = self._model.prepare_messages(messages, parameters)
            async with self._model.request_stream(prepared, self._settings, parameters) as events:
                async for event in events:
                    for delta in reading.read(event):
                        yield delta
            response = events.get()
        yield self._answered(response)

    @contextmanager
    def _failures(self) -> Generator[None]:
        try:
            yield
        except _PROVIDER_ERRORS as error:
            # The cause stays behind: providers and proxies echo keys and prompts in theirs.
            raise failure_of(error, secrets=self._secrets) from None
        except Exception as error:
            # A client library can trip over anything a server sends.
            raise failure_of(error, secrets=self._secrets) from error

    def _answered(self, response: ModelResponse) -> Answer:
        said = response.finish_reason or (response.provider_details or {}).get("finish_reason")
        if self._finish_required and not said:
            raise ModelFailed("the answer broke off before its end", transient=True)
        return answer_of(response)


def _parameters(prompt: Prompt) -> ModelRequestParameters:
    instructions = [InstructionPart(content=prompt.instructions)] if prompt.instructions else []
    return ModelRequestParameters(
        function_tools=[_definition(tool) for tool in prompt.tools],
        instruction_parts=instructions,
    )


def _definition(tool: ToolSpec) -> ToolDefinition:
    return ToolDefinition(
        name=tool.name,
        description=tool.description,
        parameters_json_schema=dict(tool.parameters),
    )
