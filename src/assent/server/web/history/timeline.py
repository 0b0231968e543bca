"""The history of a call as steps in the order they happened."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, cast

from assent.domain.calls import Frozen, Revision
from assent.domain.canonical import Json, encode, parse
from assent.domain.decisions import Decision
from assent.domain.events import Entry
from assent.domain.lifecycle import TERMINAL, CallStatus
from assent.domain.people import SYSTEM, Audience
from assent.domain.preferences import ValueOrigin
from assent.domain.requests import Request
from assent.domain.tools import EffectiveTool
from assent.engine.queries.record import Story
from assent.errors import InvalidJson
from assent.presentation.card import hints_of
from assent.presentation.diff import changes
from assent.presentation.html import render_changes
from assent.presentation.html_values import block, entries, foreign, value
from assent.presentation.markup import Html, element, joined
from assent.presentation.values import entries_of, value_of
from assent.server.web.history.wording import (
    ACTIONS,
    EDITING,
    ENDED_RUN,
    GATED,
    OPENED,
    QUESTIONS,
    STARTED,
    StepMark,
    judge_words,
    lasted,
)
from assent.server.web.template_filters import exact

# Shorter waits are not worth mentioning.
_NOTABLE: Final = timedelta(seconds=1)
_REASONS: Final = ("reason", "code")
# Final statuses caused by people, the policy or deadlines: what agents are told of them is not
# worded for people.
_UNDONE: Final = frozenset(
    {
        CallStatus.REJECTED,
        CallStatus.EXPIRED,
        CallStatus.CANCELLED,
        CallStatus.SUPERSEDED,
        CallStatus.DENIED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepDetail:
    """A long part of a step, which unfolds under its own heading."""

    heading: str
    content: Html
    digest: str = ""
    is_open: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineStep:
    """One thing that happened; `since` says how long it took until then."""

    at: datetime
    mark: StepMark
    title: str
    by: Html | None = None
    via: str = ""
    since: str = ""
    facts: tuple[tuple[str, Html], ...] = ()
    details: tuple[StepDetail, ...] = ()
    link: str = ""


class Timeline:
    """Builds the steps of one call's history."""

    def __init__(self, story: Story, tool: EffectiveTool | None) -> None:
        self._story, self._hints = story, hints_of(tool)
        self._started: datetime | None = None
        self._attempts = 0
        self._before: datetime | None = None
        self._why = ""

    def steps(self) -> list[TimelineStep]:
        """Return all steps, oldest first."""
        return [self._step(each) for each in self._ordered()]

    def _ordered(self) -> Iterator[Entry | Request]:
        """Yield each question after the entry that led to it and before those that are about it.

        Times cannot order them: within one transaction they are practically equal.
        """
        unseen = list(self._story.requests)
        for entry in self._story.entries:
            named = next((each for each in unseen if each.id == entry.request_id), None)
            if named is not None:
                unseen.remove(named)
                yield named
            yield entry
            opened = next((each for each in unseen if OPENED[each.kind] == entry.target), None)
            if opened is not None:
                unseen.remove(opened)
                yield opened
        yield from unseen

    def _step(self, what: Entry | Request) -> TimelineStep:
        step = self._asked(what) if isinstance(what, Request) else self._noted(what)
        self._before = step.at
        return step

    def _noted(self, entry: Entry) -> TimelineStep:
        mark, title = heading(entry)
        self._attempts += entry.action in STARTED
        self._why = str(entry.data.get("reason") or "")
        decision = self._story.decision(entry)
        step = TimelineStep(
            at=entry.at,
            mark=mark,
            title=title,
            by=self._by(entry),
            via=entry.channel,
            since=self._since(entry),
            facts=tuple(self._facts(entry, decision)),
            details=tuple(self._details(entry)),
        )
        if entry.action in STARTED:
            self._started = entry.at
        return step

    def _by(self, entry: Entry) -> Html | None:
        # The engine's own steps need no name; all others show the actor's.
        own = entry.action in STARTED or entry.action == "gate"
        is_worker = entry.actor == SYSTEM.id or entry.actor.startswith("worker:")
        return None if own or is_worker else judge_words(entry.actor)

    def _since(self, entry: Entry) -> str:
        request = self._story.request(entry.request_id)
        if request is not None and entry.action != "refused":
            return f"waited {lasted(entry.at - request.created_at)}"
        if entry.action in ENDED_RUN and self._started is not None:
            return f"ran {lasted(entry.at - self._started)}"
        passed = timedelta(0) if self._before is None else entry.at - self._before
        return f"{lasted(passed)} later" if passed >= _NOTABLE else ""

    def _facts(self, entry: Entry, decision: Decision | None) -> Iterator[tuple[str, Html]]:
        if entry.action == "propose" and self._story.model:
            yield "model", foreign(self._story.model)
        if entry.action == "gate" and entry.data.get("by"):
            yield "judged by", judge_words(str(entry.data["by"]))
        if entry.action in STARTED and self._story.call.attempts > 1:
            yield "attempt", element("span", f"{self._attempts} of {self._story.call.attempts}")
        if filled := _filled(entry.data.get("origins")):
            yield "filled in", foreign(filled)
        own = decision.reason if decision is not None else ""
        for name in _REASONS:
            # A person's reason is shown once, with their decision.
            if (said := entry.data.get(name)) and said != own:
                yield name, _said(str(said))
        if entry.action == "import":
            yield "original", foreign(f"{entry.data.get('id')}, {entry.data.get('was')}")
        # An edit is half of an approval, and the approval's step shows what was approved.
        if decision is not None and entry.action != "edit":
            yield from _vote(decision)
        if entry.target in _UNDONE and not self._story.call.attempts:
            yield "effect", element("span", "nothing ran, and the agent was told")

    def _holder(self, entry: Entry) -> Iterator[StepDetail]:
        """Yield the claim's fence and worker, for people who investigate a fault."""
        call, fence = self._story.call, entry.data.get("fence")
        rows = [("fence", str(fence))] if isinstance(fence, int) else []
        # The row has only the latest worker; earlier ones are not kept.
        if self._attempts == call.attempts and call.worker:
            rows.append(("worker", call.worker))
        shown = [
            element("div", element("dt", name), element("dd", _code(text))) for name, text in rows
        ]
        if shown:
            yield StepDetail(heading="Worker", content=element("dl", *shown, class_="ids"))

    def _details(self, entry: Entry) -> Iterator[StepDetail]:
        if entry.action == "propose":
            yield self._arguments(self._story.revisions[0])
            yield from self._raw(self._story.revisions[0])
            words = self._story.message.text if self._story.message else ""
            if words:
                yield StepDetail(heading="What the agent said", content=block(words))
        if entry.action in STARTED:
            yield from self._holder(entry)
        if entry.action in EDITING:
            yield from self._revised(entry)
        if metadata := entry.data.get("metadata"):
            yield StepDetail(heading="What the tool said", content=value(value_of(metadata)))
        if entry.action == "late_outcome":
            yield StepDetail(
                heading="Late result",
                content=block(f"{entry.data.get('detail')}"),
                is_open=True,
            )
        if entry.target in TERMINAL:
            yield from self._reports()
            yield from self._output()

    def _raw(self, first: Revision) -> Iterator[StepDetail]:
        """Yield the text that the model wrote, if it is not the same JSON as the first revision."""
        raw = self._story.call.proposed
        # In raw text no field can be masked, so it is not shown if any argument is secret.
        if not any(hint.secret for hint in self._hints.values()) and not _says(raw, first):
            yield StepDetail(heading="As the model wrote them", content=block(raw), is_open=True)

    def _revised(self, entry: Entry) -> Iterator[StepDetail]:
        number = entry.data.get("revision")
        after = self._story.revision(number) if isinstance(number, int) else None
        if after is None:
            return
        before = self._story.revision(after.revision - 1)
        if before is not None:
            found = changes(before.arguments.thaw(), after.arguments.thaw(), self._hints)
            yield StepDetail(heading="What changed", content=render_changes(found), is_open=True)
        yield self._arguments(after)

    def _arguments(self, revision: Revision) -> StepDetail:
        return StepDetail(
            heading=f"Arguments, revision {revision.revision}",
            content=self._shown(revision.arguments),
            digest=revision.arguments.digest,
            is_open=revision.revision == 1,
        )

    def _shown(self, arguments: Frozen) -> Html:
        found = entries_of(arguments.text, self._hints)
        warning = () if arguments.is_intact else (_TAMPERED,)
        return joined((*warning, entries(found) if found else _NONE))

    def _reports(self) -> Iterator[StepDetail]:
        reports = self._story.reports
        if reports:
            shown = (element("li", _clock(each.at), " ", _report(each.data)) for each in reports)
            count = f"Progress, {len(reports)} report{'' if len(reports) == 1 else 's'}"
            yield StepDetail(heading=count, content=element("ol", *shown, class_="reports"))

    def _output(self) -> Iterator[StepDetail]:
        call = self._story.call
        if call.output is not None:
            heading = "Result" if call.status is CallStatus.SUCCEEDED else "What the agent was told"
            is_open = call.status not in _UNDONE
            yield StepDetail(heading=heading, content=output_of(call.output), is_open=is_open)

    def _asked(self, request: Request) -> TimelineStep:
        facts = [
            ("may decide", _audience(request.audience, request.owner)),
            ("until", _deadline(request.decide_by)),
        ]
        if request.quorum > 1:
            facts.insert(1, ("needs", element("span", f"{request.quorum} approvals")))
        for label, text in (("because", request.question.reason), ("says", request.question.text)):
            # The entry before often gave the same reason, as when a call is in doubt.
            if text and text != self._why:
                facts.append((label, _said(text)))
        return TimelineStep(
            at=request.created_at,
            mark=StepMark.ASKED,
            title=QUESTIONS[request.kind],
            facts=tuple(facts),
            link=f"/requests/{request.id}",
        )


