"""A posted form as a verdict."""

import json
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qsl

from assent.domain import decisions
from assent.domain.canonical import Json
from assent.domain.cards import Verb
from assent.domain.decisions import Verdict
from assent.domain.errors import InvalidCommand
from assent.domain.fields import FieldType
from assent.domain.forms import UserInput
from assent.domain.requests import Request

_MAX_FIELDS = 500
# Names of form controls that hold a field's answer.
ANSWER = "field."


class Posted:
    """The fields of a posted form; a name may come more than once."""

    def __init__(self, content: bytes) -> None:
        text = content.decode("utf-8", "replace")
        self._pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS)

    def one(self, name: str) -> str:
        """The last value of a name, or nothing."""
        return next((value for key, value in reversed(self._pairs) if key == name), "")

    def all(self, name: str) -> list[str]:
        """Every value of a name."""
        return [value for key, value in self._pairs if key == name]

    def __contains__(self, name: str) -> bool:
        return any(key == name for key, _ in self._pairs)


def verdict_of(request: Request, posted: Posted) -> Verdict:
    """What the form says; `InvalidCommand` where it says nothing that can be done."""
    reason, output = posted.one("reason").strip(), posted.one("output")
    made: dict[str, Callable[[], Verdict]] = {
        Verb.APPROVE: decisions.Approve,
        Verb.EDIT: lambda: decisions.Approve(arguments=posted.one("arguments")),
        Verb.REJECT: lambda: decisions.Reject(reason=reason),
        Verb.ANSWER: lambda: decisions.Give(values=answers_of(request, posted)),
        Verb.SUPPLY: lambda: decisions.Supply(output=_output(output)),
        Verb.FAIL: lambda: decisions.Fail(reason=reason),
        Verb.CANCEL: lambda: decisions.Cancel(reason=reason),
        Verb.RAN: lambda: decisions.Ran(output=_output(output)),
        Verb.DID_NOT_RUN: lambda: decisions.DidNotRun(reason=reason),
        Verb.RUN_AGAIN: decisions.RunAgain,
    }
    verb = posted.one("verdict")
    if verb not in made:
        raise InvalidCommand("The form says nothing that can be done: choose one of its buttons")
    return made[verb]()


def answers_of(request: Request, posted: Posted) -> Mapping[str, object]:
    """The answers in a form: what was left empty is not given."""
    if request.question.form is None:
        return {}
    given: dict[str, object] = {}
    for field in UserInput.from_json(request.question.form).fields:
        values = posted.all(f"{ANSWER}{field.name}")
        answer = _answer(field.type, values)
        if answer is not None:
            given[field.name] = answer
    return given


def _answer(kind: FieldType, values: Sequence[str]) -> object:
    if kind is FieldType.BOOLEAN:
        # An unticked box sends nothing; the hidden field before it says that it was there.
        return values[-1] if values else None
    if kind is FieldType.MULTI_SELECT:
        return [value for value in values if value] or None
    return values[-1] if values and values[-1] != "" else None


def _output(text: str) -> Json:
    """JSON where it is some, else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text
