"""Posts of an input form: steps that are kept as a draft, and the answers that are sent."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from assent.domain.decisions import Give, answer
from assent.domain.forms import UserInput
from assent.domain.steps import ShownStep
from assent.domain.verdicts import Verb
from assent.engine.files.answers import with_files
from assent.engine.queries.review import Review
from assent.errors import DraftChanged, InvalidAnswer
from assent.presentation.text import safe_line
from assent.server.form_data import Posted
from assent.server.web.review.form_sheet import (
    LOOK,
    STEP,
    known_to,
    seen_in,
    step_at,
    untouched,
)
from assent.server.web.review.suggestion_buttons import accepted
from assent.server.web.review.verdicts import ANSWER, DRAFT, answers_of

# The buttons of a step that go on and back; both keep what was entered.
NEXT, BACK = "next", "back"
MOVES: Final = frozenset({NEXT, BACK, DRAFT})
POSTS: Final = MOVES | {Verb.ANSWER}
_CLASH: Final = "Entered elsewhere since you opened this"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPost:
    """The verdict of a posted form, the step that follows it, and what is not kept of it."""

    verdict: Give
    place: str = ""
    left: tuple[str, ...] = ()


def form_post(matter: Review, posted: Posted) -> FormPost:
    """Read a posted form; raises `InvalidAnswer` if its step cannot be left with Next."""
    form = UserInput.from_json(matter.request.question.form or {})
    given = with_files(form, matter.files, answers_of(matter.request, posted))
    verb = posted.one("verdict")
    same = _overtaken(matter, posted)
    mine = {name: value for name, value in given.items() if name not in same}
    if verb == Verb.ANSWER:
        keep, accept = posted.one("keep") or None, accepted(posted, mine)
        give = answer(mine).accepting(*accept)
        give = replace(give if keep is None else give.keeping(keep), seen=seen_in(posted))
        return FormPost(verdict=give)
    if verb != NEXT:
        # Nobody went through these: as answers they would stand against those of another device.
        idle = untouched(matter, posted)
        mine = {name: value for name, value in mine.items() if name not in idle}
    known = known_to(matter)
    step = step_at(form.shown_steps({**known, **given}), posted.one(STEP))
    if verb == NEXT and step is not None:
        wrong = form.step_errors(step, {**given, **_now(matter, same)}, known, matter.kept_secrets)
        if wrong:
            raise InvalidAnswer(wrong)
    left = _misfits(form, mine, matter) if verb == BACK else frozenset[str]()
    kept = {name: value for name, value in mine.items() if name not in left}
    place = _next(form, {**known, **kept}, step, verb)
    give = Give(values=kept, partial=True, seen=seen_in(posted))
    return FormPost(verdict=give, place=place, left=tuple(sorted(left)))


def _overtaken(matter: Review, posted: Posted) -> frozenset[str]:
    """Return the fields that were not touched here and were answered elsewhere since."""
    seen = seen_in(posted)
    if seen is None:
        return frozenset()
    since = {name for name, number in matter.draft_changes.items() if number > seen}
    return frozenset(since) & untouched(matter, posted)


def _now(matter: Review, names: frozenset[str]) -> dict[str, object]:
    return {name: matter.draft.get(name) for name in names if name in matter.draft}


def _misfits(form: UserInput, given: Mapping[str, object], matter: Review) -> frozenset[str]:
    """Return the answers that no draft can keep."""
    try:
        form.validate_part(given, matter.draft)
    except InvalidAnswer as error:
        return frozenset(error.errors)
    return frozenset()


def _next(form: UserInput, known: Mapping[str, object], step: ShownStep | None, verb: str) -> str:
    if step is None or not form.steps:
        return ""
    steps = form.shown_steps(known)
    if verb == BACK:
        return str(max((each.place for each in steps if each.place < step.place), default=1))
    if verb == DRAFT:
        return str(step.place)
    later = (str(each.place) for each in steps if each.place > step.place)
    return next(later, LOOK)


def clashes(matter: Review, posted: Posted, error: DraftChanged) -> dict[str, str]:
    """Return what is said beside each field that was answered here and elsewhere.

    `matter` is the request as it is now: what came from elsewhere is shown, unless it is secret.
    """
    same = untouched(matter, posted)
    touched = (n for n in error.fields if f"{ANSWER}{n}" in posted and n not in same)
    return {f"{ANSWER}{name}": _clash(matter, name) for name in touched}


def _clash(matter: Review, name: str) -> str:
    if name not in matter.draft:
        return f"{_CLASH}. Go on to use yours instead, or empty it to keep the other."
    other = matter.draft[name]
    form = UserInput.from_json(matter.request.question.form or {})
    [item] = [each for each in form.fields if each.name == name]
    words = "nothing" if other is None else f"“{safe_line(item.said(other))}”"
    return f"{_CLASH}: {words}. Go on to use yours instead."
