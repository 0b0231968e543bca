"""A secret that somebody typed in reaches the tool's body and nothing else.

After a whole scenario the canary is looked for everywhere a person, a model or an operator could
see it: every table, the database's file, events, audit, prompts, log records and cards.
"""

import base64
import logging
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from assent import (
    ApprovalRequired,
    Context,
    Deferred,
    Deny,
    DidNotRun,
    Field,
    FieldType,
    OutcomeUnknown,
    Person,
    Progress,
    Tool,
    UserInput,
    answer,
    approve,
    cancel,
    draft,
    hitl,
    reject,
    supply,
    tool,
)
from assent.domain.lifecycle import CallStatus, RequestKind, TurnStatus
from assent.engine.queries.snapshots import Turn
from assent.errors import InvalidAnswer
from assent.presentation.card import card_of
from assent.testing import ScriptedModel, calls, says
from tests.conformance.records import everything
from tests.conftest import World

CANARY = "c4n4ry-0f-th3-v4ult"
SPELLINGS = (
    CANARY,
    CANARY.encode().hex(),
    base64.b64encode(CANARY.encode()).decode(),
    # `user:password` as HTTP sends it: the middle of it is the canary's.
    base64.b64encode(f"ada:{CANARY}".encode()).decode()[8:],
)
FORM = UserInput("To log in", [Field("account"), Field("password", type=FieldType.SECRET)])
log = logging.getLogger("a.tool.of.somebody")
Body = Callable[[str, Context], Any]


def returns(password: str, _: Context) -> Any:
    header = base64.b64encode(f"ada:{password}".encode()).decode()
    return {"echo": password, password: 1, "deep": [{"header": f"Basic {header}"}]}


def raises(password: str, _: Context) -> Any:
    raise RuntimeError(f"cannot log in with {password!r}")


def asks(password: str, context: Context) -> Any:
    if not context.approved:
        raise ApprovalRequired({"reason": f"really with {password}?", password: [password]})
    return "logged in"


def doubts(password: str, _: Context) -> Any:
    raise OutcomeUnknown(f"no answer to {password}")


def defers(password: str, _: Context) -> Any:
    return Deferred(f"task-{password}")


def logs(password: str, _: Context) -> Any:
    log.warning("logging in with %s", password, extra={"header": {"password": password}})
    try:
        raise ValueError(password)
    except ValueError:
        log.exception("it failed")
    return "logged in"


def breaks_the_output(password: str, _: Context) -> Any:
    return {password: object()}


class Login:
    """A tool that does something with the password, and whether it got it."""

    def __init__(self, body: Body) -> None:
        self.got: list[str] = []

        @tool(name="log_in", user_input=FORM)
        async def log_in(account: str, password: str, context: Context) -> Any:
            """Log in somewhere."""
            self.got.append(password)
            return body(password, context)

        self.tool: Tool = log_in


def a_model() -> ScriptedModel:
    return ScriptedModel([says("", calls("log_in")), "Done."])


async def seen(world: World, turn: Turn, model: ScriptedModel) -> str:
    """Everything that is left to be seen of a scenario, read by another process."""
    async with world([], worker=False) as reader:
        events = [event async for event in reader.events(turn.id)]
        audit = await reader.audit()
        thread = await reader.conversation(turn.conversation_id)
    tables = await everything(world.url)
    return repr((tables, events, audit, thread, turn, model.prompts)) + _files(world.url)


def _files(url: str) -> str:
    if not url.startswith("sqlite:///"):
        return ""
    path = Path(url.removeprefix("sqlite:///"))
    return "".join(file.read_bytes().decode("latin-1") for file in path.parent.glob("*.db*"))


def assert_hidden(text: str, caplog: pytest.LogCaptureFixture) -> None:
    logged = caplog.text + repr([vars(record) for record in caplog.records])
    for spelling in SPELLINGS:
        assert spelling not in text
        assert spelling not in logged


# conformance: 138
# requirement: S3
@pytest.mark.parametrize(
    "body",
    [returns, raises, asks, doubts, defers, logs, breaks_the_output],
    ids=lambda b: b.__name__,
)
async def test_the_canary_is_nowhere_after_the_tool_had_it(
    world: World, owner: Person, caplog: pytest.LogCaptureFixture, body: Body
) -> None:
    caplog.set_level(logging.DEBUG)
    login, model = Login(body), a_model()
    async with world(model, login.tool) as assent:
        turn = await assent.send("agent", "go", by=owner)
        [request] = turn.pending
        with pytest.raises(InvalidAnswer):
            await assent.decide(request.id, answer(password=CANARY, account="a\nb"), by=owner)
        await assent.decide(request.id, draft({"password": CANARY}), by=owner)
        await assent.decide(request.id, answer(account="ada"), by=owner)
        turn = await assent.wait(turn.id)
        match [request.kind for request in turn.pending]:
            case [RequestKind.APPROVAL]:
                await assent.decide(turn.pending[0].id, approve(), by=owner)
            case [RequestKind.OUTCOME]:
                await assent.decide(turn.pending[0].id, DidNotRun(), by=owner)
            case [RequestKind.RESULT]:
                await assent.resolve(turn.calls[0].id, "logged in")
            case _:
                pass
        turn = await assent.wait(turn.id)

    assert set(login.got) == {CANARY}
    assert turn.status is TurnStatus.DONE
    assert_hidden(await seen(world, turn, model), caplog)


