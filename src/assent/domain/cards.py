"""What every channel shows of a request: a `Card`, built once, rendered for each surface."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from assent.domain.canonical import Path
from assent.domain.confirmations import Confirmation, Phrase
from assent.domain.decisions import VerdictName
from assent.domain.fields import Field
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.tools import LOCAL, Risk


@dataclass(frozen=True, slots=True)
class Text:
    """A string, in full."""

    text: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number as its JSON literal, so that no surface rounds it."""

    literal: str


@dataclass(frozen=True, slots=True)
class Truth:
    """A boolean."""

    value: bool


@dataclass(frozen=True, slots=True)
class Null:
    """JSON's null."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that nobody is shown; nothing about it is kept here, not even its length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """Bytes written as text, which nobody can read: so their kind, size and hash are told too.

    `media` is what their first bytes say, `declared` what the text claims; empty where unknown.
    """

    encoded: str
    size: int
    sha256: str
    media: str = ""
    declared: str = ""


@dataclass(frozen=True, slots=True)
class Items:
    """An array."""

    items: "tuple[Value, ...]"


@dataclass(frozen=True, slots=True)
class Members:
    """An object."""

    members: "tuple[Entry, ...]"


Value = Text | Number | Truth | Null | Secret | Blob | Items | Members


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A named value; `elidable` allows a surface that has a limit to cut it and count."""

    name: str
    value: Value
    elidable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """A field that only the current revision has."""

    path: Path
    new: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A field that only the model's own arguments had."""

    path: Path
    old: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A field with another value than the model gave it."""

    path: Path
    old: Value
    new: Value


Change = Added | Removed | Changed


@dataclass(frozen=True, slots=True)
class TextPreview:
    """What a call would do, in the words of its tool."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffPreview:
    """What a call would change: a text before and after it, and what its tool says to that."""

    before: str
    after: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class FailedPreview:
    """The tool could not say what the call would do."""

    reason: str


CardPreview = TextPreview | DiffPreview | FailedPreview


class Verb(StrEnum):
    """What a person can do about a request: the verdicts by their recorded names, and two more.

    `edit` ends in an approval of other arguments; `review` opens a surface that shows everything.
    """

    APPROVE = "approve"
    EDIT = "edit"
    REJECT = "reject"
    ANSWER = "answer"
    SUPPLY = "supply"
    FAIL = "fail"
    CANCEL = "cancel"
    RAN = "ran"
    DID_NOT_RUN = "did_not_run"
    RUN_AGAIN = "run_again"
    REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One thing a person can do, and what it will do, in our words."""

    verb: Verb
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """Which answer to another field calls for this one; of several, `among` them."""

    field: str
    value: Value
    among: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank:
    """One field of a form to fill in, with what the model or an earlier answer put there.

    `only_if` is when it is asked for; None means always.
    """

    field: Field
    prefilled: Value | None = None
    only_if: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What one person decided about the request so far."""

    at: datetime
    by: str
    channel: str
    verdict: VerdictName
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """An earlier call of the same tool: how it ended, and who had decided about it.

    `request_id` leads to what was asked then.
    """

    at: datetime
    call_id: str
    status: CallStatus
    by: str = ""
    arguments: tuple[Entry, ...] = ()
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A request as people see it: title and effects are our words, all other text is foreign.

    A decision carries `digest` back. `edits` compare the arguments with the model's own; `risk`
    is one tier above `declared_risk` where the arguments hold what nobody can read. `rejected` is
    how often the same call was rejected in this conversation before.
    """

    kind: RequestKind
    status: RequestStatus = RequestStatus.OPEN
    title: str
    request_id: str
    call_id: str
    conversation_id: str
    revision: int
    digest: str
    agent: str
    on_behalf_of: str
    tool: str
    source: str
    risk: Risk
    declared_risk: Risk | None = None
    category: str = ""
    description: str = ""
    impact: str = ""
    question: str = ""
    reason: str = ""
    arguments: tuple[Entry, ...]
    arguments_digest: str
    details: tuple[Entry, ...] = ()
    preview: CardPreview | None = None
    edits: tuple[Change, ...] = ()
    edited_by: tuple[str, ...] = ()
    blanks: tuple[Blank, ...] = ()
    choices: tuple[Choice, ...] = ()
    deadline: datetime | None = None
    confirmation: Confirmation = Confirmation.CLICK
    # What to type to approve; None where nothing has to be typed.
    to_type: Phrase | None = None
    rejected: int = 0
    agent_words: str = ""
    history: tuple[Note, ...] = ()
    similar: tuple[Past, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """Whether the tool's own words come from a server that nobody here wrote."""
        return self.source != LOCAL

    @property
    def is_raised(self) -> bool:
        """Whether it counts as riskier than its tool was declared."""
        return self.declared_risk is not None and self.declared_risk is not self.risk
