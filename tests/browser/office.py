"""An agent whose tools note what they did, and a model that does as it is told."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from assent import (
    Audience,
    Field,
    OutcomeUnknown,
    Person,
    Progress,
    Risk,
    ShowIf,
    UserInput,
    manual,
    tool,
)
from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation
from assent.domain.fields import FieldType
from assent.domain.messages import ModelSaid, Prompt, UserSaid
from assent.models.scripted import ScriptStep
from assent.testing import calls, says
from tests.server.conftest import ROLES

SECRET = "correct horse battery"
DECIDERS = Audience.of("approver", "admin")


def person(account: str) -> Person:
    """Who this account is."""
    return Person(account, roles=ROLES[account])


def wants(tool: str, **arguments: Json) -> str:
    """What to say to the agent so that it calls this tool; several on a line each."""
    return f"{tool} {json.dumps(arguments)}"


def script(prompt: Prompt) -> ScriptStep:
    """Calls the tools that the last message names; then it repeats what came of them."""
    last = prompt.history[-1]
    if isinstance(last, ModelSaid):
        return "Done: " + "; ".join(str(output.content) for output in last.outputs)
    said = [each for each in prompt.history if isinstance(each, UserSaid)][-1].text
    named = [line.partition(" ") for line in said.splitlines()]
    proposals = [calls(name, raw) for name, _, raw in named if raw.startswith("{")]
    return says("I would like to do this.", *proposals) if proposals else f"You said: {said}"


@dataclass
class Office:
    """Tools that note what really ran."""

    ran: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    # A tool in the middle of its work waits for this.
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def tools(self) -> list[Any]:
        ran, go_on = self.ran, self.go_on

        @tool(risk=Risk.DANGEROUS, requires_approval=True, impact="Deletes the file for good")
        async def erase(path: str, recursive: bool = False) -> str:
            """Erase a file."""
            ran.append(("erase", path, recursive))
            return f"erased {path}"

        @tool(risk=Risk.MODERATE, requires_approval=True, category="money")
        async def pay(to: str, amount: int, note: str = "") -> str:
            """Pay somebody."""
            ran.append(("pay", to, amount))
            return f"paid {amount} to {to}"

        @tool(risk=Risk.MODERATE, requires_approval=True, approvers=DECIDERS)
        async def restart(service: str) -> str:
            """Restart a service; approvers decide."""
            ran.append(("restart", service))
            return f"restarted {service}"

        @tool(risk=Risk.DANGEROUS, requires_approval=True, confirmation=Confirmation.TYPED)
        async def transfer(account: str, amount: int) -> str:
            """Transfer money; whoever approves it types the account."""
            ran.append(("transfer", account, amount))
            return f"transferred {amount}"

        @tool(risk=Risk.MODERATE, requires_approval=True, decide_within=timedelta(seconds=8))
        async def hurry(what: str) -> str:
            """Something that cannot wait."""
            ran.append(("hurry", what))
            return "hurried"

        @tool(risk=Risk.MODERATE, requires_approval=True)
        async def publish(title: str, lines: list[str]) -> str:
            """Publish a text."""
            ran.append(("publish", title, lines))
            return "\n".join(lines)

        way = [
            Field("host", label="Host", pattern="[a-z.]+", message="Only small letters"),
            Field("method", label="Method", type=FieldType.SELECT, options=["key", "password"]),
            Field(
                "password",
                label="Password",
                type=FieldType.SECRET,
                show_if=ShowIf("method", "password"),
            ),
        ]

        @tool(user_input=UserInput("Where to connect to", fields=way))
        async def connect(command: str, host: str, method: str, password: str | None = None) -> str:
            """Run a command on a host."""
            ran.append(("connect", host, method, password == SECRET))
            return "connected"

        @tool(risk=Risk.SAFE)
        async def copy(files: int) -> AsyncIterator[Any]:
            """Copy files, one after the other."""
            yield Progress(f"1 of {files} files", 1 / files)
            await go_on.wait()
            ran.append(("copy", files))
            yield f"copied {files} files"

        @tool(risk=Risk.SAFE)
        async def look_up(word: str) -> str:
            """Look something up."""
            ran.append(("look_up", word))
            return f"found {word}"

        weigh = manual("weigh", description="Weigh the parcel by hand.", output=int)
        asking = [erase, pay, restart, transfer, hurry, publish, connect, _invoice(ran)]
        return [*asking, copy, look_up, weigh]


def _invoice(ran: list[tuple[Any, ...]]) -> Any:
    @tool(risk=Risk.MODERATE, requires_approval=True)
    async def invoice(customer: str) -> str:
        """Send an invoice; of the first one nobody knows whether it arrived."""
        ran.append(("invoice", customer))
        if len(ran) == 1:
            raise OutcomeUnknown("the line went dead after sending")
        return f"invoiced {customer}"

    return invoice