_TAMPERED: Final = element(
    "p", "These arguments do not match their digest: they were altered.", class_="tampered"
)
_NONE: Final = element("p", "none", class_="remark")


def output_of(stored: str) -> Html:
    """Render a whole stored output: text as it is, anything else as values."""
    found = cast("Json", json.loads(stored))
    return block(found) if isinstance(found, str) else value(value_of(found))


def heading(entry: Entry) -> tuple[StepMark, str]:
    """Return the mark and the title of an entry of the record."""
    if entry.action == "gate" and entry.target is not None:
        return GATED[CallStatus(entry.target)]
    if entry.data.get("ran") is True:
        return StepMark.BAD, "It ran, but its output could not be kept"
    # An unknown action was recorded by another version of ours, so its name is readable.
    words = entry.action.replace("_", " ").capitalize()
    return ACTIONS.get(entry.action, (StepMark.NOTE, words))


def _filled(origins: Json) -> str:
    """Return the arguments that nobody typed for this call, each with where it came from."""
    found = origins if isinstance(origins, dict) else {}
    read = (ValueOrigin.from_json(name, said) for name, said in found.items())
    return ", ".join(f"{each.field} {each.source.words} ({each.id})" for each in read if each.fits)


def _says(raw: str, revision: Revision) -> bool:
    try:
        return encode(parse(raw)) == revision.arguments.text
    except InvalidJson:
        return False


