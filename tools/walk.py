"""Walk one gated call over HTTP, and count what a reader of its code has to follow.

Run it as `python -m tools.walk`. It sends a message, approves the call that pauses it and reads the
answer, all in this process. It prints how many modules of Assent took part, how often control
passed from one package (`assent.engine`, `assent.store`, …) to another, and the longest chain of
imports below the server.
"""

import asyncio
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import grimp
import httpx

from assent import Agent, Assent, Person, Risk, tool
from assent.domain.messages import Answer, ModelSaid, Prompt
from assent.domain.people import Scope
from assent.server import create_app
from assent.testing import ScriptedModel, calls, says

TOP = "assent.server.app"
ROOT = Person("root", roles=frozenset({"admin"}))
PAUSE_SECONDS = 0.2


@tool(risk=Risk.DANGEROUS, requires_approval=True)
async def pay(account: str, amount: int) -> str:
    """Pay an amount to an account."""
    return f"paid {amount} to {account}"


@dataclass
class Walk:
    """The modules that ran, and how often control passed from one package to another."""

    modules: set[str] = field(default_factory=set[str])
    switches: int = 0
    # Threads take turns: each has its own place in the walk.
    _places: dict[int, str] = field(default_factory=dict[int, str])
    _on: bool = False

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count everything that runs within this block."""
        self._on = True
        try:
            yield
        finally:
            self._on = False

    def profile(self, frame: FrameType, event: str, _: object) -> None:
        """Note one step; for `sys.setprofile`."""
        if not self._on or event != "call":
            return
        module: str = frame.f_globals.get("__name__", "")
        if not module.startswith("assent."):
            return
        self.modules.add(module)
        thread, package = threading.get_ident(), ".".join(module.split(".")[:2])
        self.switches += self._places.get(thread, package) != package
        self._places[thread] = package


async def gated_call(client: httpx.AsyncClient) -> str:
    """Send a message, approve the call that it leads to, and return the model's answer."""
    opened = await _post(client, "/api/conversations", agent="payer")
    turn = await _post(client, f"/api/conversations/{opened['id']}/messages", text="Pay Ada")
    [request] = (await _rested(client, turn["id"]))["pending"]
    address, digest = f"/api/requests/{request['id']}/decide", request["digest"]
    await _post(client, address, verdict="approve", digest=digest)
    return (await _rested(client, turn["id"]))["text"]


async def _post(client: httpx.AsyncClient, address: str, **body: str) -> dict[str, Any]:
    return (await client.post(address, json=body)).raise_for_status().json()


async def _rested(client: httpx.AsyncClient, turn_id: str) -> dict[str, Any]:
    while True:
        # Long enough to be asked once: each look is a walk of its own.
        await asyncio.sleep(PAUSE_SECONDS)
        turn = (await client.get(f"/api/turns/{turn_id}")).raise_for_status().json()
        if turn["resting"]:
            return turn


def _script(prompt: Prompt) -> Answer:
    if isinstance(prompt.history[-1], ModelSaid):
        return says("Paid.")
    return says("", calls("pay", account="DE00", amount=5))


async def walk() -> Walk:
    """Return what one gated call passes through; the first one only warms up."""
    found = Walk()
    threading.setprofile(found.profile)
    sys.setprofile(found.profile)
    agent = Agent("payer", model=ScriptedModel(_script), tools=[pay])
    async with Assent("sqlite:///:memory:", agents=[agent]) as assent:
        await assent.people.add(Person("ada", roles=frozenset({"requester"})), by=ROOT)
        _, key = await assent.people.issue_key(
            "ada", label="walk", scopes=frozenset(Scope), by=ROOT
        )
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=create_app(assent)),
            base_url="http://localhost",
            headers={"Authorization": f"Bearer {key}"},
        ) as client:
            await gated_call(client)
            with found.counted():
                await gated_call(client)
    sys.setprofile(None)
    threading.setprofile(None)
    return found


def import_depth(top: str) -> list[str]:
    """Return the longest chain of imports that begins with a module, without going in circles."""
    graph = grimp.build_graph("assent", cache_dir=None, exclude_type_checking_imports=True)
    longest: dict[str, list[str]] = {}
    above: set[str] = set()

    def below(module: str) -> list[str]:
        if module not in longest:
            above.add(module)
            imported = sorted(graph.find_modules_directly_imported_by(module) - above)
            chains = [below(each) for each in imported]
            longest[module] = [module, *max(chains, key=len, default=[])]
            above.remove(module)
        return longest[module]

    return below(top)


def main() -> None:
    """Print the numbers."""
    found, chain = asyncio.run(walk()), import_depth(TOP)
    sys.stdout.write(
        f"one gated call over HTTP: {len(found.modules)} modules, {found.switches} switches\n"
        f"longest chain of imports from {TOP}: {len(chain)} modules\n"
    )


if __name__ == "__main__":
    main()
