"""A message on its way into a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from unicodedata import category

from assent.domain.canonical import Json, digest
from assent.domain.files import FileReference
from assent.domain.identifiers import want_keepable
from assent.domain.outputs import json_text
from assent.domain.people import Person, want_recordable
from assent.domain.tools import Predicate
from assent.engine.loop.proposals import storable


class OnPending(StrEnum):
    """The effect of a new message on calls that still wait."""

    REFUSE = "refuse"
    SUPERSEDE = "supersede"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMessage:
    """A message on its way into a conversation."""

    agent: str
    text: str
    by: Person
    conversation_id: str | None = None
    # True if a conversation with this id is created if there is none.
    create: bool = False
    on_pending: OnPending = OnPending.REFUSE
    key: str | None = None
    ask_when: Predicate | None = None
    # Uploaded before, by the same person.
    files: Sequence[FileReference] = ()
    # How long the questions of a new conversation wait; None leaves it to the deployment.
    decide_within: timedelta | None = None

    def __post_init__(self) -> None:
        # Refused here, before it reaches a transaction that others share.
        want_recordable(self.by)
        if self.conversation_id is not None:
            want_keepable("conversation's id", self.conversation_id)
        if self.key is not None:
            want_keepable("idempotency key", self.key)

    @property
    def is_legible(self) -> bool:
        """True if the text has something to read, besides spaces and invisible characters."""
        return any(category(each)[0] not in "ZC" for each in storable(self.text))

    @property
    def body(self) -> str:
        """The digest of what makes it the same message, if its key comes again."""
        said: list[Json] = [self.agent, self.conversation_id, self.text]
        if self.files:
            said.append([[file.key, file.name] for file in self.files])
        return digest(json_text(said))
