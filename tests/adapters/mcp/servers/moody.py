"""An MCP server whose definitions are in a file, which may change: `moody.py DEFINITIONS DONE`.

The tool "announce" says that the list has changed.
"""

import json
import sys
from pathlib import Path
from typing import Any

DEFINITIONS, DONE = map(Path, sys.argv[1:3])


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answered(method: str, params: dict[str, Any]) -> dict[str, Any]:
    match method:
        case "initialize":
            return {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "moody", "version": "1"},
            }
        case "tools/list":
            return {"tools": json.loads(DEFINITIONS.read_text())}
        case "tools/call":
            with DONE.open("a") as file:
                file.write(f"{params['name']} {json.dumps(params.get('arguments'))}\n")
            if params["name"] == "announce":
                say(method="notifications/tools/list_changed")
            return {"content": [{"type": "text", "text": "done"}]}
        case _:
            raise KeyError(method)


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        try:
            result = answered(message["method"], message.get("params") or {})
        except KeyError:
            say(id=message["id"], error={"code": -32601, "message": "Method not found"})
        else:
            say(id=message["id"], result=result)
