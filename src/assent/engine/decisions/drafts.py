"""Drafts of forms: what was entered so far, sealed in the request's row, from several devices."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, cast

from assent.domain.canonical import Json
from assent.domain.fields import Field
from assent.domain.files import FileUse
from assent.domain.forms import UserInput
from assent.domain.requests import Request
from assent.engine.files.answers import still_there
from assent.engine.vault import Vault
from assent.errors import DraftChanged, InvalidAnswer

_PLACE: Final = "draft"
# Beside the answers, under a name that no field has: earlier releases read the answers alone.
_SAVED: Final = "$saved"
_MOST_NAMED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The answers entered so far; None where a field was emptied. They may hold secrets.

    `number` counts the saves, `changed` says with which of them each answer came.
    """

    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    number: int = 0
    at: datetime | None = None
    changed: Mapping[str, int] = field(default_factory=dict[str, int])

    def with_answers(self, answers: Mapping[str, Json], at: datetime) -> "Draft":
        """Return the draft after one more save; each answer of it replaces the one before."""
        number = self.number + 1
        new = {name: number for name, value in answers.items() if self._is_news(name, value)}
        values = {**self.values, **answers}
        return Draft(values=values, number=number, at=at, changed={**self.changed, **new})

    def _is_news(self, name: str, value: Json) -> bool:
        return name not in self.values or self.values[name] != value

    def refuse_unseen(self, request_id: str, answers: Mapping[str, Json], seen: int | None) -> None:
        """Raise `DraftChanged` if this would replace answers that came after the draft was seen."""
        names = [name for name in self._since(seen) if name in answers]
        self._refuse(request_id, [name for name in names if self._is_news(name, answers[name])])

    def refuse_changed(
        self, request_id: str, answers: Mapping[str, Json], seen: int | None
    ) -> None:
        """Raise `DraftChanged` if any answer came after the draft was seen, and is not the same."""
        names = self._since(seen)
        same = {n for n in names if n in answers and not self._is_news(n, answers[n])}
        self._refuse(request_id, [name for name in names if name not in same])

    def _since(self, seen: int | None) -> list[str]:
        # Without a number nothing is known of what was seen: each answer replaces the one before.
        if seen is None:
            return []
        return [name for name, number in self.changed.items() if number > seen]

    def _refuse(self, request_id: str, names: list[str]) -> None:
        if names:
            raise DraftChanged(request_id, names[:_MOST_NAMED], number=self.number)


def opened(vault: Vault, request: Request) -> Draft:
    """Return the draft of a request's form; an empty one if nothing was saved."""
    if request.draft is None:
        return Draft()
    values: dict[str, Any] = json.loads(vault.open(request.draft, row=request.id, field=_PLACE))
    saved: dict[str, Any] | None = values.pop(_SAVED, None)
    if saved is None:
        # A draft from a release that kept nothing else.
        return Draft(values=values)
    at = datetime.fromisoformat(saved["at"])
    return Draft(values=values, number=saved["number"], at=at, changed=saved["changed"])


def with_present_files(draft: Draft, form: UserInput, uses: Sequence[FileUse]) -> Draft:
    """Return a draft without files that were taken back since."""
    if not form.files:
        return draft
    return replace(draft, values=cast("Mapping[str, Json]", still_there(form, uses, draft.values)))


def sealed(vault: Vault, request_id: str, draft: Draft) -> str:
    """Seal a draft for the row of its request: as a whole, because it may hold secrets."""
    saved = {"number": draft.number, "at": draft.at, "changed": dict(draft.changed)}
    text = json.dumps({**draft.values, _SAVED: saved}, default=datetime.isoformat)
    return vault.seal(text, row=request_id, field=_PLACE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """The answers to a form that fit its changed definition, and the labels of the others."""

    values: Mapping[str, Json]
    dropped: tuple[str, ...]
    asked_again: tuple[str, ...]

    @property
    def words(self) -> str:
        """The notice for the person who goes on with the changed form; it repeats no answer."""
        told = ["This form has changed since it was begun. Look at it again before you send it."]
        if self.dropped:
            told.append(f"No longer asked for: {', '.join(self.dropped)}.")
        if self.asked_again:
            told.append(f"To be answered again: {', '.join(self.asked_again)}.")
        return " ".join((*told, "Everything else that was entered is kept."))


def carried(before: UserInput, now: UserInput, values: Mapping[str, object]) -> Carried:
    """Sort the answers to the form as it was by whether they fit the form as it is now."""
    present, labels = {item.name: item for item in now.fields}, _labels(before)
    fitting, again, dropped = dict[str, Json](), list[str](), list[str]()
    for name, value in values.items():
        item = present.get(name)
        if item is None:
            dropped.append(labels.get(name, name))
        elif value is None:
            fitting[name] = None
        elif _is_like(item, before) and (kept := _accepted(item, value)) is not None:
            fitting[name] = kept
        else:
            again.append(item.label)
    return Carried(values=fitting, dropped=tuple(dropped), asked_again=tuple(again))


def _labels(form: UserInput) -> dict[str, str]:
    return {item.name: item.label for item in form.fields}


def _is_like(item: Field, before: UserInput) -> bool:
    # A secret must not turn up in a field that is shown.
    was_secret = item.name in before.secrets
    return item.kind.is_secret is was_secret


def _accepted(item: Field, value: object) -> Json:
    try:
        return item.accept(value)
    except InvalidAnswer:
        return None
