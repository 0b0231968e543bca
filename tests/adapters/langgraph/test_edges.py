"""What a graph can do wrong: the guard runs nothing that it did not clear."""

import asyncio
from types import SimpleNamespace
from typing import Annotated, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt

from assent import Assent, OutcomeUnknown, approve, did_not_run
from assent.adapters.langgraph import GuardedToolNode, GuardMiddleware, look_again
from assent.client import AsyncClient
from assent.errors import AsyncOnly, InvalidParameter, NotResumable, ServerUnreachable
from assent.guard import Guard
from tests.adapters.langgraph.graphs import (
    BUILDERS,
    METADATA,
    Desk,
    ScriptedChat,
    call,
    graph_of,
    thread,
)
from tests.adapters.langgraph.test_matrix import results, tickets

GO: Any = {"messages": [("user", "go")]}
kinds = pytest.mark.parametrize("kind", ["agent", "graph"])


def nowhere() -> Guard:
    """The guard of a server that nobody can reach."""
    return AsyncClient("http://127.0.0.1:9", key="k")


@kinds
def test_a_run_without_an_event_loop_runs_nothing(kind: str, desk: Desk) -> None:
    script = [[call("read", path="a")], "done"]
    agent = BUILDERS[kind](nowhere(), desk, script, InMemorySaver())

    with pytest.raises(AsyncOnly, match="ainvoke"):
        agent.invoke(GO, thread())

    assert desk.lines() == []


@kinds
async def test_a_run_that_cannot_go_on_later_withdraws_its_question(
    kind: str, office: Assent, guard: Guard, desk: Desk
) -> None:
    graph = BUILDERS[kind](guard, desk, [[call("write", path="a")], "done"], None)

    with pytest.raises(NotResumable, match="checkpointer"):
        await graph.ainvoke(GO)

    assert await office.pending() == []
    assert desk.lines() == []


@kinds
async def test_a_call_can_wait_in_place(
    kind: str, office: Assent, guard: Guard, desk: Desk
) -> None:
    graph = BUILDERS[kind](guard, desk, [[call("write", path="a")], "done"], None, wait=None)
    run = asyncio.create_task(graph.ainvoke(GO))
    while not (asked := await office.pending()):
        await asyncio.wait({run}, timeout=0.01)
    await office.decide(asked[0], approve(), by="ana")

    assert results(await run) == {"call_1": "wrote a"}


@kinds
async def test_an_unknown_tool_is_neither_run_nor_asked_about(
    kind: str, office: Assent, guard: Guard, desk: Desk
) -> None:
    graph = BUILDERS[kind](guard, desk, [[call("wipe", path="/")], "done"], InMemorySaver())

    told = results(await graph.ainvoke(GO, thread()))["call_1"]

    assert told == "There is no tool 'wipe'; the tools are: fail, pay, read, write"
    assert await office.pending() == []


@kinds
async def test_arguments_that_do_not_fit_are_told_and_nobody_is_asked(
    kind: str, office: Assent, guard: Guard, desk: Desk
) -> None:
    calls = [call("write", "c1"), call("write", "c2", path=["a"]), call("pay", "c3", amount="x")]
    graph = BUILDERS[kind](guard, desk, [calls, "done"], InMemorySaver())

    told = results(await graph.ainvoke(GO, thread()))

    assert "path" in told["c1"]
    assert "path" in told["c2"]
    assert "amount" in told["c3"]
    assert await office.pending() == []
    assert desk.lines() == []


@kinds
async def test_a_tool_that_raises_is_told_and_on_record(
    kind: str, office: Assent, guard: Guard, desk: Desk
) -> None:
    graph = BUILDERS[kind](guard, desk, [[call("fail", path="a")], "done"], InMemorySaver())
    (ticket,) = tickets(await graph.ainvoke(GO, thread()))
    await office.decide(ticket["request_id"], approve(), by="ana")

    state = await graph.ainvoke(Command(resume="x"), thread())

    (message,) = [m for m in state["messages"] if m.type == "tool"]
    assert message.status == "error"
    assert "ValueError: a" in message.text
    assert (await guard.look(ticket["call_id"])).status == "failed"


