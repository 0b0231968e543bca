"""Calls in a conversation: how each stands, what came of it, and what this person may do there."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from assent.domain.calls import Call
from assent.domain.canonical import Json, parse
from assent.domain.confirmations import Confirmation
from assent.domain.errors import InvalidJson
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.people import Person
from assent.domain.requests import Question, Request
from assent.domain.tools import EffectiveTool, Preview
from assent.presentation.html_values import block, entries, foreign, text_diff, value
from assent.presentation.markup import Html, element, joined
from assent.presentation.rendering import RENDERER_VERSION, Rendered
from assent.presentation.text import safe_line
from assent.presentation.values import entries_of, hints_of, holds_blob, value_of
from assent.server.web.admin.treatment import deciders
from assent.server.web.chat.drafts import Far
from assent.server.web.history.glance import on_a_line, status_class, status_words
from assent.server.web.words import prose

VERSION: Final = f"chat/{RENDERER_VERSION}"
# What can be read at a glance; more than this is decided on the page of the request.
_GLANCE_CHARS: Final = 1_500
_INVITATIONS: Final[Mapping[RequestKind, str]] = {
    RequestKind.APPROVAL: "Review and decide",
    RequestKind.INPUT: "Answer",
    RequestKind.RESULT: "Supply the result",
    RequestKind.OUTCOME: "Say what happened",
}
Sealing = Callable[[Request, Rendered], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """One call of an answer, as the conversation shows it."""

    call: Call
    body: Html
    # The same on a line, for what is over.
    summary: Html
    outcome: Html | None = None
    error: str = ""
    question: Request | None = None
    may_decide: bool = False
    # Where one click decides: the proof of what was in sight.
    seal: str = ""
    progress: Far | None = None

    @property
    def name(self) -> str:
        """The tool's name where there can be no markup: models make names up, too."""
        return safe_line(self.call.tool)

    @property
    def words(self) -> str:
        """Where it stands."""
        return status_words(self.call.status)

    @property
    def tone(self) -> str:
        """Which colour that has."""
        return status_class(self.call.status)

    @property
    def is_running(self) -> bool:
        """Whether something happens by itself."""
        return self.call.status in (CallStatus.RUNNING, CallStatus.CLEARED)

    @property
    def invitation(self) -> str:
        """What the button to its request says."""
        return "" if self.question is None else _INVITATIONS[self.question.kind]

    @property
    def deciders(self) -> str:
        """Whom it waits for, where it is not this person."""
        return "" if self.question is None else deciders(self.question.audience)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deeds:
    """How the calls of a conversation are looked at: by whom, and with what is known of them."""

    person: Person
    tools: Mapping[str, EffectiveTool]
    pending: tuple[Request, ...]
    progress: Mapping[str, Far]
    seal: Sealing

    def of(self, call: Call) -> Deed:
        """One call."""
        tool = self.tools.get(call.tool)
        question = next((each for each in self.pending if each.call_id == call.id), None)
        shown = rendered(call, tool, question)
        may_decide = question is not None and question.admits(self.person)
        by_click = may_decide and question is not None and _by_click(question, call, tool)
        output = _output(call)
        error = _error(call, output)
        return Deed(
            call=call,
            body=Html(shown.text),
            summary=on_a_line(entries_of(call.arguments.text, hints_of(tool))),
            outcome=None if call.output is None or error else value(value_of(output)),
            error=error,
            question=question,
            may_decide=may_decide,
            seal=self.seal(question, shown) if question is not None and by_click else "",
            progress=self.progress.get(call.id) if call.status is CallStatus.RUNNING else None,
        )


def rendered(call: Call, tool: EffectiveTool | None, question: Request | None) -> Rendered:
    """What a conversation shows of a call: while it is asked about, all that the question says."""
    arguments = entries(entries_of(call.arguments.text, hints_of(tool)))
    asked = () if question is None else tuple(_asked(question))
    impact = tool.impact if tool and question else ""
    about = (element("p", foreign(impact), class_="impact"),) if impact else ()
    text = joined((*about, arguments, *asked))
    return Rendered(text=text, complete=True, cut=False, choices=(), version=VERSION)


def _asked(question: Request) -> Iterator[Html]:
    asked = question.question
    if asked.text:
        yield element("p", prose(asked.text), class_="impact")
    if asked.preview is not None:
        own = element("p", "What it would do, by its own account", class_="remark")
        yield element("div", own, *_preview(asked.preview), class_="preview")
    if asked.reason:
        why = "Asked because: " if question.kind is RequestKind.APPROVAL else ""
        yield element("p", why, foreign(asked.reason), class_="impact")


def _preview(preview: Preview) -> Iterator[Html]:
    if preview.text:
        yield block(preview.text)
    if preview.before is not None or preview.after is not None:
        yield text_diff(preview.before or "", preview.after or "")


def _by_click(question: Request, call: Call, tool: EffectiveTool | None) -> bool:
    """Whether all that a decision rests on is in sight here, and one click is all it takes."""
    shown = entries_of(call.arguments.text, hints_of(tool))
    return (
        question.kind is RequestKind.APPROVAL
        and question.confirmation is Confirmation.CLICK
        and question.quorum == 1
        and question.revision == call.revision == 1
        and tool is not None
        and _is_short(question.question, call)
        and not any(holds_blob(entry.value) for entry in shown)
    )


def _is_short(asked: Question, call: Call) -> bool:
    preview = asked.preview or Preview()
    if preview.failed or asked.metadata:
        return False
    texts = (asked.text, asked.reason, preview.text, preview.before, preview.after)
    return sum(map(len, filter(None, (call.arguments.text, *texts)))) <= _GLANCE_CHARS


def _output(call: Call) -> Json:
    if call.output is None:
        return None
    try:
        return parse(call.output)
    except InvalidJson:
        return call.output


def _error(call: Call, output: Json) -> str:
    """What went wrong, where the output says only that."""
    if call.failed and isinstance(output, dict) and list(output) == ["error"]:
        return str(output["error"])
    return ""