# conformance: 138
# requirement: S3
async def test_the_canary_is_in_no_progress_of_a_generator(
    world: World, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    @tool(name="log_in", user_input=FORM)
    async def log_in(account: str, password: str) -> AsyncIterator[object]:
        """Log in step by step."""
        yield Progress({"trying": password}, 0.5)
        yield Progress(f"still {password}")
        yield f"logged in with {password}"

    model = a_model()
    async with world(model, log_in) as assent:
        turn = await assent.send("agent", "go", by=owner)
        given = answer(account="ada", password=CANARY)
        await assent.decide(turn.pending[0].id, given, by=owner)
        turn = await assent.wait(turn.id)

    assert turn.result(turn.calls[0].id) == "logged in with [secret]"
    assert_hidden(await seen(world, turn, model), caplog)


# conformance: 138
async def test_the_canary_is_in_nothing_that_a_response_hook_gives_back(
    world: World, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    kept: list[str] = []

    async def called(account: str, password: str) -> None:
        """Let a person look."""
        kept.append(password)

    async def received(value: object) -> str:
        return f"{value} with {kept[0]}"

    log_in = hitl(
        "log_in",
        output=str,
        on_tool_called=called,
        on_response_received=received,
        user_input=FORM,
    )
    model = a_model()
    async with world(model, log_in) as assent:
        turn = await assent.send("agent", "go", by=owner)
        given = answer(account="ada", password=CANARY)
        await assent.decide(turn.pending[0].id, given, by=owner)
        turn = await assent.wait(turn.id)
        await assent.decide(turn.pending[0].id, supply("seen"), by=owner)
        turn = await assent.wait(turn.id)

    assert kept == [CANARY]
    assert turn.result(turn.calls[0].id) == "seen with [secret]"
    assert_hidden(await seen(world, turn, model), caplog)


def _refuse(password: str) -> str:
    raise ValueError(f"{password} is too weak")


# conformance: 138
async def test_a_parameter_that_refuses_the_canary_does_not_repeat_it(
    world: World, owner: Person, caplog: pytest.LogCaptureFixture
) -> None:
    @tool(name="log_in", user_input=FORM)
    async def log_in(account: str, password: Annotated[str, AfterValidator(_refuse)]) -> str:
        """Log in somewhere."""
        return "never"

    model = a_model()
    async with world(model, log_in) as assent:
        turn = await assent.send("agent", "go", by=owner)
        given = answer(account="ada", password=CANARY)
        await assent.decide(turn.pending[0].id, given, by=owner)
        turn = await assent.wait(turn.id)

    assert turn.calls[0].status is CallStatus.FAILED
    assert_hidden(await seen(world, turn, model), caplog)


# conformance: 138
async def test_a_card_masks_what_was_typed_in_as_a_secret(world: World, owner: Person) -> None:
    async def body(account: str, password: str) -> str:
        """Log in somewhere."""
        return "logged in"

    log_in = tool(name="log_in", user_input=FORM, requires_approval=True)(body)
    async with world(a_model(), log_in) as assent:
        turn = await assent.send("agent", "go", by=owner)
        given = answer(account="ada", password=CANARY)
        await assent.decide(turn.pending[0].id, given, by=owner)
        turn = await assent.wait(turn.id)
        card = card_of(turn.pending[0], turn.calls[0], assent.tools()[0])

    assert [entry.name for entry in card.arguments] == ["account", "password"]
    assert CANARY not in repr(card)
    assert "sec_" not in repr(card)


async def _rejected(assent: Any, turn: Turn, owner: Person) -> None:
    await assent.decide(turn.pending[0].id, reject("no"), by=owner)


async def _cancelled(assent: Any, turn: Turn, owner: Person) -> None:
    await assent.decide(turn.pending[0].id, cancel(), by=owner)


async def _approved(assent: Any, turn: Turn, owner: Person) -> None:
    await assent.decide(turn.pending[0].id, approve(), by=owner)


async def _stopped(assent: Any, turn: Turn, owner: Person) -> None:
    await assent.stop(turn.id, by=owner)


async def _superseded(assent: Any, turn: Turn, owner: Person) -> None:
    await assent.send(
        "agent",
        "never mind",
        by=owner,
        conversation_id=turn.conversation_id,
        on_pending="supersede",
    )


# requirement: S4
@pytest.mark.parametrize("end", [_approved, _rejected, _cancelled, _stopped, _superseded])
async def test_a_secret_is_purged_when_its_call_is_settled(
    world: World, owner: Person, end: Callable[..., Any]
) -> None:
    async def body(account: str, password: str) -> str:
        """Log in somewhere."""
        return "logged in"

    log_in = tool(name="log_in", user_input=FORM, requires_approval=True)(body)
    async with world(a_model(), log_in) as assent:
        turn = await assent.send("agent", "go", by=owner)
        given = answer(account="ada", password=CANARY)
        await assent.decide(turn.pending[0].id, given, by=owner)
        turn = await assent.wait(turn.id)
        assert len((await everything(world.url))["secrets"]) == 1
        await end(assent, turn, owner)
        await assent.wait(turn.id)
        left = (await everything(world.url))["secrets"]

    assert left == []


# requirement: S4
async def test_a_secret_of_a_denied_answer_is_purged_too(world: World, owner: Person) -> None:
    login = Login(returns)

    def is_root(_: object, args: Any, __: object) -> Any:
        return Deny(by="hook") if args.get("account") == "root" else None

    async with world(a_model(), login.tool, policy=is_root) as assent:
        turn = await assent.send("agent", "go", by=owner)
        given = answer(account="root", password=CANARY)
        await assent.decide(turn.pending[0].id, given, by=owner)
        turn = await assent.wait(turn.id)
        left = (await everything(world.url))["secrets"]

    assert turn.calls[0].status is CallStatus.DENIED
    assert login.got == []
    assert left == []
