"""Calls that the gateway sees through: each waits for people and then runs once.

Nothing that must survive is kept here. A call is a row, found again by its key or its id.
"""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Coroutine, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeVar

import mcp_types as types

from assent.adapters.mcp.gateway.answers import kept
from assent.adapters.mcp.gateway.clients import ClientSide, under_name
from assent.adapters.mcp.gateway.offers import LIMITS, Offer, Offers
from assent.adapters.mcp.gateway.rounds import Question, all_rounds
from assent.adapters.mcp.results import error_of
from assent.domain.canonical import check, digest, encode
from assent.domain.lifecycle import CallStatus
from assent.errors import AssentError, CallWaits, McpToolFailed, NotFound
from assent.guard import Guard, GuardedCall, new_token

log = logging.getLogger(__name__)
# Calls whose clients went away and which are still followed here. Older ones are not lost: they run
# when a client asks for them.
MOST_FOLLOWED: Final = 1_000
# When the gateway stops, what runs has this long to end before it is in doubt.
LINGER_SECONDS: Final = 30.0
# Ends the ticket of a call whose client gave it a key.
_KEYED: Final = ".keyed"
# A ticket comes from a model, and goes into the path of a request to a server.
_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,100}", re.ASCII)
_T = TypeVar("_T")


@dataclass(eq=False, slots=True)
class OpenCall:
    """A call on its way, in its latest known state."""

    call: GuardedCall
    # False if its client gave it a key: that one means this call for ever.
    is_released: bool
    task: "asyncio.Task[GuardedCall]"
    # The server's own answer, if this process ran it.
    answer: types.CallToolResult | None = None
    is_running: bool = False
    # True if a client wants to hear of its progress.
    is_watched: bool = False
    # Requests of clients that wait for it now.
    clients: "list[ClientSide]" = field(default_factory=list["ClientSide"])
    delivery: "asyncio.Task[None] | None" = None
    # One that repeats its request is away between two of its rounds.
    away: "ClientSide | None" = None
    # What a server asks clients that repeat their requests, one after the other.
    question: Question | None = None
    has_question: asyncio.Event = field(default_factory=asyncio.Event)
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def able_to_show(self, asked: types.ElicitRequestParams) -> "list[ClientSide]":
        """Return the clients whose users can be asked this."""
        away = [] if self.away is None else [self.away]
        return [each for each in (*self.clients, *away) if each.can_show(asked)]

    async def put(self, asked: types.ElicitRequestParams) -> types.ElicitResult:
        """Have the next client that repeats its request answer a question."""
        async with self._asking:
            self.question = question = Question(asked)
            self.has_question.set()
            try:
                return await question.answer()
            finally:
                self._unask()

    def take(self, responses: Mapping[str, object]) -> None:
        """Take the answer to the open question, if a client has brought it."""
        if self.question is not None and self.question.answered(responses.get(self.question.key)):
            # At once: the client that brought it waits on for the rest.
            self._unask()

    def _unask(self) -> None:
        self.question = None
        self.has_question.clear()

    @property
    def ticket(self) -> str:
        """The text by which a client asks for it later."""
        return self.call.id if self.is_released else f"{self.call.id}{_KEYED}"