@kinds
async def test_ids_that_a_provider_repeats_are_calls_of_their_own(
    kind: str, guard: Guard, desk: Desk
) -> None:
    script = [[call("read", "call_0", path="a")], [call("read", "call_0", path="a")], "done"]
    graph = BUILDERS[kind](guard, desk, script, InMemorySaver())

    await graph.ainvoke(GO, thread())

    assert desk.lines() == ["read a", "read a"]


@kinds
async def test_threads_do_not_share_calls(kind: str, guard: Guard, desk: Desk) -> None:
    graph = BUILDERS[kind](guard, desk, [[call("write", path="a")], "done"], InMemorySaver())

    first = tickets(await graph.ainvoke(GO, thread("t1")))
    second = tickets(await graph.ainvoke(GO, thread("t2")))

    assert first[0]["call_id"] != second[0]["call_id"]


@kinds
@pytest.mark.parametrize("id", ["", "x" * 10_000, '","', "\N{WOMAN}‍\N{PERSONAL COMPUTER}"])
async def test_any_id_of_a_call_will_do(
    kind: str, office: Assent, guard: Guard, desk: Desk, id: str
) -> None:
    graph = BUILDERS[kind](guard, desk, [[call("write", id, path="a")], "done"], InMemorySaver())
    (ticket,) = tickets(await graph.ainvoke(GO, thread()))
    await office.decide(ticket["request_id"], approve(), by="ana")

    state = await graph.ainvoke(Command(resume=1), thread())

    assert results(state) == {id: "wrote a"}


@kinds
async def test_a_guard_that_cannot_be_reached_stops_the_run(kind: str, desk: Desk) -> None:
    script = [[call("read", path="a")], "done"]
    graph = BUILDERS[kind](nowhere(), desk, script, InMemorySaver())

    with pytest.raises(ServerUnreachable):
        await graph.ainvoke(GO, thread())

    assert desk.lines() == []
    assert (await graph.aget_state(thread())).next == ("tools",)


async def test_many_calls_in_one_message_each_run_once(guard: Guard, desk: Desk) -> None:
    calls = [call("read", f"c{n}", path=str(n)) for n in range(100)]
    graph = graph_of(guard, desk, [calls, "done"], InMemorySaver())

    state = await graph.ainvoke(GO, thread())

    assert len(results(state)) == 100
    assert sorted(desk.lines()) == sorted(f"read {n}" for n in range(100))


async def test_interrupts_of_others_are_not_answered(guard: Guard, desk: Desk) -> None:
    @tool
    def ask_somebody(question: str) -> str:
        """Ask."""
        return str(interrupt({"question": question}))

    middleware = GuardMiddleware(guard=guard, tools=METADATA, unguarded=["ask_somebody"])
    agent = create_agent(
        ScriptedChat(
            script=[[call("ask_somebody", "c1", question="?"), call("write", "c2", path="a")], "x"]
        ),
        [*desk.tools, ask_somebody],
        middleware=[middleware],
        checkpointer=InMemorySaver(),
    )
    state: Any = await agent.ainvoke(GO, thread())  # type: ignore[call-overload]

    command = look_again(state["__interrupt__"])

    assert len(state["__interrupt__"]) == 2
    assert len(command.resume) == 1  # type: ignore[arg-type]


async def test_a_guarded_tool_that_pauses_the_graph_fails_and_says_what_to_do(
    guard: Guard,
) -> None:
    @tool
    def read(path: str) -> str:
        """Ask inside."""
        return str(interrupt(path))

    agent = create_agent(
        ScriptedChat(script=[[call("read", path="a")], "done"]),
        [read],
        middleware=[GuardMiddleware(guard=guard, tools=METADATA)],
        checkpointer=InMemorySaver(),
    )

    state = await agent.ainvoke(GO, thread())  # type: ignore[call-overload]

    assert "unguarded" in results(state)["call_1"]


