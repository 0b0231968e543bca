"""Answers that are known without asking, and where each of them came from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from assent.domain.bodies import External
from assent.domain.canonical import Json
from assent.domain.conversations import Conversation
from assent.domain.fields import Field
from assent.domain.forms import SavedValue, SealedSecret, UserInput, without_nulls
from assent.domain.people import PersonKind
from assent.domain.preferences import Preference, ValueOrigin, ValueSource
from assent.domain.tools import EffectiveTool
from assent.engine.vault import Vault, references
from assent.errors import InvalidAnswer, SecretUnreadable
from assent.ports import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Values for fields, and the origins of those that nobody typed for this call.

    An origin that no longer fits its field has no value here: the field is asked for again.
    """

    values: Mapping[str, Json] = field(default_factory=dict[str, Json])
    origins: Mapping[str, ValueOrigin] = field(default_factory=dict[str, ValueOrigin])

    def used(self, answers: Mapping[str, Json]) -> dict[str, ValueOrigin]:
        """Return the origins of the values that are among these answers, unchanged."""
        return {
            name: origin
            for name, origin in self.origins.items()
            if origin.fits and name in answers and answers[name] == self.values.get(name)
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnPreferences:
    """The preferences of a conversation's owner, with the sealed rows of the secret ones."""

    rows: Sequence[Preference] = ()
    sealed: Mapping[str, SealedSecret] = field(default_factory=dict[str, SealedSecret])
    vault: Vault | None = None

    def fits(self, row: Preference, item: Field) -> bool:
        """Return True if the form as it is now still accepts a preference."""
        try:
            item.accept(self._opened(row) if row.secret else row.value)
        except (InvalidAnswer, SecretUnreadable):
            return False
        return True

    def _opened(self, row: Preference) -> str:
        found = [self.sealed[id] for id in references(row.value) if id in self.sealed]
        if not found or self.vault is None:
            raise SecretUnreadable("its sealed row is not there")
        return self.vault.open(found[0].sealed, row=found[0].id, field=found[0].field)


NO_PREFERENCES = OwnPreferences()


def prefers(tool: EffectiveTool | None, conversation: Conversation) -> bool:
    """Return True if the owner's preferences count for a tool.

    Not if an agent outside runs it: it could declare a form to read them. Not for programs.
    """
    form = None if tool is None else tool.tool.user_input
    if tool is None or form is None or not form.for_person:
        return False
    is_ours = not isinstance(tool.tool.kind, External)
    return is_ours and conversation.owner.kind is PersonKind.HUMAN


def read_preferences(tx: Tx, vault: Vault, person: str, scopes: Iterable[str]) -> OwnPreferences:
    """Read a person's preferences for these tools and families."""
    rows = [row for scope in scopes for row in tx.preferences.of_scope(person, scope)]
    ids = references([row.value for row in rows if row.secret])
    sealed = {each.id: each for each in tx.values.sealed(ids)}
    return OwnPreferences(rows=rows, sealed=sealed, vault=vault)


def known_answers(
    tool: EffectiveTool,
    form: UserInput,
    prefilled: Mapping[str, Json],
    saved: Sequence[SavedValue],
    preferences: OwnPreferences = NO_PREFERENCES,
) -> Known:
    """Return the answers that are known without asking.

    An answer saved for the conversation comes before a preference, and both before a value that
    the model is allowed to fill in. Secrets are references.
    """
    scope, given = form.scope(tool.tool.name), without_nulls(prefilled)
    fillable = {item.name for item in form.fields if item.model_may_fill} - form.withheld
    filled = fillable & given.keys()
    preferred = _preferred(form, scope, preferences)
    # Another tool of the family may have a plain field where this one has a secret.
    alike = (row for row in saved if row.secret is (row.name in form.secrets))
    # Nor is what it has in a plain field a consent to what is asked here.
    items = {item.name for item in form.fields if item.may_be_saved}
    kept = {
        row.name: row for row in alike if form.save and row.scope == scope and row.name in items
    }
    return Known(
        values={
            **{name: given[name] for name in filled},
            **{row.name: row.value for row, fits in preferred if fits},
            **{name: row.value for name, row in kept.items()},
        },
        origins={
            **{row.name: _preference_origin(row, fits=fits) for row, fits in preferred},
            **{name: _conversation_origin(row) for name, row in kept.items()},
        },
    )


def _preferred(
    form: UserInput, scope: str, preferences: OwnPreferences
) -> list[tuple[Preference, bool]]:
    """Return the preferences for this form, each with whether it still fits."""
    items = {item.name: item for item in form.fields if item.may_be_preferred}
    return [
        (row, preferences.fits(row, items[row.name]))
        for row in preferences.rows
        if form.for_person and row.scope == scope and row.name in items
        if row.secret is items[row.name].kind.is_secret
    ]


def _preference_origin(row: Preference, *, fits: bool) -> ValueOrigin:
    source = ValueSource.PREFERENCE
    return ValueOrigin(field=row.name, source=source, id=row.id, at=row.at, fits=fits)


def _conversation_origin(row: SavedValue) -> ValueOrigin:
    source = ValueSource.CONVERSATION
    return ValueOrigin(field=row.name, source=source, id=row.scope, at=row.at)
