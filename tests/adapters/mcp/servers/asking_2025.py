"""An MCP server of 2025-11-25 that asks while its call runs; ASKING_DONE says what it heard."""

import json
import os
import sys
from pathlib import Path
from typing import Any

DONE = Path(os.environ["ASKING_DONE"])
SIZE = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}
FORM = {"mode": "form", "message": "Which size?", "requestedSchema": SIZE}
URL = {"mode": "url", "message": "Sign", "url": "https://sign.example/", "elicitationId": "e1"}


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def hear() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        raise SystemExit
    return json.loads(line)


def asked(params: dict[str, Any]) -> dict[str, Any]:
    say(id="q1", method="elicitation/create", params=params)
    while (message := hear()).get("id") != "q1":
        if message.get("method") == "notifications/cancelled":
            return {"cancelled": True}
    return message.get("result") or message["error"]


def called(id: Any, name: str, arguments: dict[str, Any]) -> None:
    if name == "eager":
        # Asks, and does not wait for the answer.
        say(id="q1", method="elicitation/create", params=FORM)
        text = "did it anyway"
    elif name == "many":
        for number in range(300):
            say(id=f"q{number}", method="elicitation/create", params=FORM)
        heard = [hear()["result"]["action"] for _ in range(300)]
        text = json.dumps({action: heard.count(action) for action in sorted(set(heard))})
    elif name == "gated":
        with DONE.open("a") as file:
            file.write("gated\n")
        seen = DONE.read_text().count("gated")
        if seen == 1:
            refusal = {"code": -32042, "message": "Sign first", "data": {"elicitations": [URL]}}
            say(id=id, error=refusal)
            return
        text = "signed"
    else:
        form = {**FORM, "requestedSchema": arguments["schema"]} if name == "form" else FORM
        text = json.dumps(asked(URL if name == "url" else form))
    with DONE.open("a") as file:
        file.write(text + "\n")
    say(id=id, result={"content": [{"type": "text", "text": text}]})


def main() -> None:
    while True:
        message = hear()
        id, params = message.get("id"), message.get("params") or {}
        match message.get("method"):
            case "initialize":
                say(
                    id=id,
                    result={
                        "protocolVersion": params["protocolVersion"],
                        "capabilities": {"tools": {}},
                        "serverInfo": {"name": "asking", "version": "1"},
                    },
                )
            case "tools/list":
                tools = [
                    {"name": name, "inputSchema": {"type": "object", "properties": {}}}
                    for name in ("size", "url", "eager", "gated", "many", "form")
                ]
                say(id=id, result={"tools": tools})
            case "tools/call":
                called(id, params["name"], params.get("arguments") or {})
            case _ if id is not None and "method" in message:
                say(id=id, error={"code": -32601, "message": "Method not found"})
            case _:
                pass


main()
