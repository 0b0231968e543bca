"""Chat models: those of providers by name, and all that a model of one's own hears and says.

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
