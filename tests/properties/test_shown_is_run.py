"""What was shown is what runs, byte for byte, whatever is called, edited, and through what."""

import asyncio
import io
import json
import re
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assent import Agent, Assent, Field, Person, UserInput, answer, approve, tool
from assent.cli.console import Console
from assent.cli.review_session import ReviewEnd, ReviewSession
from assent.cli.screen import EDGE, Screen
from assent.domain.canonical import encode
from assent.domain.decisions import Approve
from assent.domain.fields import FieldType
from assent.domain.lifecycle import RequestKind
from assent.domain.messages import Prompt
from assent.domain.requests import Request
from assent.engine.gate.quotas import Quotas
from assent.models.scripted import ScriptStep
from assent.presentation.html_values import entries
from assent.presentation.terminal import render_entries
from assent.presentation.values import entries_of
from assent.server import Settings, create_app
from assent.testing import ScriptedModel, calls, says
from tests.conftest import QUICK
from tests.server.conftest import ROLES, Served, accounts, listening
from tests.server.streams.agui_runs import Thread, approved, resolved
from tests.server.web.visitor import Visitor

Arguments = dict[str, Any]
USER = Person("user", roles=ROLES["user"])
WIDE = 1_000_000

DEFAULTS: Arguments = {
    "text": "by default",
    "number": 7,
    "flag": True,
    "items": None,
    "nested": None,
    "token": None,
}
FORM: Arguments = {"city": "Rome", "count": 3}

HOSTILE = (
    *("", " ", "0", "null", "{}", "false", "[]", '"', "\\", "'", "a\nb", "a\r\nb", "\t"),
    *("token=x; mkdir ./$token", "sk-a1B2c3D4e5F6g7H8i9J0", "Bearer a1B2c3D4e5F6g7H8i9J0"),
    *("<script>x</script>", "</textarea>", "&amp;", "a\u202eb", "\u200b", "\ufeff", "\x1b[2J"),
    *("é", "e\u0301", "日本", "𝕏", "pаypal", "⟨masked secret⟩", "••••••", "It will run with"),
)
texts = st.sampled_from(HOSTILE) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8
)
numbers = st.sampled_from([0, -1, 1, 2**53 - 1]) | st.integers(-1000, 1000)
leaves = st.none() | st.booleans() | numbers | texts
nested = st.dictionaries(
    texts,
    st.recursive(leaves, lambda inner: st.lists(inner, max_size=2), max_leaves=4),
    max_size=3,
)
arguments: st.SearchStrategy[Arguments] = st.fixed_dictionaries(
    {},
    optional={
        "text": texts,
        "number": numbers,
        "flag": st.booleans(),
        "items": st.none() | st.lists(texts, max_size=3),
        "nested": st.none() | nested,
        "token": st.none() | texts,
    },
)


@dataclass(frozen=True)
class Edit:
    """Arguments in place of all, or of those that it names."""

    said: Arguments
    is_patch: bool = False

    def applied(self, before: Arguments) -> Arguments:
        """What an honest reader expects to run."""
        return {**before, **self.said} if self.is_patch else {**DEFAULTS, **self.said}

    def whole(self, before: Arguments) -> Arguments:
        """The same for whoever can only send all of it."""
        return {**before, **self.said} if self.is_patch else self.said

    @property
    def verdict(self) -> Approve:
        """The same in the library's words."""
        return approve(edit=self.said) if self.is_patch else approve(self.said)


edits = st.none() | st.builds(Edit, arguments | st.just({}), st.booleans())


@dataclass
class Fingers:
    """What somebody types, line by line; None is Enter, which keeps what is suggested."""

    lines: list[str | None]
    is_terminal: bool = False

    async def ask(self, prompt: str, *, default: str = "", deciding: bool = False) -> str:
        """The next line, once the screen has said what it is about."""
        typed = self.lines.pop(0)
        return default if typed is None else typed

    async def ask_secret(self, prompt: str) -> str:
        """The next line."""
        return await self.ask(prompt)


class Wide(Screen):
    """Nothing is wrapped: what a reader puts together again, a test need not."""

    def columns(self) -> int:
        return WIDE


def script(prompt: Prompt) -> ScriptStep:
    """Calls what the message says, and is done."""
    last = prompt.history[-1]
    if getattr(last, "outputs", None):
        return "Done."
    name, _, said = getattr(last, "text", "").partition(" ")
    return says("", calls(name, json.loads(said)))


