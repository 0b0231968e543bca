"""Verdicts and decisions: one person's answer to one request."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from assent.domain import parameters
from assent.domain.canonical import Json
from assent.domain.parameters import optional
from assent.domain.preferences import Keep
from assent.errors import InvalidVerdict

# Arguments as people write them: an object, or the JSON text of one.
Arguments = Mapping[str, Json] | str
NOTHING: Mapping[str, object] = MappingProxyType({})
_ARGUMENTS = "a mapping or the JSON text of an object"
_DRAFT_NUMBER = "the number of a draft, 0 or more"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunVerdict:
    """A verdict that lets the call run; `typed` confirms it where the request asks for that."""

    typed: str | None = None

    def __post_init__(self) -> None:
        _want("typed", self.typed, (str, type(None)), "a text")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonVerdict:
    """A verdict that gives a reason, which is told to the model."""

    reason: str

    def __post_init__(self) -> None:
        _want("reason", self.reason, str, "a text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve(RunVerdict):
    """Run the call: as shown, with `arguments` in place of all, or as changed by `edit`.

    `runs` is the digest of the arguments that were shown as what will run: no others run.
    """

    arguments: Arguments | None = None
    edit: Arguments | None = None
    runs: str | None = None

    def __post_init__(self) -> None:
        RunVerdict.__post_init__(self)
        _want("args", self.arguments, (Mapping, str, type(None)), _ARGUMENTS)
        _want("edit", self.edit, (Mapping, str, type(None)), _ARGUMENTS)
        _want("runs", self.runs, (str, type(None)), "a digest")
        if self.arguments is not None and self.edit is not None:
            both = "args replaces all arguments, edit changes only what it names: give one of them"
            raise InvalidVerdict(both)

    @property
    def is_edit(self) -> bool:
        """True if it changes the arguments; `{}` as `arguments` means that there are none."""
        return self.arguments is not None or self.edit is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject(ReasonVerdict):
    """Do not run the call; the reason is told to the model."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Give:
    """Values for an input form; `partial` keeps them as a draft.

    `seen` is the number of the draft that the person saw: answers that came later from elsewhere
    are not replaced unseen, and none are sent unseen.
    `keep` says how long they are kept, as far as the form allows; None leaves it to the form.
    `accept` names the fields whose suggestion is taken.
    """

    values: Mapping[str, object]
    partial: bool = False
    seen: int | None = None
    keep: Keep | None = None
    accept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _want("values", self.values, Mapping, "a mapping of field names to answers")
        _want("partial", self.partial, bool, "True or False")
        _want("seen", self.seen, (int, type(None)), _DRAFT_NUMBER)
        if isinstance(self.seen, bool) or (self.seen or 0) < 0:
            raise InvalidVerdict(f"seen is {_DRAFT_NUMBER}, not {self.seen!r:.80}")
        object.__setattr__(self, "keep", _read("keep", self.keep, _KEEP))
        object.__setattr__(self, "accept", _read("accept", self.accept, _ACCEPT))

    def keeping(self, keep: Keep | str) -> "Give":
        """Return the same answers, to be kept once, for the `conversation` or the `person`."""
        return replace(self, keep=_read("keep", keep, _KEEP))

    def accepting(self, *fields: str) -> "Give":
        """Return the same answers with the suggestions of these fields."""
        return replace(self, accept=(*self.accept, *fields))


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """The output of a call that waits for one."""

    output: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Fail(ReasonVerdict):
    """The call that waits for an output has failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel(ReasonVerdict):
    """Withdraw the call."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A call in doubt did run, with this output."""

    output: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DidNotRun(ReasonVerdict):
    """A call in doubt did not run, and is not to be run."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAgain(RunVerdict):
    """A call in doubt did not run: run it now. This is a fresh approval."""


Verdict = Approve | Reject | Give | Supply | Fail | Cancel | Ran | DidNotRun | RunAgain


def approve(
    args: Arguments | None = None, *, edit: Arguments | None = None, typed: str | None = None
) -> Approve:
    """Approve a call: as shown, with `args` in place of all its arguments, or changed by `edit`.

    `edit` replaces whole top-level arguments and keeps the others; `{}` as `args` means none at
    all. `typed` is the value that a person typed in, where the request asks for that.
    """
    return Approve(arguments=args, edit=edit, typed=typed)


def reject(reason: str = "") -> Reject:
    """Reject a call and say why."""
    return Reject(reason=reason)


def answer(values: Mapping[str, object] = NOTHING, /, **more: object) -> Give:
    """Fill in an input form."""
    given = Give(values=values)
    return Give(values={**given.values, **more}) if more else given


def draft(values: Mapping[str, object], *, seen: int | None = None) -> Give:
    """Fill in a part of an input form and keep the rest open.

    `seen` is the number of the draft that you saw: newer answers are then not replaced unseen.
    """
    return Give(values=values, partial=True, seen=seen)


def supply(output: Json) -> Supply:
    """Supply the output of a HITL or manual call: JSON, a string, or content blocks."""
    return Supply(output=output)


def fail(reason: str) -> Fail:
    """Say that the call that waits for an output has failed, and why."""
    return Fail(reason=reason)


def cancel(reason: str = "") -> Cancel:
    """Withdraw a call that waits."""
    return Cancel(reason=reason)


def ran(output: Json = None) -> Ran:
    """Say that a call in doubt did run, with this output."""
    return Ran(output=output)


def did_not_run(reason: str = "") -> DidNotRun:
    """Say that a call in doubt did not run; it is not run again."""
    return DidNotRun(reason=reason)


def run_again(*, typed: str | None = None) -> RunAgain:
    """Say that a call in doubt did not run, and run it now: a fresh approval.

    `typed` is the value that a person typed in, where the request asks for that.
    """
    return RunAgain(typed=typed)


def _want(name: str, given: object, kinds: type | tuple[type, ...], wanted: str) -> None:
    if not isinstance(given, kinds):
        raise InvalidVerdict(f"{name} is {wanted}, not {given!r:.80}")


_KEEP = optional(parameters.one_of(Keep))
_ACCEPT = parameters.several(parameters.name, tuple, "the name of a field or several")


def _read(name: str, given: object, check: parameters.Check) -> Any:
    value = check.read(given)
    if value is parameters.unfit():
        raise InvalidVerdict(f"{name} is {check.allowed}, not {given!r:.80}")
    return value


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
    # The hash of what a renderer showed this person; None if nothing was shown to them.
    shown: str | None = None
    # The human behind the account; each of several approvals must come from a different human.
    human: str | None = None
    at: datetime
