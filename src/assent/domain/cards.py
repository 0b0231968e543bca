"""The `Card`: a request as every channel shows it, built once and rendered for each surface."""

from dataclasses import dataclass
from datetime import datetime

from assent.domain.canonical import Path
from assent.domain.confirmations import Confirmation, Phrase
from assent.domain.decisions import VerdictName
from assent.domain.fields import Field
from assent.domain.lifecycle import CallStatus, RequestKind, RequestStatus
from assent.domain.preferences import ValueOrigin
from assent.domain.tools import LOCAL, Risk
from assent.domain.verdicts import Verb


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
    """A value that is never shown; nothing about it is kept here, not even its length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """Bytes written as text. People cannot read them, so kind, size and hash are shown too.

    `media` is the type found in the first bytes, `declared` the one that the text claims; both are
    empty if unknown.
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

    members: "tuple[NamedValue, ...]"


Value = Text | Number | Truth | Null | Secret | Blob | Items | Members


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedValue:
    """A value with its name; a surface with a limit may cut it if it is `elidable`."""

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
    """A field whose value differs from the model's."""

    path: Path
    old: Value
    new: Value


FieldChange = Added | Removed | Changed


@dataclass(frozen=True, slots=True)
class TextPreview:
    """The effect of a call, in the words of its tool."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffPreview:
    """A text before and after a call, and the tool's own comment."""

    before: str
    after: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class FailedPreview:
    """The tool could not say what the call would do."""

    reason: str


CardPreview = TextPreview | DiffPreview | FailedPreview


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """One action offered to a person, and its effect in our words."""

    verb: Verb
    effect: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The answer to another field that shows this one; `among`: as one of several choices."""

    field: str
    value: Value
    among: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Blank:
    """One field of a form to fill in, with the value from the model or an earlier answer.

    `only_if` is the condition under which it is asked for; None means always.
    """

    field: Field
    prefilled: Value | None = None
    only_if: Condition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One person's decision about the request so far."""

    at: datetime
    by: str
    channel: str
    verdict: VerdictName
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """An earlier call of the same tool: its end, and the person who decided about it.

    `request_id` is the request that was decided then.
    """

    at: datetime
    call_id: str
    status: CallStatus
    by: str = ""
    arguments: tuple[NamedValue, ...] = ()
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A request as people see it: title and effects are our words, all other text is foreign.

    A decision sends `digest` back. `edits` compare the arguments with the model's own. `risk` is
    one tier above `declared_risk` if the arguments hold data that people cannot read. `rejected`
    counts how often the same call was rejected in this conversation before.
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
    arguments: tuple[NamedValue, ...]
    arguments_digest: str
    details: tuple[NamedValue, ...] = ()
    preview: CardPreview | None = None
    edits: tuple[FieldChange, ...] = ()
    edited_by: tuple[str, ...] = ()
    blanks: tuple[Blank, ...] = ()
    choices: tuple[Choice, ...] = ()
    deadline: datetime | None = None
    confirmation: Confirmation = Confirmation.CLICK
    # The text to type to approve; None if nothing has to be typed.
    to_type: Phrase | None = None
    rejected: int = 0
    # Where values came from that nobody typed for this call.
    origins: tuple[ValueOrigin, ...] = ()
    agent_words: str = ""
    history: tuple[Note, ...] = ()
    similar: tuple[Past, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def is_foreign(self) -> bool:
        """True if the tool comes from another server, so its own words are foreign text."""
        return self.source != LOCAL

    @property
    def is_raised(self) -> bool:
        """True if the call counts as riskier than its tool was declared."""
        return self.declared_risk is not None and self.declared_risk is not self.risk
