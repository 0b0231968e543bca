"""PydanticAI: toolsets and agents whose calls pass the guard.

Needs `pip install 'assent[pydantic-ai]'`.
"""

from assent.adapters.pydantic_ai.capability import Guarded
from assent.adapters.pydantic_ai.resuming import results, resume, saved
from assent.adapters.pydantic_ai.toolset import GuardedToolset

__all__ = ["Guarded", "GuardedToolset", "results", "resume", "saved"]
