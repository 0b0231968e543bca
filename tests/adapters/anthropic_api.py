"""A loopback server that speaks the Anthropic Messages API and says what a script has."""

import asyncio
import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

_START_SECONDS = 20


def use(name: str, id: str = "toolu_1", **given: Any) -> dict[str, Any]:
    """A tool use, as the model writes it."""
    return {"type": "tool_use", "id": id, "name": name, "input": given}


class FakeAnthropic:
    """Answers by how many assistant messages there were, so that any session can go on.

    A script has one entry for each answer: a text, or a list of tool uses.
    """

    def __init__(self, script: list[Any]) -> None:
        self.script = script
        self.requests: list[dict[str, Any]] = []
        self.url = ""

    @property
    def results(self) -> dict[str, Any]:
        """What the model was told of each tool use, as text."""
        last = self.requests[-1]["messages"] if self.requests else []
        blocks = [b for m in last if isinstance(m["content"], list) for b in m["content"]]
        return {b["tool_use_id"]: b for b in blocks if b["type"] == "tool_result"}

    def told(self, id: str = "toolu_1") -> str:
        return json.dumps(self.results[id]["content"])

    async def messages(self, request: Request) -> Response:
        body = await request.json()
        if not body.get("tools"):
            # A title, or another question on the side.
            return self._answer(body, "ok")
        self.requests.append(body)
        said = sum(message["role"] == "assistant" for message in body["messages"])
        return self._answer(body, self.script[min(said, len(self.script) - 1)])

    def _answer(self, body: dict[str, Any], said: Any) -> Response:
        blocks = [{"type": "text", "text": said}] if isinstance(said, str) else said
        stop = "end_turn" if isinstance(said, str) else "tool_use"
        if body.get("stream"):
            events = _events(body["model"], blocks, stop)
            return StreamingResponse(events, media_type="text/event-stream")
        return JSONResponse({**_start(body["model"]), "content": blocks, "stop_reason": stop})


def _start(model: str) -> dict[str, Any]:
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }


def _events(model: str, blocks: list[dict[str, Any]], stop: str) -> Iterator[str]:
    yield _event("message_start", message=_start(model))
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            written = json.dumps(block["input"])
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": written}
        yield _event("content_block_start", index=index, content_block=empty)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    ended = {"stop_reason": stop, "stop_sequence": None}
    yield _event("message_delta", delta=ended, usage={"output_tokens": 1})
    yield _event("message_stop")


def _event(kind: str, **more: Any) -> str:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n"


@asynccontextmanager
async def anthropic_api(script: list[Any]) -> AsyncGenerator[FakeAnthropic]:
    """Serve a script on a free port."""
    fake = FakeAnthropic(script)

    async def other(_: Request) -> Response:
        return JSONResponse({})

    routes = [
        Route("/v1/messages", fake.messages, methods=["POST"]),
        Route("/{path:path}", other, methods=["GET", "HEAD", "POST"]),
    ]
    config = uvicorn.Config(Starlette(routes=routes), port=0, log_level="error", lifespan="off")
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[method-assign]
    serving = asyncio.create_task(server.serve())
    async with asyncio.timeout(_START_SECONDS):
        while not server.started:  # noqa: ASYNC110 - it gives no sign
            await asyncio.sleep(0.01)
    (listening,) = server.servers
    fake.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield fake
    finally:
        server.should_exit = True
        await serving