@dataclass
class Stage:
    """One server with one agent, and everybody who decides there."""

    served: Served
    received: list[Arguments]
    visitor: Visitor
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)

    @classmethod
    async def open(cls, folder: Path, *more: Callable[[list[Arguments]], Any]) -> "Stage":
        """A real store, a real server on loopback; `more` make further tools."""
        received, stack = list[Arguments](), AsyncExitStack()
        made = [*tools(received), *(make(received) for make in more)]
        agent = Agent("agent", model=ScriptedModel(script), tools=made)
        assent = Assent(f"sqlite:///{folder / 'assent.db'}", agents=[agent], times=QUICK)
        app = create_app(assent, Settings(patience=timedelta(seconds=20), quotas=Quotas()))
        base = await stack.enter_async_context(listening(app))
        served = Served(base, assent, await accounts(assent))
        return cls(served, received, await Visitor.signed_in(served), stack)

    async def close(self) -> None:
        """Everybody leaves."""
        for client in self.served.clients:
            await client.aclose()
        await self.stack.aclose()

    async def asked(self, name: str, said: Arguments) -> Request:
        """The question that a call leads to."""
        text = f"{name} {json.dumps(said)}"
        turn = await self.served.assent.send("agent", text, by=USER)
        [request] = turn.pending
        return request

    async def ran(self, request: Request) -> Arguments:
        """What the tool received; it ran once."""
        await self.served.assent.wait(request.turn_id)
        [received] = self.received
        self.received.clear()
        return received

    async def shown_by_the_api(self, request: Request) -> str:
        """The arguments of the request's sheet."""
        sheet = await self.served.client().get(f"/api/requests/{request.id}")
        return encode(sheet.json()["call"]["arguments"])


def tools(received: list[Arguments]) -> list[Any]:
    """Tools that keep what they received."""

    @tool(requires_approval=True)
    async def act(  # noqa: PLR0917 - one for each kind of value
        text: str = "by default",
        number: int = 7,
        flag: bool = True,
        items: list[str] | None = None,
        nested: dict[str, Any] | None = None,
        token: str | None = None,
    ) -> str:
        """Do something."""
        values = (text, number, flag, items, nested, token)
        received.append(dict(zip(DEFAULTS, values, strict=True)))
        return "done"

    form = UserInput(
        "Where?",
        [
            Field("city", default="Rome"),
            Field("count", type=FieldType.NUMBER, default=3),
        ],
    )

    @tool(requires_approval=True, user_input=form)
    async def travel(by: str, city: str, count: int) -> str:
        """Go somewhere."""
        received.append({"by": by, "city": city, "count": count})
        return "there"

    return [act, travel]


async def library(stage: Stage, said: Arguments, edit: Edit | None) -> Arguments:
    """Reads the call's row, decides by a function."""
    request = await stage.asked("act", said)
    [call] = (await stage.served.assent.turn(request.turn_id)).calls
    assert call.arguments.text == encode({**DEFAULTS, **said})
    verdict = approve() if edit is None else edit.verdict
    await stage.served.assent.decide(request.id, verdict, by=USER, digest=request.digest)
    return await stage.ran(request)


async def api(stage: Stage, said: Arguments, edit: Edit | None) -> Arguments:
    """Reads the sheet, posts a verdict."""
    request = await stage.asked("act", said)
    assert await stage.shown_by_the_api(request) == encode({**DEFAULTS, **said})
    body: Arguments = {"verdict": "approve", "digest": request.digest}
    if edit is not None:
        body |= {"verdict": "edit", "edit" if edit.is_patch else "arguments": edit.said}
    answer = await stage.served.client().post(f"/api/requests/{request.id}/decide", json=body)
    assert answer.status_code == 200, answer.text
    return await stage.ran(request)


async def page(stage: Stage, said: Arguments, edit: Edit | None) -> Arguments:
    """Reads the page of a request, approves there."""
    if edit is not None:
        return await edited_page(stage, said, edit, in_fields)
    request = await stage.asked("act", said)
    await stage.visitor.open(f"/requests/{request.id}")
    card = stage.visitor.page.text
    await stage.visitor.send({}, "approve")
    received = await stage.ran(request)
    assert entries(entries_of(encode(received))) in card
    assert_legible(received, words_of(card))
    return received


async def page_json(stage: Stage, said: Arguments, edit: Edit | None) -> Arguments:
    """The same, and edits the JSON of it."""
    if edit is None:
        return await page(stage, said, edit)
    return await edited_page(stage, said, edit, in_json)


Fill = Callable[[Visitor, Arguments, Edit], Awaitable[None]]


