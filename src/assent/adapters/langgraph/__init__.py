"""LangGraph and LangChain: tool calls that pause the graph until people have decided.

Needs `pip install 'assent[langgraph]'`.
"""

from assent.adapters.langgraph.middleware import GuardMiddleware
from assent.adapters.langgraph.pauses import look_again
from assent.adapters.langgraph.tool_node import GuardedToolNode

__all__ = ["GuardMiddleware", "GuardedToolNode", "look_again"]
