"""Values that people gave to a conversation: saved answers, and sealed secrets."""

from dataclasses import dataclass
from datetime import datetime

from assent.domain.canonical import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedValue:
    """One answer kept for a conversation, for one tool or a family of tools.

    A secret's value is a reference to its sealed row, never the secret.
    """

    conversation_id: str
    scope: str
    name: str
    value: Json
    secret: bool
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedSecret:
    """A secret at rest: AES-GCM text bound to its own id and field."""

    id: str
    conversation_id: str
    call_id: str | None
    field: str
    sealed: str
    at: datetime