async def edited_page(stage: Stage, said: Arguments, edit: Edit, fill: Fill) -> Arguments:
    """Fills the edit in, reads what it comes to, approves that."""
    request, visitor = await stage.asked("act", said), stage.visitor
    await visitor.open(f"/requests/{request.id}?do=edit")
    await fill(visitor, {**DEFAULTS, **said}, edit)
    told = visitor.page.text.partition("It will run with</h2>")[2].partition("</section>")[0]
    await visitor.send({})
    received = await stage.ran(request)
    ordered = {name: received[name] for name in DEFAULTS}
    assert told == entries(entries_of(ordered))
    assert_legible(received, words_of(told))
    return received


async def in_json(visitor: Visitor, before: Arguments, edit: Edit) -> None:
    await visitor.send({}, "edit", press="view:json")
    await visitor.send({"arguments": json.dumps(edit.whole(before))}, "edit")


async def in_fields(visitor: Visitor, before: Arguments, edit: Edit) -> None:
    if "\\r" in json.dumps(edit.said):
        # A browser makes every line break the same: such a text can only be said as JSON.
        await in_json(visitor, before, edit)
        return
    form = visitor.form("edit")
    left_out = {} if edit.is_patch else {f"is/{name}": "absent" for name in DEFAULTS}
    filled: dict[str, Any] = {}
    for name, value in edit.said.items():
        filled[f"is/{name}"] = "null" if value is None else "given"
        if value is None:
            continue
        if form.value(f"json/{name}") is not None:
            filled[f"json/{name}"] = json.dumps(value)
        elif isinstance(value, list):
            # Rows of its own: those that are there may hold what can only be said as JSON.
            filled[f"row/{name}"] = [f"new{row}" for row in range(len(value))]
            filled |= {f"arg/{name}/new{row}": each for row, each in enumerate(value)}
        else:
            filled[f"arg/{name}"] = value if isinstance(value, str) else json.dumps(value)
    await visitor.send(left_out | filled, "edit")


