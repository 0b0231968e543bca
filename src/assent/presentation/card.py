"""Building the `Card` of a request from the request, its call and its tool."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from assent.domain.calls import Call, Frozen, Revision
from assent.domain.canonical import Json
from assent.domain.cards import (
    Blank,
    Card,
    CardPreview,
    Choice,
    Condition,
    DiffPreview,
    FailedPreview,
    Note,
    Past,
    TextPreview,
)
from assent.domain.confirmations import Confirmation, firmest
from assent.domain.decisions import Decision
from assent.domain.fields import Field, ShowIf
from assent.domain.forms import UserInput
from assent.domain.lifecycle import RequestKind
from assent.domain.requests import Question, Request
from assent.domain.tools import EffectiveTool, Preview, Risk, usual_confirmation
from assent.domain.verdicts import Verb, VerdictRow, offers, row_of
from assent.presentation.diff import changes
from assent.presentation.phrases import phrase_of
from assent.presentation.values import entries_of, hints_of, holds_blob, value_of

_NAMES = {
    RequestKind.APPROVAL: "Approval",
    RequestKind.INPUT: "Input",
    RequestKind.RESULT: "Result",
    RequestKind.OUTCOME: "Outcome",
}
# Data that people cannot inspect makes a call riskier than its tool.
_RAISED = {
    Risk.SAFE: Risk.MODERATE,
    Risk.MODERATE: Risk.DANGEROUS,
    Risk.DANGEROUS: Risk.DANGEROUS,
}


def card_of(
    request: Request,
    call: Call,
    tool: EffectiveTool | None,
    *,
    revisions: Sequence[Revision] = (),
    decisions: Sequence[Decision] = (),
    agent_words: str = "",
    similar: Sequence[Past] = (),
    beside: Sequence[str] = (),
    rejected: int = 0,
) -> Card:
    """Return the card of a request; `tool` is None if it is no longer registered.

    `revisions` are those of the call, oldest first; without them no edits are shown. `beside` are
    the tools of the other waiting calls of the same answer.
    """
    frozen = _shown_arguments(request, call, revisions)
    until = [revision for revision in revisions if revision.revision <= request.revision]
    return replace(
        _asked(request, call, frozen, tool),
        edits=changes(until[0].arguments.thaw(), frozen.thaw(), hints_of(tool)) if until else (),
        edited_by=tuple(dict.fromkeys(revision.by for revision in until[1:])),
        rejected=rejected,
        agent_words=agent_words,
        history=tuple(map(_note, decisions)),
        similar=tuple(similar),
        beside=tuple(beside),
    )


def _asked(request: Request, call: Call, shown: Frozen, tool: EffectiveTool | None) -> Card:
    # The request alone, without edits, decisions and earlier calls.
    arguments = entries_of(shown.text, hints_of(tool))
    declared = Risk(request.risk)
    risk = _RAISED[declared] if any(holds_blob(entry.value) for entry in arguments) else declared
    confirmation = _confirmation(request, risk)
    return Card(
        kind=request.kind,
        status=request.status,
        title=_title(request),
        request_id=request.id,
        call_id=call.id,
        conversation_id=request.conversation_id,
        revision=request.revision,
        digest=request.digest,
        agent=request.agent,
        on_behalf_of=request.owner,
        tool=request.tool,
        source=call.source,
        risk=risk,
        declared_risk=declared,
        category=tool.category if tool else "",
        description=tool.tool.description if tool else "",
        impact=tool.impact if tool else "",
        question=request.question.text,
        reason=request.question.reason,
        arguments=arguments,
        arguments_digest=shown.digest,
        details=entries_of(request.question.metadata),
        preview=_preview(request.question.preview),
        blanks=_blanks(request.question),
        origins=tuple(request.origins.values()),
        choices=_choices(request) if request.is_open else (),
        deadline=request.decide_by,
        confirmation=confirmation,
        to_type=phrase_of(call.tool, shown, tool) if confirmation is Confirmation.TYPED else None,
    )


def _confirmation(request: Request, risk: Risk) -> Confirmation:
    # Data that people cannot inspect needs the confirmation of the raised risk.
    raised = None if risk == request.risk else usual_confirmation(risk)
    return firmest(request.confirmation, raised)


def _shown_arguments(request: Request, call: Call, revisions: Sequence[Revision]) -> Frozen:
    # The call may have a later revision by now; a request stands for the one it was made for.
    for revision in revisions:
        if revision.revision == request.revision:
            return revision.arguments
    if call.revision != request.revision:
        raise ValueError(f"revision {request.revision} of call {call.id!r} was not passed")
    return call.arguments


def _title(request: Request) -> str:
    name = _NAMES[request.kind]
    if not request.is_open:
        return f"{name}: {request.status}"
    return f"{name} unknown" if request.kind is RequestKind.OUTCOME else f"{name} needed"


def _preview(preview: Preview | None) -> CardPreview | None:
    match preview:
        case None:
            return None
        case Preview(failed=True, text=reason):
            return FailedPreview(reason)
        case Preview(before=None, after=None, text=text):
            return TextPreview(text)
        case Preview(before=before, after=after, text=text):
            return DiffPreview(before=before or "", after=after or "", text=text)


def _blanks(question: Question) -> tuple[Blank, ...]:
    if question.form is None:
        return ()
    fields = {field.name: field for field in UserInput.from_json(question.form).fields}
    known: Mapping[str, Json] = question.prefilled
    return tuple(
        Blank(
            field=field,
            prefilled=value_of(known[name]) if name in known and not field.kind.is_secret else None,
            only_if=None if field.show_if is None else _condition(field.show_if, fields),
        )
        for name, field in fields.items()
    )


def _condition(rule: ShowIf, fields: Mapping[str, Field]) -> Condition:
    among = fields[rule.field].kind.takes_several
    return Condition(field=rule.field, value=value_of(rule.equals), among=among)


def _note(decision: Decision) -> Note:
    return Note(
        at=decision.at,
        by=decision.person,
        channel=decision.channel,
        verdict=decision.verdict,
        reason=decision.reason,
    )


def _choices(request: Request) -> tuple[Choice, ...]:
    return tuple(
        Choice(verb=row.verb, effect=_effect(row, request).format(tool=request.tool))
        for row in offers(request.kind)
    )


def _effect(row: VerdictRow, request: Request) -> str:
    """Return what a verdict does; that of an approval depends on how many are needed."""
    match row.verb:
        case Verb.APPROVE:
            effect = row.effect if request.quorum == 1 else _one_of_several(request)
            is_typed = request.confirmation is Confirmation.TYPED
            return f"{effect}; to confirm it you type a value" if is_typed else effect
        case Verb.RUN_AGAIN if request.quorum > 1:
            # Running it again is a new approval and takes as many people.
            return f"it did not run: {_one_of_several(request)}"
        case _:
            return row.effect


def _one_of_several(request: Request) -> str:
    run = row_of(Verb.APPROVE).effect
    left = max(request.quorum - request.votes - 1, 0)
    if not left:
        return f"the last of {request.quorum} approvals; {run}"
    return f"one of {request.quorum} approvals, {left} more to come; then {run}"
