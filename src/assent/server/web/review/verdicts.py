"""A posted form as a verdict."""

from collections.abc import Callable, Mapping, Sequence

from assent.domain import decisions
from assent.domain.canonical import Json, parse
from assent.domain.cards import Verb
from assent.domain.decisions import Verdict
from assent.domain.fields import FieldType
from assent.domain.forms import UserInput
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, Hitl, OutputCodec
from assent.engine.decisions.supplied_results import check_supplied
from assent.errors import InvalidCommand, InvalidJson, InvalidOutput
from assent.server.form_data import Posted

# Names of form controls that hold a field's answer.
ANSWER = "field."
# A button of an input form: what is there is kept, nothing is decided.
DRAFT = "draft"
# The digest of what the confirmation of an edit showed as what will run.
RUNS = "runs"


def verdict_of(
    request: Request,
    tool: EffectiveTool | None,
    posted: Posted,
    edited: Mapping[str, Json] | None = None,
) -> Verdict:
    """What the form says; `InvalidCommand` where it says nothing that can be done."""
    reason, output = posted.one("reason").strip(), posted.one("output")
    typed = posted.one("typed") if "typed" in posted else None
    runs = posted.one(RUNS) if RUNS in posted else None
    made: dict[str, Callable[[], Verdict]] = {
        Verb.APPROVE: lambda: decisions.Approve(typed=typed),
        Verb.EDIT: lambda: decisions.Approve(arguments=edited, typed=typed, runs=runs),
        Verb.REJECT: lambda: decisions.Reject(reason=reason),
        Verb.ANSWER: lambda: decisions.Give(values=answers_of(request, posted)),
        DRAFT: lambda: decisions.Give(values=answers_of(request, posted), partial=True),
        Verb.SUPPLY: lambda: decisions.Supply(output=_checked(tool, output)),
        Verb.FAIL: lambda: decisions.Fail(reason=reason),
        Verb.CANCEL: lambda: decisions.Cancel(reason=reason),
        Verb.RAN: lambda: decisions.Ran(output=_output(output)),
        Verb.DID_NOT_RUN: lambda: decisions.DidNotRun(reason=reason),
        Verb.RUN_AGAIN: lambda: decisions.RunAgain(typed=typed),
    }
    verb = posted.one("verdict")
    if verb not in made:
        raise InvalidCommand("The form says nothing that can be done: choose one of its buttons")
    return made[verb]()


def answers_of(request: Request, posted: Posted) -> Mapping[str, object]:
    """The answers in a form; what was left empty is None, whatever was suggested for it."""
    if request.question.form is None:
        return {}
    given: dict[str, object] = {}
    for field in UserInput.from_json(request.question.form).fields:
        if values := posted.all(f"{ANSWER}{field.name}"):
            given[field.name] = _answer(field.type, values)
    return given


def _answer(kind: FieldType, values: Sequence[str]) -> object:
    # An unticked box sends nothing; the hidden field before it says that it was there.
    if kind is FieldType.MULTI_SELECT:
        return [value for value in values if value] or None
    return values[-1] or None


def _checked(tool: EffectiveTool | None, text: str) -> Json:
    """A result that fits what the tool declares: the engine would end the call by any other."""
    output = _output(text)
    if tool is None or tool.tool.output is None:
        return output
    kind = tool.tool.kind
    # A hook takes people's words as they are and makes the output of them.
    if isinstance(kind, Hitl) and kind.on_response_received is not None:
        return output
    check_supplied(tool.tool.output, text)
    return output if _fits(tool.tool.output, output) else text


def _fits(wanted: OutputCodec, output: Json) -> bool:
    try:
        check_supplied(wanted, output)
    except InvalidOutput:
        return False
    return True


def _output(text: str) -> Json:
    """JSON where it is some that we take in, else the text itself."""
    try:
        return parse(text)
    except InvalidJson:
        return text
