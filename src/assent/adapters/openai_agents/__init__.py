"""OpenAI Agents SDK: agents whose function and MCP tools pass the guard.

Needs `pip install 'assent[openai-agents]'`.
"""

from assent.adapters.openai_agents.agents import GuardedAgent, guarded
from assent.adapters.openai_agents.running import GuardedRun, resume, run
from assent.adapters.openai_agents.threads import Thread

__all__ = ["GuardedAgent", "GuardedRun", "Thread", "guarded", "resume", "run"]
