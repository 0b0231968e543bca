"""The interface between the full-screen inbox and its data: a database here, or a server."""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from assent.domain.canonical import Json
from assent.domain.cards import Choice
from assent.domain.confirmations import Confirmation, Phrase
from assent.domain.decisions import Verdict
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.suggestions import Suggestion
from assent.domain.tools import Risk
from assent.engine.queries.previews import EditPreview
from assent.presentation.sheet import Line

# The most rows that are read and shown at once, however many wait.
PAGE_ROWS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """A request in the list; `in_short` are its arguments on one line, None if too long for it."""

    id: str
    kind: RequestKind
    risk: Risk
    tool: str
    agent: str
    owner: str
    in_short: str | None
    deadline: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPage:
    """Some rows, the most dangerous first, and where the next page begins if there is one."""

    rows: tuple[InboxRow, ...]
    next: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxCard:
    """A request laid out for one width, with everything that deciding it takes."""

    request_id: str
    kind: RequestKind
    status: RequestStatus
    tool: str
    # The person who closed it, once it is closed.
    closed_by: str | None
    deadline: datetime | None
    digest: str
    columns: int
    lines: tuple[Line, ...]
    # The record of this rendering in a decision.
    shown: str
    choices: tuple[Choice, ...]
    confirmation: Confirmation
    to_type: Phrase | None
    may_decide: bool
    may_edit: bool
    has_voted: bool
    # The arguments for an edit; declared secrets are masked.
    arguments: Mapping[str, Json]
    form: Mapping[str, Json] | None
    # Answers that are known before the form is filled in, and the names of secrets that are.
    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    kept_secrets: frozenset[str] = frozenset()
    # The number of that draft, and when it was saved; an older server does not say.
    draft_number: int | None = None
    draft_at: datetime | None = None
    # What earlier calls of the person had, and whether the request is about their conversation.
    suggestions: Mapping[str, Suggestion] = field(default_factory=dict[str, Suggestion])
    is_own: bool = False

    @property
    def is_open(self) -> bool:
        """True if it can still be decided."""
        return self.status is RequestStatus.OPEN


@dataclass(frozen=True, slots=True)
class RequestAdded:
    """Somebody is asked something."""

    request_id: str


@dataclass(frozen=True, slots=True)
class RequestRemoved:
    """A request was decided by a person, or ended otherwise."""

    request_id: str
    status: str
    by: str


@dataclass(frozen=True, slots=True)
class Connected:
    """Changes are told from now on; what happened before has to be read anew."""


@dataclass(frozen=True, slots=True)
class Disconnected:
    """Changes are not told for now; it is tried again."""

    reason: str


InboxChange = RequestAdded | RequestRemoved | Connected | Disconnected


class InboxBackend(Protocol):
    """Reads and decides the requests that one person may decide."""

    @property
    def person(self) -> str:
        """The id of the person whose inbox it is."""
        ...

    @property
    def place(self) -> str:
        """The place where the requests are, for people to read; never a credential."""
        ...

    async def page(self, after: str | None) -> RowPage:
        """Return a page of what waits for the person."""
        ...

    async def card(self, request_id: str, columns: int) -> InboxCard:
        """Return a request laid out for this width; raises `NotFound` if it may not be seen."""
        ...

    async def preview(self, card: InboxCard, verdict: Verdict, columns: int) -> EditPreview | None:
        """Check a verdict that has content before it is given; for an edit, return what would run.

        Raises the error that tells what is wrong with it.
        """
        ...

    async def decide(self, card: InboxCard, verdict: Verdict, shown: str | None) -> str:
        """Decide and return the status of the request; raises the error if it does not count."""
        ...

    def changes(self) -> AsyncGenerator[InboxChange]:
        """Follow what happens, for as long as the app runs."""
        ...
