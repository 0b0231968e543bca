"""Previews of verdicts: what an edit would run, and whether an output fits, before they count."""

from dataclasses import dataclass

from assent.domain.canonical import Json
from assent.domain.confirmations import Confirmation, Phrase
from assent.domain.decisions import Approve, Verdict
from assent.domain.people import Person
from assent.domain.tools import Hitl
from assent.domain.verdicts import name_of, names_for
from assent.engine.decisions.checks import check_supplied
from assent.engine.gate.intake import revised
from assent.engine.queries.review import Review
from assent.errors import (
    AlreadySettled,
    InvalidArguments,
    NotEligible,
    StaleDigest,
    WrongVerdict,
)
from assent.presentation.diff import changes
from assent.presentation.phrases import phrase_of
from assent.presentation.sheet import Line
from assent.presentation.terminal import lay_out_edit
from assent.presentation.values import entries_of, hints_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EditPreview:
    """An edit as it is shown before it counts.

    `runs` is the digest of the arguments that would run; `to_type` the text to type, if any.
    """

    runs: str
    lines: tuple[Line, ...]
    is_changed: bool
    to_type: Phrase | None = None


def refuse_pointless(review: Review, verdict: Verdict, by: Person, digest: str | None) -> None:
    """Raise the error that this decision would meet before its content is looked at."""
    request = review.request
    if not request.admits(by):
        raise NotEligible(request.id, by.id)
    if not request.is_open:
        raise AlreadySettled.of(
            request.id, request.status, by=request.closed_by, at=request.closed_at
        )
    if digest is not None and digest != request.digest:
        raise StaleDigest(request.id)
    if (name := name_of(verdict)) not in names_for(request.kind):
        raise WrongVerdict(request.id, request.kind, name)


def preview_edit(review: Review, edit: Approve, *, width: int) -> EditPreview:
    """Return what an edit would run; raises `InvalidArguments` or `InvalidJson` if it does not fit.

    The policy judges it only when it is decided.
    """
    call, tool = review.call, review.tool
    if tool is None:
        raise InvalidArguments(call.tool, ["arguments: the tool is not known here"])
    frozen = revised(tool, edit, call.arguments) or call.arguments
    hints, after = hints_of(tool), frozen.thaw()
    is_typed = review.card.confirmation is Confirmation.TYPED
    found = changes(call.arguments.thaw(), after, hints)
    return EditPreview(
        runs=frozen.digest,
        lines=lay_out_edit(found, entries_of(after, hints), width=width),
        is_changed=frozen.digest != call.arguments.digest,
        to_type=phrase_of(call.tool, frozen, tool) if is_typed else None,
    )


def check_output(review: Review, output: Json) -> None:
    """Raise `InvalidOutput` if a supplied output would end the call as failed."""
    tool = None if review.tool is None else review.tool.tool
    if tool is None or tool.output is None:
        return
    # A tool that reworks an answer accepts what its hook accepts, which only the hook knows.
    reworks = isinstance(tool.kind, Hitl) and tool.kind.on_response_received is not None
    if not reworks:
        check_supplied(tool.output, output)
