"""An MCP server of 2025-11-25 whose tool can only be called as a task: `tasked.py BEHAVIOUR`.

The file in TASKED_DONE says what became of its tasks.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

HOW = sys.argv[1]
DONE = Path(os.environ["TASKED_DONE"])
TOOL = {
    "name": "work",
    "inputSchema": {"type": "object", "properties": {}},
    "execution": {"taskSupport": "required"},
}
SIZE = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}
FORM = {"mode": "form", "message": "Which size?", "requestedSchema": SIZE}
ABLE = {"tools": {}, "tasks": {"cancel": {}, "requests": {"tools": {"call": {}}}}}
# What the task is when it is looked at for the first time, the second time, and so on.
COURSE = {
    "fine": ["working", "completed"],
    "fails": ["failed"],
    "breaks": ["failed"],
    "asks": ["input_required"],
    "huge": ["completed"],
    "gives_up": ["cancelled"],
}
AT = "2026-01-01T00:00:00Z"
looks = 0


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    with DONE.open("a") as file:
        file.write(text + "\n")


def task(status: str) -> dict[str, Any]:
    times = {"createdAt": AT, "lastUpdatedAt": AT, "ttl": None, "pollInterval": 1}
    return {"taskId": "t1", "status": status, **times}


def called(id: Any, params: dict[str, Any]) -> None:
    if "task" not in params:
        say(id=id, error={"code": -32601, "message": "only as a task"})
        return
    note("begun")
    if HOW == "plain":
        say(id=id, result={"content": [{"type": "text", "text": "done at once"}]})
        return
    say(id=id, result={"task": task("working")})
    if HOW == "dies":
        os._exit(3)


def looked(id: Any) -> None:
    global looks  # noqa: PLW0603 - the server has one task
    course = COURSE.get(HOW, ["working"])
    status = course[min(looks, len(course) - 1)]
    looks += 1
    if HOW == "hangs" and looks == 1:
        note("looked at")
    if HOW == "forgets":
        say(id=id, error={"code": -32602, "message": "no such task"})
        return
    say(id=id, result=task(status))


def collected(id: Any) -> None:
    text = "all done"
    if HOW == "asks":
        say(id="q1", method="elicitation/create", params=FORM)
        text = json.dumps(json.loads(sys.stdin.readline())["result"])
    if HOW == "breaks":
        say(id=id, error={"code": -32603, "message": "out of paper"})
        return
    text = "x" * 9_000_000 if HOW == "huge" else text
    say(id=id, result={"content": [{"type": "text", "text": text}], "isError": HOW == "fails"})


for line in sys.stdin:
    message = json.loads(line)
    id, params = message.get("id"), message.get("params") or {}
    match message.get("method"):
        case "initialize":
            info = {"name": "tasked", "version": "1"}
            said = {"protocolVersion": "2025-11-25", "capabilities": ABLE, "serverInfo": info}
            say(id=id, result=said)
        case "tools/list":
            say(id=id, result={"tools": [TOOL]})
        case "tools/call":
            called(id, params)
        case "tasks/get":
            looked(id)
        case "tasks/result":
            collected(id)
        case "tasks/cancel":
            note("cancelled")
            say(id=id, result=task("cancelled"))
        case _ if id is not None and "method" in message:
            say(id=id, error={"code": -32601, "message": "Method not found"})
        case _:
            pass
