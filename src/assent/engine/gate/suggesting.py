"""Suggestions: remembered when a call succeeds, looked up when the next one asks."""

import json
from collections.abc import Iterable
from dataclasses import replace

from assent.domain.bodies import External
from assent.domain.calls import Call
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation
from assent.domain.copies import changed
from assent.domain.fields import Field
from assent.domain.forms import UserInput
from assent.domain.lifecycle import RequestKind
from assent.domain.people import PersonKind
from assent.domain.suggestions import CallsOf, LastCall, Suggest, Suggestion, Within
from assent.domain.tools import EffectiveTool
from assent.engine.gate.gated_calls import Asking, GatedCall
from assent.engine.vault import references
from assent.errors import InvalidAnswer
from assent.ports import Tx


def scope_of(form: UserInput, tool: str, calls: CallsOf) -> str:
    """Return the name under which calls are remembered: of this tool, or of its family."""
    return f"tool:{tool}" if calls is CallsOf.TOOL else f"family:{form.family}"


def remember(tx: Tx, call: Call, tool: EffectiveTool | None, conversation: Conversation) -> None:
    """Note a call that succeeded, for the forms that suggest from it."""
    form = None if tool is None else tool.tool.user_input
    if tool is None or form is None or not _is_own(tool, conversation):
        return
    scopes = set(_scopes(form, call.tool))
    if not scopes:
        return
    names = [item.name for item in form.fields if not _is_hidden(tool, item)]
    for scope in sorted(scopes):
        tx.suggestions.remember(conversation.owner.id, scope, conversation.id, call.id, names=names)


def _scopes(form: UserInput, tool: str) -> Iterable[str]:
    wanted = [item.suggests_from for item in form.fields if item.suggests_from is not None]
    if any(each.calls == CallsOf.TOOL for each in wanted):
        yield scope_of(form, tool, CallsOf.TOOL)
    # Another tool of the family may suggest from this one, which need not know of it.
    if form.family is not None:
        yield scope_of(form, tool, CallsOf.FAMILY)


def _is_own(tool: EffectiveTool, conversation: Conversation) -> bool:
    # An agent outside could declare a form only to learn what its person had elsewhere.
    is_ours = not isinstance(tool.tool.kind, External)
    return is_ours and conversation.owner.kind is PersonKind.HUMAN


def _is_hidden(tool: EffectiveTool, item: Field) -> bool:
    hint = tool.tool.hints.get(item.name)
    return item.kind.is_secret or item.kind.is_personal or (hint is not None and hint.secret)


def may_suggest(tool: EffectiveTool, item: Field, value: Json) -> bool:
    """Return True if the form as it is now suggests for this field, and accepts exactly this."""
    return item.suggest is not None and not _is_hidden(tool, item) and _is_fit(item, value)


def suggested(tx: Tx, gated: GatedCall, conversation: Conversation) -> Asking | None:
    """Return the question of a call with suggestions for its fields, if it asks for input."""
    asking, tool = gated.asking, gated.tool
    form = None if tool is None else tool.tool.user_input
    if asking is None or tool is None or form is None or asking.kind is not RequestKind.INPUT:
        return asking
    wanting = [item for item in form.fields if item.suggest and not _is_hidden(tool, item)]
    if not wanting or not _is_own(tool, conversation):
        return asking
    found = _found(tx, form, wanting, gated.call.tool, conversation)
    known = asking.question.prefilled
    told: dict[str, Json] = {
        each.field: each.to_json() for each in found if known.get(each.field) != each.value
    }
    return replace(asking, question=changed(asking.question, suggestions=told)) if told else asking


def _found(
    tx: Tx, form: UserInput, wanting: Iterable[Field], tool: str, conversation: Conversation
) -> Iterable[Suggestion]:
    """Look once for each place that the fields name, whatever number of calls there were."""
    person = conversation.owner.id
    unwanted = tx.suggestions.unwanted(person, form.scope(tool))
    wanted: dict[Suggest, list[Field]] = {}
    for item in wanting:
        if item.suggests_from is not None and item.name not in unwanted:
            wanted.setdefault(item.suggests_from, []).append(item)
    for where, items in wanted.items():
        scope = scope_of(form, tool, CallsOf(where.calls))
        inside = conversation.id if where.within == Within.CONVERSATION else None
        last = tx.suggestions.newest(person, scope, inside)
        if last is not None and last.arguments is not None:
            title = tx.suggestions.title(last.conversation_id)
            yield from _of_call(last, items, title)


def _of_call(last: LastCall, items: Iterable[Field], title: str) -> Iterable[Suggestion]:
    ran: dict[str, Json] = json.loads(last.arguments or "{}")
    for item in items:
        value = ran.get(item.name)
        if item.name in last.names and _is_fit(item, value):
            yield Suggestion(
                field=item.name,
                value=value,
                call_id=last.call_id,
                tool=last.tool,
                conversation_id=last.conversation_id,
                title=title,
                at=last.at,
            )


def _is_fit(item: Field, value: Json) -> bool:
    """Return True if the form as it is now accepts exactly this value, and it is no secret."""
    if not item.is_given(value) or references(value):
        return False
    try:
        return item.accept(value) == value
    except InvalidAnswer:
        return False
