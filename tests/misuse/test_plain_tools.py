"""What is said about a tool replaces only itself; plain functions and the document's forms work."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from assent import (
    Agent,
    Assent,
    BaseTool,
    Override,
    Person,
    Risk,
    answer,
    hitl,
    manual,
    schema_tool,
    supply,
    tool,
)
from assent.domain.declarations import declared
from assent.domain.forms import FieldType
from assent.domain.origins import Origin
from assent.domain.tools import effective
from assent.errors import InvalidParameter, InvalidTool
from assent.testing import ScriptedModel, calls, says
from tests.conftest import World

D, N, R, U, O = Origin.DECLARED, Origin.NAME, Origin.RISK, Origin.DEFAULT, Origin.OVERRIDE  # noqa: E741


async def body(path: str) -> str:
    """Do something."""
    return path


def in_a_class(name: str, **said: Any) -> Any:
    async def execute(self: BaseTool, path: str) -> str:
        return path

    return declared(type("Thing", (BaseTool,), {"name": name, "execute": execute, **said}))


def in_a_decorator(name: str, **said: Any) -> Any:
    return tool(name=name, **said)(body)


FORMS = pytest.mark.parametrize("form", [in_a_decorator, in_a_class], ids=["decorator", "class"])
TABLE: list[tuple[str, dict[str, Any], tuple[str, Origin], tuple[bool, Origin]]] = [
    ("read_file", {}, ("safe", N), (False, N)),
    ("read_file", {"requires_approval": True}, ("safe", N), (True, D)),
    ("read_file", {"risk": "moderate"}, ("moderate", D), (False, N)),
    ("read_file", {"risk": "dangerous"}, ("dangerous", D), (True, R)),
    ("write_file", {}, ("moderate", N), (True, N)),
    ("write_file", {"risk": "moderate"}, ("moderate", D), (True, N)),
    ("write_file", {"risk": "safe"}, ("safe", D), (True, N)),
    ("write_file", {"risk": "dangerous"}, ("dangerous", D), (True, N)),
    ("write_file", {"requires_approval": False}, ("moderate", N), (False, D)),
    ("write_file", {"impact": "much"}, ("moderate", N), (True, N)),
    ("delete_file", {}, ("dangerous", N), (True, N)),
    ("delete_file", {"requires_approval": True}, ("dangerous", N), (True, D)),
    ("delete_file", {"hil": True}, ("dangerous", N), (True, D)),
    ("delete_file", {"risk": "moderate"}, ("moderate", D), (True, N)),
    ("delete_file", {"risk": "safe", "requires_approval": False}, ("safe", D), (False, D)),
    ("run_command", {"category": "shell"}, ("dangerous", N), (True, N)),
    ("deleteFile", {}, ("dangerous", N), (True, N)),
    ("DeleteFile", {"category": "files"}, ("dangerous", N), (True, N)),
    ("HTTPDelete", {}, ("dangerous", N), (True, N)),
    ("writeFile", {"risk": "safe"}, ("safe", D), (True, N)),
    ("readFile2", {}, ("safe", N), (False, N)),
    ("undelete", {}, ("moderate", U), (False, U)),
    ("count", {}, ("moderate", U), (False, U)),
    ("count", {"risk": "safe"}, ("safe", D), (False, U)),
    ("count", {"risk": "dangerous"}, ("dangerous", D), (True, R)),
    ("count", {"requires_approval": True}, ("moderate", U), (True, D)),
]


@FORMS
@pytest.mark.parametrize(("name", "said", "risk", "asks"), TABLE)
def test_what_is_said_replaces_only_itself(
    form: Any, name: str, said: dict[str, Any], risk: Any, asks: Any
) -> None:
    shown = form(name, **said).describe()

    assert (shown["risk"].value, shown["risk"].origin) == risk
    assert (shown["requires_approval"].value, shown["requires_approval"].origin) == asks


@FORMS
def test_a_name_that_says_dangerous_is_not_silenced_alone(form: Any) -> None:
    with pytest.raises(InvalidTool, match=r"'delete_file'.*dangerous by its name.*risk"):
        form("delete_file", requires_approval=False)


def test_a_tool_tells_where_the_rest_comes_from() -> None:
    made = in_a_decorator("write_file", decide_within=60, approvers="ops")
    origins = {name: each.origin for name, each in made.describe().items()}

    assert (origins["decide_within"], origins["audience"]) == (D, D)
    assert (origins["timeout"], origins["impact"]) == (U, U)
    assert (origins["idempotent"], origins["confirmation"]) == (R, R)
    assert str(made.describe()["risk"]) == "moderate (by the tool's name)"


def test_what_a_copy_says_is_declared_and_holds() -> None:
    made = in_a_decorator("count")
    copy = replace(made, decide_within=timedelta(minutes=1), requires_approval=True)
    agent = Agent("agent", model=ScriptedModel([]), tools=copy)
    [found] = Assent("sqlite:///:memory:", agents=agent, decide_within=3600).tools()

    assert found.decide_within == timedelta(minutes=1)
    assert found.describe()["decide_within"].origin is D
    assert found.describe()["requires_approval"].origin is D
    assert found.describe()["timeout"].origin is U
    assert replace(in_a_decorator("read_file"), risk=Risk.MODERATE).describe()["risk"].origin is D
    with pytest.raises(InvalidTool, match="it is dangerous and has requires_approval=False"):
        replace(made, risk=Risk.DANGEROUS)


def test_an_override_is_where_its_values_come_from() -> None:
    shown = effective(in_a_decorator("count"), Override(risk=Risk.DANGEROUS)).describe()

    assert (shown["risk"].value, shown["risk"].origin) == ("dangerous", O)
    assert (shown["requires_approval"].value, shown["requires_approval"].origin) == (True, R)
    assert shown["category"].origin is U


def test_where_values_come_from_is_no_part_of_what_was_approved() -> None:
    by_name, said = in_a_decorator("write_file"), in_a_decorator("write_file", risk="moderate")

    assert by_name.definition_hash == said.definition_hash


async def delete_file(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"


def read_file(path: str) -> str:
    """Read a file."""
    return f"content of {path}"


class Disk:
    """Has a method that is a tool."""

    def search_files(self, path: str) -> str:
        """Search."""
        return f"found {path}"


async def test_plain_functions_are_tools_by_their_names(world: World, owner: Person) -> None:
    script = [
        says(
            "",
            calls("read_file", path="a"),
            calls("search_files", path="b"),
            calls("delete_file", path="c"),
        )
    ]
    async with world(script, read_file, Disk().search_files, delete_file) as assent:
        turn = await assent.send("agent", "go", by=owner)

    assert [call.status for call in turn.calls] == ["succeeded", "succeeded", "awaiting_approval"]


class Needy(BaseTool):
    """Cannot be made without arguments."""

    def __init__(self, account: str) -> None:
        self.account = account

    async def execute(self, path: str) -> str:
        return path


@pytest.mark.parametrize(
    "wrong",
    [
        lambda path: path,
        partial(read_file, path="a"),
        Disk,
        Disk.search_files,
        BaseTool,
        Needy,
        "read_file",
        None,
        5,
        object(),
        {"read_file": read_file},
        len,
    ],
    ids=lambda given: getattr(given, "__qualname__", type(given).__name__),
)
def test_what_is_no_tool_is_refused_in_words(wrong: Any) -> None:
    with pytest.raises((InvalidParameter, InvalidTool)):
        Agent("agent", model=ScriptedModel([]), tools=[wrong])


def test_one_tool_alone_and_an_instance_with_arguments_are_taken() -> None:
    assert len(Agent("a", model=ScriptedModel([]), tools=read_file).declared) == 1
    assert len(Agent("a", model=ScriptedModel([]), tools=[Needy("x")]).declared) == 1


def test_what_an_instance_says_of_itself_counts() -> None:
    class Wiper(BaseTool):
        """Wipes."""

        def __init__(self, risk: str) -> None:
            self.risk = risk

        def requires_approval(self, args: dict[str, Any]) -> bool:
            return args["path"] != "tmp"

        async def execute(self, path: str) -> str:
            return path

    made = declared(Wiper("dangerous"))

    assert made.risk is Risk.DANGEROUS
    wish: Any = made.requires_approval
    assert wish({"path": "tmp"}, None) is False


@pytest.mark.parametrize("slip", ["risks", "requires_aproval", "aprovers", "excute", "time_out"])
def test_a_slip_of_the_pen_in_a_class_is_noticed(slip: str) -> None:
    with pytest.raises(InvalidTool, match=f"{slip}.*did you mean"):
        in_a_class("thing", **{slip: True})


@pytest.mark.parametrize(
    "word",
    ["Risk", "RISK", "needs_approval", "needsApproval", "approval", "must_confirm", "riskLevel"],
)
def test_other_words_for_asking_in_a_class_are_not_passed_over(word: str) -> None:
    with pytest.raises(InvalidTool, match=f"{word}.*did you mean"):
        in_a_class("thing", **{word: "dangerous"})


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"parameters": {"type": "object"}}, "'thing'.*parameters.*signature of execute"),
        ({"on_response_received": lambda self, said: said}, "on_response_received.*never called"),
    ],
)
def test_what_a_class_says_and_nothing_reads_is_refused(said: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidTool, match=words):
        in_a_class("thing", **said)


def test_a_manual_class_has_nothing_that_would_be_called() -> None:
    class Ask(BaseTool):
        """Ask."""

        async def on_response_received(self, said: str) -> str:
            return said

    with pytest.raises(InvalidTool, match=r"on_response_received.*never called"):
        declared(Ask)


NAMES = ["a\x00b", "\ud800", "a b", "löschen", "x" * 65, "x" * 100_000, "*", "1st"]


@pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name)[:10])
def test_a_name_that_no_model_could_call_is_refused_in_few_words(name: str) -> None:
    for make in (
        lambda: tool(name=name)(body),
        lambda: in_a_class(name),
        lambda: manual(name, description=""),
        lambda: hitl(name, output=str, on_tool_called=body),
        lambda: schema_tool(name, description="", parameters={}, execute=lambda *_: None),
    ):
        with pytest.raises(InvalidTool, match="a name must be 1-64 ASCII letters") as refused:
            make()
        assert len(str(refused.value)) < 300


WRONG_SCHEMAS: list[Any] = [{1: 2}, {"type": 5}, {"a": object()}, {"$ref": "http://x.example"}]


@pytest.mark.parametrize("schema", WRONG_SCHEMAS)
def test_a_schema_that_is_none_is_refused_by_tool_and_parameter(schema: Any) -> None:
    for make in (
        lambda: manual("thing", description="", output=schema),
        lambda: tool(name="thing", output=schema)(body),
    ):
        with pytest.raises(InvalidTool, match=r"'thing'.*output.*JSON schema"):
            make()
    for make in (
        lambda: manual("thing", description="", parameters=schema),
        lambda: schema_tool("thing", description="", parameters=schema, execute=lambda *_: None),
    ):
        with pytest.raises(InvalidTool, match=r"'thing'.*parameters.*JSON schema"):
            make()


@pytest.mark.parametrize("output", [Person("ada"), ValueError("no"), [str], (str,)])
def test_an_output_that_is_a_value_and_no_type_is_refused(output: Any) -> None:
    with pytest.raises(InvalidTool, match=r"'thing'.*output"):
        tool(name="thing", output=output)(body)


@pytest.mark.parametrize("hook", [lambda: "", lambda a, b, c: a, lambda *, said: said])
def test_a_hook_that_cannot_take_an_answer_is_refused_when_made(hook: Any) -> None:
    with pytest.raises(InvalidParameter, match=r"on_response_received must be a function of"):
        hitl("ask", output=str, on_tool_called=body, on_response_received=hook)


@pytest.mark.parametrize(
    "hook",
    [
        lambda said: f"{said}!",
        lambda said, ctx: f"{said}!" if ctx.call_id else "",
        lambda said, *, mark="!": f"{said}{mark}",
        lambda *said: f"{said[0]}!",
    ],
)
async def test_a_hook_takes_the_answer_alone_or_with_the_context(
    hook: Any, world: World, owner: Person
) -> None:
    def ask() -> None:
        """Leave it to a person."""

    asks = hitl("ask", output=str, on_tool_called=ask, on_response_received=hook)
    async with world([says("", calls("ask")), "Done."], asks) as assent:
        turn = await assent.send("agent", "ask", by=owner)
        await assent.decide(turn.pending[0], supply("yes"), by=owner)
        turn = await assent.wait(turn)

    assert turn.calls[0].result == "yes!"


FORM: dict[str, Any] = {
    "reason": "QuickBooks API requests require your Company ID (Realm ID)",
    "fields": [
        {
            "name": "realm_id",
            "label": "QuickBooks Company ID",
            "description": "Find this in your QuickBooks URL...",
            "type": "text",
            "required": True,
            "placeholder": "9130346988354456",
            "validation": "^[0-9]{10,20}$",
        },
        {
            "name": "database",
            "type": "select",
            "options": ["production", "staging"],
            "required": False,
        },
    ],
    "save_for_session": True,
}


async def report(realm_id: str, database: str = "staging") -> str:
    """Get a report."""
    return f"{realm_id} on {database}"


class Report(BaseTool):
    """Get a report."""

    name = "report"
    requires_user_input = FORM

    async def execute(self, realm_id: str, database: str = "staging") -> str:
        return await report(realm_id, database)


@pytest.mark.parametrize(
    "form", [tool(requires_user_input=FORM)(report), Report], ids=["decorator", "class"]
)
async def test_the_document_s_form_asks_once_for_a_conversation(
    form: Any, world: World, owner: Person
) -> None:
    script = [says("", calls("report")), "Done.", says("", calls("report")), "Again."]
    async with world(script, form) as assent:
        turn = await assent.send("agent", "report", by=owner)
        [request] = turn.pending
        await assent.decide(request.id, answer({"realm_id": "9130346988354456"}), by=owner)
        first = await assent.wait(turn.id)
        second = await assent.send(
            "agent", "again", by=owner, conversation_id=first.conversation_id
        )

    assert (first.text, second.text, second.pending) == ("Done.", "Again.", ())


def test_the_document_s_words_mean_ours() -> None:
    made = tool(requires_user_input=FORM)(report)
    assert made.user_input is not None
    realm, database = made.user_input.fields

    assert made.user_input.save
    assert (realm.help, realm.pattern) == (FORM["fields"][0]["description"], "^[0-9]{10,20}$")
    assert (database.type, database.required) == (FieldType.SELECT, False)


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({}, "'reason'"),
        ({"reason": "x"}, "'fields'"),
        ({"reason": "x", "fields": []}, "at least one field"),
        ({"reason": "x", "feilds": []}, "did you mean 'fields'"),
        ({"reason": "x", "fields": [{"label": "x"}]}, "'name'"),
        ({"reason": "x", "fields": [{"name": "x", "type": "dropdown"}]}, "'dropdown'"),
        ({"reason": "x", "fields": [{"name": "x", "regex": "."}]}, "'regex'"),
        (
            {"reason": "x", "fields": [{"name": "x"}], "save": True, "save_for_session": True},
            "under two names",
        ),
        (True, "a mapping of reason"),
    ],
)
def test_a_form_that_says_too_little_or_too_much_is_refused(form: Any, words: str) -> None:
    with pytest.raises((InvalidParameter, InvalidTool), match=words):
        tool(requires_user_input=form)(report)
