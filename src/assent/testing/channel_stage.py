"""The stage for tests of a channel: a platform with people on it, and an engine with tools."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from assent.app import Assent
from assent.channels.reference import Reference
from assent.domain.declarations import manual, tool
from assent.domain.fields import Field, FieldType, ShowIf
from assent.domain.forms import UserInput
from assent.domain.messages import Prompt, UserSaid
from assent.domain.people import SYSTEM, Audience, Person
from assent.domain.policy import Rule
from assent.domain.requests import Request
from assent.domain.tools import Hint, Tool
from assent.engine.agents import Agent
from assent.engine.deliveries.channel import Channel
from assent.engine.queries.snapshots import Turn
from assent.engine.settings import Times
from assent.models.scripted import ScriptedModel, ScriptStep, calls, says

T = TypeVar("T")
WAIT_SECONDS = 30.0
# A channel that could not connect is tried again after a third of the lease, and what has expired
# is looked for at intervals: by default after ten seconds, and every two.
_TIMES = Times(lease=timedelta(seconds=6), look=timedelta(seconds=0.5))
# Ann and Bob may decide, Eve has an account and may not, Mallory has none.
ANN, BOB, EVE, MALLORY = "ann", "bob", "eve", "mallory"
OPS = frozenset({"ops"})
_ROLES: Mapping[str, frozenset[str]] = {
    ANN: OPS,
    BOB: OPS,
    EVE: frozenset(),
}
OWNER = Person("olga")


class Fault(StrEnum):
    """A fault of the platform. All but an outage concern the next message only."""

    OUTAGE = "outage"
    RECOVERY = "recovery"
    RATE_LIMIT = "rate limit"
    LOST_REPLY = "lost reply"
    REFUSAL = "refusal"
    # Every message that is shown now is deleted.
    DELETION = "deletion"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A post as a reader finds it now: all its text, its buttons, and everything that was sent."""

    text: str
    buttons: tuple[str, ...] = ()
    raw: str = ""

    def button(self, verb: str, request: Request | None = None) -> str:
        """Return the reference of the button for a verb, and for a request if there are several."""
        for text in self.buttons:
            found = Reference.read(text)
            if found is None or found.verb != verb:
                continue
            if request is None or found.request_id == request.id:
                return text
        raise AssertionError(f"There is no button {verb!r}, only {self.buttons}")

    @property
    def verbs(self) -> frozenset[str]:
        """The verbs of all buttons."""
        return frozenset(found.verb for each in self.buttons if (found := Reference.read(each)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The reply to a press or a form, which only that person sees; `fields` if it is a form."""

    text: str
    buttons: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    # The values that the form is opened with.
    values: Mapping[str, str] = field(default_factory=dict[str, str])
    reference: str = ""


class Stage(Protocol):
    """A platform for tests, with the people `ann`, `bob`, `eve` and `mallory` on it."""

    # The database of the engine, and the address at which requests for `ops` are shown.
    database: str
    place: str

    def channel(self) -> Channel:
        """Return a new channel of this platform, as each process has its own."""
        ...

    def chat_id(self, name: str) -> str:
        """Return the id that the platform has for a person."""
        ...

    async def shown(self, place: str) -> Sequence[Shown]:
        """Return the posts that a reader finds at an address now, oldest first."""
        ...

    async def press(self, name: str, button: str) -> Heard:
        """Press a button as a person of the platform."""
        ...

    async def fill(self, name: str, form: Heard, values: Mapping[str, str]) -> Heard:
        """Send a form that was opened by a press."""
        ...

    async def write(self, name: str, text: str) -> None:
        """Write a message where requests are shown."""
        ...

    async def fault(self, fault: Fault) -> None:
        """Let the platform fail, or recover."""
        ...


@dataclass(slots=True, kw_only=True)
class Ledger:
    """Everything that the tools of a test did."""

    paid: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    logins: list[str] = field(default_factory=list[str])
    mails: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])


def tools_of(ledger: Ledger) -> list[Tool]:
    """Return tools that ask `ops` first: a payment, a note of any length, and forms."""
    ops = Audience.of("ops")

    @tool(requires_approval=True, approvers=ops, risk="moderate")
    def pay(to: str, amount: int) -> str:
        """Pay somebody."""
        ledger.paid.append((to, amount))
        return f"paid {amount} to {to}"

    @tool(requires_approval=True, approvers=ops, risk="moderate", hints={"pin": Hint(secret=True)})
    def note(text: str, pin: str = "") -> str:
        """Write a note."""
        del pin
        return f"noted {len(text)} characters"

    form = UserInput(
        "Where to log in",
        [
            Field("host"),
            Field("method", type=FieldType.SELECT, options=("password", "none")),
            Field("password", type=FieldType.SECRET, show_if=ShowIf("method", "password")),
        ],
    )

    @tool(requires_approval=False, user_input=form, approvers=ops)
    def login(host: str, method: str, password: str = "") -> str:
        """Log in."""
        ledger.logins.append(f"{host} {method} {len(password)}")
        return f"logged in at {host}"

    letter = UserInput(
        "What to send",
        [
            Field("to"),
            Field("copy_to", required=False),
            Field("archive", required=False, default="all@example.com"),
        ],
    )

    @tool(requires_approval=False, user_input=letter, approvers=ops)
    def mail(to: str, copy_to: str = "", archive: str = "") -> str:
        """Send a letter."""
        ledger.mails.append((to, copy_to, archive))
        return f"sent to {to}"

    who = UserInput("For whom", [Field("company")], save="person")

    @tool(requires_approval=False, user_input=who, approvers=ops)
    def invoice(company: str) -> str:
        """Write an invoice."""
        return f"an invoice for {company}"

    item: dict[str, Any] = {"type": "object", "properties": {"item": {"type": "string"}}}
    quote = manual("quote", description="Ask for a price.", parameters=item, approvers=ops)

    return [pay, note, login, mail, invoice, quote]


@dataclass(slots=True, kw_only=True)
class Play:
    """An engine with the channel of a stage, and the turns that a test starts in it."""

    stage: Stage
    assent: Assent
    channel: Channel
    script: deque[ScriptStep]
    ledger: Ledger
    turns: list[Turn] = field(default_factory=list[Turn])

    async def ask(self, *proposals: Any, by: Person = OWNER) -> tuple[Request, ...]:
        """Let the model propose calls, and return the requests that they wait for."""
        self.script.append(says("", *proposals))
        turn = await self.assent.send("agent", "Please.", by=by)
        self.turns.append(turn)
        return turn.pending

    async def pay(self, to: str = "acme", amount: int = 5) -> Request:
        """Let the model propose a payment, and return the request."""
        [request] = await self.ask(calls("pay", to=to, amount=amount))
        return request

    async def post(self, place: str | None = None, count: int = 1) -> Shown:
        """Wait until so many posts are shown; return the last one."""
        where = self.stage.place if place is None else place

        async def enough() -> Sequence[Shown] | None:
            found = await self.stage.shown(where)
            return found if len(found) >= count else None

        found = await until(f"{count} posts at {where!r}", enough)
        assert len(found) == count, f"{len(found)} posts instead of {count}"
        return found[-1]

    async def settled_post(self) -> Shown:
        """Wait until the last post offers no decision any more; return it."""

        async def settled() -> Shown | None:
            found = await self.stage.shown(self.stage.place)
            is_over = bool(found) and not found[-1].verbs & {"approve", "reject", "answer"}
            return found[-1] if is_over else None

        return await until("a post without buttons", settled)

    async def idle(self) -> None:
        """Wait until nothing is left to deliver."""
        name = self.channel.name

        async def done() -> bool:
            return not await self.assent.channels.is_behind(name)

        await until("no delivery is due", done)

    async def status(self, request: Request) -> str:
        """Return the present status of a request."""
        return (await self.assent.request(request)).status


async def until(what: str, found: Callable[[], Awaitable[T | None]]) -> T:
    """Return the first value that is neither None nor False; fail after some seconds."""
    end = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < end:
        if value := await found():
            return value
        await asyncio.sleep(0.02)
    raise AssertionError(f"Waited {WAIT_SECONDS:.0f} seconds in vain for {what}")


@asynccontextmanager
async def playing(
    stage: Stage,
    *,
    quorum: int = 1,
    decide_within: timedelta | None = timedelta(hours=1),
    channel: Channel | None = None,
    worker: bool = True,
    serving: bool = True,
    has_channel: bool = True,
) -> AsyncGenerator[Play]:
    """Open an engine with the stage's channel, and with accounts for the people who have one.

    With `serving` it waits until this engine serves the channel.
    """
    ledger, script = Ledger(), deque[ScriptStep]()

    def answer(prompt: Prompt) -> ScriptStep:
        is_new = isinstance(prompt.history[-1], UserSaid)
        return script.popleft() if is_new and script else "Done."

    model = ScriptedModel(answer)
    made = channel or stage.channel()
    rules = [Rule(effect="ask", quorum=quorum, tools="pay")] if quorum > 1 else []
    assent = Assent(
        stage.database,
        agents=[Agent("agent", model=model, tools=tools_of(ledger))],
        rules=rules,
        channels=[made] if has_channel else [],
        decide_within=decide_within,
        worker=worker,
        review_url="https://assent.test",
        times=_TIMES,
    )
    async with assent:
        for name, roles in _ROLES.items():
            await _known(assent, made.name, name, roles, stage.chat_id(name))
        play = Play(stage=stage, assent=assent, channel=made, script=script, ledger=ledger)
        if serving and has_channel:

            async def served() -> bool:
                return assent.channels.is_serving(made.name)

            await until("the channel to be served", served)
        yield play


async def _known(
    assent: Assent, channel: str, name: str, roles: frozenset[str], chat_id: str
) -> None:
    if await assent.people.find(name) is None:
        await assent.people.add(Person(name, roles=roles), by=SYSTEM)
    await assent.people.chats.welcome(name, channel, chat_id, name)
