"""Bodies of tools: how one attempt runs, its possible outcomes, and which bodies run here."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from collections.abc import Generator as Yielding
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final, assert_never

from assent.domain.bodies import (
    ApprovalRequired,
    Deferred,
    External,
    Generator,
    InputRequired,
    Progress,
    Regular,
)
from assent.domain.canonical import Json
from assent.domain.forms import UserInput
from assent.domain.identifiers import flaw
from assent.domain.outputs import (
    error_output,
    error_text,
    failed_response,
    is_content,
    jsonable,
    not_kept,
    parsed,
)
from assent.domain.tools import Arguments, Context, Hitl, Manual, Tool
from assent.engine.runs.scrubber import Scrubber
from assent.engine.threads import is_ours, offload, weight
from assent.errors import AssentError, InvalidArguments, InvalidOutput
from assent.ports import Held


class OutcomeUnknown(AssentError):
    """Raised by a tool body that cannot tell whether its effect happened."""

    code = "outcome_unknown"


@dataclass(frozen=True, slots=True)
class Succeeded:
    """The call ran and returned an output."""

    output: Json


@dataclass(frozen=True, slots=True)
class Failed:
    """The call failed or could not run. `ran` is True if it ran, but its output was not kept."""

    output: Json
    ran: bool = False


@dataclass(frozen=True, slots=True)
class Asks:
    """The body did nothing yet, and wants a person's approval."""

    metadata: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Needs:
    """The body needs a person's answers before it can go on, and left this state for then."""

    form: UserInput
    state: Json


@dataclass(frozen=True, slots=True)
class Waits:
    """The output has to be supplied: by a person, or with a task id by some process."""

    task_id: str | None


@dataclass(frozen=True, slots=True)
class Unknown:
    """The call may or may not have had its effect."""

    reason: str


Outcome = Succeeded | Failed | Asks | Needs | Waits | Unknown
Report = Callable[[Progress], Awaitable[None]]


def failed(message: str) -> Failed:
    """Return a failure that the model reads as an error.

    Half surrogate pairs are escaped, since they could not be sent to it.
    """
    return Failed(error_output(error_text(message)))


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyRun:
    """One attempt: the body with its arguments, and the secrets to hide."""

    tool: Tool
    context: Context
    arguments: Arguments
    scrubber: Scrubber
    report: Report

    async def perform(self) -> Outcome:
        """Bind the arguments and run the body; any exception from its code becomes an outcome."""
        try:
            return await self._performed()
        except BaseException as error:
            if is_ours(error):
                raise
            return failed(self._said(error))

    async def respond(self, supplied: Json) -> Outcome:
        """Let the tool rework what a person supplied."""
        original = await offload(weight(supplied), parsed, supplied)
        kind = self.tool.kind
        hook = kind.on_response_received if isinstance(kind, Hitl) else None
        try:
            if hook is None:
                await offload(weight(original), self._normal, original)
                return Succeeded(supplied)
            return await self._reworked(await hook(self.context, original), original)
        except BaseException as error:
            if is_ours(error):
                raise
            return Failed(failed_response(self.scrubber.error(error), original))

    async def _reworked(self, value: object, original: Json) -> Outcome:
        try:
            return Succeeded(await self.kept(value))
        except InvalidOutput as error:
            return Failed(failed_response(self.not_kept(error), original), ran=True)

    async def _performed(self) -> Outcome:
        try:
            return await self._outcome(await self._run())
        except OutcomeUnknown as error:
            return Unknown(self.scrubber.error(error))
        except ApprovalRequired as error:
            return await self._asks(error)
        except InputRequired as error:
            return Needs(error.form, jsonable(self.tool.name, error.state))
        except InvalidArguments as error:
            return failed(self.scrubber.error(error))
        except InvalidOutput as error:
            return replace(failed(self.not_kept(error)), ran=True)

    async def _run(self) -> object:
        size = len(self.context.arguments)
        bound = await offload(size, self.tool.arguments.bind, self.arguments)
        match self.tool.kind:
            case Regular(body=body):
                return await body(self.context, bound)
            case Hitl(on_tool_called=body):
                return await body(self.context, bound)
            case Generator():
                return await self._collect(self.tool.kind, bound)
            case Manual() | External():
                raise AssertionError("nobody runs a manual or an external tool here")
        assert_never(self.tool.kind)

    async def _collect(self, kind: Generator, bound: Any) -> object:
        results: list[object] = []
        async for item in kind.steps(self.context, bound):
            if isinstance(item, Progress):
                await self.report(item)
            else:
                results.append(item)
        if len(results) != 1:
            raise InvalidOutput(self.tool.name, f"it yielded {len(results)} results, not one")
        return results[0]

    async def _outcome(self, value: object) -> Outcome:
        if isinstance(value, Deferred):
            return self._waits(value)
        if value is None and isinstance(self.tool.kind, Hitl):
            return Waits(None)
        return Succeeded(await self.kept(value))

    async def kept(self, value: object) -> Json:
        """Return an output in its stored form, without secrets."""
        return await offload(weight(value), lambda: self.scrubber.json(self._normal(value)))

    def _waits(self, deferred: Deferred) -> Outcome:
        if (reason := flaw(deferred.task_id)) is not None:
            # The task was begun somewhere: since its id cannot be stored this is a doubt, not a
            # failure.
            return Unknown(f"it deferred to a task whose id cannot be kept: {reason}")
        return Waits(self.scrubber.text(deferred.task_id))

    def _normal(self, value: object) -> Json:
        """Return an output in its stored form.

        Raises `InvalidOutput` for any exception from a value's own code.
        """
        try:
            if self.tool.output is None or is_content(value):
                return jsonable(self.tool.name, value)
            return self.tool.output.normalise(value)
        except BaseException as error:
            if is_ours(error) or isinstance(error, InvalidOutput):
                raise
            raise InvalidOutput(self.tool.name, self._said(error)) from None

    def not_kept(self, error: InvalidOutput) -> str:
        """Return what the model is told of an output that cannot be stored."""
        return not_kept(self.scrubber.text(error.reason))

    def _said(self, error: BaseException) -> str:
        name, said = type(error).__name__, self.scrubber.error(error)
        return name if said == name else f"{name}: {said}"

    async def _asks(self, error: ApprovalRequired) -> Outcome:
        if self.context.approved:
            return failed("It asked for approval again although it was approved.")
        try:
            metadata = await offload(weight(error.metadata), self._metadata, error)
        except InvalidOutput as invalid:
            return failed(self.scrubber.error(invalid))
        return Asks(metadata if isinstance(metadata, dict) else {})

    def _metadata(self, error: ApprovalRequired) -> Json:
        return self.scrubber.json(jsonable(self.tool.name, error.metadata))


