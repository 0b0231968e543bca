"""Calls as a conversation shows them: status, result, and what this person may do about each."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import unescape
from math import ceil
from typing import Final

from assent.domain.calls import Call
from assent.domain.canonical import Json, parse
from assent.domain.confirmations import Confirmation
from assent.domain.lifecycle import CallStatus, RequestKind
from assent.domain.people import Person
from assent.domain.requests import Request
from assent.domain.tools import LOCAL, EffectiveTool, Preview
from assent.engine.settings import Texts
from assent.errors import InvalidJson
from assent.presentation.html_values import block, entries, foreign, text_diff, value
from assent.presentation.markup import Html, element, joined
from assent.presentation.rendering import RENDERER_VERSION, Rendered
from assent.presentation.text import safe_line
from assent.presentation.values import entries_of, hints_of, holds_blob, value_of
from assent.server.web.admin.tool_treatment import deciders
from assent.server.web.chat.inline_form import InlineForm, is_inline
from assent.server.web.chat.live_answer import CallProgress
from assent.server.web.history.wording import on_a_line, status_class, status_words
from assent.server.web.template_filters import prose

# The space on a phone between a call's name and its buttons.
_MOST_LINES: Final = 18
_LINE_CHARS: Final = 36
_ENDS: Final = re.compile(r"</(?:p|dd|li|pre|div|tr|dl|ul|ol)>")
_TAGS: Final = re.compile(r"<[^>]*>")


def is_at_a_glance(shown: Html) -> bool:
    """Return True if all of it can be read without scrolling."""
    return lines_of(shown) <= _MOST_LINES


def lines_of(shown: Html) -> int:
    """Return the number of lines that it takes on a narrow screen."""
    parts = (unescape(_TAGS.sub("", part)) for part in _ENDS.split(shown))
    return sum(_lines(part) for part in parts if part.strip())


def _lines(text: str) -> int:
    return sum(max(1, ceil(len(line) / _LINE_CHARS)) for line in text.split("\n"))


# Final statuses caused by people or deadlines: the status label says which.
_UNDONE: Final = frozenset(
    {CallStatus.REJECTED, CallStatus.EXPIRED, CallStatus.CANCELLED, CallStatus.SUPERSEDED}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnd:
    """The result of a call: an output, or why there is none."""

    output: Json = None
    has_output: bool = False
    # What went wrong.
    error: str = ""
    # The reason of the person who rejected or cancelled it.
    reason: str = ""


def end_of(call: Call, texts: Texts) -> CallEnd:
    """Return the result of a call; empty if it has not ended."""
    if call.output is None:
        return CallEnd()
    output = _parsed(call.output)
    said = _error(call, output)
    if said and call.status in _UNDONE:
        return CallEnd(reason=_reason(said, texts))
    return CallEnd(error=said) if said else CallEnd(output=output, has_output=True)


def _parsed(text: str) -> Json:
    try:
        return parse(text)
    except InvalidJson:
        return text


def _error(call: Call, output: Json) -> str:
    """Return the error if the output consists of nothing else, otherwise an empty text."""
    if call.failed and isinstance(output, dict) and list(output) == ["error"]:
        return str(output["error"])
    return ""


def _reason(said: str, texts: Texts) -> str:
    """Return the person's own words from what the agent was told; empty if there are only ours."""
    ours = (
        f"{texts.rejected} {texts.rejected_hint}",
        *(texts.expired, texts.cancelled, texts.superseded, texts.aborted),
    )
    before, _, after = texts.feedback.partition("{feedback}")
    is_feedback = said.startswith(before) and said.endswith(after)
    return (
        "" if said in ours else said[len(before) : len(said) - len(after)] if is_feedback else said
    )


