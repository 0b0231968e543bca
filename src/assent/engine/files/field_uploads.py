"""Uploads for a field of a form: who may send what for it, and the use that comes of it."""

from dataclasses import dataclass
from typing import Final

from assent.domain.canonical import Json
from assent.domain.events import Entry
from assent.domain.fields import Field
from assent.domain.files import FileReference, FileUse
from assent.domain.forms import UserInput
from assent.domain.identifiers import want_findable, want_keepable
from assent.domain.lifecycle import RequestKind
from assent.domain.people import ADMIN
from assent.domain.requests import Request
from assent.engine.decisions.attempts import lock_request
from assent.engine.files.scanning import Arrived
from assent.engine.files.uploads import Upload, Wanted
from assent.engine.ids import Ids
from assent.errors import AlreadySettled, FileRefused, NotEligible, NotFound
from assent.ports import Tx

# More uploads than this for one call are a program in a loop.
MOST_UPLOADS: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldUpload(Upload):
    """A file that somebody sends for one field of a request."""

    request_id: str
    field: str

    def check(self) -> None:
        want_findable("request", self.request_id)
        want_keepable("name of a field", self.field)

    def wanted(self, tx: Tx) -> Wanted:
        request, field, owner = self.place(tx)
        if len(tx.files.uses(request.call_id)) >= MOST_UPLOADS:
            raise FileRefused(self.field, f"{MOST_UPLOADS} files were sent already.")
        return Wanted(owner=owner, field=field, tool=request.tool)

    def place(self, tx: Tx) -> tuple[Request, Field, str]:
        """Return the request, its field and the owner; raises unless this person may answer."""
        request, _, conversation = lock_request(tx, self.request_id, by=self.by.id)
        owner = conversation.owner.id
        if not request.admits(self.by):
            visible = self.by.id == owner or ADMIN in self.by.roles
            raise (
                NotEligible(request.id, self.by.id) if visible else NotFound("request", request.id)
            )
        if not request.is_open:
            raise AlreadySettled.of(
                request.id, request.status, by=request.closed_by, at=request.closed_at
            )
        form = request.question.form if request.kind is RequestKind.INPUT else None
        found = None if form is None else UserInput.from_json(form).files.get(self.field)
        if found is None:
            raise NotFound("file field", self.field)
        return request, found, owner

    def count(self, tx: Tx, ids: Ids, file_id: str, found: Arrived) -> FileReference:
        request, _, _ = self.place(tx)
        use = FileUse(
            call_id=request.call_id,
            field=found.field,
            file_id=file_id,
            name=found.name,
            by=found.by,
            at=tx.now(),
            kind=found.kind,
            bytes=found.bytes,
            sha256=None if found.sealed else found.sha256,
            sealed=found.sealed,
        )
        tx.files.use(use)
        self.note(tx, ids, "upload", request, use.reference.to_json())
        return use.reference

    def refused(self, tx: Tx, ids: Ids, reason: str) -> None:
        request = tx.requests.look(self.request_id)
        if request is not None:
            self.note(tx, ids, "refuse_upload", request, {"reason": reason, "name": self.name})

    def note(self, tx: Tx, ids: Ids, action: str, request: Request, data: dict[str, Json]) -> None:
        """Put on record what became of a file of the field."""
        entry = Entry(
            id=ids("aud"),
            action=action,
            actor=self.by.id,
            channel=self.channel,
            conversation_id=request.conversation_id,
            call_id=request.call_id,
            request_id=request.id,
            data={"field": self.field, **data},
            at=tx.now(),
        )
        tx.journal.note(entry)
