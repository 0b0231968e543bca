"""The wire formats every test of the chat models runs against, and prompts to send over them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from assent.domain.messages import (
    Answer,
    ArgumentsDelta,
    Block,
    Delta,
    ModelSaid,
    Prompt,
    ReasoningDelta,
    TextDelta,
    ToolOutput,
    ToolSpec,
    UserSaid,
)
from assent.models import chat_model
from assent.models.adapter import HostedModel
from tests.providers import FakeProvider

KEY = "0123456789-of-assent"
SEARCH = ToolSpec(
    name="search",
    description="Search the web",
    parameters={"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
)
HELLO = Prompt(instructions="Be brief.", history=(UserSaid(text="Find me a cat"),), tools=(SEARCH,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A spec, where it is served, and this provider's words."""

    spec: str
    dialect: str
    under_v1: bool = True
    length: str
    settings: Mapping[str, object] = field(default_factory=dict)

    def model(self, provider: FakeProvider, *, timeout_seconds: float = 5.0) -> HostedModel:
        return chat_model(
            self.spec,
            base_url=provider.openai_url if self.under_v1 else provider.url,
            api_key=KEY,
            timeout_seconds=timeout_seconds,
            settings=self.settings,
        )


CHAT = Wire(spec="openai-chat:gpt-x", dialect="openai-chat", length="length")
RESPONSES = Wire(
    spec="openai-responses:gpt-5", dialect="openai-responses", length="max_output_tokens"
)
ANTHROPIC = Wire(
    spec="anthropic:claude-opus-5",
    dialect="anthropic",
    under_v1=False,
    length="max_tokens",
    # With its default of many tokens, even a plain request is streamed behind the scenes.
    settings={"max_tokens": 4096},
)
GOOGLE = Wire(spec="google:gemini-2.5-flash", dialect="google", under_v1=False, length="MAX_TOKENS")
OPENROUTER = Wire(spec="openrouter:vendor/model", dialect="openai-chat", length="length")
OLLAMA = Wire(spec="ollama:qwen3:8b", dialect="openai-chat", length="length")

# Where arguments travel as text; Google sends parsed ones, and Anthropic does unless it streams.
TEXTUAL = (CHAT, RESPONSES)
WIRES = (CHAT, RESPONSES, ANTHROPIC, GOOGLE)
ALL_WIRES = (*WIRES, OPENROUTER, OLLAMA)


def after(answer: Answer, *contents: str | tuple[Block, ...], failed: bool = False) -> Prompt:
    """The prompt that goes on after an answer, with these contents as the outputs of its calls."""
    outputs = tuple(
        ToolOutput(provider_id=call.provider_id, tool=call.tool, content=content, failed=failed)
        for call, content in zip(answer.proposals, contents, strict=True)
    )
    said = ModelSaid(answer=answer, outputs=outputs)
    return Prompt(instructions="Be brief.", history=(*HELLO.history, said), tools=(SEARCH,))


async def streamed(model: HostedModel, prompt: Prompt = HELLO) -> tuple[list[Delta], Answer]:
    """Everything a stream yields: deltas, and the answer as its last item."""
    *deltas, answer = [item async for item in model.stream(prompt)]
    assert isinstance(answer, Answer)
    return [delta for delta in deltas if not isinstance(delta, Answer)], answer


async def asked(model: HostedModel, prompt: Prompt = HELLO, *, stream: bool) -> Answer:
    """The answer, whichever way it is asked for."""
    return (await streamed(model, prompt))[1] if stream else await model.request(prompt)


def text_of(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))


def reasoning_of(deltas: list[Delta]) -> str:
    return "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta))


def arguments_of(deltas: list[Delta], index: int) -> str:
    pieces = (delta for delta in deltas if isinstance(delta, ArgumentsDelta))
    return "".join(delta.text for delta in pieces if delta.index == index)
