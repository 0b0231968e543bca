"""Reading the verdict from a posted form."""

from collections.abc import Mapping

from assent.domain.canonical import Json, parse
from assent.domain.decisions import Verdict
from assent.domain.fields import Field
from assent.domain.forms import UserInput
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool, Hitl, OutputCodec
from assent.domain.verdicts import Verb, row_of
from assent.engine.decisions.checks import check_supplied
from assent.errors import InvalidCommand, InvalidJson, InvalidOutput, InvalidVerdict
from assent.server.form_data import Posted

# Prefix of the names of controls that hold a field's answer.
ANSWER = "field."
# The button of an input form that keeps the answers so far and decides nothing.
DRAFT = "draft"
# The button of a table in a form: the name of the field that should have more rows.
MORE = "more"
# The digest of the arguments that the confirmation of an edit showed.
RUNS = "runs"


def verdict_of(
    request: Request,
    tool: EffectiveTool | None,
    posted: Posted,
    edited: Mapping[str, Json] | None = None,
) -> Verdict:
    """Return the verdict of the form; raises `InvalidCommand` if it has none."""
    verb = posted.one("verdict")
    is_draft = verb == DRAFT
    try:
        row = row_of(Verb.ANSWER if is_draft else verb)
    except InvalidVerdict:
        nothing = "The form says nothing that can be done: choose one of its buttons"
        raise InvalidCommand(nothing) from None
    given: dict[str, object] = {row.text: posted.one(row.text).strip(), "arguments": edited}
    given |= {name: posted.one(name) for name in ("typed", RUNS) if name in posted}
    if "values" in row.fields:
        given |= {"values": answers_of(request, posted), "partial": is_draft}
    if "output" in row.fields:
        text = posted.one("output")
        given["output"] = _checked(tool, text) if row.verb is Verb.SUPPLY else _output(text)
    return row.read(given)


def answers_of(request: Request, posted: Posted) -> Mapping[str, object]:
    """Return the answers in a form; None for a field left empty, even if a value was suggested."""
    if request.question.form is None:
        return {}
    given: dict[str, object] = {}
    for field in UserInput.from_json(request.question.form).fields:
        if f"{ANSWER}{field.name}" in posted:
            given[field.name] = answer_in(field, posted)
    return given


def answer_in(field: Field, posted: Posted) -> object:
    """Return the answer to one field in a form; None if it was left empty."""
    # An unticked box posts nothing; the hidden field before it says that it was shown.
    values = posted.all(f"{ANSWER}{field.name}")
    return field.kind.join(field, values) if values else None


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