def words_of(page: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", page))


async def terminal(stage: Stage, said: Arguments, edit: Edit | None) -> Arguments:
    """Reads the screen, types; edits the JSON."""
    before = {**DEFAULTS, **said}
    typed = [] if edit is None else ["e", "j", json.dumps(edit.whole(before))]
    return await at_the_terminal(stage, said, [*typed, "a"])


async def terminal_fields(stage: Stage, said: Arguments, edit: Edit | None) -> Arguments:
    """The same, and edits field by field, where nothing can be left out or be made null."""
    if edit is None or not edit.is_patch or None in edit.said.values():
        return await terminal(stage, said, edit)
    fields = [json.dumps(edit.said[name]) if name in edit.said else None for name in DEFAULTS]
    return await at_the_terminal(stage, said, ["e", "f", *fields, "a"])


async def typed_in(stage: Stage, request: Request, lines: list[str | None]) -> str:
    """What the screen shows while somebody decides a request."""
    out = io.StringIO()
    console = Console(Wide(out), Fingers(lines))
    desk = ReviewSession(assent=stage.served.assent, console=console, person=USER)
    assert await desk.decide(request.id) is ReviewEnd.DECIDED
    return out.getvalue()


async def at_the_terminal(stage: Stage, said: Arguments, lines: list[str | None]) -> Arguments:
    request = await stage.asked("act", said)
    written = await typed_in(stage, request, lines)
    received = await stage.ran(request)
    told = written.partition("It will run with:")[2] or written
    shown = render_entries(entries_of(encode(received)), width=WIDE, colour=False)
    assert unindented(shown) in unindented(told)
    assert_legible(received, told)
    return received


def unindented(text: str) -> str:
    return "\n".join(line.removeprefix(EDGE).strip() for line in text.split("\n"))


def assert_legible(received: Arguments, told: str) -> None:
    """A reader who knows nothing of our renderers finds every plain text as it is."""
    for value in received.values():
        is_plain = isinstance(value, str) and value.isascii() and value.isprintable()
        if is_plain and value == " ".join(value.split()):
            assert json.dumps(value) in told


async def agui(stage: Stage, said: Arguments, edit: Edit | None) -> Arguments:
    """Reads the events of a run, resumes it."""
    thread, before = Thread(stage.served), {**DEFAULTS, **said}
    run = await thread.say(f"act {json.dumps(said)}")
    [interrupt] = run.interrupts
    request = await stage.served.assent.request(interrupt["id"])
    assert encode(interrupt["metadata"]["arguments"]) == encode(before)
    more = {} if edit is None else {"editedArgs": edit.whole(before)}
    run = await thread.resume(approved(interrupt, **more))
    received = await stage.ran(request)
    revised = [event["value"]["arguments"] for event in run.of("CUSTOM")]
    assert [encode(each) for each in revised] == [encode(received)] * (received != before)
    return received


Channel = Callable[[Stage, Arguments, Edit | None], Awaitable[Arguments]]
CHANNELS: tuple[Channel, ...] = (*(library, api, page, page_json, terminal, terminal_fields, agui),)


@dataclass(frozen=True)
class Deed:
    """A call, what somebody makes of it, and through what."""

    channel: Channel
    said: Arguments
    edit: Edit | None

    async def happen(self, stage: Stage) -> None:
        """See that what ran is what an honest reader expects."""
        before = {**DEFAULTS, **self.said}
        expected = before if self.edit is None else self.edit.applied(before)
        received = await self.channel(stage, self.said, self.edit)
        assert encode(received) == encode(expected)


deeds = st.builds(Deed, st.sampled_from(CHANNELS), arguments, edits)
ALL: Arguments = {"text": "x", "number": 0, "flag": False, "items": [], "nested": {}, "token": ""}
SECRET: Arguments = {"text": "token=x; mkdir ./$token", "token": "sk-a1B2c3D4e5F6g7H8i9J0"}


EDITS = (
    *(None, Edit({}), Edit({}, is_patch=True), Edit({"number": 0})),
    *(Edit(ALL), Edit({"text": "", "flag": False, "items": ["a", ""]}, is_patch=True)),
    Edit({"number": 0, "nested": {"b": 1, "a": {"d": 1, "c": 2}}}, is_patch=True),
)


def play(
    folder: Path,
    example: Callable[[asyncio.Runner, Stage], None],
    *more: Callable[[list[Arguments]], Any],
) -> None:
    """Everything on one stage: a server for each example would take minutes."""
    with asyncio.Runner() as runner:
        stage = runner.run(Stage.open(folder, *more))
        try:
            example(runner, stage)
        finally:
            runner.run(stage.close())


# requirement: D17
def test_what_was_shown_is_what_runs(tmp_path: Path) -> None:
    def on(runner: asyncio.Runner, stage: Stage) -> None:
        @settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
        @given(deeds)
        def holds(deed: Deed) -> None:
            stage.received.clear()
            runner.run(deed.happen(stage))

        for channel in CHANNELS:
            for edit in EDITS:
                for said in (ALL, SECRET):
                    holds = example(Deed(channel, said, edit))(holds)
        holds()

    play(tmp_path, on)


# Forms


async def form_library(stage: Stage, request: Request, given: Arguments) -> None:
    await stage.served.assent.decide(request.id, answer(given), by=USER)


async def form_api(stage: Stage, request: Request, given: Arguments) -> None:
    body = {"verdict": "answer", "values": given}
    sent = await stage.served.client().post(f"/api/requests/{request.id}/decide", json=body)
    assert sent.status_code == 200, sent.text


async def form_page(stage: Stage, request: Request, given: Arguments) -> None:
    await stage.visitor.open(f"/requests/{request.id}")
    fields = {f"field.{name}": str(value) for name, value in given.items()}
    await stage.visitor.send(fields, "answer")


async def form_agui(stage: Stage, request: Request, given: Arguments) -> None:
    thread = Thread(stage.served, id=request.conversation_id)
    await thread.resume(resolved({"id": request.id}, given))


async def form_terminal(stage: Stage, request: Request, given: Arguments) -> None:
    fields = [str(given[name]) if name in given else None for name in FORM]
    written = await typed_in(stage, request, ["a", *fields, "s"])
    told = written.partition("Your answers:")[2]
    assert all(str(value) in told for value in {**FORM, **given}.values())


FORMS = (form_library, form_api, form_page, form_terminal, form_agui)
words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
answers = st.fixed_dictionaries({}, optional={"city": words, "count": st.integers(0, 99)})


def test_what_a_form_and_its_defaults_come_to_is_shown_and_runs(tmp_path: Path) -> None:
    async def happen(stage: Stage, form: Any, by: str, given: Arguments) -> None:
        stage.received.clear()
        request = await stage.asked("travel", {"by": by})
        assert request.kind is RequestKind.INPUT
        await form(stage, request, given)
        turn = await stage.served.assent.wait(request.turn_id)
        [approval] = turn.pending
        shown = await stage.shown_by_the_api(approval)
        await stage.served.assent.decide(approval.id, approve(), by=USER)
        received = await stage.ran(approval)
        assert shown == encode(received) == encode({"by": by, **FORM, **given})

    def on(runner: asyncio.Runner, stage: Stage) -> None:
        @settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
        @given(st.sampled_from(FORMS), texts, answers)
        def holds(form: Any, by: str, given: Arguments) -> None:
            runner.run(happen(stage, form, by, given))

        for form in FORMS:
            for said in ({}, {"count": 0}, {"city": "0", "count": 1}):
                holds = example(form, "", said)(holds)
        holds()

    play(tmp_path, on)
