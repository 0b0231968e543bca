"""Requests: questions to people about one revision of a call."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct, field

from assent.domain.canonical import Json, digest, encode_plain
from assent.domain.confirmations import Confirmation
from assent.domain.forms import UserInput
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.people import Audience, Person, PersonKind
from assent.domain.preferences import Keep, ValueOrigin
from assent.domain.suggestions import Suggestion
from assent.domain.tools import Preview


class Binding(Struct, frozen=True, kw_only=True):
    """Everything an approval is valid for; a decision carries its digest back."""

    request_id: str
    conversation_id: str
    owner: str
    call_id: str
    revision: int
    source: str
    tool: str
    definition_hash: str
    arguments_digest: str
    policy_version: str
    decide_by: datetime | None
    confirmation: Confirmation = Confirmation.CLICK

    @property
    def digest(self) -> str:
        """The SHA-256 of all fields."""
        deadline = None if self.decide_by is None else self.decide_by.isoformat()
        # Only the level that the engine itself enforces, so that digests from earlier releases stay
        # valid.
        firm = {"confirmation": "typed"} if self.confirmation is Confirmation.TYPED else {}
        return digest(
            encode_plain(
                {
                    "format": "assent-binding-v1",
                    "request": self.request_id,
                    "conversation": self.conversation_id,
                    "owner": self.owner,
                    "call": self.call_id,
                    "revision": self.revision,
                    "source": self.source,
                    "tool": self.tool,
                    "definition": self.definition_hash,
                    "arguments": self.arguments_digest,
                    "policy": self.policy_version,
                    "decide_by": deadline,
                    **firm,
                }
            )
        )


class Question(Struct, frozen=True, kw_only=True):
    """The texts and form shown with a request besides the arguments; fixed when it is made."""

    reason: str = ""
    text: str = ""
    preview: Preview | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict[str, Json])
    form: Mapping[str, Json] | None = None
    prefilled: Mapping[str, Json] = field(default_factory=dict[str, Json])
    # By field: where a value came from that nobody typed for this call, and what an earlier call of
    # the same person had. Suggestions are for that person only.
    origins: Mapping[str, Json] = field(default_factory=dict[str, Json])
    suggestions: Mapping[str, Json] = field(default_factory=dict[str, Json])


class Request(Struct, frozen=True, kw_only=True):
    """One row of the requests table; its id stands for what was shown."""

    id: str
    kind: RequestKind
    status: RequestStatus
    call_id: str
    conversation_id: str
    turn_id: str
    revision: int
    owner: str
    agent: str
    tool: str
    risk: str
    audience: Audience
    quorum: int
    digest: str
    policy_version: str
    question: Question
    created_at: datetime
    decide_by: datetime | None = None
    draft: str | None = None
    closed_at: datetime | None = None
    closed_by: str | None = None
    # The human behind an owner that is a service account or a further identity.
    owner_behind: str | None = None
    # The confirmation that approving takes, on every channel.
    confirmation: Confirmation = Confirmation.CLICK
    # The number of approvals so far; the last one closes the request.
    votes: int = 0

    @property
    def is_open(self) -> bool:
        """True if it can still be decided."""
        return self.status is RequestStatus.OPEN

    @property
    def origins(self) -> dict[str, ValueOrigin]:
        """Where values came from that nobody typed for this call, by field."""
        found = self.question.origins
        return {name: ValueOrigin.from_json(name, said) for name, said in found.items()}

    def suggestions_for(self, person_id: str) -> dict[str, Suggestion]:
        """Return the suggestions for its fields; none for anybody but the owner."""
        if person_id != self.owner:
            return {}
        found = self.question.suggestions
        return {name: Suggestion.from_json(name, said) for name, said in found.items()}

    def keeps_for(self, person: Person) -> tuple[Keep, ...]:
        """Return how long this person can keep their answers; empty if they have no choice."""
        form, is_own = self.question.form, person.id == self.owner
        if form is None or not is_own or person.kind is not PersonKind.HUMAN:
            return ()
        return tuple(Keep) if UserInput.from_json(form).for_person else ()

    def admits(self, person: Person) -> bool:
        """Return True if this person may decide it."""
        audience = self.audience
        if person.kind is PersonKind.SERVICE and self.kind is RequestKind.APPROVAL:
            # A program confirms nothing for itself; it decides only if it is named.
            audience = audience.without_owner()
        return audience.admits(person, self.owner, self.owner_behind)