def _vote(decision: Decision) -> Iterator[tuple[str, Html]]:
    if decision.reason:
        yield "said", _said(decision.reason)
    if decision.shown:
        yield "was shown", element("code", foreign(decision.shown))
    if decision.digest:
        yield "digest seen", element("code", foreign(decision.digest))


def _audience(audience: Audience, owner: str) -> Html:
    first, *more = [_list(_named(part, owner)) for part in audience.parts]
    named = [first, *(element("span", "who also has to be ", part) for part in more)]
    excluded = [element("span", "but not the requester")] if audience.exclude_requester else []
    return _list([*named, *excluded])


def _named(part: Audience, owner: str) -> Iterator[Html]:
    if part.owner:
        yield element("span", foreign(owner))
    yield from (
        element("span", "anyone with the role ", foreign(role)) for role in sorted(part.roles)
    )
    yield from (element("span", foreign(person)) for person in sorted(part.people))


def _code(text: str) -> Html:
    return element("code", foreign(text))


def _list(parts: Iterable[Html]) -> Html:
    pieces: list[Html] = []
    for part in parts:
        pieces += [Html(", "), part] if pieces else [part]
    return joined(pieces or [element("span", "no one")])


def _deadline(at: datetime | None) -> Html:
    if at is None:
        return element("span", "no deadline")
    return element("time", exact(at), datetime=at.isoformat())


def _said(text: str) -> Html:
    return block(text) if "\n" in text else foreign(text)


def _clock(at: datetime) -> Html:
    return element("time", at.strftime("%H:%M:%S"), datetime=at.isoformat())


def _report(data: dict[str, Json]) -> Html:
    fraction, said = data.get("fraction"), data.get("value")
    share = (
        (element("span", f"{fraction:.0%}", class_="share"), " ") if _is_number(fraction) else ()
    )
    return joined((*share, value(value_of(said))))


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
