"""What people filled in, step by step and with every type of field, is what runs.

An answer is a value, or None where somebody emptied what a default or a model had filled in.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from assent import Field, FieldType, ShowIf, Step, UserInput, answer, approve, draft, tool
from assent.domain.canonical import encode
from assent.domain.forms import UserInput as Form
from assent.domain.lifecycle import RequestKind
from assent.domain.requests import Request
from assent.presentation.text import safe_line
from tests.properties.test_shown_is_run import USER, Arguments, Stage, play, typed_in
from tests.server.streams.agui_runs import Thread, resolved

T = FieldType
GUESTS = [Field("name"), Field("age", type=T.NUMBER, required=False)]
FORM = UserInput(
    "A journey needs details.",
    steps=[
        Step(
            "Where",
            [
                Field("city", default="Rome"),
                Field("country", type=T.COUNTRY, required=False, default="IT"),
                Field("why", type=T.MULTILINE, required=False, default="By train\nor not"),
                Field("abroad", type=T.BOOLEAN, default=False),
                Field("visa", show_if=ShowIf("abroad", True), required=False, default="none"),
            ],
        ),
        Step(
            "What",
            [
                Field("cost", type=T.MONEY, default={"amount": "12.50", "currency": "EUR"}),
                Field("tags", type=T.MULTI_SELECT, options=["x", "y", "0"], required=False),
                Field("extras", type=T.KEY_VALUE, required=False, default={"a": "", "b": "0"}),
                Field("guests", type=T.ROWS, columns=GUESTS, required=False),
            ],
        ),
        Step(
            "When",
            [
                Field("at", type=T.DATETIME, required=False),
                Field("nights", type=T.NUMBER, required=False, default=0),
                Field("mail", type=T.EMAIL, required=False),
            ],
        ),
    ],
)
DEFAULTS = {item.name: item.default for item in FORM.fields}
# What a body is given where nothing was answered.
NOTHING = dict.fromkeys(DEFAULTS)
# What a model fills in beforehand, for people to leave or to change.
PREFILLED: Arguments = {"nights": 2, "tags": ["0"], "mail": "model@x.example"}

words = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
texts = words | st.sampled_from(["0", "false", "None", "null", "[]", "{}", "It will run with"])
amounts = st.decimals(0, 1000, places=2).map(lambda it: f"{it:.2f}")
money = st.fixed_dictionaries({"amount": amounts, "currency": st.sampled_from(["EUR", "USD"])})
rows = st.fixed_dictionaries({"name": words}, optional={"age": st.sampled_from([0, 1, -1])})
answers: st.SearchStrategy[Arguments] = st.fixed_dictionaries(
    {},
    optional={
        "city": texts,
        "country": st.none() | st.sampled_from(["DE", "NO"]),
        "why": st.none() | texts,
        "abroad": st.booleans(),
        "visa": st.none() | words,
        "cost": money,
        "tags": st.none() | st.lists(st.sampled_from(["x", "y", "0"]), unique=True, min_size=1),
        "extras": st.none() | st.dictionaries(words, texts, min_size=1, max_size=2),
        "guests": st.none() | st.lists(rows, min_size=1, max_size=2),
        "at": st.none()
        | st.sampled_from(["2026-03-01T10:00:00+01:00", "2026-03-01T00:00:00+00:00"]),
        "nights": st.none() | st.sampled_from([0, 1]),
        "mail": st.none() | st.just("a@x.example"),
    },
)


def expected(said: Arguments, prefilled: Arguments) -> Arguments:
    """What an honest reader expects to run."""
    filled = {**DEFAULTS, **prefilled, **said}
    if not filled["abroad"]:
        filled["visa"] = None
    return filled


def journeys(received: list[Arguments]) -> Any:
    @tool(requires_approval=True, user_input=FORM)
    async def journey(  # noqa: PLR0917 - one for each field
        city: str,
        cost: dict[str, str],
        abroad: bool = False,
        country: str | None = None,
        why: str | None = None,
        visa: str | None = None,
        tags: list[str] | None = None,
        extras: dict[str, str] | None = None,
        guests: list[dict[str, Any]] | None = None,
        at: str | None = None,
        nights: int | None = None,
        mail: str | None = None,
    ) -> str:
        """Go somewhere."""
        given = (city, country, why, abroad, visa, cost, tags, extras, guests, at, nights, mail)
        received.append(dict(zip(DEFAULTS, given, strict=True)))
        return "there"

    return journey


async def library(stage: Stage, request: Request, said: Arguments) -> None:
    await stage.served.assent.decide(request.id, answer(said), by=USER)


async def library_drafts(stage: Stage, request: Request, said: Arguments) -> None:
    """Answers come one by one, and are sent without saying them again."""
    for name, value in said.items():
        await stage.served.assent.decide(request.id, draft({name: value}), by=USER)
    await stage.served.assent.decide(request.id, answer({}), by=USER)


async def api(stage: Stage, request: Request, said: Arguments) -> None:
    body = {"verdict": "answer", "values": said}
    sent = await stage.served.client().post(f"/api/requests/{request.id}/decide", json=body)
    assert sent.status_code == 200, sent.text


async def page(stage: Stage, request: Request, said: Arguments) -> None:
    """Goes from step to step, and looks at all of it at the end."""
    visitor = stage.visitor
    await visitor.open(f"/requests/{request.id}")
    # This browser of ours knows one control of a name, and money has two.
    entered = {"cost": DEFAULTS["cost"], **said}
    for step in FORM.steps:
        form = visitor.form("answer")
        fields = {
            f"field.{item.name}": controls(item, entered[item.name])
            for item in step.fields
            if item.name in entered and form.value(f"field.{item.name}") is not None
        }
        await visitor.send(fields, "answer", press="next")
    assert "Check your answers" in visitor.text
    await visitor.send({}, "answer")


def controls(item: Field, value: Any) -> list[str]:
    return [""] if value is None else item.kind.split(item, value)


async def agui(stage: Stage, request: Request, said: Arguments) -> None:
    thread = Thread(stage.served, id=request.conversation_id)
    await thread.resume(resolved({"id": request.id}, said))


async def terminal(stage: Stage, request: Request, said: Arguments) -> None:
    """Types over what is suggested, or takes it with Enter."""
    prefilled, lines = dict(request.question.prefilled), list[str | None]()
    suggested = {**DEFAULTS, **prefilled}
    known = {**suggested, **said}
    for number, step in enumerate(FORM.steps):
        for item in step.fields:
            if item.show_if is None or item.show_if.holds(known[item.show_if.field]):
                lines += typed(item, said)
        lines += ["n"] if number < len(FORM.steps) - 1 else []
    written = await typed_in(stage, request, ["a", *lines, "s"])
    assert_told(written.partition("Your answers:")[2], expected(said, prefilled), suggested)


def assert_told(summary: str, values: Arguments, suggested: Arguments) -> None:
    """All that runs is there, and that nothing does where something was suggested."""
    for item in FORM.fields:
        value = values[item.name]
        words = "nothing" if value is None else safe_line(item.said(item.accept(value)))
        is_there = f"{item.label}: {words}" in summary
        assert is_there or (value is None and (suggested[item.name] is None or item.show_if))


def typed(item: Field, said: Arguments) -> list[str | None]:
    several = ["."] if item.kind.has_lines else []
    if item.name not in said:
        return [None, *several]
    value = said[item.name]
    if value is None:
        # A blank line empties what has several.
        return ["", *([""] if several else []), *several]
    spelt = ", ".join(value) if item.kind.takes_several else item.spelt(value)
    return [*spelt.split("\n"), *several]


Channel = Callable[[Stage, Request, Arguments], Awaitable[None]]
CHANNELS: tuple[Channel, ...] = (library, library_drafts, api, page, agui, terminal)
EMPTIED: Arguments = {
    item.name: None for item in FORM.fields if not item.required and item.name != "visa"
}
FALSY: Arguments = {"city": "0", "abroad": False, "nights": 0, "tags": ["0"], "why": "false"}
FULL: Arguments = {
    "city": "Oslo",
    "country": "NO",
    "why": "null",
    "abroad": True,
    "visa": "yes",
    "cost": {"amount": "0.00", "currency": "USD"},
    "tags": ["y", "x"],
    "extras": {"k": "[]"},
    "guests": [{"name": "Ann", "age": 0}, {"name": "0"}],
    "at": "2026-03-01T10:00:00+01:00",
    "nights": 1,
    "mail": "a@x.example",
}


async def happen(stage: Stage, fill: Channel, said: Arguments, prefilled: Arguments) -> None:
    stage.received.clear()
    request = await stage.asked("journey", prefilled)
    assert request.kind is RequestKind.INPUT
    await fill(stage, request, said)
    turn = await stage.served.assent.wait(request.turn_id)
    [approval] = turn.pending
    assert approval.kind is RequestKind.APPROVAL
    shown = await stage.shown_by_the_api(approval)
    await stage.served.assent.decide(approval.id, approve(), by=USER, digest=approval.digest)
    received = await stage.ran(approval)
    wanted = expected(said, prefilled)
    assert encode(received) == encode(wanted)
    assert Form.from_json(FORM.to_json()) == FORM
    assert shown == encode(received)


def test_what_was_filled_in_is_shown_and_runs(tmp_path: Path) -> None:
    def on(runner: asyncio.Runner, stage: Stage) -> None:
        @settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
        @given(st.sampled_from(CHANNELS), answers, st.sampled_from([{}, PREFILLED]))
        def holds(fill: Channel, said: Arguments, prefilled: Arguments) -> None:
            runner.run(happen(stage, fill, said, prefilled))

        for fill in CHANNELS:
            for said in ({}, EMPTIED, FALSY, FULL):
                for prefilled in ({}, PREFILLED):
                    holds = example(fill, said, prefilled)(holds)
        holds()

    play(tmp_path, on, journeys)
