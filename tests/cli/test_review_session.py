"""A person at a terminal whose database stops answering while they decide."""

import asyncio
import io
import threading
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

from assent import Effect, Person, Rule, tool
from assent.cli.console import Console
from assent.cli.review_session import ReviewEnd, ReviewSession
from assent.cli.screen import Screen
from assent.testing import calls, says
from tests.conftest import QUICK, World

ADA = Person("ada")
IMPATIENT = replace(QUICK, lease=timedelta(seconds=30), wait=timedelta(seconds=1))


@dataclass
class Typist:
    """Approves, and then only watches the screen."""

    go_on: threading.Event = field(default_factory=threading.Event)
    asked: int = 0
    is_terminal = False

    async def ask(self, prompt: str, *, default: str = "", deciding: bool = False) -> str:
        del prompt, default, deciding
        self.asked += 1
        if self.asked > 1:
            self.go_on.set()
            await asyncio.Event().wait()
        return "a"

    async def ask_secret(self, prompt: str) -> str:
        return await self.ask(prompt)


async def test_a_decision_that_got_no_answer_is_not_said_to_have_changed_nothing(
    tmp_path: Path,
) -> None:
    typist, out = Typist(), io.StringIO()

    @tool(requires_approval=True)
    async def pay(amount: int) -> int:
        """Pay."""
        return amount

    # Where the database does its work, in the middle of the decision.
    def hangs(*_: object) -> bool:
        assert not typist.asked or typist.go_on.wait(30)
        return False

    rule = Rule.of(Effect.DENY, "pay", when=hangs)
    world = World(f"sqlite:///{tmp_path / 'assent.db'}")
    async with world(
        [says("", calls("pay", amount=7)), "Done."], pay, rules=[rule], times=IMPATIENT
    ) as assent:
        turn = await assent.send("agent", "go", by=ADA)
        console = Console(Screen(out, size=lambda: (80, 24)), typist)
        session = ReviewSession(assent=assent, console=console, person=ADA)
        async with asyncio.timeout(30):
            assert await session.decide(turn.pending[0].id) is ReviewEnd.GONE
        assert (await assent.request(turn.pending[0].id)).status == "approved"
    said = " ".join(out.getvalue().split())
    assert "Nobody knows yet whether that counts:" in said
    assert "is unknown" in said
    assert "nothing was changed" not in said