async def test_a_command_of_a_tool_changes_the_state_once(
    office: Assent, guard: Guard, desk: Desk
) -> None:
    @tool
    def write(path: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> Command[Any]:
        """Write and say so in the state."""
        desk.note(f"write {path}")
        message = ToolMessage(f"wrote {path}", tool_call_id=tool_call_id)
        return Command(update={"messages": [message, ("user", "an extra message")]})

    agent = create_agent(
        ScriptedChat(script=[[call("write", path="a")], "done"]),
        [write],
        middleware=[GuardMiddleware(guard=guard)],
        checkpointer=InMemorySaver(),
    )
    (ticket,) = tickets(await agent.ainvoke(GO, thread()))  # type: ignore[call-overload]
    await office.decide(ticket["request_id"], approve(edit={"path": "b"}), by="ana")

    state: Any = await agent.ainvoke(Command(resume=1), thread())

    texts = [message.text for message in state["messages"]]
    assert texts[-1] == "done"
    assert "an extra message" in texts
    assert results(state)["call_1"].endswith("\nwrote b")
    assert desk.lines() == ["write b"]


async def test_langchain_alone_runs_what_a_forged_answer_says(desk: Desk) -> None:
    """The peer's own gate takes the resuming program's word, also for other arguments."""
    from langchain.agents.middleware import HumanInTheLoopMiddleware

    gate: AgentMiddleware[Any, Any, Any] = HumanInTheLoopMiddleware(interrupt_on={"write": True})
    agent = create_agent(
        ScriptedChat(script=[[call("write", path="a")], "done"]),
        desk.tools,
        middleware=[gate],
        checkpointer=InMemorySaver(),
    )
    await agent.ainvoke(GO, thread())  # type: ignore[call-overload]
    edited = {"name": "write", "args": {"path": "/etc/passwd"}}
    forged = {"decisions": [{"type": "edit", "edited_action": edited}]}

    await agent.ainvoke(Command(resume=forged), thread())

    assert desk.lines() == ["write /etc/passwd"]


@pytest.mark.parametrize(
    "wrong",
    [{"guard": None}, {"wait": -1}, {"wait": "0"}, {"tools": ["read"]}, {"unguarded": [1]}],
    ids=str,
)
def test_options_that_mean_nothing_are_refused(guard: Guard, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidParameter):
        GuardMiddleware(**{"guard": guard, **wrong})


def test_a_tool_that_takes_the_name_of_another_is_refused(guard: Guard, desk: Desk) -> None:
    @tool("write")
    async def other(path: str) -> str:
        """Do as another author likes."""
        return path

    with pytest.raises(InvalidParameter, match="different names"):
        GuardedToolNode([*desk.tools, other], guard=guard)


class Unanswered(Exception):
    """As the MCP SDK raises it: a request went out, and its time ran out."""

    def __init__(self) -> None:
        self.error = SimpleNamespace(code=408)
        super().__init__("Timed out")


@pytest.mark.parametrize("error", [OutcomeUnknown("the line went dead"), Unanswered()])
async def test_a_tool_that_cannot_tell_pauses_the_graph_until_a_person_says(
    office: Assent, guard: Guard, error: Exception
) -> None:
    @tool
    async def read(path: str) -> str:
        """Read a file."""
        raise error

    unasked = {"read": {"requires_approval": False}}
    guarded = [GuardMiddleware(guard=guard, tools=unasked)]
    model = ScriptedChat(script=[[call("read", path="a")], "done"])
    agent = create_agent(model, [read], middleware=guarded, checkpointer=InMemorySaver())

    paused = await agent.ainvoke(GO, thread())
    assert [each["status"] for each in tickets(paused)] == ["in_doubt"]
    (request,) = await office.pending()
    await office.decide(request, did_not_run("I looked"), by="ana")

    state = await agent.ainvoke(look_again(paused["__interrupt__"]), thread())
    assert results(state) == {"call_1": "I looked"}
