"""A conversation as its page shows it: messages, calls, and the answer so far."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from assent.domain.attachments import files_of, listed
from assent.domain.conversations import Conversation, Message, Role, TurnRow
from assent.domain.lifecycle import ACTIVE_TURNS, AWAITING, ConversationStatus, TurnStatus
from assent.domain.paging import Place
from assent.domain.people import Person
from assent.engine.queries.conversations import ConversationRows, OwnConversations
from assent.engine.queries.snapshots import Thread
from assent.presentation.markup import Html
from assent.server.service import Service
from assent.server.web.chat.call_views import CallView, CallViews
from assent.server.web.chat.inline_form import InlineForm
from assent.server.web.chat.live_answer import LiveAnswer
from assent.server.web.chat.markdown import markdown
from assent.server.web.review.shown_token import seal_of
from assent.server.web.shown_files import ShownFile, shown_files
from assent.server.web.template_filters import prose

PAGE: Final = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationRow:
    """One conversation in the list."""

    conversation: Conversation
    title: str
    status: str
    tone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationList:
    """One page of conversations, newest first."""

    items: tuple[ConversationRow, ...]
    next: Place | None


def conversation_list(own: OwnConversations, agents: Container[str]) -> ConversationList:
    """Return a page of conversations as the list shows them; `agents` are those that run here."""
    return ConversationList(
        items=tuple(
            _chat(
                each.conversation,
                own.first_words.get(each.conversation.id),
                status_words(each.status, is_mine=mine),
                is_here=each.conversation.agent in agents,
            )
            for each in own.page.items
            for mine in (each.conversation.id in own.asked,)
        ),
        next=own.page.next,
    )


def _chat(
    conversation: Conversation, begun: str | None, status: str, *, is_here: bool
) -> ConversationRow:
    empty = "No messages yet" if is_here else f"Calls of {conversation.agent}"
    # A message without words has files.
    title = empty if begun is None else " ".join(begun.split()) or "Files"
    return ConversationRow(
        conversation=conversation,
        title=title,
        status=status,
        tone=tone_of(status),
    )


STATUSES: Final[Mapping[ConversationStatus, str]] = {
    ConversationStatus.AWAITING_APPROVAL: "waits for others",
    ConversationStatus.AWAITING_INPUT: "waits for others",
    ConversationStatus.IN_DOUBT: "outcome unknown",
    ConversationStatus.AWAITING_HITL: "waits for others",
    ConversationStatus.AWAITING_CLIENT_TOOLS: "waits for a result",
    ConversationStatus.IN_PROGRESS: "working",
    ConversationStatus.INTERRUPTED: "stopped",
    ConversationStatus.IDLE: "done",
}
_TITLE_CHARS: Final = 80
_RESTING: Final = frozenset({ConversationStatus.IDLE, ConversationStatus.INTERRUPTED})


def status_words(status: ConversationStatus, *, is_mine: bool) -> str:
    """Return the status in words; `is_mine` if something in it waits for the person who looks."""
    waits = status not in _RESTING and status is not ConversationStatus.IN_PROGRESS
    return "waits for you" if is_mine and waits else STATUSES[status]


def tone_of(words: str) -> str:
    """Return the CSS class of a status: waiting stands out, finished does not."""
    if words == "working":
        return "kind"
    return "" if words in ("done", "stopped") else "waiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """One message with its calls."""

    message: Message
    words: Html
    by_person: bool
    calls: tuple[CallView, ...]
    files: Sequence[ShownFile] = ()

    @property
    def waits(self) -> int:
        """The number of its calls that have an open request."""
        return sum(call.question is not None for call in self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationView:
    """All that the page of a conversation shows."""

    thread: Thread
    turn: TurnRow | None
    # The number of the newest turn's newest event.
    last: int
    draft: LiveAnswer
    messages: tuple[MessageView, ...]
    earlier: int
    is_mine: bool
    # False if the agent runs elsewhere, and cannot be written to here.
    is_here: bool
    # True if a form is open in it: the page must not reload by itself and lose what is typed.
    has_form: bool = False

    @property
    def title(self) -> str:
        """The first words of the conversation; the agent's name if there are none."""
        said = self.thread.messages[0] if self.thread.messages else None
        first = "" if said is None else said.text.strip() or listed(said)
        words = " ".join(first[:_TITLE_CHARS].split())
        cut = "…" if len(first) > _TITLE_CHARS else ""
        return f"{words}{cut}" or self.thread.conversation.agent

    @property
    def reach(self) -> str:
        """How far this reading got, as two numbers: the newest turn and its newest event."""
        return f"{0 if self.turn is None else self.turn.number} {self.last}"

    @property
    def is_working(self) -> bool:
        """True if something happens without a person, so that the page follows it."""
        if self.turn is None or self.turn.status not in ACTIVE_TURNS:
            return False
        is_going = self.turn.status is not TurnStatus.WAITING
        return is_going or any(each.is_running for each in self._newest)

    @property
    def is_active(self) -> bool:
        """True if there is a turn that can be stopped."""
        return self.turn is not None and self.turn.status in ACTIVE_TURNS

    @property
    def can_cancel(self) -> bool:
        """True if a call waits that has not begun; a call in doubt may have begun."""
        return any(each.call.status in AWAITING for each in self._newest)

    @property
    def is_running_out(self) -> bool:
        """True if the turn was stopped while a call ran: a running call is not interrupted."""
        return not self.is_active and any(each.is_running for each in self._newest)

    @property
    def failure(self) -> str:
        """The reason why the newest turn ended without an answer; empty if it did not fail."""
        has_failed = self.turn is not None and self.turn.status is TurnStatus.FAILED
        return (self.turn.error or "It failed.") if self.turn and has_failed else ""

    @property
    def waits_for_me(self) -> int:
        """The number of calls that this person may decide."""
        return sum(each.may_decide for each in self._newest)

    @property
    def status(self) -> str:
        """The status of the conversation in words."""
        if self.failure:
            return "failed"
        return status_words(self.thread.status, is_mine=self.waits_for_me > 0)

    @property
    def tone(self) -> str:
        """The CSS class of the status."""
        return "failed" if self.failure else tone_of(self.status)

    @property
    def _newest(self) -> tuple[CallView, ...]:
        turn = None if self.turn is None else self.turn.id
        calls = (each for message in self.messages for each in message.calls)
        # Of an agent elsewhere, several calls may wait at once.
        return tuple(
            each
            for each in calls
            if each.call.turn_id == turn or (each.call.outside and not each.call.is_settled)
        )


