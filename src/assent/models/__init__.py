"""Chat models: providers through pydantic-ai, which is imported when a model is built."""

from assent.models.vendors import chat_model

__all__ = ["chat_model"]