VERSION: Final = f"chat/{RENDERER_VERSION}"
_INVITATIONS: Final[Mapping[RequestKind, str]] = {
    RequestKind.APPROVAL: "Review and decide",
    RequestKind.INPUT: "Answer",
    RequestKind.RESULT: "Supply the result",
    RequestKind.OUTCOME: "Say what happened",
}
# Where the form is on the request's page; an approval starts at the top, with what would run.
_PLACES: Final[Mapping[RequestKind, str]] = {
    RequestKind.APPROVAL: "",
    RequestKind.INPUT: "#answer",
    RequestKind.RESULT: "#supply",
    RequestKind.OUTCOME: "#decision",
}
_WHY: Final[Mapping[RequestKind, str]] = {
    RequestKind.APPROVAL: "Asked because: ",
    RequestKind.OUTCOME: "It started, but how it ended is unknown: ",
}
Sealing = Callable[[Request, Rendered], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """One call of an answer, as its conversation shows it."""

    call: Call
    body: Html
    # The arguments on one line, for calls that are over.
    summary: Html
    outcome: Html | None = None
    error: str = ""
    # The reason of the person who rejected or cancelled it.
    reason: str = ""
    question: Request | None = None
    may_decide: bool = False
    # How often the same call was rejected in this conversation before.
    rejected: int = 0
    # Where one click or the form here decides: the proof of what the page showed.
    seal: str = ""
    # The form of its request, if it is the one that is open in the conversation.
    form: InlineForm | None = None
    progress: CallProgress | None = None

    @property
    def name(self) -> str:
        """The tool's name as plain text, made safe: models also invent names."""
        return safe_line(self.call.tool)

    @property
    def words(self) -> str:
        """The status of the call in words."""
        return status_words(self.call.status)

    @property
    def tone(self) -> str:
        """The CSS class of the status colour."""
        return status_class(self.call.status)

    @property
    def source(self) -> str:
        """The source of a foreign tool; empty for tools of this deployment."""
        return "" if self.call.source == LOCAL else self.call.source

    @property
    def is_running(self) -> bool:
        """True if the call continues without a person."""
        return self.call.status in (CallStatus.RUNNING, CallStatus.CLEARED)

    @property
    def invitation(self) -> str:
        """The label of the button that leads to the request."""
        return "" if self.question is None else _INVITATIONS[self.question.kind]

    @property
    def may_open(self) -> bool:
        """True if its form can be opened in the conversation, in place of the one that is."""
        return self.may_decide and self.question is not None and is_inline(self.question)

    @property
    def place(self) -> str:
        """The fragment of the request's page that the button leads to."""
        return "" if self.question is None else _PLACES[self.question.kind]

    @property
    def deciders(self) -> str:
        """The people who may decide the request, in words."""
        return "" if self.question is None else deciders(self.question.audience)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallViews:
    """Makes the views of a conversation's calls for one person."""

    person: Person
    tools: Mapping[str, EffectiveTool]
    pending: tuple[Request, ...]
    progress: Mapping[str, CallProgress]
    seal: Sealing
    texts: Texts
    calls: tuple[Call, ...]
    form: InlineForm | None = None

    def of(self, call: Call) -> CallView:
        """Return the view of one call."""
        tool = self.tools.get(call.tool)
        question = next((each for each in self.pending if each.call_id == call.id), None)
        shown = rendered(call, tool, question)
        may_decide = question is not None and question.admits(self.person)
        rejected = 0 if question is None else self._rejected(call)
        by_click = (
            may_decide
            and question is not None
            and not rejected
            and _by_click(question, call, tool)
            and is_at_a_glance(Html(shown.text))
        )
        form = self._form(question)
        end = end_of(call, self.texts)
        return CallView(
            call=call,
            body=Html(shown.text),
            summary=on_a_line(entries_of(call.arguments.text, hints_of(tool))),
            outcome=value(value_of(end.output)) if end.has_output else None,
            error=end.error,
            reason=end.reason,
            question=question,
            may_decide=may_decide,
            rejected=rejected,
            seal=self.seal(question, shown) if question is not None and (by_click or form) else "",
            form=form,
            progress=self.progress.get(call.id) if call.status is CallStatus.RUNNING else None,
        )

    def _form(self, question: Request | None) -> InlineForm | None:
        if self.form is None or question is None:
            return None
        return self.form if self.form.matter.request.id == question.id else None

    def _rejected(self, call: Call) -> int:
        """Count the earlier rejections of the same call in this conversation."""
        return sum(
            each.status is CallStatus.REJECTED
            and each.tool == call.tool
            and each.arguments.digest == call.arguments.digest
            for each in self.calls
        )


def rendered(call: Call, tool: EffectiveTool | None, question: Request | None) -> Rendered:
    """Render a call as the conversation shows it, with the whole question while it is open."""
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
        own = element("p", "What it would do, according to the tool", class_="remark")
        yield element("div", own, *_preview(asked.preview), class_="preview")
    if asked.reason:
        why = _WHY.get(question.kind, "")
        yield element("p", why, foreign(asked.reason), class_="impact")


def _preview(preview: Preview) -> Iterator[Html]:
    if preview.text:
        yield block(preview.text)
    if preview.before is not None or preview.after is not None:
        yield text_diff(preview.before or "", preview.after or "")


def _by_click(question: Request, call: Call, tool: EffectiveTool | None) -> bool:
    """Return True if a click may decide it and the conversation shows all that a decision needs."""
    shown = entries_of(call.arguments.text, hints_of(tool))
    return (
        question.kind is RequestKind.APPROVAL
        and question.confirmation is Confirmation.CLICK
        and question.quorum == 1
        and question.revision == call.revision == 1
        and tool is not None
        # The request's page says more about a foreign tool than there is room for here.
        and call.source == LOCAL
        and not (question.question.preview or Preview()).failed
        and not question.question.metadata
        and not any(holds_blob(entry.value) for entry in shown)
    )