def conversation_view(
    found: ConversationRows,
    service: Service,
    person: Person,
    *,
    form: InlineForm | None,
    shown: int,
    ours: frozenset[str],
) -> ConversationView:
    """Return the conversation with its newest messages, laid out for its page (slow)."""
    thread, draft = found.thread, LiveAnswer(ours)
    draft.hear(found.events)
    calls = CallViews(
        person=person,
        tools=service.assent.catalogue.toolbox(thread.conversation.agent).tools,
        pending=thread.pending,
        progress=draft.progress,
        seal=partial(seal_of, service, person),
        texts=service.assent.texts,
        calls=thread.calls,
        form=form,
    )
    return ConversationView(
        thread=thread,
        turn=found.turn,
        last=found.last,
        draft=draft,
        messages=_messages(thread, calls, shown, ours),
        earlier=max(0, len(thread.messages) - shown),
        is_mine=thread.conversation.owner.id == person.id,
        is_here=thread.conversation.agent in service.assent.catalogue.names(),
        has_form=form is not None,
    )


def _messages(
    thread: Thread, calls: CallViews, shown: int, ours: frozenset[str]
) -> tuple[MessageView, ...]:
    return tuple(
        MessageView(
            message=message,
            words=prose(message.text)
            if message.role is Role.USER
            else markdown(message.text, ours),
            by_person=message.role is Role.USER,
            calls=tuple(calls.of(call) for call in thread.calls if call.message_id == message.id),
            files=shown_files(files_of(message)),
        )
        for message in thread.messages[-shown:]
    )
