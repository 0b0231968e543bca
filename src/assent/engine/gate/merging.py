"""Answers of a form on their way into a call: merged, sealed, and kept for later."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from assent.domain.calls import Frozen
from assent.domain.canonical import Json
from assent.domain.forms import SavedValue, SealedSecret, UserInput
from assent.domain.preferences import Keep, Preference
from assent.domain.tools import EffectiveTool
from assent.engine.ids import Ids
from assent.engine.vault import Vault, is_reference, reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """Which answers are kept: for the conversation, and for all conversations of a person."""

    in_conversation: frozenset[str] = frozenset()
    by_person: frozenset[str] = frozenset()
    person: str = ""

    @classmethod
    def of(
        cls, form: UserInput, keep: Keep | None, *, person: str, own: frozenset[str]
    ) -> "Keeping":
        """Return what to keep of a form; `own` are the answers that this person gave.

        What cannot be kept for all conversations is kept for this one.
        """
        keep = keep or (Keep.CONVERSATION if form.save else Keep.ONCE)
        if keep is Keep.ONCE or not form.save:
            return cls()
        may = frozenset(item.name for item in form.fields if item.may_be_saved)
        if keep is Keep.CONVERSATION:
            return cls(in_conversation=may)
        preferred = frozenset(item.name for item in form.fields if item.may_be_preferred) & own
        return cls(in_conversation=may - preferred, by_person=preferred, person=person)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Arguments with answers merged in, and the rows to store with them."""

    arguments: dict[str, Json]
    frozen: Frozen
    sealed: tuple[SealedSecret, ...] = ()
    saved: tuple[SavedValue, ...] = ()
    preferred: tuple[Preference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging:
    """Puts validated answers into the arguments of one call."""

    tool: EffectiveTool
    conversation_id: str
    call_id: str
    vault: Vault
    ids: Ids
    at: datetime
    keeping: Keeping = field(default_factory=Keeping)

    def merge(self, arguments: Mapping[str, Json], answers: Mapping[str, Json]) -> Merged:
        """Return the arguments with these answers, the secrets sealed and replaced."""
        form = self.tool.tool.user_input
        hidden = frozenset[str]() if form is None else form.secrets
        fresh = {n: v for n, v in answers.items() if n in hidden and not is_reference(v)}
        sealed = {name: self._seal(name, value) for name, value in fresh.items()}
        refs = {name: reference(row.id) for name, row in sealed.items()}
        values = {**answers, **refs}
        full = self.tool.tool.arguments.normalise({**arguments, **values}, partial=False)
        if form is None:
            return Merged(arguments=full, frozen=Frozen.of(full))
        # A secret that is kept has a row of its own: the call does not end with the preference.
        own = {n: self._seal(n, fresh[n], kept=True) for n in fresh if n in self._preferred}
        kept = {**answers, **{name: reference(row.id) for name, row in own.items()}}
        return Merged(
            arguments=full,
            frozen=Frozen.of(full),
            sealed=(*sealed.values(), *own.values()),
            saved=tuple(
                self._saved(form, name, value)
                for name, value in values.items()
                if name in self.keeping.in_conversation
            ),
            preferred=tuple(
                self._preference(form, name, value)
                for name, value in kept.items()
                if name in self._preferred and (name in own or name not in hidden)
            ),
        )

    @property
    def _preferred(self) -> frozenset[str]:
        return self.keeping.by_person

    def _seal(self, name: str, value: Json, *, kept: bool = False) -> SealedSecret:
        id = self.ids("sec")
        # A secret that is kept outlives its call; any other is purged with it.
        outlives = kept or name in self.keeping.in_conversation
        return SealedSecret(
            id=id,
            conversation_id=self.conversation_id,
            call_id=None if outlives else self.call_id,
            field=name,
            sealed=self.vault.seal(str(value), row=id, field=name),
            at=self.at,
        )

    def _saved(self, form: UserInput, name: str, value: Json) -> SavedValue:
        return SavedValue(
            conversation_id=self.conversation_id,
            scope=form.scope(self.tool.tool.name),
            name=name,
            value=value,
            secret=name in form.secrets,
            at=self.at,
        )

    def _preference(self, form: UserInput, name: str, value: Json) -> Preference:
        return Preference(
            id=self.ids("prf"),
            person=self.keeping.person,
            scope=form.scope(self.tool.tool.name),
            name=name,
            value=value,
            secret=name in form.secrets,
            at=self.at,
        )
