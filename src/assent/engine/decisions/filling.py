"""Filling in the form of a tool: the person's answers, what was known before, and what is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assent.domain.canonical import Json
from assent.domain.decisions import Give
from assent.domain.fields import Field
from assent.domain.files import FileUse
from assent.domain.forms import UserInput, without_nulls
from assent.domain.people import PersonKind
from assent.domain.preferences import Keep, ValueOrigin, ValueSource
from assent.domain.suggestions import Suggestion
from assent.domain.tools import EffectiveTool
from assent.engine.decisions.attempts import Case
from assent.engine.decisions.drafts import opened, with_present_files
from assent.engine.gate.known import Known, prefers
from assent.engine.gate.merging import Keeping, Merged, Merging
from assent.engine.kernel import Kernel
from assent.errors import InvalidAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """The merged answers, and the origins of those that were not typed."""

    merged: Merged
    origins: Mapping[str, ValueOrigin]


@dataclass(frozen=True, slots=True, kw_only=True)
class Filling:
    """One person's answers to the form of a tool."""

    kernel: Kernel
    case: Case
    tool: EffectiveTool
    form: UserInput
    given: Give
    # What was uploaded for the call.
    uses: Sequence[FileUse] = ()

    def fill(self) -> Filled:
        """Validate the answers and merge them; raises `InvalidAnswer` with every problem."""
        draft = opened(self.kernel.vault, self.case.request)
        draft = with_present_files(draft, self.form, self.uses)
        prefilled = without_nulls(self.case.request.question.prefilled)
        taken = self._taken()
        typed = {**self.given.values, **{name: each.value for name, each in taken.items()}}
        answers = self.form.validate(typed, {**prefilled, **draft.values})
        said = {name: answers.get(name) for name in typed}
        draft.refuse_changed(self.case.request.id, said, self.given.seen)
        own = {*taken, *(n for n, value in typed.items() if value is not None), *draft.values}
        merging = Merging(
            tool=self.tool,
            conversation_id=self.case.call.conversation_id,
            call_id=self.case.call.id,
            vault=self.kernel.vault,
            ids=self.kernel.ids,
            at=self.kernel.clock.now(),
            keeping=self._keeping(answers, frozenset(own)),
        )
        return Filled(
            merged=merging.merge(self.case.call.arguments.thaw(), answers),
            origins=self._origins(answers, prefilled, {**self._drafted(draft.values), **taken}),
        )

    def _drafted(self, draft: Mapping[str, Json]) -> dict[str, Suggestion]:
        """Return the suggestions that an earlier step of the form was filled in with."""
        found = self.case.request.suggestions_for(self.case.attempt.by.id)
        earlier = {n: value for n, value in draft.items() if n not in self.given.values}
        return {n: each for n, each in found.items() if n in earlier and earlier[n] == each.value}

    def _taken(self) -> dict[str, Suggestion]:
        """Return the suggestions that the person takes; another value that they typed counts."""
        found = self.case.request.suggestions_for(self.case.attempt.by.id)
        items = {item.name: item for item in self.form.fields}
        strange = [name for name in self.given.accept if name not in found or name not in items]
        if strange:
            raise InvalidAnswer(dict.fromkeys(strange[:10], "Nothing is suggested for this."))
        said = self.given.values
        return {
            name: found[name]
            for name in self.given.accept
            if _is_left_to(items[name], said.get(name), found[name])
        }

    def _keeping(self, answers: Mapping[str, Json], own: frozenset[str]) -> Keeping:
        keep, by = self.given.keep, self.case.attempt.by
        if keep is Keep.PERSON and not self._may_prefer:
            raise InvalidAnswer(
                {"keep": "These answers cannot be kept for all your conversations."}
            )
        return Keeping.of(self.form, keep, person=by.id, own=own - self._models(answers))

    @property
    def _may_prefer(self) -> bool:
        """True if these are the owner's own answers, and the tool lets people keep them."""
        owner, by = self.case.conversation.owner, self.case.attempt.by
        is_own = by.id == owner.id and by.kind is PersonKind.HUMAN
        return is_own and self.form.for_person and prefers(self.tool, self.case.conversation)

    def _models(self, answers: Mapping[str, Json]) -> frozenset[str]:
        """Return the fields that still hold what the model filled in: no answers of a person."""
        kept = {name for name, origin in self.case.request.origins.items() if origin.fits}
        filled = self.case.request.question.prefilled
        theirs = (
            each for each in self.form.fields if each.name in filled and each.name not in kept
        )
        return frozenset(
            each.name
            for each in theirs
            if _as_answer(each, filled[each.name]) == answers.get(each.name)
        )

    def _origins(
        self,
        answers: Mapping[str, Json],
        prefilled: Mapping[str, Json],
        taken: Mapping[str, Suggestion],
    ) -> dict[str, ValueOrigin]:
        known = Known(values=prefilled, origins=self.case.request.origins)
        accepted = {
            name: ValueOrigin(
                field=name, source=ValueSource.SUGGESTION, id=each.call_id, at=each.at
            )
            for name, each in taken.items()
            if name in answers
        }
        return {**known.used(answers), **accepted}


def _as_answer(item: Field, filled: Json) -> Json:
    """Return what the model filled in as the field spells it: a page posts it like that."""
    try:
        return item.accept(filled)
    except InvalidAnswer:
        return filled


def _is_left_to(item: Field, said: object, suggestion: Suggestion) -> bool:
    """Return True if the person typed nothing else than what is suggested."""
    if not item.is_given(said):
        return True
    try:
        return item.accept(said) == suggestion.value
    except InvalidAnswer:
        return False
