"""What a person is asked about one revision of a call."""

from collections.abc import Mapping
from datetime import datetime

from msgspec import Struct, field

from assent.domain.canonical import Json, digest, encode_plain
from assent.domain.confirmations import Confirmation
from assent.domain.lifecycle import RequestKind, RequestStatus
from assent.domain.people import Audience, Person, PersonKind
from assent.domain.tools import Preview


class Binding(Struct, frozen=True, kw_only=True):
    """Everything an approval is valid for; its digest is what a decision carries back."""

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
        """SHA-256 over all of it."""
        deadline = None if self.decide_by is None else self.decide_by.isoformat()
        # Only what the engine itself holds people to; digests from before it did stay valid.
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
    """What is shown with a request besides the arguments; fixed when the request is minted."""

    reason: str = ""
    text: str = ""
    preview: Preview | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict[str, Json])
    form: Mapping[str, Json] | None = None
    prefilled: Mapping[str, Json] = field(default_factory=dict[str, Json])


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
    # What approving it takes, on every channel.
    confirmation: Confirmation = Confirmation.CLICK
    # How many have approved it so far; the last one closes it.
    votes: int = 0

    @property
    def is_open(self) -> bool:
        """Whether it can still be decided."""
        return self.status is RequestStatus.OPEN

    def admits(self, person: Person) -> bool:
        """Whether this person may decide it."""
        audience = self.audience
        if person.kind is PersonKind.SERVICE and self.kind is RequestKind.APPROVAL:
            # A program confirms nothing for itself; it decides only where it is named.
            audience = audience.without_owner()
        return audience.admits(person, self.owner, self.owner_behind)
