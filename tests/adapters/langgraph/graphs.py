"""Graphs and agents of the tests: real LangGraph and LangChain with a scripted chat model.

Run as a program, it is a process of its own that talks to the same two databases.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, ToolCall, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import tools_condition
from typing_extensions import TypedDict

from assent import Assent
from assent.adapters.langgraph import GuardedToolNode, GuardMiddleware, look_again
from assent.engine.settings import Times
from assent.guard import Guard

LEASE = timedelta(seconds=1)
FORM = {
    "pay": {
        "user_input": {
            "reason": "To book it",
            "fields": [{"name": "note", "description": "what for"}],
        }
    }
}
METADATA: dict[str, dict[str, Any]] = {
    "read": {"risk": "safe", "requires_approval": False},
    **FORM,
}


class ScriptedChat(BaseChatModel):
    """A chat model that says what its script has at this point of the conversation.

    It keeps nothing itself, so that any process goes on where another one stopped.
    """

    script: list[Any]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        answered = {m.tool_call_id for m in messages if isinstance(m, ToolMessage)}
        asked = [c["id"] for m in messages if isinstance(m, AIMessage) for c in m.tool_calls]
        # As strict as a provider: one result for each call.
        assert answered == set(asked), (answered, asked)
        said = self.script[sum(isinstance(m, AIMessage) for m in messages)]
        message = AIMessage(said) if isinstance(said, str) else AIMessage("", tool_calls=said)
        return ChatResult(generations=[ChatGeneration(message=message)])


def call(name: str, id: str = "call_1", **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args, id=id, type="tool_call")


class Desk:
    """Tools whose effects are lines of a file, and a graph with them."""

    def __init__(self, effects: Path, *, deadly: bool = False) -> None:
        self.effects, self._deadly = effects, deadly

    def lines(self) -> list[str]:
        return self.effects.read_text().splitlines() if self.effects.exists() else []

    def note(self, line: str) -> None:
        with self.effects.open("a") as file:
            file.write(f"{line}\n")

    @property
    def tools(self) -> list[Any]:
        @tool
        async def read(path: str) -> str:
            """Read a file."""
            self.note(f"read {path}")
            return f"contents of {path}"

        @tool
        async def write(path: str, text: str = "") -> str:
            """Write a file."""
            self.note(f"write {path} {text}".strip())
            if self._deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            return f"wrote {path}"

        @tool
        async def pay(amount: int, note: str = "") -> str:
            """Pay somebody."""
            self.note(f"pay {amount} {note}")
            return f"paid {amount}"

        @tool
        async def fail(path: str) -> str:
            """Fail after a while."""
            self.note(f"fail {path}")
            raise ValueError(path)

        return [read, write, pay, fail]


def agent_of(guard: Guard, desk: Desk, script: list[Any], saver: Any, **options: Any) -> Any:
    """LangChain's own agent."""
    middleware = GuardMiddleware(guard=guard, tools=METADATA, **options)
    return create_agent(
        ScriptedChat(script=script), desk.tools, middleware=[middleware], checkpointer=saver
    )


class _State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def graph_of(guard: Guard, desk: Desk, script: list[Any], saver: Any, **options: Any) -> Any:
    """A graph built by hand, with one node for all calls of a message."""
    model = ScriptedChat(script=script)

    def chat(state: _State) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    node = GuardedToolNode(desk.tools, guard=guard, metadata=METADATA, **options)
    graph = StateGraph(_State)
    graph.add_node("chat", chat)
    graph.add_node("tools", node)
    graph.add_edge(START, "chat")
    graph.add_conditional_edges("chat", tools_condition)
    graph.add_edge("tools", "chat")
    return graph.compile(checkpointer=saver)


BUILDERS = {"agent": agent_of, "graph": graph_of}


def thread(name: str = "t1") -> Any:
    return {"configurable": {"thread_id": name}}


def engine(url: str) -> Assent:
    """An engine that runs nothing itself: callers do."""
    return Assent(url, agents=(), worker=False, times=Times(lease=LEASE), review_url="http://desk")


async def _run(folder: Path, order: Mapping[str, Any]) -> dict[str, Any]:
    desk = Desk(folder / "effects", deadly=order.get("deadly", False))
    async with (
        engine(order["url"]) as assent,
        AsyncSqliteSaver.from_conn_string(str(folder / "graph.db")) as saver,
    ):
        guard = assent.guard_for(agent="desk", by="ana")
        script = [said if isinstance(said, str) else list(said) for said in order["script"]]
        graph = BUILDERS[order["kind"]](guard, desk, script, saver)
        if "say" in order:
            given: Any = {"messages": [("user", order["say"])]}
        else:
            given = look_again((await graph.aget_state(thread())).interrupts)
        state = await graph.ainvoke(given, thread())
        return {
            "messages": [message.text for message in state["messages"]],
            "interrupts": [each.value for each in state.get("__interrupt__", ())],
        }


if __name__ == "__main__":
    reported = asyncio.run(_run(Path(sys.argv[1]), json.loads(sys.argv[2])))
    sys.stdout.write(json.dumps(reported))
