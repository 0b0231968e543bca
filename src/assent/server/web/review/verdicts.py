"""Reading the verdict from a posted form."""

from collections.abc import Callable, Mapping, Sequence

from assent.domain import decisions
from assent.domain.canonical import Json, parse
from assent.domain.cards import Verb
from assent.domain.decisions import Verdict
from assent.domain.fields import Field
from assent.domain.forms import UserInput
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, Hitl, OutputCodec
from assent.engine.decisions.supplied_results import check_supplied
from assent.errors import InvalidCommand, InvalidJson, InvalidOutput
from assent.server.form_data import Posted

# Prefix of the names of controls that hold a field's answer.
ANSWER = "field."
# The button of an input form that keeps the answers so far and decides nothing.
DRAFT = "draft"
# The digest of the arguments that the confirmation of an edit showed.
RUNS = "runs"


def verdict_of(
    request: Request,
    tool: EffectiveTool | None,
    posted: Posted,
    edited: Mapping[str, Json] | None = None,
) -> Verdict:
    """Return the verdict of the form; raises `InvalidCommand` if it has none."""
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
    """Return the answers in a form; None for a field left empty, even if a value was suggested."""
    if request.question.form is None:
        return {}
    given: dict[str, object] = {}
    for field in UserInput.from_json(request.question.form).fields:
        if values := posted.all(f"{ANSWER}{field.name}"):
            given[field.name] = _answer(field, values)
    return given


def _answer(field: Field, values: Sequence[str]) -> object:
    # An unticked box posts nothing; the hidden field before it says that the field was shown.
    if field.kind.takes_several:
        return [value for value in values if value] or None
    return values[-1] or None


def _checked(tool: EffectiveTool | None, text: str) -> Json:
    """Return a result that fits the tool's declaration; any other would end the call as failed."""
    output = _output(text)
    if tool is None or tool.tool.output is None:
        return output
    kind = tool.tool.kind
    # A hook receives people's words as they are and turns them into the output.
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
    """Return the parsed JSON, or the text itself if it is not valid JSON."""
    try:
        return parse(text)
    except InvalidJson:
        return text
