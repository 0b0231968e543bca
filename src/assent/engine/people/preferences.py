"""A person's own preferences, and the fields that they want no suggestions for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assent.domain.bodies import External
from assent.domain.canonical import Json
from assent.domain.events import Entry
from assent.domain.fields import Field
from assent.domain.forms import SealedSecret, UserInput
from assent.domain.identifiers import want_findable
from assent.domain.people import Person, PersonKind
from assent.domain.preferences import Preference
from assent.domain.suggestions import Unsuggested
from assent.engine.decisions.attempts import lock_request
from assent.engine.kernel import Kernel
from assent.engine.transitions import Moves
from assent.engine.vault import reference
from assent.errors import InvalidAnswer, NotAllowed, NotFound
from assent.ports import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPreference:
    """A preference with the field that it is for.

    `field` is None if no tool here asks for it any more, `fits` is False if the field would no
    longer accept it: either way it is not used.
    """

    row: Preference
    field: Field | None
    fits: bool


@dataclass(frozen=True, slots=True)
class Preferences:
    """Keeps values for all conversations of a person: their own only. Changes are on record."""

    kernel: Kernel

    async def of(self, person: Person) -> list[KeptPreference]:
        """Return a person's preferences, by scope and name; a secret's value is a reference."""
        rows = await self._rows(person)
        # Once for all: there may be thousands of tools and of preferences.
        known = self._keepable() if rows else {}
        return [_kept(row, known.get((row.scope, row.name), ())) for row in rows]

    async def one(self, id: str, *, by: Person) -> KeptPreference:
        """Return one's own preference; raises `NotFound`."""
        found = next((row for row in await self._rows(by) if row.id == id), None)
        if found is None:
            raise NotFound("preference", id)
        return _kept(found, list(self.fields(found.scope, found.name)))

    async def _rows(self, person: Person) -> list[Preference]:
        return await self.kernel.store.run(lambda tx: tx.preferences.of_person(person.id))

    async def set(self, scope: str, name: str, value: object, *, by: Person) -> Preference:
        """Keep a value for all one's conversations, in place of an earlier one.

        Raises `NotFound` if no tool lets people keep this, `InvalidAnswer` if it does not fit.
        """
        _want_human(by)
        fields = list(self.fields(scope, name))
        # One tool of a family may have a plain field where another has a secret.
        fields = [item for item in fields if item.kind.is_secret] or fields
        if not fields:
            raise NotFound("field that can be kept", f"{scope} {name}"[:200])
        accepted = _accepted(fields, value)
        is_secret, id = fields[0].kind.is_secret, self.kernel.ids("prf")
        sealed = self._sealed(name, accepted) if is_secret else None

        def put(tx: Tx) -> Preference:
            if sealed is not None:
                tx.values.seal([sealed])
            made = Preference(
                id=id,
                person=by.id,
                scope=scope,
                name=name,
                value=accepted if sealed is None else reference(sealed.id),
                secret=is_secret,
                at=tx.now(),
            )
            tx.preferences.put(made)
            # Without the value: the record outlives the preference.
            self._note(tx, "set_preference", by, {"id": id, "scope": scope, "name": name})
            return made

        return await self.kernel.store.run(put)

    def _sealed(self, name: str, value: Json) -> SealedSecret:
        id = self.kernel.ids("sec")
        return SealedSecret(
            id=id,
            conversation_id="",
            call_id=None,
            field=name,
            sealed=self.kernel.vault.seal(str(value), row=id, field=name),
            at=self.kernel.clock.now(),
        )

    async def delete(self, id: str, *, by: Person) -> None:
        """Delete one's own preference, with its secret; raises `NotFound`."""
        want_findable("preference", id)

        def delete(tx: Tx) -> None:
            if not tx.preferences.delete(by.id, id):
                raise NotFound("preference", id)
            self._note(tx, "delete_preference", by, {"id": id})

        await self.kernel.store.run(delete)

    def fields(self, scope: str, name: str) -> Iterator[Field]:
        """Yield the fields of this name that people can keep, of all tools that share a scope.

        Secrets first: what is one for any of these tools is asked for unseen.
        """
        yield from self._keepable().get((scope, name), ())

    def offered(self) -> list[tuple[str, Field]]:
        """Return all that people can keep here, as scope and field, each once."""
        found = self._keepable()
        return [(scope, found[scope, name][0]) for scope, name in sorted(found)]

    def _keepable(self) -> dict[tuple[str, str], list[Field]]:
        found: dict[tuple[str, str], list[Field]] = {}
        for scope, form in self._forms():
            for item in form.fields:
                if item.may_be_preferred:
                    found.setdefault((scope, item.name), []).append(item)
        for items in found.values():
            items.sort(key=lambda item: not item.kind.is_secret)
        return found

    def _forms(self) -> Iterator[tuple[str, UserInput]]:
        for each in self.kernel.catalogue.every_tool():
            form = each.tool.user_input
            if form is not None and form.for_person and not isinstance(each.tool.kind, External):
                yield form.scope(each.tool.name), form

    # Suggestions

    async def stopped(self, person: Person) -> list[Unsuggested]:
        """Return the fields that a person wants no suggestions for."""
        return await self.kernel.store.run(lambda tx: tx.suggestions.stopped(person.id))

    async def stop_suggesting(self, request_id: str, name: str, *, by: Person) -> None:
        """Suggest nothing more for a field of one's own request, from now on everywhere.

        Raises `NotFound` if nothing is suggested for it to this person.
        """
        want_findable("request", request_id)

        def stop(tx: Tx) -> None:
            request, call, _ = lock_request(tx, request_id)
            if name not in request.suggestions_for(by.id) or not request.is_open:
                raise NotFound("suggestion", name[:64])
            form = UserInput.from_json(request.question.form or {})
            id, scope, now = self.kernel.ids("uns"), form.scope(request.tool), tx.now()
            made = Unsuggested(id=id, person=by.id, scope=scope, name=name, at=now)
            tx.suggestions.stop(made)
            tx.requests.unsuggest(request, name)
            moves = Moves(tx, self.kernel.ids, actor=by.id)
            data: dict[str, Json] = {"scope": scope, "name": name}
            moves.note("stop_suggesting", call, request_id=request.id, data=data)

        await self.kernel.store.run(stop)

    async def suggest_again(self, id: str, *, by: Person) -> None:
        """Take back that nothing is suggested for a field; raises `NotFound`."""
        want_findable("field without suggestions", id)

        def again(tx: Tx) -> None:
            found = tx.suggestions.again(by.id, id)
            if found is None:
                raise NotFound("field without suggestions", id)
            self._note(tx, "suggest_again", by, {"scope": found[0], "name": found[1]})

        await self.kernel.store.run(again)

    def _note(self, tx: Tx, action: str, by: Person, data: dict[str, Json]) -> None:
        entry = Entry(id=self.kernel.ids("aud"), action=action, actor=by.id, data=data, at=tx.now())
        tx.journal.note(entry)


def _want_human(person: Person) -> None:
    if person.kind is not PersonKind.HUMAN:
        raise NotAllowed(person.id, "keep preferences")


def _accepted(fields: Sequence[Field], value: object) -> Json:
    """Return the value as the first field that accepts it does; raises if none does."""
    first: InvalidAnswer | None = None
    for item in fields:
        try:
            if not item.is_given(value):
                raise InvalidAnswer({item.name: "Enter a value, or delete the preference."})
            return item.accept(value)
        except InvalidAnswer as error:
            first = first or error
    raise first or AssertionError("there is at least one field")


def _kept(row: Preference, fields: Sequence[Field]) -> KeptPreference:
    # One tool of a family may have a plain field where another has a secret, and neither takes
    # what was kept for the other.
    alike = [item for item in fields if item.kind.is_secret is row.secret]
    # What a secret is cannot be said without opening it: the next call finds out.
    fits = any(row.secret or _accepts(item, row.value) for item in alike)
    return KeptPreference(row=row, field=fields[0] if fields else None, fits=fits)


def _accepts(item: Field, value: Json) -> bool:
    try:
        item.accept(value)
    except InvalidAnswer:
        return False
    return True
