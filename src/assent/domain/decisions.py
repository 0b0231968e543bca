"""One person's answer to one request."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from assent.domain.canonical import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Run it, as shown or with these arguments instead; `typed` where that has to be typed."""

    arguments: Mapping[str, Json] | str | None = None
    typed: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Do not run it; the reason is told to the model."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Give:
    """Values for an input form; `partial` keeps them as a draft."""

    values: Mapping[str, object]
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """The output of a call that waits for one."""

    output: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail:
    """The call that waits for an output has failed."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Withdraw the call."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A call in doubt did run, with this output."""

    output: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DidNotRun:
    """A call in doubt did not run, and shall not."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAgain:
    """A call in doubt did not run: run it now. This is a fresh approval."""

    typed: str | None = None


Verdict = Approve | Reject | Give | Supply | Fail | Cancel | Ran | DidNotRun | RunAgain


def approve(args: Mapping[str, Json] | str | None = None, *, typed: str | None = None) -> Approve:
    """Approve a call, optionally with edited arguments (a mapping or JSON text).

    `typed` is the value that a person typed in, where the request asks for that.
    """
    return Approve(arguments=args, typed=typed)


def reject(reason: str = "") -> Reject:
    """Reject a call and say why."""
    return Reject(reason=reason)


def answer(values: Mapping[str, object] | None = None, /, **more: object) -> Give:
    """Fill in an input form."""
    return Give(values={**(values or {}), **more})


def draft(values: Mapping[str, object]) -> Give:
    """Fill in a part of an input form and keep the rest open."""
    return Give(values=values, partial=True)


def supply(output: Json) -> Supply:
    """Supply the output of a HITL or manual call: JSON, a string, or content blocks."""
    return Supply(output=output)


def cancel(reason: str = "") -> Cancel:
    """Withdraw a call that waits."""
    return Cancel(reason=reason)


class VerdictName(StrEnum):
    """The verdicts by name, as they are recorded."""

    APPROVE = "approve"
    REJECT = "reject"
    GIVE = "answer"
    SUPPLY = "supply"
    FAIL = "fail"
    CANCEL = "cancel"
    RAN = "ran"
    DID_NOT_RUN = "did_not_run"
    RUN_AGAIN = "run_again"


_NAMES: dict[type, VerdictName] = {
    Approve: VerdictName.APPROVE,
    Reject: VerdictName.REJECT,
    Give: VerdictName.GIVE,
    Supply: VerdictName.SUPPLY,
    Fail: VerdictName.FAIL,
    Cancel: VerdictName.CANCEL,
    Ran: VerdictName.RAN,
    DidNotRun: VerdictName.DID_NOT_RUN,
    RunAgain: VerdictName.RUN_AGAIN,
}


def name_of(verdict: Verdict) -> VerdictName:
    """The recorded name of a verdict."""
    return _NAMES[type(verdict)]


class Decision(Struct, frozen=True, kw_only=True):
    """One row of the decisions table: a vote."""

    id: str
    request_id: str
    person: str
    channel: str
    verdict: VerdictName
    fingerprint: str
    reason: str = ""
    arguments: str | None = None
    digest: str | None = None
    idempotency_key: str | None = None
    # Which renderer showed this person what, by hash; None where nothing was shown to them.
    shown: str | None = None
    # Who is behind the account; of several approvals each is another human's.
    human: str | None = None
    at: datetime
