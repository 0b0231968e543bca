"""Chat models of providers, by name, and the types that a `ChatModel` of your own works with.

Providers are reached through pydantic-ai, which is imported when a model is built.
"""

from assent.domain.messages import (
    Answer,
    ArgumentsDelta,
    Block,
    Delta,
    FinishReason,
    MediaBlock,
    ModelSaid,
    Prompt,
    Proposal,
    ReasoningDelta,
    TextBlock,
    TextDelta,
    ToolOutput,
    ToolSpec,
    Usage,
    UserSaid,
)
from assent.models.vendors import chat_model
from assent.ports import ChatModel

__all__ = [
    "Answer",
    "ArgumentsDelta",
    "Block",
    "ChatModel",
    "Delta",
    "FinishReason",
    "MediaBlock",
    "ModelSaid",
    "Prompt",
    "Proposal",
    "ReasoningDelta",
    "TextBlock",
    "TextDelta",
    "ToolOutput",
    "ToolSpec",
    "Usage",
    "UserSaid",
    "chat_model",
]
