"""The columns of calls and turns that a transition may set."""

from datetime import datetime, timedelta
from typing import TypedDict

# A claimed call and the fence it was claimed under.
Held = tuple[str, int]


class CallChanges(TypedDict, total=False):
    """Columns of a call that a transition may set; lengths of time count from that moment."""

    revision: int
    arguments: str
    arguments_digest: str
    definition_hash: str
    policy_version: str
    cleared_by: str | None
    approved: bool
    run_by: timedelta | None
    fence: int
    attempts: int
    worker: str
    lease_until: timedelta
    task_id: str
    metadata: str
    supplied: str
    output: str
    note: str
    settled_at: datetime


class TurnChanges(TypedDict, total=False):
    """Columns of a turn that a change of status may set; `fence` is added to the stored one."""

    step: int
    fence: int
    worker: str
    lease_until: timedelta
    error: str | None
    ended_at: datetime | None