class OpenCalls:
    """Makes calls and finds them again; one that is made twice before it was answered is one."""

    def __init__(self, guard: Guard, offers: Offers, *, agent: str) -> None:
        self._guard, self._offers, self._agent = guard, offers, agent
        self._open = dict[str, OpenCall]()
        # Keys under which a request waits, or whose release is not done yet.
        self._held = set[str]()
        self._aside = set[asyncio.Task[Any]]()

    # Making and finding

    @asynccontextmanager
    async def made(
        self, offer: Offer, arguments: Mapping[str, Any], client: ClientSide
    ) -> AsyncGenerator[OpenCall]:
        """Make a call, or find the one that this client made before and got no answer to."""
        if client.key is not None:
            own = f"mcp:{digest(encode(check([self._agent, client.name, client.key])))}"
            opened = await self._proposed(offer, arguments, own, client)
            with _attended(opened, client):
                yield opened
            return
        own = self._free(self._key(offer, arguments, client.name))
        self._held.add(own)
        delivery: asyncio.Task[None] | None = None
        try:
            opened = await self._proposed(offer, arguments, own, client)
            with _attended(opened, client):
                yield opened
            delivery = opened.delivery
        finally:
            if delivery is None:
                self._held.discard(own)
            else:
                delivery.add_done_callback(lambda done: self._let_go(own, done))

    def _key(self, offer: Offer, arguments: Mapping[str, Any], client: str) -> str:
        said = check([self._agent, client, offer.name, dict(arguments)])
        return f"mcp:{digest(encode(said))}"

    def _free(self, key: str) -> str:
        """Return the first of a call's keys that is free: equal calls at once are several calls."""
        number = 0
        while (own := f"{key}:{number}") in self._held:
            number += 1
        return own

    def _let_go(self, key: str, delivery: "asyncio.Task[None]") -> None:
        # A key that could not be released still means the old call: equal ones take another.
        if not delivery.cancelled() and delivery.exception() is None:
            self._held.discard(key)

    async def _proposed(
        self, offer: Offer, arguments: Mapping[str, Any], key: str, client: ClientSide
    ) -> OpenCall:
        async def propose() -> OpenCall:
            call = await self._guard.propose(offer.tool, arguments, key=key, token=new_token())
            return self._follow(call, client, is_released=client.key is None)

        proposing = self._beside(propose())
        try:
            # A client that leaves now must not leave a claim behind that nobody runs.
            return await asyncio.shield(proposing)
        except asyncio.CancelledError:
            if client.asked_to_stop:
                self._beside(self._abandoned(proposing))
            raise

    async def _abandoned(self, proposing: "asyncio.Task[OpenCall]") -> None:
        with suppress(AssentError):
            await self.give_up(await proposing)

    @asynccontextmanager
    async def found(self, ticket: str, client: ClientSide) -> AsyncGenerator[OpenCall]:
        """Find a call by its ticket; raises `NotFound` if it is not this person's."""
        id = ticket.removesuffix(_KEYED)
        if not _ID.fullmatch(id):
            raise NotFound("call", id)
        opened = self._follow(await self._guard.look(id), client, is_released=id == ticket)
        with _attended(opened, client):
            yield opened

    # Seeing it through

    def _follow(self, call: GuardedCall, client: ClientSide, *, is_released: bool) -> OpenCall:
        known = self._open.get(call.id)
        if known is not None and not known.task.done():
            known.is_watched |= client.wants_progress
            return known
        self._forget_oldest()
        task = asyncio.create_task(self._through(call), name=f"assent-gateway-{call.id}")
        task.add_done_callback(_heard)
        self._open[call.id] = made = OpenCall(call, is_released, task)
        made.is_watched = client.wants_progress
        if known is not None:
            made.answer = known.answer
        return made

    def _forget_oldest(self) -> None:
        idle = [id for id, each in self._open.items() if not (each.clients or each.is_running)]
        for id in idle[: max(0, len(self._open) - MOST_FOLLOWED)]:
            self._open.pop(id).task.cancel()

    async def _through(self, call: GuardedCall) -> GuardedCall:
        """Wait for people, run the call once it may run, and return it ended."""
        while not call.is_settled:
            self._seen(call)
            if call.is_cleared or call.claim is not None:
                call = await self._run(call)
            else:
                # People have to act, or another process runs it.
                call = await self._guard.look(call.id, wait=None)
        self._seen(call)
        return call

    def _seen(self, call: GuardedCall) -> None:
        if (known := self._open.get(call.id)) is not None:
            known.call = call

    async def _run(self, call: GuardedCall) -> GuardedCall:
        # One that was claimed with its proposal was looked at just then.
        look = self._offers.fresh if call.claim is None else self._offers.get
        offer = await look(call.tool)

        async def body(arguments: Mapping[str, Any]) -> object:
            return await self._answered(call, offer, arguments)

        try:
            return await self._guard.finish(call, body, tool=None if offer is None else offer.tool)
        except CallWaits:
            return await self._guard.look(call.id)
        finally:
            if (known := self._open.get(call.id)) is not None:
                known.is_running = False

    async def _answered(
        self, call: GuardedCall, offer: Offer | None, arguments: Mapping[str, Any]
    ) -> object:
        if offer is None:
            raise McpToolFailed("Its server no longer lists this tool. Nothing was run.")
        known = self._open.get(call.id)
        if known is not None:
            known.is_running = True
            known.call = replace(call, status=CallStatus.RUNNING)
        watched = known is not None and known.is_watched
        answer = await all_rounds(
            partial(
                self._offers.call,
                offer,
                arguments,
                token=call.id,
                on_progress=partial(self._progressed, call.id) if watched else None,
            ),
            lambda asked: self.elicited(offer.server, asked, call.id),
            most=LIMITS.rounds,
        )
        if known is not None:
            known.answer = answer
        if answer.is_error:
            raise McpToolFailed(error_of(answer))
        return kept(answer)

    async def _progressed(
        self, call_id: str, progress: float, total: float | None, text: str | None
    ) -> None:
        known = self._open.get(call_id)
        for client in [] if known is None else list(known.clients):
            await client.pass_on(progress, total, text)

    async def elicited(
        self, server: str, asked: types.ElicitRequestParams, token: object
    ) -> types.ElicitResult:
        """Ask the user of a client that waits for the call; declined if none of them can be asked.

        What they answer goes back to the server and nowhere else: it decides no call.
        """
        known = self._open.get(str(token))
        able = [] if known is None else known.able_to_show(asked)
        if known is None or not able:
            log.warning("MCP server %r asks, and no client can be asked; declined", server)
            return types.ElicitResult(action="decline")
        if able[0].repeats:
            return await known.put(under_name(server, asked))
        return await able[0].ask(under_name(server, asked))

    # Ending

    def deliver(self, opened: OpenCall) -> None:
        """Note that a client has the answer: an equal call from now on is a new one."""
        self._open.pop(opened.call.id, None)
        if opened.is_released and opened.delivery is None:
            opened.delivery = self._beside(self._guard.release(opened.call.id))
            opened.delivery.add_done_callback(_unreleased)

    async def give_up(self, opened: OpenCall) -> None:
        """Withdraw a call that its client cancelled; one that runs is cancelled at its server."""
        if len(opened.clients) > 1 or opened.task.done():
            return
        if opened.is_running:
            opened.task.cancel()
            await asyncio.wait({opened.task})
            opened.call = await self._guard.look(opened.call.id)
        else:
            opened.call = await self._guard.withdraw(opened.call.id)
        if opened.call.is_settled:
            self.deliver(opened)

    async def close(self) -> None:
        """Stop following; what runs may end, and what waits is kept."""
        running = [each.task for each in self._open.values() if each.is_running]
        if running:
            await asyncio.wait(running, timeout=LINGER_SECONDS)
        tasks = [each.task for each in self._open.values()]
        for task in tasks:
            task.cancel()
        if tasks or self._aside:
            await asyncio.wait({*tasks, *self._aside})

    def _beside(self, work: Coroutine[Any, Any, _T]) -> "asyncio.Task[_T]":
        task = asyncio.create_task(work, name="assent-gateway-aside")
        self._aside.add(task)
        task.add_done_callback(self._aside.discard)
        return task


@contextmanager
def _attended(opened: OpenCall, client: ClientSide) -> Generator[None]:
    opened.clients.append(client)
    try:
        yield
    finally:
        opened.clients.remove(client)
        opened.away = client if client.repeats else None


def _heard(task: "asyncio.Task[GuardedCall]") -> None:
    """Take the error of a call that no client waits for any more."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("a call was not seen through: %s", error)


def _unreleased(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("an equal call gets the same answer once more: %s", error)
