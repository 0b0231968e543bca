"""A small MCP server with prompts and resources; what it has is in a file: `library.py FILE`."""

import json
import sys
from pathlib import Path
from typing import Any

HAS: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text())
NAME: str = HAS["name"]
REFUSAL = {"code": -32099, "message": "out of print"}
UNKNOWN = {"code": -32601, "message": "Method not found"}


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(method: str, given: dict[str, Any]) -> dict[str, Any] | None:
    match method:
        case "initialize":
            info = {"name": NAME, "version": "1"}
            can = {what: {} for what in ("tools", "prompts", "resources", "completions")}
            return {"protocolVersion": "2025-11-25", "capabilities": can, "serverInfo": info}
        case "tools/list":
            return {"tools": []}
        case "prompts/list" | "resources/list":
            kind = method.partition("/")[0]
            return {kind: HAS.get(kind, [])}
        case "resources/templates/list":
            return {"resourceTemplates": HAS.get("templates", [])}
        case "prompts/get":
            if given["name"] == "grow":
                HAS["prompts"].append({"name": "grown"})
                for kind in ("prompts", "resources") * 50:
                    say(method=f"notifications/{kind}/list_changed")
            text = f"{NAME}: {given['name']} {given.get('arguments')}"
            content = {"type": "text", "text": text}
            return {"messages": [{"role": "user", "content": content}]}
        case "resources/read":
            text = "x" * HAS.get("size", 0) or f"{NAME} has it"
            return {"contents": [{"uri": given["uri"], "text": text}]}
        case "completion/complete":
            values = [f"{NAME}: {json.dumps(given['ref'])} {given['argument']['value']}"]
            return {"completion": {"values": values}}
        case _:
            return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    if message["method"] in HAS.get("refuses", []):
        said: dict[str, Any] = {"error": REFUSAL}
    else:
        result = answer(message["method"], message.get("params") or {})
        said = {"error": UNKNOWN} if result is None else {"result": result}
    say(id=message["id"], **said)
