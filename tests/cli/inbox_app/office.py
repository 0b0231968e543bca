"""An office: an agent whose calls wait for people, and a person in front of the inbox."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from textual.pilot import Pilot

from assent import (
    Agent,
    Assent,
    Audience,
    Effect,
    Field,
    File,
    OutcomeUnknown,
    Person,
    Risk,
    Rule,
    Step,
    UserInput,
    manual,
    tool,
)
from assent.cli.inbox_app.app import InboxApp
from assent.cli.inbox_app.backend import InboxBackend
from assent.cli.inbox_app.card_view import CardView
from assent.cli.inbox_app.inbox_screen import InboxScreen
from assent.cli.inbox_app.local_backend import LocalBackend
from assent.cli.inbox_app.pauses import Pauses
from assent.cli.inbox_app.request_list import RequestList
from assent.domain.confirmations import Confirmation
from assent.domain.fields import FieldType, Option, ShowIf
from assent.domain.messages import ModelSaid, Prompt, UserSaid
from assent.domain.tools import Hint
from assent.models.scripted import ScriptStep
from assent.testing import ScriptedModel, calls, says
from tests.conftest import QUICK

SECONDS = 20.0
ROLES = frozenset({"requester", "approver"})
ANA, BEN = Person("ana", roles=ROLES), Person("ben", roles=ROLES)
SIZE = (120, 40)
# How long a person takes matters to the tests that are about it.
SHORT = Pauses(arming=timedelta(milliseconds=20), dwell=timedelta(0))
LONG = Pauses(arming=timedelta(hours=1), dwell=timedelta(hours=1))
TWO = Rule.of(Effect.ASK, "merge", audience=Audience.of("approver"), quorum=2)
FORM = UserInput(
    "To connect",
    [
        Field("host", help="Where to"),
        Field("port", type=FieldType.NUMBER, minimum=1, maximum=65_535, default=22),
        Field("since", type=FieldType.DATE, required=False),
        Field("secure", type=FieldType.BOOLEAN),
        Field("region", type=FieldType.SELECT, options=["eu", Option("us", "United States")]),
        Field("features", type=FieldType.MULTI_SELECT, options=["a", "b", "c"], required=False),
        Field("remark", type=FieldType.MULTILINE, required=False),
        Field("token", type=FieldType.SECRET, show_if=ShowIf("secure", equals=True)),
    ],
)

ABROAD = ShowIf("country", "NO")
STEPS = UserInput(
    "To ship it",
    steps=[
        Step(
            "Who",
            [Field("name"), Field("country", type=FieldType.SELECT, options=["DE", "NO"])],
        ),
        Step("Customs", [Field("contents", show_if=ABROAD)], help="Only abroad"),
        Step("Payment", [Field("card", type=FieldType.SECRET)]),
    ],
)


@dataclass
class Tools:
    """What the agent can do, and what really ran."""

    ran: list[Any] = field(default_factory=list[Any])

    def all(self) -> list[Any]:
        """The tools; those with a form and with a dead line are apart."""
        ran = self.ran

        @tool(risk=Risk.MODERATE, requires_approval=True)
        async def note(text: str) -> str:
            """Note something."""
            ran.append(("note", text))
            return "noted"

        @tool(risk=Risk.DANGEROUS, requires_approval=True, impact="Deletes the file for good")
        async def delete_file(path: str, force: bool = False) -> str:
            """Delete a file."""
            ran.append(("delete_file", path, force))
            return "deleted"

        @tool(risk=Risk.DANGEROUS, requires_approval=True, confirmation=Confirmation.TYPED)
        async def drop(table: str) -> str:
            """Drop a table."""
            ran.append(("drop", table))
            return "dropped"

        @tool(risk=Risk.MODERATE, requires_approval=True, approvers=Audience.of("approver"))
        async def share(text: str) -> str:
            """Share something; any approver decides."""
            ran.append(("share", text))
            return "shared"

        @tool(risk=Risk.MODERATE, requires_approval=True, decide_within=timedelta(seconds=3))
        async def hurry(text: str) -> str:
            """Ask for three seconds only."""
            return text

        @tool(risk=Risk.MODERATE)
        async def merge(text: str) -> str:
            """Merge; a rule asks two approvers."""
            ran.append(("merge", text))
            return "merged"

        @tool(requires_approval=True, hints={"token": Hint(secret=True)})
        async def push(token: str, branch: str) -> str:
            """Push a branch."""
            ran.append(("push", token, branch))
            return "pushed"

        count = manual("count", description="Count them.", output={"type": "integer"})
        return [note, delete_file, drop, share, hurry, merge, push, count, *self.odd()]

    def odd(self) -> list[Any]:
        ran = self.ran

        @tool(user_input=STEPS)
        async def ship(
            order: str, *, name: str, country: str, card: str, contents: str = ""
        ) -> str:
            """Ship an order."""
            ran.append(("ship", name, country, contents, card))
            return "shipped"

        @tool(user_input=FORM)
        async def connect(
            purpose: str,
            *,
            host: str,
            port: int,
            secure: bool,
            region: str,
            since: str | None = None,
            features: list[str] | None = None,
            remark: str | None = None,
            token: str | None = None,
        ) -> str:
            """Connect somewhere."""
            given = {"host": host, "port": port, "since": since, "secure": secure}
            given |= {"region": region, "features": features, "remark": remark, "token": token}
            ran.append(("connect", purpose, given))
            return "connected"

        @tool(user_input=PAPERS)
        async def file_papers(shelf: str, papers: list[File]) -> str:
            """File papers."""
            ran.append(("file_papers", shelf, [(each.name, each.read()) for each in papers]))
            return f"filed {len(papers)}"

        @tool(risk=Risk.MODERATE, requires_approval=True, timeout=None)
        async def post(text: str) -> str:
            """Post something; the first time the line goes dead."""
            ran.append(("post", text))
            if len(ran) == 1:
                raise OutcomeUnknown("the line went dead")
            return "posted"

        @tool(user_input=UserInput("To book", [Field("city", suggest="tool")], save="person"))
        async def book(nights: int, city: str) -> str:
            """Book a room."""
            ran.append(("book", city))
            return "booked"

        return [ship, connect, file_papers, post, book]


_PAPER = Field("papers", type=FieldType.FILE, kinds="text/*", max_files=2)
PAPERS = UserInput("Papers, please", [_PAPER])


def script(prompt: Prompt) -> ScriptStep:
    """`<tool> <JSON>`, several on lines of their own; then what came of them."""
    last = prompt.history[-1]
    if isinstance(last, ModelSaid):
        return "Done: " + "; ".join(str(output.content) for output in last.outputs)
    said = [each for each in prompt.history if isinstance(each, UserSaid)][-1].text
    parts = [line.partition(" ") for line in said.split("\n")]
    return says("", *[calls(name, json.loads(arguments)) for name, _, arguments in parts])


def agent() -> Agent:
    """The agent, for a process of its own."""
    return Agent("agent", model=ScriptedModel(script), tools=Tools().all())


@dataclass
class Office:
    """A running engine, and the inbox of a person: in its database, or over a server."""

    assent: Assent
    tools: Tools
    url: str
    opened: Callable[[Person], Any]
    # The channel that the record names.
    channel: str = "terminal"

    async def asks(self, name: str, by: Person = ANA, **arguments: Any) -> str:
        """The request that a call of this tool leads to."""
        turn = await self.assent.send("agent", f"{name} {json.dumps(arguments)}", by=by)
        [request] = turn.pending
        return request.id

    async def status(self, id: str) -> str:
        return str((await self.assent.request(id)).status)

    async def rested(self, id: str) -> str:
        """The answer of the turn, once it rests."""
        request = await self.assent.request(id)
        async with asyncio.timeout(SECONDS):
            return (await self.assent.wait(request.turn_id)).text

    @asynccontextmanager
    async def seat(
        self, person: Person = ANA, size: tuple[int, int] = SIZE, pauses: Pauses = SHORT
    ) -> "AsyncIterator[Seat]":
        """A person in front of their inbox."""
        async with self.opened(person) as backend:
            app = InboxApp(backend, pauses)
            async with app.run_test(size=size) as pilot:
                yield Seat(app, pilot, backend)


@asynccontextmanager
async def in_database(url: str, person: Person) -> AsyncIterator[LocalBackend]:
    """The inbox as `assent inbox` opens it beside a running worker."""
    async with Assent(url, agents=[agent()], worker=False, times=QUICK, rules=[TWO]) as beside:
        yield LocalBackend(assent=beside, by=person, place="sqlite:///assent.db")


class Seat:
    """A person in front of the inbox."""

    def __init__(self, app: InboxApp, pilot: Pilot[None], backend: InboxBackend) -> None:
        self.app, self.pilot, self.backend = app, pilot, backend

    @property
    def inbox(self) -> InboxScreen:
        """The screen below all dialogs."""
        [screen] = [each for each in self.app.screen_stack if isinstance(each, InboxScreen)]
        return screen

    @property
    def list(self) -> RequestList:
        return self.inbox.query_one(RequestList)

    @property
    def view(self) -> CardView:
        return self.inbox.query_one(CardView)

    @property
    def text(self) -> str:
        """Everything on the screen now, as characters."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    async def until(self, holds: Callable[[], Any], what: str = "it") -> None:
        """Wait until something holds, for a bounded time."""
        try:
            async with asyncio.timeout(SECONDS):
                while not holds():
                    await self.pilot.pause(0.02)
        except TimeoutError:
            raise AssertionError(f"{what} never came. The screen:\n{self.text}") from None

    async def sees(self, *words: str) -> str:
        """Wait until these are on the screen."""
        await self.until(lambda: all(each in self.text for each in words), repr(words))
        return self.text

    async def misses(self, *words: str) -> None:
        """Wait until none of these is on the screen."""
        await self.until(lambda: all(each not in self.text for each in words), f"not {words!r}")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Type a text, letter by letter."""
        names = {" ": "space", "\n": "enter"}
        await self.pilot.press(*[names.get(char, char) for char in text])

    async def read(self, rows: int = 1) -> None:
        """Open the first request and read it to its end, for as long as a person takes."""
        await self.until(lambda: len(self.list.rows) >= rows, "a request")
        await self.press("enter")
        await self.finish()

    async def approve_edit(self) -> None:
        """Look at the edit for as long as a person takes, then approve it."""
        await self.sees("Your edit, before it counts")
        view = self.app.screen.query_one(CardView)
        await self.until(lambda: view.is_armed, "the end of the edit")
        await self.press("a")

    async def finish(self) -> None:
        """Page to the end of the card and wait until keys that run a call count."""
        await self.until(lambda: self.view.in_sight[2] > 1, "a card")
        async with asyncio.timeout(SECONDS):
            while not self.view.is_seen:
                await self.press("space")
                await self.pilot.pause(0.02)
        await self.until(lambda: self.view.is_armed, "the end of the card")
