"""A desk with a few tools that people are asked about, and small steps over HTTP."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx

from assent import Audience, Field, Risk, UserInput, manual, tool
from assent.domain.fields import FieldType
from assent.domain.messages import ModelSaid, Prompt, UserSaid
from assent.models.scripted import ScriptStep
from assent.testing import calls, says
from tests.server.conftest import Served

Client = httpx.AsyncClient


@dataclass
class Desk:
    """Tools that note what really ran."""

    ran: list[Any] = field(default_factory=list[Any])

    @property
    def tools(self) -> list[Any]:
        ran = self.ran

        @tool(risk=Risk.DANGEROUS, requires_approval=True, impact="Deletes the file for good")
        async def delete_file(path: str) -> str:
            """Delete a file."""
            ran.append(("delete_file", path))
            return f"deleted {path}"

        @tool(
            risk=Risk.MODERATE,
            requires_approval=True,
            approvers=Audience.of("approver", exclude_requester=True),
        )
        async def run_command(command: str) -> str:
            """Run a command; other people than the requester approve it."""
            ran.append(("run_command", command))
            return "done"

        @tool(
            user_input=UserInput(
                "To connect",
                [Field("host"), Field("password", type=FieldType.SECRET)],
                save=True,
            )
        )
        async def connect(purpose: str, host: str, password: str) -> str:
            """Connect somewhere."""
            ran.append(("connect", purpose, host, password))
            return f"connected to {host} with {password}"

        @tool(risk=Risk.SAFE)
        async def look_up(word: str) -> str:
            """Look something up."""
            ran.append(("look_up", word))
            return f"found {word}"

        pick_file = manual("pick_file", description="Let the user pick a file.")
        return [delete_file, run_command, connect, look_up, pick_file]


def script(prompt: Prompt) -> ScriptStep:
    """ "<tool> <argument>", several with "and"; then it repeats what came of them."""
    last = prompt.history[-1]
    if isinstance(last, ModelSaid):
        return "Done: " + "; ".join(str(output.content) for output in last.outputs)
    said = [each for each in prompt.history if isinstance(each, UserSaid)][-1].text
    if said == "hello":
        return "Hello!"
    names = {"delete_file": "path", "run_command": "command", "connect": "purpose"}
    proposals = []
    for part in said.split(" and "):
        name, _, value = part.partition(" ")
        argument = names.get(name, "word")
        proposals.append(calls(name, {} if name == "pick_file" else {argument: value}))
    return says("", *proposals)


def script_of(tool: str, argument: str) -> Callable[[Prompt], ScriptStep]:
    """ "<tool> <value>" calls it with that value."""

    def step(prompt: Prompt) -> ScriptStep:
        last = prompt.history[-1]
        if isinstance(last, UserSaid):
            return says("", calls(tool, {argument: last.text.partition(" ")[2]}))
        return "Done."

    return step


async def conversation(client: Client) -> str:
    """A new conversation of the client's person."""
    made = await client.post("/api/conversations", json={"agent": "agent"})
    assert made.status_code == 201, made.text
    return made.json()["id"]


async def rested(client: Client, turn_id: str) -> dict[str, Any]:
    """The turn once nothing happens any more by itself."""
    for _ in range(1_500):
        turn = (await client.get(f"/api/turns/{turn_id}")).json()
        if turn["resting"]:
            return turn
        await asyncio.sleep(0.01)
    raise AssertionError("the turn never came to rest")


async def ask(client: Client, text: str, conversation_id: str | None = None) -> dict[str, Any]:
    """Say something and wait until the turn rests."""
    id = conversation_id or await conversation(client)
    sent = await client.post(f"/api/conversations/{id}/messages", json={"text": text})
    assert sent.status_code == 202, sent.text
    return await rested(client, sent.json()["id"])


async def pending(client: Client, text: str) -> dict[str, Any]:
    """The one request that a message leads to."""
    turn = await ask(client, text)
    [request] = turn["pending"]
    return request


async def decide(client: Client, request: dict[str, Any], **decision: Any) -> httpx.Response:
    """Decide it, having seen it."""
    if decision.get("verdict") in ("approve", "edit", "run_again"):
        decision.setdefault("digest", request["digest"])
    return await client.post(f"/api/requests/{request['id']}/decide", json=decision)


def clients(served: Served, *names: str) -> list[Client]:
    """A client for each of these accounts."""
    return [served.client(name) for name in names]