# How long a cancelled body may take to tidy up, and still report how it ended.
LETTING_GO_SECONDS: Final = 1.0


class Bodies:
    """Runs bodies within their time, and knows which still run: a thread cannot be ended."""

    def __init__(self) -> None:
        # By call and fence: whoever claims a call asks for those of this call alone.
        self._begun: dict[str, dict[int, datetime]] = {}
        self._tasks: dict[Held, asyncio.Task[Outcome]] = {}
        # When the bodies of a call began and ceased to wait for people; 0 if they still do.
        self._rests: dict[str, list[list[float]]] = {}

    @property
    def held(self) -> frozenset[Held]:
        """The claims whose bodies run here, including claims that were lost or given up."""
        return frozenset((id, fence) for id, fences in self._begun.items() for fence in fences)

    def since(self, call_id: str) -> datetime | None:
        """Return since when a body of this call has been running here, under any claim."""
        return next(iter(self._begun.get(call_id, {}).values()), None)

    def cancel(self, call_id: str) -> None:
        """Cancel the bodies of a call that run here: what they did is unknown then."""
        for (id, _), task in list(self._tasks.items()):
            if id == call_id:
                task.cancel()

    async def run(
        self,
        held: Held,
        body: Coroutine[Any, Any, Outcome],
        limit: timedelta | None,
        *,
        now: datetime,
        late: Callable[[Outcome], None],
    ) -> Outcome:
        """Run a body and return how it ended.

        A body that has not ended in time runs on; `late` is called with its outcome.
        """
        task = asyncio.create_task(body, name=f"assent-body-{held[0]}")
        call_id, fence = held
        self._begun.setdefault(call_id, {})[fence] = now
        self._tasks[held] = task
        task.add_done_callback(lambda _: self._ended(held))
        try:
            await self._within(task, held[0], None if limit is None else limit.total_seconds())
        except asyncio.CancelledError:
            await _let_go(task, late)
            if not task.done() or task.cancelled():
                raise
        if task.done():
            return _outcome(task)
        await _let_go(task, late)
        is_known = task.done() and not task.cancelled()
        return task.result() if is_known else Unknown(f"it did not end within {limit}")

    def _ended(self, held: Held) -> None:
        call_id, fence = held
        fences = self._begun[call_id]
        del fences[fence]
        if not fences:
            del self._begun[call_id]
        del self._tasks[held]
        self._rests.pop(call_id, None)

    async def _within(self, task: asyncio.Task[Outcome], call_id: str, limit: float | None) -> None:
        """Wait for a body within its time, not counting the time in which it waits for people."""
        loop = asyncio.get_running_loop()
        began, left = loop.time(), limit
        while not task.done() and (left is None or left > 0):
            await asyncio.wait({task}, timeout=left)
            if limit is not None:
                left = limit - (loop.time() - began - self._rested(call_id))

    def _rested(self, call_id: str) -> float:
        now = asyncio.get_running_loop().time()
        return sum((end or now) - start for start, end in self._rests.get(call_id, ()))

    @contextmanager
    def resting(self, call_id: str) -> Yielding[None]:
        """Count the time of this block as people's, not as the call's."""
        loop = asyncio.get_running_loop()
        rest: list[float] = [loop.time(), 0.0]
        self._rests.setdefault(call_id, []).append(rest)
        try:
            yield
        finally:
            rest[1] = loop.time()


async def _let_go(task: asyncio.Task[Outcome], late: Callable[[Outcome], None]) -> None:
    task.cancel()
    await asyncio.wait({task}, timeout=LETTING_GO_SECONDS)
    if not task.done():
        task.add_done_callback(lambda ended: late(_outcome(ended)))


def _outcome(task: asyncio.Task[Outcome]) -> Outcome:
    return Unknown("it was cancelled while it ran") if task.cancelled() else task.result()
