import pytest
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from assent.domain.messages import Answer, TextDelta
from assent.errors import ModelFailed
from assent.models.adapter import PydanticAIModel
from assent.ports import ChatModel
from tests.models.wires import HELLO


def unfinished(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[TextPart(content="hi")])


def broken(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    raise OSError("disk on fire")


async def test_any_model_of_pydantic_ai_is_a_chat_model() -> None:
    own = TestModel(call_tools=[], custom_output_text="Hello")
    model: ChatModel = PydanticAIModel(own, finish_required=False)
    assert (await model.request(HELLO)).text == "Hello"
    *deltas, last = [item async for item in model.stream(HELLO)]
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "Hello"
    assert isinstance(last, Answer)


async def test_an_answer_that_does_not_say_why_it_ended_is_cut_off_by_default() -> None:
    with pytest.raises(ModelFailed) as caught:
        await PydanticAIModel(FunctionModel(unfinished)).request(HELLO)
    assert caught.value.transient


async def test_an_unexpected_error_keeps_its_cause_and_is_not_retried() -> None:
    with pytest.raises(ModelFailed) as caught:
        await PydanticAIModel(FunctionModel(broken)).request(HELLO)
    assert isinstance(caught.value.__cause__, OSError)
    assert not caught.value.transient
    assert "disk on fire" not in caught.value.reason
