"""Runs of AG-UI over real HTTP, as their events."""

import json
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx

from tests.server.conftest import Served

Event = dict[str, Any]


@dataclass
class Run:
    """What one posted run answered."""

    status: int
    events: list[Event]

    def of(self, *types: str) -> list[Event]:
        return [event for event in self.events if event["type"] in types]

    @property
    def types(self) -> list[str]:
        return [event["type"] for event in self.events]

    @property
    def text(self) -> str:
        return "".join(event["delta"] for event in self.of("TEXT_MESSAGE_CONTENT"))

    @property
    def results(self) -> dict[str, str]:
        return {event["toolCallId"]: event["content"] for event in self.of("TOOL_CALL_RESULT")}

    @property
    def interrupts(self) -> list[Event]:
        [finished] = self.of("RUN_FINISHED")
        assert finished["outcome"]["type"] == "interrupt"
        return finished["outcome"]["interrupts"]

    @property
    def error(self) -> tuple[str, str]:
        [failed] = self.of("RUN_ERROR")
        assert self.events[-1] is failed
        return failed["code"], failed["message"]


@dataclass
class Thread:
    """A client of one thread: it keeps the history that the protocol has it post."""

    served: Served
    account: str = "user"
    id: str = field(default_factory=lambda: f"thread-{uuid4().hex[:8]}")
    path: str = "/agui"
    messages: list[Event] = field(default_factory=list[Event])

    async def say(self, text: str, **more: Any) -> Run:
        self.messages.append({"id": uuid4().hex, "role": "user", "content": text})
        return await self.run(**more)

    async def resume(self, *entries: Event, **more: Any) -> Run:
        return await self.run(resume=list(entries), **more)

    async def run(self, **more: Any) -> Run:
        answer = await self.post({**self.body(), **more})
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"].startswith("text/event-stream")
        return Run(answer.status_code, events_of(answer.text))

    async def post(self, body: Any) -> httpx.Response:
        return await self.served.client(self.account).post(self.path, json=body)

    def body(self) -> Event:
        return {
            "threadId": self.id,
            "runId": uuid4().hex,
            "state": {},
            "messages": [*self.messages],
            "tools": [],
            "context": [],
            "forwardedProps": {},
        }


def events_of(text: str) -> list[Event]:
    """The events of a stream that has nothing but them and signs of life, with LF."""
    assert "\r" not in text
    assert "[DONE]" not in text
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    assert all(block.startswith("data: ") and "\n" not in block for block in blocks)
    return [json.loads(block.removeprefix("data: ")) for block in blocks]


def resolved(interrupt: Event, payload: Any) -> Event:
    return {"interruptId": interrupt["id"], "status": "resolved", "payload": payload}


def approved(interrupt: Event, **more: Any) -> Event:
    return resolved(interrupt, {"approved": True, **more})


def denied(interrupt: Event, **more: Any) -> Event:
    return resolved(interrupt, {"approved": False, **more})


def cancelled(interrupt: Event) -> Event:
    return {"interruptId": interrupt["id"], "status": "cancelled"}
