"""MCP servers that misbehave, written against the bare wire: `hostile.py FAULT`.

One JSON-RPC message a line, protocol 2025-11-25. The file in HOSTILE_DONE says which calls came.
"""

import hashlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

FAULT = sys.argv[1]
DONE = Path(os.environ.get("HOSTILE_DONE", "/dev/null"))
OBJECT = {"type": "object", "properties": {}}


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(id: Any, result: Any) -> None:
    say({"jsonrpc": "2.0", "id": id, "result": result})


def notify(method: str, **params: Any) -> None:
    say({"jsonrpc": "2.0", "method": method, "params": params})


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"Does {name}.", "inputSchema": OBJECT, **more}


def text(words: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": words}]}


def tools(params: dict[str, Any]) -> dict[str, Any]:  # noqa: C901 - one case per fault
    match FAULT:
        case "many":
            return {"tools": [tool(f"t{number}") for number in range(10_000)]}
        case "endless":
            page = int(params.get("cursor", 0))
            return {"tools": [tool(f"t{page}")], "nextCursor": str(page + 1)}
        case "circle":
            return {"tools": [tool("one")], "nextCursor": ""}
        case "huge_definition":
            big = tool("big", description="x" * 100_000)
            return {"tools": [big, tool("small")]}
        case "remote_ref" | "bottomless":
            remote = {
                "type": "object",
                "properties": {"a": {"$ref": "http://127.0.0.1:9/schema.json"}},
            }
            deep: dict[str, Any] = {"type": "object"}
            for _ in range(300 if FAULT == "bottomless" else 40):
                deep = {"type": "object", "properties": {"a": deep}}
            slow = {
                "type": "object",
                "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}},
            }
            return {
                "tools": [
                    tool("remote") | {"inputSchema": remote},
                    tool("deep") | {"inputSchema": deep},
                    tool("slow") | {"inputSchema": slow},
                    tool("task", execution={"taskSupport": "required"}),
                    tool("fine"),
                ]
            }
        case "clash":
            return {
                "tools": [
                    tool("a.b"),
                    # What "a.b" becomes.
                    tool("a_b_" + hashlib.sha256(b"a.b").hexdigest()[:8]),
                    tool("same"),
                    tool("same", title="another"),
                    tool("twin"),
                    tool("twin"),
                    tool("x" * 128),
                    tool("näme/with spaces"),
                    tool(""),
                ]
            }
        case "evil_names":
            return {"tools": [tool("\u202e<script>x()</script>", description="x" * 100_000)]}
        case "liar":
            shape = {
                "type": "object",
                "properties": {"n": {"type": "integer"}},
                "required": ["n"],
            }
            return {"tools": [tool("wrong", outputSchema=shape), tool("none", outputSchema=shape)]}
        case "malformed":
            return {"tools": [{"name": 5}]}
        case _:
            return {"tools": [tool("go"), tool("other")]}


def call(id: Any, name: str) -> None:  # noqa: C901, PLR0912 - one case per fault
    with DONE.open("a") as file:
        file.write(name + "\n")
    match FAULT:
        case "hang":
            if name == "go":
                return
        case "big":
            if name == "go":
                answer(id, text("x" * 100_000_000))
                return
        case "big_id_last":
            body = json.dumps(text("x" * 20_000_000))
            sys.stdout.write(f'{{"result":{body},"jsonrpc":"2.0","id":{json.dumps(id)}}}\n')
            sys.stdout.flush()
            return
        case "die":
            os._exit(3)
        case "liar":
            wrong = {"structuredContent": {"n": "many"}} if name == "wrong" else {}
            answer(id, text("trust me") | wrong)
            return
        case "shapeless":
            answer(id, {"content": "no list"})
            return
        case "flood":
            for number in range(2_000):
                notify("notifications/message", level="info", data=f"{number}" * 100)
            for _ in range(200):
                notify("notifications/tools/list_changed")
        case "stderr":
            sys.stderr.write("e" * 5_000_000)
            sys.stderr.flush()
        case "error":
            refusal = {"code": -32602, "message": "no such thing"}
            say({"jsonrpc": "2.0", "id": id, "error": refusal})
            return
        case "asks":
            say({"jsonrpc": "2.0", "id": "r1", "method": "roots/list"})
            sample = {"messages": [], "maxTokens": 1}
            say(
                {"jsonrpc": "2.0", "id": "s1", "method": "sampling/createMessage", "params": sample}
            )
            got = [json.loads(sys.stdin.readline()) for _ in range(2)]
            answer(id, text(json.dumps([each.get("error") for each in got])))
            return
        case _:
            pass
    answer(id, text(f"{name} is done"))


def garbage() -> None:
    lines = 100_000 if FAULT == "only_garbage" else 20
    for _ in range(lines):
        sys.stdout.write("Server starting… \x00\x1b[31m {not json}\n")
    sys.stdout.flush()


def main() -> None:
    if FAULT in ("garbage", "only_garbage"):
        garbage()
    if FAULT == "silent":
        DONE.write_text(str(os.getpid()))
        time.sleep(3600)
    for line in sys.stdin:
        message = json.loads(line)
        id, method = message.get("id"), message.get("method")
        match method:
            case "initialize":
                info = {"name": "hostile", "version": "1"}
                abilities = {"tools": {"listChanged": True}}
                version = message["params"]["protocolVersion"]
                answer(
                    id,
                    {"protocolVersion": version, "capabilities": abilities, "serverInfo": info},
                )
            case "tools/list":
                answer(id, tools(message.get("params") or {}))
            case "tools/call":
                call(id, message["params"]["name"])
            case _ if id is not None and method:
                refusal = {"code": -32601, "message": "Method not found"}
                say({"jsonrpc": "2.0", "id": id, "error": refusal})
            case _:
                pass


main()
